//! Subfield VOLE: one connection, two global keys, correlations over F_2 and F_p on demand.

mod base;
mod prover;
mod verifier;

pub(crate) use base::Toss;
pub use base::{MAX_BITS, MAX_FIELD, ProverCorrelations, VerifierCorrelations};
pub use prover::ProverVole;
pub use verifier::VerifierVole;
