//! Ballots, threshold decryption and both verifiable shuffles.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod ballot;
mod pairing;
mod terelius_wikstrom;
mod threshold;
