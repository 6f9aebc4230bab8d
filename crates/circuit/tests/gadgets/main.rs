//! Gadgets: what they compute, what they cost, and that their constraints hold them to it.
//!
//! Needs `node` and `npm` for the comparison with circomlib 2.0.5.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod baby_jubjub;
mod blake2s;
mod circomlib;
#[path = "../common/circomlib.rs"]
mod compiler;
#[allow(dead_code, reason = "not every test crate uses all of it")]
#[path = "../snarkjs/fixtures.rs"]
mod fixtures;
mod merkle;
mod poseidon;
mod sha256;
mod support;
