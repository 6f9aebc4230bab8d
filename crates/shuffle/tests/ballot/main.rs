//! Ballots and the proofs in them: honest ones, copied, altered, replayed and garbled ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod exponents;
mod hostile;
mod proofs;
