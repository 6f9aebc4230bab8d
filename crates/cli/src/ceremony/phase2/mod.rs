//! `subrosa ceremony phase2`: Groth16 keys.

mod answer_bellman;
mod basis;
mod export;
mod export_bellman;
mod import_bellman;
mod info;
mod native;
mod new;
mod turn;
mod verify;

use clap::Subcommand;

use turn::{Key, KeyReference};

use crate::{
    ceremony::{phase, turn::BeaconArgs},
    failure::Failure,
    output::Output,
};

/// Steps of phase 2.
#[derive(Subcommand)]
pub enum Command {
    /// Make the key that a circuit's ceremony begins with. Everybody can forge proofs under it.
    New(new::Args),
    /// Contribute a secret of your own to a key.
    ///
    /// The secret comes from the operating system, mixed with whatever you add. A seed of it lies
    /// beside the new file until that is complete: a command that was killed makes the same
    /// contribution when it is given again.
    ///
    /// The key that you were given is verified before anything is multiplied into it: against the first
    /// key of the ceremony, or against circuit and phase 1.
    Contribute(phase::Args<KeyReference>),
    /// Contribute public randomness that nobody could foresee, as the last of a ceremony.
    Beacon(BeaconArgs),
    /// Check a key against circuit and phase 1, and with it the whole ceremony.
    Verify(verify::Args),
    /// Write the verification key of a key that somebody contributed to.
    Export(export::Args),
    /// Write a key and its ceremony as bellman's parameters.
    ExportBellman(export_bellman::Args),
    /// Contribute a secret of your own to bellman's parameters.
    ///
    /// The secret and its seed are those of `contribute`.
    AnswerBellman(answer_bellman::Args),
    /// Add the contributions of bellman's parameters to the key they were exported from, if the new
    /// key verifies.
    ImportBellman(import_bellman::Args),
    /// Show what a key says about itself, without checking it.
    Info(info::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args, output),
        Command::Contribute(args) => phase::contribute::<Key>(&args, output),
        Command::Beacon(args) => phase::beacon::<Key>(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Export(args) => export::run(&args, output),
        Command::ExportBellman(args) => export_bellman::run(&args, output),
        Command::AnswerBellman(args) => answer_bellman::run(&args, output),
        Command::ImportBellman(args) => import_bellman::run(&args, output),
        Command::Info(args) => info::run(&args, output),
    }
}
