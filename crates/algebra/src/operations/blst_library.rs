//! blst, by its C interface.

use std::hint::black_box;

use super::{
    blst::{G1, G2, Pairs, Rival},
    library::{Library, Operation},
};

pub(super) struct Blst {
    g1: G1,
    g2: G2,
    pairs: Pairs,
}

impl Blst {
    pub(super) fn load([g1, g2, scalars]: &[Vec<u8>; 3]) -> Self {
        Self {
            g1: G1::default().load(g1, scalars),
            g2: G2::default().load(g2, scalars),
            pairs: Pairs::load(g1, g2),
        }
    }
}

impl Library for Blst {
    fn name(&self) -> &'static str {
        "blst BLS12-381"
    }

    fn run(&self, operation: Operation, count: usize) -> bool {
        match operation {
            Operation::ScaleG1 => self.g1.scale(count),
            Operation::ScaleG2 => self.g2.scale(count),
            Operation::AddG1 => self.g1.add(count),
            Operation::AddG2 => self.g2.add(count),
            Operation::MsmG1 => self.g1.msm(count, 255),
            Operation::MsmG2 => self.g2.msm(count, 255),
            Operation::Pairing => {
                black_box(self.pairs.multi_pairing(count));
            }
            Operation::FixedBaseG1 | Operation::FixedBaseG2 | Operation::Transform => return false,
        }
        true
    }
}
