//! `subrosa snark`: succinct proofs.

mod circuit;
mod files;
mod info;
mod prove;
mod setup;
mod verify;

use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use crate::{failure::Failure, output::Output};

/// What can be done with a circuit.
#[derive(Subcommand)]
pub enum Command {
    /// Write a circuit of this program as a `.r1cs` file, for a ceremony or for other tools.
    Circuit(circuit::Args),
    /// Make a key for a circuit by yourself, from a prepared phase 1.
    ///
    /// Whoever runs this could have kept the secret and forge proofs: for keys that others rely on,
    /// hold a ceremony with `subrosa ceremony phase2`.
    Setup(setup::Args),
    /// Prove that you know a witness, and write proof and public inputs as snarkjs does.
    Prove(prove::Args),
    /// Check a proof against its public inputs.
    Verify(verify::Args),
    /// Show the size of a circuit or key.
    Info(info::Args),
}

/// A proof system.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Groth16: three points, a key for each circuit.
    Groth16,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Circuit(args) => circuit::run(&args, output),
        Command::Setup(args) => setup::run(&args, output),
        Command::Prove(args) => prove::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Info(args) => info::run(&args, output),
    }
}
