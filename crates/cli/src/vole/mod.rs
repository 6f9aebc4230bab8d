//! `subrosa vole`.

mod network;
mod peer;
mod run;
mod stock;

pub use peer::accept_within;

use std::path::Path;

use ::vole::circuit::{Assignments, Circuit, read_assignments};
use clap::Subcommand;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::{examples, failure::Failure, output::Output};

/// No file of a circuit, of values or of a network is longer.
const FILE_LIMIT: u64 = 1 << 28;

/// What two parties do with a circuit.
#[derive(Subcommand)]
pub enum Command {
    /// Prove to one verifier that a circuit holds on values that stay private.
    #[command(after_long_help = examples::VOLE_PROVE)]
    Prove(run::ProveArgs),
    /// Verify what a prover claims of a circuit. The prover sees nothing but the verdict, and
    /// nobody else can check it.
    #[command(after_long_help = examples::VOLE_VERIFY)]
    Verify(run::VerifyArgs),
    /// Make correlations in advance, for quick proofs later; say what is left of them.
    #[command(subcommand)]
    Stock(stock::Command),
    /// Turn a neural network into a circuit that classifies records, and into the prover's witness.
    Network(network::Args),
}

/// Runs the command.
pub fn run(command: &Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Prove(args) => run::prove(args, output),
        Command::Verify(args) => run::verify(args, output),
        Command::Stock(command) => stock::run(command, output),
        Command::Network(args) => network::run(args, output),
    }
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = wire::read_bounded(path, FILE_LIMIT);
    bytes.map(Zeroizing::new).map_err(|error| Failure::file(path, error))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    serde_json::from_slice(&read(path)?).map_err(|error| Failure::file(path, error))
}

/// A file of values.
fn read_values(path: &Path) -> Result<Assignments, Failure> {
    read_assignments(&read(path)?).map_err(|error| Failure::file(path, error))
}

/// A circuit's file, and the circuit.
fn read_circuit(path: &Path) -> Result<(Zeroizing<Vec<u8>>, Circuit), Failure> {
    let bytes = read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| Failure::file(path, error))?;
    let circuit = Circuit::read(text).map_err(|error| Failure::file(path, error))?;
    Ok((bytes, circuit))
}
