//! Prime-order groups, pairings and their kernels.
//!
//! This is the only crate that names a curve. Protocols are generic over [`Group`]
//! (and [`Pairing`] where they need one) and run unchanged over
//!
//! | group | type | encoding |
//! |---|---|---|
//! | ristretto255 | [`Ristretto255`] | RFC 9496, 32 bytes |
//! | BLS12-381 G1, G2 | [`Bls12381G1`], [`Bls12381G2`] | Zcash, 48 and 96 bytes |
//! | BN254 G1, G2 | [`Bn254G1`], [`Bn254G2`] | arkworks compressed, 32 and 64 bytes |
//!
//! | pairing | type |
//! |---|---|
//! | BLS12-381, the default | [`Bls12381`] |
//! | BN254 | [`Bn254`] |
//!
//! [`Engine`] is a pairing with the byte forms, the sampling and the constants of snarkjs and
//! bellman ([`CurveGroup`], [`PointForm`], [`ChaChaSampler`]).
//!
//! Points of the pairing groups have affine forms ([`AffineGroup`]). Bulk work is done on slices of these: sums (whole
//! or as an [`MsmStream`]), scaling, transforms over a [`Domain`], subgroup checks.
//!
//! Notation is additive: `[x]` is `x` times the generator.
//!
//! ```
//! use algebra::{FixedBaseTable, Group, Ristretto255 as G, Scalar};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! // A Pedersen commitment, and the same computed as a multi-scalar multiplication.
//! let h = G::hash_to_group(b"docs/h");
//! let (m, r) = (<G as Group>::Scalar::from_u64(42), <G as Group>::Scalar::random(&mut rng));
//! let commitment = G::mul_generator(&m) + h.mul(&r);
//! assert_eq!(commitment, G::msm(&[m, r], &[G::generator(), h]));
//!
//! // Bulk work that need not hide its scalars goes through a table.
//! assert_eq!(h.mul(&r), FixedBaseTable::new(&h).mul(&r));
//!
//! // Encodings are canonical: decoding accepts exactly what encoding makes.
//! assert_eq!(G::decode(&commitment.encode()), Ok(commitment));
//! assert!(G::decode(&[0xff; 32]).is_err());
//! ```
//!
//! # Constant time
//! [`Group::mul`], [`Group::mul_all`] and [`Group::mul_generator`] on ristretto255 take time independent of the
//! scalar. Everything else (multi-scalar multiplication, [`FixedBaseTable`], every operation on
//! the pairing groups) is variable time and meant for public values and one-time masks.
//!
//! # Kernels
//! Where the processor has the 52-bit multiply-add units of AVX-512, transforms of scalars, multi-scalar
//! multiplications, scalings, the sums of subgroup checks and pairings compute with eight field elements side by side.
//! On other processors, and with `SUBROSA_KERNELS=portable` in the environment, portable code does this work. The
//! results are the same. The choice is made once, at the first use, after a few results of the vector kernels were
//! compared with the portable ones. See `docs/kernels.md`.
#![deny(unsafe_code)]

mod affine;
pub mod batch;
mod bls12_381;
mod bn254;
mod compiled;
mod curve_form;
mod curve_group;
mod domain;
mod engine;
mod fixed_base;
mod group;
mod hash_to_curve;
mod kernels;
mod montgomery;
#[cfg(feature = "operations")]
pub mod operations;
mod pairing;
pub mod parallel;
mod point_format;
mod ristretto;
mod sampler;
mod scalar;
mod small_exponent;
mod weierstrass;

pub use affine::{AffineGroup, MsmStream};
pub use bls12_381::{Bls12381G1, Bls12381G2};
pub use bn254::{Bn254G1, Bn254G2};
pub use curve_form::{Dialect, PointForm};
pub use curve_group::{Affine, CurveGroup};
pub use domain::{Domain, DomainError, FftScalar, scale_by_powers};
pub use engine::{Engine, ScalarOf};
pub use fixed_base::FixedBaseTable;
pub use group::{Embed, Group, PointError};
pub use pairing::{Bls12381, Bn254, Pairing};
pub use ristretto::{Ristretto255, encode_doubles};
pub use sampler::ChaChaSampler;
pub use scalar::{Scalar, ScalarError, inner_product};
