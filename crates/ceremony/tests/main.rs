//! Ceremonies: honest ones, altered ones, attacks, and the files of other tools.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod alpha_beta;
mod attacks;
mod ceremony_claims;
mod kzg;
mod native;
mod phase1;
mod phase2;
mod sonic;
mod tflsz;
