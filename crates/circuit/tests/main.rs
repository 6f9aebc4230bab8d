//! Circuits, gadgets and the files of other tools.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod gadgets;
mod hostile;
mod kzg;
mod native;
mod rewrite;
mod snarkjs;
