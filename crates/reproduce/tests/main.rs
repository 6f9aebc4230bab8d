//! The catalogue of figures, its runs, and the programs of others.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod catalog;
mod committed;
mod peers;
mod session;
