//! The Paillier side of the engine `db`.

pub mod bcp;
mod ciphertext;
pub mod dealt;
mod decrypt;
mod encode;
mod error;
mod exponent_proof;
mod key;
mod pack;
mod plaintext_proof;

pub use ciphertext::{Ciphertexts, Openings};
pub use decrypt::PartialDecryption;
pub use encode::Elements;
pub use error::PaillierError;
pub use exponent_proof::ExponentProof;
pub use key::{Context, KeyShare, MAX_SERVERS, ModulusSize, Parties, PublicKey, Scheme};
pub use pack::{
    MASK_BITS, PACKED_BITS, SCALAR_BITS, SLOT_BITS, integer_of, mask_of, pack, scalar_of, unpack,
};
pub use plaintext_proof::{PlaintextClaim, PlaintextProofs, verify_plaintexts};

/// Most ciphertexts in one list.
pub const MAX_ROWS: usize = 1 << 20;
