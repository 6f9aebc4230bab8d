//! Rank-1 constraint systems: `.r1cs` files, version 1.
//!
//! A constraint says `⟨a, z⟩ · ⟨b, z⟩ = ⟨c, z⟩` of the wires `z`: the constant one, the public
//! outputs, the public inputs, the private inputs, and everything between.
//!
//! | section | content |
//! |---|---|
//! | 1 | the scalar field and the counts of [`R1csHeader`] |
//! | 2 | the constraints |
//! | 3 | for each wire its label, 64 bits |
//! | 4, 5 | custom gates of PLONK, which are not read here |

mod read;
mod write;

use algebra::Scalar;

pub use read::{Constraints, Labels, R1cs};
pub use write::R1csWriter;

const HEADER: &str = "r1cs section 1 (header)";
const CONSTRAINTS: &str = "r1cs section 2 (constraints)";
const LABELS: &str = "r1cs section 3 (labels)";

/// What the header of a `.r1cs` file counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct R1csHeader {
    /// Wires, the constant one included.
    pub wires: u32,
    /// Public outputs.
    pub public_outputs: u32,
    /// Public inputs.
    pub public_inputs: u32,
    /// Private inputs.
    pub private_inputs: u32,
    /// Labels of the source; wires that the compiler dropped have one too.
    pub labels: u64,
    /// Constraints.
    pub constraints: u32,
}

impl R1csHeader {
    /// Public wires beside the constant one.
    pub fn public(&self) -> u32 {
        self.public_outputs.saturating_add(self.public_inputs)
    }

    fn check(&self) -> Result<(), &'static str> {
        let named = 1
            + u64::from(self.public_outputs)
            + u64::from(self.public_inputs)
            + u64::from(self.private_inputs);
        if named > u64::from(self.wires) {
            return Err("there are fewer wires than inputs and outputs");
        }
        Ok(())
    }
}

/// A linear combination of wires, in the order of the file.
pub type LinearCombination<S> = Vec<(u32, S)>;

/// `⟨a, z⟩ · ⟨b, z⟩ = ⟨c, z⟩`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint<S> {
    /// The left factor.
    pub a: LinearCombination<S>,
    /// The right factor.
    pub b: LinearCombination<S>,
    /// The product.
    pub c: LinearCombination<S>,
}

impl<S: Scalar> Constraint<S> {
    /// Whether an assignment of the wires satisfies the constraint; a wire without a value makes it
    /// false.
    pub fn is_satisfied_by(&self, wires: &[S]) -> bool {
        let value = |combination: &[(u32, S)]| {
            let term = |&(wire, factor)| wires.get(wire as usize).map(|&value| value * factor);
            combination.iter().map(term).sum::<Option<S>>()
        };
        match (value(&self.a), value(&self.b), value(&self.c)) {
            (Some(a), Some(b), Some(c)) => a * b == c,
            _ => false,
        }
    }
}
