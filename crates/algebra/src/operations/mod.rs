//! Group operations of this crate and of other libraries on the same data, for measurements.
//!
//! Nothing here is meant for protocols. A [`Library`] has its points and scalars loaded; running an
//! operation computes it and forgets the result.

#![allow(clippy::indexing_slicing, reason = "indices are this module's own")]

mod arkworks;
#[cfg(feature = "blst")]
mod blst;
#[cfg(feature = "blst")]
mod blst_library;
#[cfg(feature = "peers")]
mod halo2;
mod ours;

use rand_core::CryptoRng;

use crate::{AffineGroup, Bls12381, Bn254, Engine, FixedBaseTable, Group, Scalar, ScalarOf};

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
struct Data<E: Engine> {
    g1: Vec<<E::G1 as AffineGroup>::Affine>,
    g2: Vec<<E::G2 as AffineGroup>::Affine>,
    scalars: Vec<ScalarOf<E>>,
}

impl<E: Engine> Data<E> {
    fn random(count: usize, rng: &mut impl CryptoRng) -> Self {
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
    fn encoded(&self) -> [Vec<u8>; 3] {
        let g1: Vec<E::G1> = self.g1.iter().map(E::G1::from_affine).collect();
        let g2: Vec<E::G2> = self.g2.iter().map(E::G2::from_affine).collect();
        [E::G1::encode_all(&g1), E::G2::encode_all(&g2), Scalar::encode_all(&self.scalars)]
    }
}

/// All libraries compiled in, each with `count` points of both groups and scalars.
pub fn libraries(count: usize, rng: &mut impl CryptoRng) -> Vec<Box<dyn Library>> {
    let bn254 = Data::<Bn254>::random(count, rng);
    let bls12_381 = Data::<Bls12381>::random(count, rng);
    let mut libraries: Vec<Box<dyn Library>> = Vec::new();
    #[cfg(feature = "peers")]
    libraries.push(Box::new(halo2::Halo2::load(&bn254.encoded()[2])));
    #[cfg(feature = "blst")]
    libraries.push(Box::new(blst_library::Blst::load(&bls12_381.encoded())));
    let Data { g1, g2, scalars } = &bls12_381;
    let theirs = arkworks::Arkworks::<Bls12381>::load("arkworks BLS12-381", g1, g2, scalars);
    libraries.insert(0, Box::new(theirs));
    let portable = "subrosa BLS12-381, portable";
    ours::load("subrosa BLS12-381", portable, bls12_381).into_iter().rev().for_each(|ours| {
        libraries.insert(0, Box::new(ours));
    });
    let Data { g1, g2, scalars } = &bn254;
    let theirs = arkworks::Arkworks::<Bn254>::load("arkworks BN254", g1, g2, scalars);
    libraries.insert(0, Box::new(theirs));
    ours::load("subrosa BN254", "subrosa BN254, portable", bn254).into_iter().rev().for_each(
        |ours| {
            libraries.insert(0, Box::new(ours));
        },
    );
    libraries
}
