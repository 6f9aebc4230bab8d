//! `subrosa snark`: succinct proofs.

mod circuit;
mod collaborate;
pub mod dealer;
mod encode;
mod failed;
mod files;
mod helped;
mod info;
mod native;
mod prove;
mod publish;
mod report;
mod set_membership;
mod setup;
mod solidity;
mod system;
mod unhelped;
mod verify;
mod witness;

use clap::Subcommand;

pub use system::System;

use crate::{examples, failure::Failure, output::Output};

/// What can be done with a circuit.
#[derive(Subcommand)]
pub enum Command {
    /// Write a circuit of this program as a `.r1cs` file, for a ceremony or for other tools.
    Circuit(circuit::Args),
    /// Sonic: make the verification key of a circuit from a reference string. There is no secret in it:
    /// everybody makes the same key. Keys of Groth16 are made with `subrosa ceremony phase2`.
    Setup(setup::Args),
    /// Prove that you know a witness of a circuit. Public inputs, and proofs of Groth16, are written in the
    /// format of snarkjs.
    #[command(after_long_help = examples::SNARK_PROVE)]
    Prove(prove::Args),
    /// Check a proof against its public inputs.
    #[command(after_long_help = examples::SNARK_VERIFY)]
    Verify(verify::Args),
    /// Write a bundle with proofs under one key and their public inputs, for `subrosa verify`.
    Publish(publish::Args),
    /// Compute the witness of a circom circuit, with the program that circom wrote for it. Needs a build
    /// with the feature `subrosa/witness`.
    #[command(after_long_help = examples::SNARK_WITNESS)]
    Witness(witness::Args),
    /// Groth16: write a Solidity contract that verifies proofs under a key.
    #[command(after_long_help = examples::SNARK_SOLIDITY)]
    Solidity(solidity::Args),
    /// Groth16: print the call data for a contract that `solidity` wrote.
    Calldata(solidity::CalldataArgs),
    /// Groth16: write a proof or key in the encoding of another library.
    #[command(after_long_help = examples::SNARK_EXPORT)]
    Export(encode::ExportArgs),
    /// Groth16: read a proof or key in the encoding of another library.
    Import(encode::ImportArgs),
    /// Sonic: as a helper, write advice that makes one proof cheaper to verify.
    Advise(helped::AdviseArgs),
    /// Sonic: as a helper, write one argument that makes the advice on many proofs cheaper to verify.
    Aggregate(helped::AggregateArgs),
    /// Sonic: check many proofs with the advice and the aggregate of a helper, who need not be trusted.
    VerifyHelped(helped::VerifyArgs),
    /// Groth16: prove together with other parties, none of whom knows the whole witness.
    #[command(subcommand)]
    Collaborate(collaborate::Command),
    /// Prove that a committed value is, or is not, in a set of any size.
    #[command(subcommand)]
    SetMembership(set_membership::Command),
    /// Show the size of a circuit or key.
    Info(info::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Circuit(args) => circuit::run(&args, output),
        Command::Setup(args) => setup::run(&args, output),
        Command::Prove(args) => prove::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Publish(args) => publish::run(&args, output),
        Command::Witness(args) => witness::run(&args, output),
        Command::Solidity(args) => solidity::run(&args, output),
        Command::Calldata(args) => solidity::run_calldata(&args, output),
        Command::Export(args) => encode::run_export(&args, output),
        Command::Import(args) => encode::run_import(&args, output),
        Command::Advise(args) => helped::run_advise(&args, output),
        Command::Aggregate(args) => helped::run_aggregate(&args, output),
        Command::VerifyHelped(args) => helped::run_verify(&args, output),
        Command::Collaborate(command) => collaborate::run(command, output),
        Command::SetMembership(command) => set_membership::run(command, output),
        Command::Info(args) => info::run(&args, output),
    }
}
