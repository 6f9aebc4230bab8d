//! Transparent tables: answers, audits, and lies about them.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod attacks;
mod claims;
mod cold;
mod log;
mod queries;
mod support;
mod trees;
mod vectors;
mod witnesses;
