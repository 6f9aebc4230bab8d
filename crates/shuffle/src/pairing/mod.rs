//! Shuffles whose proof is a handful of pairing equations: FLSZ17 and tFLSZ, and the repaired AC16.
//!
//! The proof needs no random oracle. It speaks about a common reference string ([`Crs`]) that holds
//! polynomials at a secret point, and anyone who knows the secret can forge; hence its makers:
//!
//! * **tFLSZ** ("A Non-Interactive Shuffle Argument With Low Trust Assumptions", CT-RSA 2020): a
//!   ceremony of many parties makes the reference string, one honest party is enough, and
//!   `ceremony::tflsz` makes and checks it. The one to use.
//! * **FLSZ17** ("An Efficient Pairing-Based Shuffle Argument", ASIACRYPT 2017): the same equations,
//!   a reference string from a dealer.
//! * [`ac16`] (FLZ, ASIACRYPT 2016): the ancestor, from a dealer, unsound as published and repaired
//!   here, for comparison only.
//!
//! In the papers' notation, with n ballots, reference string of size N ≥ n and 1 ≤ i ≤ n:
//!
//! 1. A row commits to a unit vector: `A_i = [P_{σ⁻¹(i)} + r_i ρ]₁`, `B_i` the same in G2, and
//!    `C_i` shows that `(A_i + P_0)² = 1 + C_i ρ`, which only unit vectors satisfy.
//! 2. `Â_i = [P̂_{σ⁻¹(i)} + r̂_i ρ̂]₁` commits to the same unit vector, which `D_i` shows. All rows
//!    together sum to those of the identity, hence they are a permutation matrix.
//! 3. `Σ e(P̂_i, M'_i) = Σ e(Â_i, M_i)`, up to re-encryption, which `t` and `N` account for: the
//!    outputs `M'` are the inputs `M` moved by that permutation. Any number of columns moves by
//!    the same one and adds no pairing.
//!
//! Ciphertexts are ElGamal in G2 ([`crate::Ciphertext`]), so that keys, ballots and decryption are
//! those of every other shuffle. Most of the proof needs no ballots: [`Prover::prepare`].
//!
//! ```
//! use algebra::{Bls12381 as E, Group, Pairing, Scalar};
//! use circuit::native::InsecureTflszDealer;
//! use shuffle::{Column, MixContext, SecretKey, pairing::*};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # type G = <E as Pairing>::G2;
//!
//! // Two encrypted messages, and a reference string for up to three.
//! let secret = SecretKey::<G>::generate(&mut rng);
//! let key = secret.public_key();
//! let messages = [4, 2].map(|m| G::mul_generator(&Scalar::from_u64(m)));
//! let encrypted = messages.map(|m| key.encrypt(&m, &Scalar::random(&mut rng)));
//! let inputs = [Column::new(&encrypted)];
//! let crs = Crs::tflsz(&InsecureTflszDealer::random(&mut rng).deal::<E>(2)?);
//!
//! // Before the polls close; then, with the ballots.
//! let prover = Prover::new(&crs, &key);
//! let prepared = prover.prepare(2, 1, &mut rng)?;
//! let context = MixContext { study: b"docs", mix: b"1", mixer: 1, position: 1 };
//! let mix = prepared.mix(&prover, &inputs, &context)?;
//!
//! // Everybody checks.
//! let claim = PairingClaim { context, mix: &mix };
//! verify_mixes(&crs, &key, &inputs, &[claim], &mut rng)?;
//! let logarithms = SmallLogarithms::new(&G::generator(), 10);
//! let mut decrypted = logarithms.find_all(&decrypt_all(&secret, &mix.outputs[0]));
//! decrypted.sort();
//! assert_eq!(decrypted, [Some(2), Some(4)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "prove")]
pub mod ac16;
mod affine;
mod crs;
#[cfg(feature = "prove")]
mod dealer;
mod decrypt;
mod equations;
mod mix;
mod polynomials;
#[cfg(feature = "prove")]
mod prepare;
mod proof;
mod tflsz;
mod verify;

pub use crs::{Crs, Scheme};
pub use decrypt::{SmallLogarithms, decrypt_all};
pub use mix::{PairingClaim, PairingMix, verify_mixes};
#[cfg(feature = "prove")]
pub use prepare::{Prepared, Prover};
pub use proof::ShuffleProof;
