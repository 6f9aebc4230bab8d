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
    /// Make the first key of a circuit's ceremony. Everybody can forge proofs under it.
    New(new::Args),
    /// Contribute your own secret to a key.
    ///
    /// The secret comes from the operating system, mixed with what you add. Its seed is kept next to the
    /// new file until the file is complete: if the command is interrupted, run it again, and it makes the
    /// same contribution.
    ///
    /// The key that you were given is verified before your secret is used: against the first key of the
    /// ceremony, or against the circuit and phase 1.
    Contribute(phase::Args<KeyReference>),
    /// Add the last contribution: public randomness that nobody could foresee.
    Beacon(BeaconArgs),
    /// Check a key against its circuit and phase 1, and with it the whole ceremony.
    Verify(verify::Args),
    /// Write the verification key of a key with at least one contribution.
    Export(export::Args),
    /// Write a key and its ceremony as bellman's parameters.
    ExportBellman(export_bellman::Args),
    /// Contribute your own secret to bellman's parameters.
    ///
    /// The secret and its seed are as in `contribute`.
    AnswerBellman(answer_bellman::Args),
    /// Verify the contributions in bellman's parameters, and add them to the key from which the parameters
    /// were exported.
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
