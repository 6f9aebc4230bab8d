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
    /// Make your key, or those of many voters. The registrar gets the public keys, nobody gets the file.
    Keygen(keygen::Args),
    /// Look whether you are on the roll, under your key and in your class.
    CheckRoll(check::RollArgs),
    /// Seal a ballot on this device and commit to it, before you say whether you cast or audit it.
    Seal(seal::Args),
    /// Open a sealed ballot to see whether the device sealed what you said. It is never cast.
    Audit(audit::Args),
    /// Sign a sealed ballot and hand it to a station, which promises to post it.
    Submit(submit::Args),
    /// Look whether exactly your ballot counts. Exit code 1 if it does not, with what there is to show for it.
    Check(check::BallotArgs),
    /// Judge a voter's complaint about a station, as anybody can. Exit code 0: the station broke its promise.
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
