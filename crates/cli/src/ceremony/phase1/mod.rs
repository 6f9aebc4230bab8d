//! `subrosa ceremony phase1`: Powers of Tau.

mod answer_challenge;
mod export_challenge;
mod import_response;
mod info;
mod native;
mod new;
mod prepare;
mod truncate;
mod turn;
mod verify;

use clap::Subcommand;

use turn::Powers;

use crate::{
    ceremony::{
        phase,
        turn::{AnswerArgs, BeaconArgs, ImportArgs, StepArgs, VerifierArgs},
    },
    failure::Failure,
    output::Output,
};

/// Steps of phase 1.
#[derive(Subcommand)]
pub enum Command {
    /// Make the file that a ceremony begins with.
    New(new::Args),
    /// Contribute secrets of your own to a ceremony.
    ///
    /// The secrets come from the operating system, mixed with whatever you add. A seed of them lies
    /// beside the new file until that is complete: a command that was killed makes the same
    /// contribution when it is given again.
    ///
    /// The file that you were given is verified before anything is multiplied into it.
    Contribute(phase::Args<VerifierArgs>),
    /// Contribute public randomness that nobody could foresee, as the last of a ceremony.
    Beacon(BeaconArgs),
    /// Check a file, and with it the whole ceremony.
    Verify(verify::Args),
    /// Add the Lagrange form of the powers, which circuits need.
    Prepare(StepArgs),
    /// Cut a file to a smaller power, for smaller circuits.
    Truncate(truncate::Args),
    /// Write the challenge that the next contribution answers, as Zcash's programs do.
    ExportChallenge(export_challenge::Args),
    /// Contribute secrets of your own to a challenge file, of any ceremony of this kind.
    ///
    /// Secrets and their seed are those of `contribute`. What the challenge shows by itself is verified
    /// first: that its points are powers of some secrets.
    AnswerChallenge(AnswerArgs),
    /// Add the response to a challenge to the ceremony, if the new file verifies.
    ImportResponse(ImportArgs),
    /// Show what a file says about itself, without checking it.
    Info(info::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args, output),
        Command::Contribute(args) => phase::contribute::<Powers>(&args, output),
        Command::Beacon(args) => phase::beacon::<Powers>(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Prepare(args) => prepare::run(&args, output),
        Command::Truncate(args) => truncate::run(&args, output),
        Command::ExportChallenge(args) => export_challenge::run(&args, output),
        Command::AnswerChallenge(args) => answer_challenge::run(&args, output),
        Command::ImportResponse(args) => import_response::run(&args, output),
        Command::Info(args) => info::run(&args, output),
    }
}
