//! What tests of several crates need: other people's tools and the files that they make ([`snarkjs`],
//! [`circomlib`]), programs of package registries ([`install`], [`python`]), other libraries and machines ([`gnark`], [`evm`], [`wasm`]), files as other programs leave
//! them ([`histories`]), and our programs as people run them ([`program`]).
//!
//! Everything here fails by panicking, as tests do.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

pub mod circomlib;
pub mod evm;
pub mod gnark;
pub mod histories;
pub mod install;
pub mod program;
pub mod python;
pub mod snarkjs;
pub mod wasm;

use std::process::Command;

/// Runs a tool, which must succeed.
fn run(command: &mut Command) {
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("these tests need node, npm and python3: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
