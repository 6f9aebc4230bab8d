//! `subrosa ceremony`: parameters that nobody controls.

mod continuity;
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

use circuit::Curve;
use clap::{Subcommand, ValueEnum};

use crate::{examples, failure::Failure, output::Output};

/// Parts of a ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Powers of Tau: parameters for circuits up to a size, in the files of snarkjs.
    #[command(subcommand, after_long_help = examples::PHASE1)]
    Phase1(phase1::Command),
    /// The Groth16 key of a circuit, from a prepared phase 1, in the files of snarkjs.
    #[command(subcommand, after_long_help = examples::PHASE2)]
    Phase2(phase2::Command),
    /// The reference string of the pairing shuffle tFLSZ, from a phase 1.
    #[command(subcommand)]
    Tflsz(tflsz::Command),
    /// The reference string of Sonic.
    #[command(subcommand)]
    Sonic(sonic::Command),
    /// The Ethereum KZG ceremony: powers of one secret, in the JSON of its sequencer.
    #[command(subcommand)]
    Kzg(kzg::Command),
}

/// A curve by the name that people use.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CurveName {
    /// BN254, also called bn128: what circom and snarkjs use by default.
    Bn254,
    /// BLS12-381.
    #[value(name = "bls12-381")]
    Bls12381,
}

impl CurveName {
    /// The curve.
    pub fn curve(self) -> Curve {
        match self {
            Self::Bn254 => Curve::Bn254,
            Self::Bls12381 => Curve::Bls12381,
        }
    }
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
