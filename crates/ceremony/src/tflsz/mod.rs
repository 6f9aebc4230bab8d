//! The common reference string of the pairing shuffle tFLSZ, from a phase 1.
//!
//! (Fauzi, Lipmaa, Siim, Zając: "A Non-Interactive Shuffle Argument With Low Trust Assumptions",
//! CT-RSA 2020.) The trapdoors are `χ`, `θ`, `β`, `β̂`, `ρ` and `γ`; the points are those of
//! [`circuit::native::TflszPoints`], for `n = 2^k − 1` ciphertexts.
//!
//! # Where each secret comes from
//! `χ` is the `τ` of a [phase 1](crate::phase1). A `.ptau` of power `k` has its powers up to `2n` in G1 and `n` in G2.
//! `P_0`, `P_i` and `Q_i` are linear in these powers, so everybody can compute them ([`new()`]). All other secrets are
//! 1 at first.
//!
//! **Round 1** ([`contribute()`]) multiplies `θ`, `β`, `β̂` and `ρ`. `θ^k`, `βχ^k`, `β̂θ^{2k}`, `Q_i/ρ`, `βρ` and the
//! like are products of secrets and public points. A contributor multiplies a share into each of them, and needs to
//! know no other share.
//!
//! **Round 2** multiplies `γ`. `γβP_i + γβ̂P̂_i` is a sum of two products with *different* factors. No share of `β` or
//! `β̂` can be multiplied into it, so round 1 must be over. Its summands must never be published: a prover who has
//! `γβP_i` and `γβ̂P̂_i` separately can commit to different messages in the two. So `βP_i + β̂P̂_i`, which everybody
//! can compute, gets a new factor. `γβ`, `γβ̂` and `γβρ` get it, too. Round 1 has `γβρ` as `βρ`. So `[γβ]₁` alone never
//! appears. With it a commitment could have a constant part (that is the attack on AC16).
//!
//! In the paper `γ = β`. So everybody must come back for round 2 with the share of round 1, and somebody who does not
//! come back spoils the ceremony. Here nobody keeps a secret, and each round has participants of its own. The paper's
//! argument still applies: setting `γ = β` turns all points and equations into the paper's. (There are fewer points:
//! `[β]₁` and `[β]₂` are not `[γ]₁` and `[γ]₂`, which nobody publishes.) In the algebraic group model the same-message
//! equation `d = γβ·a + γβ̂·â` is then an equation of polynomials. The only points of G1 with a factor `γ` are `γβρ`,
//! `γβ̂` and the sums. So `β·a + β̂·â` is a combination of `βρ`, `β̂` and the `βP_i + β̂P̂_i`. The paper derives the
//! same from `β²·a + ββ̂·â`.
//!
//! Contributors do not commit to shares beforehand, as the paper's parties do, because they take turns. A contributor
//! after the honest one multiplies the secrets by factors that may depend on what they see. But they prove to know
//! these factors, and substituting known multiples of the indeterminates maps nonzero polynomials to nonzero
//! polynomials.
//!
//! # What is checked
//! [`verify_key`] checks that the points are those of some secrets. [`verify()`] also checks that every contributor
//! knew their secrets, and that `χ` is that of a phase 1. Every state of the file is a complete reference string, so
//! both hold from the first contribution on. [`finish`] takes the reference string out.
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
