//! Boards: honest, hostile and concurrent writers.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod completeness;
mod concurrency;
mod hostile;
mod logged;
mod soundness;
