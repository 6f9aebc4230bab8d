//! Parts of circuits: hashes, commitments, paths in trees.
//!
//! | gadget | constraints |
//! |---|---|
//! | [`baby_jubjub::CommitmentKey::constrain`] | 2,230 |
//! | [`Poseidon`] | 240 for two inputs |
//! | [`MerklePath::constrain_root`] | 242 a level |
//! | [`sha256()`] | about 26,000 a block of 64 bytes, and one a bit of the message |
//! | [`blake2s()`] | about 21,300 a block of 64 bytes, and one a bit of the message |
//!
//! ```
//! use algebra::{Bn254, ScalarOf};
//! use circuit::{gadgets::Blake2sPreimage, synthesis::Circuit};
//!
//! type S = ScalarOf<Bn254>;
//!
//! // "I know 64 bytes with this BLAKE2s hash", the hash in two public outputs.
//! let system = Circuit::<S>::constraint_system(&Blake2sPreimage::new(vec![0; 64]));
//! let witness = Circuit::<S>::witness(&Blake2sPreimage::new(b"secret".repeat(11)[..64].to_vec()));
//! assert_eq!(system.header().public(), 2);
//! assert_eq!(system.first_unsatisfied(&witness), None);
//! ```

pub mod baby_jubjub;
mod bits;
mod blake2s;
mod merkle;
mod poseidon;
mod sha256;
mod uint32;

pub use bits::Bit;
pub use blake2s::{Blake2sPreimage, blake2s};
pub use merkle::{MerkleMembership, MerklePath, MerkleTree};
pub use poseidon::Poseidon;
pub use sha256::sha256;
pub use uint32::UInt32;
