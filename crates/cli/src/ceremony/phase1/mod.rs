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
    /// Make the first file of a ceremony.
    New(new::Args),
    /// Contribute your own secrets to a ceremony.
    ///
    /// The secrets come from the operating system, mixed with what you add. Their seed is kept next to the
    /// new file until the file is complete: if the command is interrupted, run it again, and it makes the
    /// same contribution.
    ///
    /// The file that you were given is verified before your secrets are used.
    Contribute(phase::Args<VerifierArgs>),
    /// Add the last contribution: public randomness that nobody could foresee.
    Beacon(BeaconArgs),
    /// Check a file, and with it the whole ceremony.
    Verify(verify::Args),
    /// Add the Lagrange form of the powers, which circuits need.
    Prepare(StepArgs),
    /// Cut a file to a smaller power, for smaller circuits.
    Truncate(truncate::Args),
    /// Write the challenge for the next contribution, as Zcash's programs do.
    ExportChallenge(export_challenge::Args),
    /// Contribute your own secrets to a challenge file, of any ceremony of this kind.
    ///
    /// The secrets and their seed are as in `contribute`. First, the challenge is verified as far as
    /// possible without the ceremony: that its points are powers of some secrets.
    AnswerChallenge(AnswerArgs),
    /// Verify the response to a challenge, and add it to the ceremony.
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
