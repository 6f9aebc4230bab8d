//! Everything about designated-verifier proofs, of honest and of dishonest parties.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod binding;
mod circuit;
mod common;
mod conversion;
mod correlations;
mod fixed;
mod hostile;
mod standards;
mod statements;
mod typed;
mod vectors;
mod verdict;
