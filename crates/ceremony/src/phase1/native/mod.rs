//! Phase 1 with this project's own transcript.
//!
//! The points are those of the [module above](super), in an ordinary `.ptau` file. The proofs about them differ. A
//! contributor publishes `[τ]₁`, `[α]₁`, `[β]₁` for their own secrets, proves knowledge as gnark's contributors do, and
//! leaves `[τ]`, `[α]`, `[β]` of everybody so far. A hash runs through the contributions, from curve and power on. Each
//! proof is bound to the hash before it, to its maker's name, and to the digest of the contributor's input. All of this
//! is in a section of the file that no other program knows.
//!
//! | | files of snarkjs | native |
//! |---|---|---|
//! | bytes of a contribution, BN254 | 1,504 and a name | 549 and a name |
//! | a contributor | hashes all points twice, reads the new file again | reads once, hashes no point |
//! | names | anybody may alter | bound by the proofs |
//! | the file that was contributed to | | its digest bound by the proofs |
//! | earlier contributions' hashes | compared with what their makers published | recomputed |
//! | after [`truncate`](super::truncate()) | the last hash cannot be checked | everything can |
//!
//! A verifier has the same work except for the hashes: eight Miller loops and three hashes to G2 for each contribution,
//! one final exponentiation for the ceremony, and one pass over the points. A hash of the points is not needed: the
//! last contribution's five points determine all points, or the file is refused.
//!
//! The file has no contributions that snarkjs can see, so snarkjs refuses to verify it. But snarkjs accepts the points
//! when they are [prepared](super::prepare()), and so does [`phase2`](crate::phase2), whose keys are those of any
//! ceremony.
//!
//! ```
//! use std::io::Cursor;
//!
//! use algebra::Bls12381;
//! use ceremony::{Snapshot, Trust, phase1::{Beacon, Settings, native}};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let (mut start, mut first, mut last) = (Vec::new(), Vec::new(), Vec::new());
//! native::new::<Bls12381>(&mut start, 3, &())?;
//! # let mut verifier_rng = rand_chacha::ChaCha20Rng::from_seed([8; 32]);
//! let (mut old, settings) = (Snapshot::take(Cursor::new(start), &())?, Settings::default());
//! let (name, trust) = (Some("Ana".to_owned()), Trust::verify(&settings, &mut verifier_rng));
//! let receipt = native::contribute::<Bls12381>(&mut old, &mut first, name, trust, &mut rng, &())?;
//! let beacon = Beacon::new(b"a block's hash".to_vec(), 10)?;
//! native::contribute_beacon::<Bls12381>(&mut Cursor::new(first), &mut last, None, &beacon, &())?;
//!
//! let info = native::verify::<Bls12381>(&mut Cursor::new(last), &settings, &mut rng, &())?;
//! assert_eq!(info.contributions[0].hash, receipt.hash);
//! # Ok::<(), ceremony::Error>(())
//! ```

mod contribute;
mod record;
mod verify;

pub use contribute::{contribute, contribute_beacon, new};
pub use record::{Info, info, is_native, records};
pub use verify::verify;

pub use crate::{phase2::Contribution, series::Receipt};
