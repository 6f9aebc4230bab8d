//! Trusted set-ups that nobody controls.
//!
//! A ceremony makes parameters whose secrets nobody knows. Each participant multiplies their own secrets into the
//! parameters and forgets these secrets. The result is safe if at least one participant forgot theirs. Everybody can
//! check afterwards that every participant did what they said.
//!
//! [`phase1`] is Powers of Tau (Bowe, Gabizon, Miers: ePrint 2017/1050), in the files and with the
//! hashes of snarkjs, over BN254 and BLS12-381:
//!
//! ```
//! use std::io::Cursor;
//!
//! use algebra::Bn254;
//! use ceremony::{Snapshot, Trust, phase1::{self, Beacon, Settings}};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # let mut verifier_rng = rand_chacha::ChaCha20Rng::from_seed([8; 32]);
//!
//! let mut start = Cursor::new(Vec::new());
//! phase1::new::<Bn254>(&mut start, 3, &())?;
//!
//! // Each participant takes the last file, has it verified, and publishes the new one and the hash.
//! let mut first = Cursor::new(Vec::new());
//! let (ana, settings) = (Some("Ana".to_owned()), Settings::default());
//! let mut old = Snapshot::take(&mut start, &())?;
//! let trust = Trust::verify(&settings, &mut verifier_rng);
//! let receipt = phase1::contribute::<Bn254>(&mut old, &mut first, ana, trust, &mut rng, &())?;
//!
//! // The last contribution comes from randomness that nobody could foresee.
//! let mut last = Cursor::new(Vec::new());
//! let beacon = Beacon::new(b"a block's hash".to_vec(), 10)?;
//! phase1::contribute_beacon::<Bn254>(&mut first, &mut last, None, &beacon, &())?;
//!
//! let verified = phase1::verify::<Bn254>(&mut last, &Settings::default(), &mut rng, &())?;
//! assert_eq!(verified.contributions[0].response_hash, receipt.response_hash);
//! # Ok::<(), ceremony::Error>(())
//! ```
//!
//! From a phase 1, [`phase2`] makes the Groth16 key of a circuit, and [`tflsz`] makes the reference string of a
//! shuffle. [`sonic`] makes and updates the reference string of Sonic. [`kzg`] verifies the Ethereum KZG ceremony and
//! takes part in it. [`drand`] checks the public randomness of beacons. [`Records`] checks that a file of a ceremony
//! continues an earlier one.
//!
//! [`phase1::native`] and [`phase2::native`] have the same points with a transcript of this project's own. It binds
//! more and costs less, and snarkjs does not know it.
//!
//! [`claims`] puts a phase 1 or a key, and the list of its contributors, into a bundle.
//!
//! A participant's program verifies the points before it multiplies them by secrets. [`trust`] says why, and why a
//! verified file has no place for other points.
//!
//! Functions read and write through [`std::io`], chunk by chunk: a contribution and its
//! verification take the same little memory for every power. (What depends on a circuit, its first
//! key and the check against it, takes memory for one point per wire.)
//!
//! # Secrets
//! A participant's `τ`, `α`, `β` and `δ` are used once, in variable time, on the participant's own
//! machine, and erased from memory when the contribution is made.
#![forbid(unsafe_code)]

#[cfg(test)]
mod chunks;
pub mod claims;
mod continuity;
mod contribution;
pub mod drand;
mod equations;
mod error;
mod hex;
mod kernels;
mod knowledge;
pub mod kzg;
mod origins;
pub mod phase1;
pub mod phase2;
mod powers;
mod progression;
mod relations;
mod series;
mod settings;
mod snapshot;
pub mod sonic;
mod step;
pub mod tflsz;
pub mod trust;
mod turns;

pub use continuity::Records;
pub use error::{Error, Place, Relation};
pub use snapshot::Snapshot;
pub use trust::Trust;

/// Points that are read, worked on and written at a time. The crate's own tests take so few that short
/// lists end before, at and behind the end of a chunk.
const CHUNK: usize = if cfg!(test) { 3 } else { 1 << 14 };
