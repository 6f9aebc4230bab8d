//! Compiles circuits that use circomlib 2.0.5, once per target directory.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use circuit::Curve;

use crate::{
    install::{npm, once},
    run, snarkjs,
};

/// The directory in which `circuit.circom` is compiled; its name changes with the circuit.
pub fn compiled(directory: &str, circuit: &str) -> PathBuf {
    once(directory, |root| {
        npm(root, &["circomlib@2.0.5"]);
        fs::write(root.join("circuit.circom"), circuit).unwrap();
        let circom = snarkjs::path(Curve::Bn254, "../node_modules/circom2/cli.js");
        let compile = ["circuit.circom", "--r1cs", "--wasm", "-o", "."];
        run(Command::new("node").arg(circom).args(compile).current_dir(root));
    })
}

/// Computes `circuit.wtns` from inputs in JSON.
pub fn calculate_witness(root: &Path, input: &str) {
    fs::write(root.join("input.json"), input).unwrap();
    let calculate = ["wtns", "calculate", "circuit_js/circuit.wasm", "input.json", "circuit.wtns"];
    snarkjs(root, &calculate).unwrap();
}

/// What snarkjs says in a directory.
///
/// # Errors
/// What it said, if it fails.
pub fn snarkjs(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let cli = snarkjs::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
    let ran = Command::new("node").arg(cli).args(arguments).current_dir(root).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    if ran.status.success() { Ok(said) } else { Err(said) }
}
