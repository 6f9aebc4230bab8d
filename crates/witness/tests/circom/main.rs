//! Programs of circom, run by this crate and by snarkjs.
//!
//! Needs `node` and `npm`: the packages are those of the tests of the room `circuit`, and wabt.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod hostile;
mod snarkjs;
