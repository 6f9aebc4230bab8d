//! Elections and surveys, with honest and with dishonest parties.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod election;
mod results;
mod survey;
mod vectors;
