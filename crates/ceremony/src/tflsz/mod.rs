//! The common reference string of the pairing shuffle tFLSZ, from a phase 1.
//!
//! (Fauzi, Lipmaa, Siim, Zając: "A Non-Interactive Shuffle Argument With Low Trust Assumptions",
//! CT-RSA 2020.) The trapdoors are `χ`, `θ`, `β`, `β̂`, `ρ` and `γ`; the points are those of
//! [`circuit::native::TflszPoints`], for `n = 2^k − 1` ciphertexts.
//!
//! # Where each secret comes from
//! `χ` is the `τ` of a [phase 1](crate::phase1): its powers up to `2n` in G1 and `n` in G2 are what a
//! `.ptau` of power `k` has. From them follow `P_0`, `P_i` and `Q_i`, which are linear in them, and
//! everybody computes them ([`new()`]). All other secrets are 1 at first.
//!
//! **Round 1** ([`contribute()`]) multiplies `θ`, `β`, `β̂` and `ρ`. `θ^k`, `βχ^k`, `β̂θ^{2k}`, `Q_i/ρ`, `βρ`
//! and the like are products of secrets and public points: whoever multiplies a share into each
//! needs to know no other share.
//!
//! **Round 2** multiplies `γ`. `γβP_i + γβ̂P̂_i` is a sum of two products with *different* factors. No
//! share of `β` or `β̂` can be multiplied into it, so round 1 must be over; and its summands must never
//! be published, for a prover who has `γβP_i` and `γβ̂P̂_i` apart commits to different messages in the
//! two. So `βP_i + β̂P̂_i`, which everybody computes, gets a new factor. With it go `γβ` and `γβ̂`, and
//! `γβρ`, which round 1 has as `βρ`: `[γβ]₁` alone never appears, with which a commitment could have a
//! constant part (that is the attack on AC16).
//!
//! In the paper `γ = β`, so that everybody must come back for round 2 with the share of round 1, and
//! one who does not spoils the ceremony. Here nobody keeps a secret, and each round has participants
//! of its own. The paper's argument is not touched: setting `γ = β` turns all points and equations into the
//! paper's (and the points are fewer: `[β]₁` and `[β]₂` are not `[γ]₁` and `[γ]₂`, which nobody
//! publishes). In the algebraic group model the same-message equation
//! `d = γβ·a + γβ̂·â` is then one of polynomials; `γβρ`, `γβ̂` and the sums are all the points of G1 that
//! have a factor `γ`, hence `β·a + β̂·â` is a combination of `βρ`, `β̂` and the `βP_i + β̂P̂_i`, which is what
//! the paper derives from `β²·a + ββ̂·â`.
//!
//! Nor do contributors commit to shares beforehand, as the paper's parties do: they take turns. Who
//! comes after the honest one multiplies the secrets by factors that may depend on what they see, but
//! that they prove to know; substituting known multiples of the indeterminates maps polynomials that
//! are not zero to such.
//!
//! # What is checked
//! [`verify_key`]: that the points are what some secrets make them. [`verify()`]: that, and that every
//! contributor knew their secrets, and that `χ` is that of a phase 1. Every state of the file is a whole
//! reference string, so both hold from the first contribution on. [`finish`] takes it out.
//!
//! ```
//! use std::io::Cursor;
//!
//! use algebra::Bn254;
//! use ceremony::{Snapshot, Trust, phase1, tflsz::{self, Round}};
//! use circuit::native::TflszPoints;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # let mut start = Cursor::new(Vec::new());
//! # phase1::new::<Bn254>(&mut start, 3, &())?;
//! # let mut ptau = Cursor::new(Vec::new());
//! # let mut start = Snapshot::take(start, &())?;
//! # phase1::contribute::<Bn254>(&mut start, &mut ptau, None, Trust::Skip, &mut rng, &())?;
//! # let mut verifier_rng = rand_chacha::ChaCha20Rng::from_seed([8; 32]);
//!
//! // For 7 ciphertexts, from a phase 1 of power 3 or more.
//! let mut first = Vec::new();
//! tflsz::new::<Bn254>(&mut ptau, 3, &mut first, &())?;
//! let (mut second, mut third) = (Vec::new(), Vec::new());
//! let name = Some("Ana".to_owned());
//! let mut old = Snapshot::take(Cursor::new(first), &())?;
//! let trust = Trust::verify(&mut ptau as _, &mut verifier_rng);
//! tflsz::contribute::<Bn254>(&mut old, &mut second, Round::First, name, trust, &mut rng, &())?;
//! let mut old = Snapshot::take(Cursor::new(second), &())?;
//! let trust = Trust::verify(&mut ptau as _, &mut verifier_rng);
//! tflsz::contribute::<Bn254>(&mut old, &mut third, Round::Second, None, trust, &mut rng, &())?;
//!
//! let mut file = Cursor::new(third);
//! let verified = tflsz::verify::<Bn254>(&mut file, &mut ptau, &mut rng, &())?;
//! assert!(verified.is_complete());
//! let mut crs = Vec::new();
//! tflsz::finish::<Bn254>(&mut file, &mut crs)?;
//! let crs = TflszPoints::<Bn254>::read(&mut Cursor::new(crs))?;
//! tflsz::verify_key(&crs, &mut rng, &())?;
//! # Ok::<(), ceremony::Error>(())
//! ```

mod contribute;
mod file;
mod key;
mod new;
mod polynomials;
mod verify;

pub use contribute::contribute;
pub use file::{Info, Round, finish, info, records};
pub use key::verify_key;
pub use new::new;
pub use verify::{Verified, verify};

pub use crate::series::{Contribution, Receipt};
