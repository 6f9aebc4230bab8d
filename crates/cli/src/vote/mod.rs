//! `subrosa vote`: what a voter does, on a device of their own.

mod audit;
mod batch;
mod check;
mod files;
mod ground;
mod keygen;
mod said;
mod seal;
mod submit;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What a voter does.
#[derive(Subcommand)]
pub enum Command {
    /// Make your key, or the keys of many voters. Give the public key to the registrar, and the key file to
    /// nobody.
    Keygen(keygen::Args),
    /// Check that you are on the roll, under your key and in your class.
    CheckRoll(check::RollArgs),
    /// Seal a ballot on this device, and commit to it before you choose whether to cast or to audit it.
    Seal(seal::Args),
    /// Open a sealed ballot, to check that the device sealed your vote. An audited ballot is never cast.
    Audit(audit::Args),
    /// Cast a sealed ballot: sign it and give it to a station, which promises to post it.
    Submit(submit::Args),
    /// Check that your ballot counts, and no other in its place. Exit code 1 if it does not, with the
    /// evidence.
    Check(check::BallotArgs),
    /// Judge a voter's complaint about a station, as anybody can. Exit code 0 if the station broke its
    /// promise.
    Dispute(check::DisputeArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(args) => keygen::run(&args, output),
        Command::CheckRoll(args) => check::roll(&args, output),
        Command::Seal(args) => seal::run(&args, output),
        Command::Audit(args) => audit::run(&args, output),
        Command::Submit(args) => submit::run(&args, output),
        Command::Check(args) => check::ballot(&args, output),
        Command::Dispute(args) => check::dispute(&args, output),
    }
}
