//! The hot loops of the pairing curves, where ours are measured to beat the libraries'.
//!
//! All of them are variable time: for public values, and for secrets that are used once (a
//! ceremony's contribution, a prover's masks), whose timing nobody can observe twice.
//!
//! Everything here but the subgroup check assumes points of the prime-order subgroup, because
//! endomorphisms multiply by a known scalar only there; other points of the curve give unspecified
//! points, never a panic, and leave the results for their neighbours alone.
//!
//! A trait and its kernels import each other: `Curve`, `MillerLoop` and `FftScalar` call what is here, and what is
//! here is generic over them.
#![allow(clippy::indexing_slicing, reason = "indices are the kernels' own, never a caller's")]

use ark_ff::PrimeField;

mod batch_affine;
#[cfg(feature = "blst")]
pub(crate) mod blst;
mod buckets;
pub(crate) mod dalek;
mod endomorphism;
mod group_fft;
pub(crate) mod lanes;
mod membership;
mod miller;
mod msm;
pub(crate) mod ristretto_msm;
mod scale;
mod stream;
mod subgroup;

pub(crate) use endomorphism::{BasisVector, Lattice, random_weights};
pub(crate) use group_fft::{group_fft, group_ifft};
pub(crate) use membership::first_outside;
pub use membership::{Membership, Term};
pub use miller::{Evaluation, Line, MillerLoop, Multiple, Prepared, Step};
pub(crate) use miller::{mul_by_d_line, mul_by_m_line, multi_pairing, prepare};
pub(crate) use msm::{msm, msm_short};
pub(crate) use scale::{scale_all, scale_each};
pub use stream::Stream;
pub(crate) use subgroup::all_in_subgroup;

/// A scalar's integer in little-endian limbs.
fn limbs<F: PrimeField>(scalar: &F) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, word) in limbs.iter_mut().zip(scalar.into_bigint().as_ref()) {
        *limb = *word;
    }
    limbs
}
