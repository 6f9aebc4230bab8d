//! `subrosa ceremony`: parameters that nobody controls.

mod continuity;
mod curve;
mod drand;
mod entropy;
mod expect;
pub mod files;
mod kzg;
mod native;
mod phase;
mod phase1;
mod phase2;
pub mod publish;
mod receipt;
mod report;
mod secrecy;
mod seed;
mod sonic;
mod tflsz;
mod turn;
mod verdict;

use clap::Subcommand;

pub use curve::CurveName;

use crate::{examples, failure::Failure, output::Output};

/// Parts of a ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Powers of Tau: parameters for circuits up to a given size, in the file format of snarkjs.
    #[command(subcommand, after_long_help = examples::PHASE1)]
    Phase1(phase1::Command),
    /// The Groth16 key of a circuit, from a prepared phase 1, in the file format of snarkjs.
    #[command(subcommand, after_long_help = examples::PHASE2)]
    Phase2(phase2::Command),
    /// The reference string of the pairing shuffle tFLSZ, from a phase 1.
    #[command(subcommand)]
    Tflsz(tflsz::Command),
    /// The reference string of Sonic.
    #[command(subcommand)]
    Sonic(sonic::Command),
    /// The Ethereum KZG ceremony: powers of one secret, in the JSON format of its sequencer.
    #[command(subcommand)]
    Kzg(kzg::Command),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Phase1(command) => phase1::run(command, output),
        Command::Phase2(command) => phase2::run(command, output),
        Command::Tflsz(command) => tflsz::run(command, output),
        Command::Sonic(command) => sonic::run(command, output),
        Command::Kzg(command) => kzg::run(command, output),
    }
}
