//! What is measured, and on what.

use rand_core::CryptoRng;

use crate::{AffineGroup, Engine, FixedBaseTable, Group, Scalar, ScalarOf};

/// What is measured, on so many points or pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Points of G1 times a scalar each.
    ScaleG1,
    /// Points of G2 times a scalar each.
    ScaleG2,
    /// A sum in G1, point by point.
    AddG1,
    /// A sum in G2, point by point.
    AddG2,
    /// One point of G1 times many scalars, its table ready.
    FixedBaseG1,
    /// One point of G2 times many scalars, its table ready.
    FixedBaseG2,
    /// A multi-scalar multiplication in G1.
    MsmG1,
    /// A multi-scalar multiplication in G2.
    MsmG2,
    /// A product of pairings, with the final exponentiation.
    Pairing,
}

/// A library's implementation of one curve, with data loaded.
pub trait Library {
    /// Name of library and curve.
    fn name(&self) -> &'static str;

    /// Computes an operation on the first `count` items; `false` if the library does not offer it.
    fn run(&self, operation: Operation, count: usize) -> bool;
}

/// The same points and scalars for all libraries of a curve.
#[derive(Clone)]
pub(super) struct Data<E: Engine> {
    pub(super) g1: Vec<<E::G1 as AffineGroup>::Affine>,
    pub(super) g2: Vec<<E::G2 as AffineGroup>::Affine>,
    pub(super) scalars: Vec<ScalarOf<E>>,
}

impl<E: Engine> Data<E> {
    pub(super) fn random(count: usize, rng: &mut impl CryptoRng) -> Self {
        let logarithms = ScalarOf::<E>::random_many(count, rng);
        let g1 = FixedBaseTable::new(&E::G1::generator()).mul_all(&logarithms);
        let g2 = FixedBaseTable::new(&E::G2::generator()).mul_all(&logarithms);
        Self {
            g1: E::G1::to_affine_all(&g1),
            g2: E::G2::to_affine_all(&g2),
            scalars: ScalarOf::<E>::random_many(count, rng),
        }
    }

    /// Compressed points of both groups, in arkworks' or Zcash's form, and scalars.
    #[cfg(any(feature = "blst", feature = "peers"))]
    pub(super) fn encoded(&self) -> [Vec<u8>; 3] {
        let g1: Vec<E::G1> = self.g1.iter().map(E::G1::from_affine).collect();
        let g2: Vec<E::G2> = self.g2.iter().map(E::G2::from_affine).collect();
        [E::G1::encode_all(&g1), E::G2::encode_all(&g2), Scalar::encode_all(&self.scalars)]
    }
}
