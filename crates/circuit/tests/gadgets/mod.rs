//! Gadgets: what they compute, what they cost, and that their constraints hold them to it.
//!
//! Needs `node` and `npm` for the comparison with circomlib 2.0.5.

mod baby_jubjub;
mod blake2s;
mod circomlib;
mod merkle;
mod poseidon;
mod sha256;
mod support;

use test_support::circomlib as compiler;
