//! Proofs, public inputs and verification keys of Groth16 as snarkjs' JSON.

mod coordinates;
mod decimal;
mod proof;
mod public;
mod text;
mod verifying_key;

pub use proof::Proof;
pub use public::{public_from_json, public_to_json};
pub use verifying_key::VerifyingKey;
