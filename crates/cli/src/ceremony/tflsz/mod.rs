//! `subrosa ceremony tflsz`: the reference string of the pairing shuffle.

mod contribute;
mod info;
mod new;
mod verify;

use ::ceremony::tflsz;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use clap::Subcommand;

use crate::{
    ceremony::{
        native::{self, FileArgs},
        turn::StepArgs,
    },
    failure::Failure,
    output::Output,
};

/// Steps of the ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Make the file that a ceremony begins with, from a phase 1.
    New(new::Args),
    /// Contribute secrets of your own to round 1 or round 2.
    ///
    /// Nobody needs a secret again: round 2 is for other secrets than round 1, and for anybody.
    Contribute(contribute::Args),
    /// Check a file, and with it the whole ceremony, against phase 1.
    Verify(verify::Args),
    /// Take the reference string out of a ceremony's last file.
    Finish(StepArgs),
    /// Check that the points of a finished reference string belong together.
    VerifyKey(FileArgs),
    /// Show what a ceremony's file says about itself, without checking it.
    Info(FileArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args, output),
        Command::Contribute(args) => contribute::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Finish(args) => {
            native::finish(&args, output, |curve, ceremony, srs| match curve {
                Curve::Bn254 => tflsz::finish::<Bn254>(ceremony, srs),
                Curve::Bls12381 => tflsz::finish::<Bls12381>(ceremony, srs),
            })
        }
        Command::VerifyKey(args) => verify::run_key(&args, output),
        Command::Info(args) => info::run(&args, output),
    }
}
