//! What tests of several crates need: other people's tools and the files that they make ([`snarkjs`],
//! [`circomlib`]), other libraries and machines ([`gnark`], [`evm`], [`wasm`]), files as other programs leave
//! them ([`histories`]), and our programs as people run them ([`program`]).
//!
//! Everything here fails by panicking, as tests do.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

pub mod circomlib;
pub mod evm;
pub mod gnark;
pub mod histories;
pub mod program;
pub mod python;
pub mod snarkjs;
pub mod wasm;

use std::{env, path::PathBuf, process::Command};

/// The directory `tmp` of the target directory that the running test was compiled into.
fn temporary() -> PathBuf {
    let test = env::current_exe().unwrap();
    // A test is in `deps`, in the directory of its profile.
    test.ancestors().nth(3).unwrap().join("tmp")
}

/// Runs a tool, which must succeed.
fn run(command: &mut Command) {
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("these tests need node, npm and python3: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
