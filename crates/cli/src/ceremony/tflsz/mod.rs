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
    /// Make the first file of a ceremony, from a phase 1.
    New(new::Args),
    /// Contribute your own secrets to round 1 or round 2.
    ///
    /// Each contribution draws new secrets, which are not needed again: anybody may contribute to round 2,
    /// with or without a contribution to round 1.
    Contribute(contribute::Args),
    /// Check a file, and with it the whole ceremony, against phase 1.
    Verify(verify::Args),
    /// Extract the reference string from the last file of a ceremony.
    Finish(StepArgs),
    /// Check that the points of a finished reference string are consistent.
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
