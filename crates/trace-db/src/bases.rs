//! The points that commitments and signatures are over.

use std::sync::LazyLock;

use algebra::{Bls12381G1, Bls12381G2, FixedBaseTable, Group};

/// The group of everything but signature keys.
pub type G1 = Bls12381G1;
/// The group of signature keys.
pub type G2 = Bls12381G2;
/// Integers modulo the order of both groups.
pub type F = <G1 as Group>::Scalar;

/// `G`, and `H`, `F`, `E` of which nobody knows a relation: hashed from fixed labels, never read.
pub(super) struct Bases {
    /// The generator: values are its multiples in commitments.
    pub(super) g: FixedBaseTable<G1>,
    /// Blinds commitments.
    pub(super) h: FixedBaseTable<G1>,
    /// What every BBS+ signature is on, beside value and blinding.
    pub(super) f: G1,
    /// Blinds the commitments `Z_1` that proofs of products need.
    pub(super) e: FixedBaseTable<G1>,
}

/// The tables, computed once a process.
pub(super) fn bases() -> &'static Bases {
    static BASES: LazyLock<Bases> = LazyLock::new(|| {
        let hashed = |label: &[u8]| G1::hash_to_group(&[b"subrosa/trace/db/", label].concat());
        Bases {
            g: FixedBaseTable::new(&G1::generator()),
            h: FixedBaseTable::new(&hashed(b"H")),
            f: hashed(b"F"),
            e: FixedBaseTable::new(&hashed(b"E")),
        }
    });
    &BASES
}
