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
mod library;
mod ours;

use rand_core::CryptoRng;

use self::library::Data;
pub use self::library::{Library, Operation, TRANSFORMED};
use crate::{Bls12381, Bn254};

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
