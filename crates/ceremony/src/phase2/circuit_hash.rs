//! The hash of the first key.

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use circuit::zkey::KeyPoints;
use rayon::prelude::*;
use wire::Blake2b;

/// How points stand in everything that phase 2 hashes.
pub(super) const HASHED: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);

/// BLAKE2b-512 of the first key in the layout of bellman's parameters: the single points, then `IC`,
/// `H` in powers, `K`, `A`, `B` in G1 and G2, each after its length.
pub(super) struct CircuitHash(Blake2b);

impl CircuitHash {
    pub fn new<E: Engine>(points: &KeyPoints<E>) -> Self {
        let mut hash = Self(Blake2b::new());
        let mut bytes = Vec::new();
        points.write_form(HASHED, &mut bytes);
        hash.0.update(&bytes);
        hash
    }

    /// The length of a list. Formats bound all of them by 32 bits.
    pub fn count(&mut self, count: u64) {
        self.0.update(&(count as u32).to_be_bytes());
    }

    pub fn points<G: CurveGroup>(&mut self, points: &[Affine<G>]) {
        let encode = |points: &[Affine<G>]| {
            let mut bytes = Vec::new();
            G::write_form(points, HASHED, &mut bytes);
            bytes
        };
        for points in points.chunks(super::CHUNK) {
            let encoded: Vec<_> = points.par_chunks(1024).map(encode).collect();
            encoded.iter().for_each(|bytes| self.0.update(bytes));
        }
    }

    /// A whole list.
    pub fn list<G: CurveGroup>(&mut self, points: &[Affine<G>]) {
        self.count(points.len() as u64);
        self.points::<G>(points);
    }

    pub fn finish(self) -> [u8; 64] {
        self.0.finish()
    }
}
