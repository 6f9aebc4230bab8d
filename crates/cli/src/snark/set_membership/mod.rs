//! `subrosa snark set-membership`: a committed value is in an RSA accumulator, or not.

mod accumulator;
mod key;
mod kind;
mod proof;
mod store;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be done with a set.
#[derive(Subcommand)]
pub enum Command {
    /// Write the membership circuit as a `.r1cs` file, for a ceremony or `subrosa snark setup`.
    Circuit(key::CircuitArgs),
    /// Make the verification key from the circuit's `.zkey` file.
    Key(key::Args),
    /// Make the accumulator of a set.
    Accumulate(accumulator::Args),
    /// Make the witness of an element, or those of all elements at once.
    Witness(accumulator::WitnessArgs),
    /// Make the witness of a value that is not in a set of primes.
    NonMember(accumulator::NonMemberArgs),
    /// Commit to a value.
    Commit(proof::CommitArgs),
    /// Prove that a committed value is in an accumulator, or with `--absent` that it is not.
    Prove(proof::ProveArgs),
    /// Check a proof.
    Verify(proof::VerifyArgs),
    /// Write a bundle with a proof and its statement, for `subrosa verify`.
    Publish(proof::PublishArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Circuit(args) => key::run_circuit(&args, output),
        Command::Key(args) => key::run(&args, output),
        Command::Accumulate(args) => accumulator::run(&args, output),
        Command::Witness(args) => accumulator::run_witness(&args, output),
        Command::NonMember(args) => accumulator::run_non_member(&args, output),
        Command::Commit(args) => proof::run_commit(&args, output),
        Command::Prove(args) => proof::run_prove(&args, output),
        Command::Verify(args) => proof::run_verify(&args, output),
        Command::Publish(args) => proof::run_publish(&args, output),
    }
}
