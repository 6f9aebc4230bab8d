//! The engine `db` and its threshold Paillier encryption, and the attacks on both.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod db;
mod paillier;
