//! `subrosa vole`.

mod failed;
mod inputs;
mod network;
mod peer;
mod run;
mod stock;

pub use peer::accept_within;

use clap::Subcommand;

use crate::{examples, failure::Failure, output::Output};

/// What two parties do with a circuit.
#[derive(Subcommand)]
pub enum Command {
    /// Prove to one verifier that a circuit holds for values that stay private.
    #[command(after_long_help = examples::VOLE_PROVE)]
    Prove(run::ProveArgs),
    /// Verify a prover's claim about a circuit. The prover learns nothing but the verdict, and nobody else
    /// can check the proof.
    #[command(after_long_help = examples::VOLE_VERIFY)]
    Verify(run::VerifyArgs),
    /// Make correlations in advance, so that later proofs are quick, or show how many are left.
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
