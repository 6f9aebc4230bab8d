//! `subrosa ceremony tflsz`: the reference string of the pairing shuffle.

mod contribute;
mod new;
mod verify;

use ::ceremony::tflsz::{self, Info};
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use clap::Subcommand;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::{
    ceremony::{
        native::{self, FileArgs, Input},
        report::{digest_line, hash_lines, series_json, series_lines, with_digest},
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
        Command::Info(args) => info(&args, output),
    }
}

fn info(args: &FileArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file)?;
    let info = read_info(&mut input)?;
    let curve = input.curve.snarkjs_name();
    let digest = native::digest(&mut input)?;
    output.result(&with_digest(info_json(curve, &info), &digest), || {
        let mut lines = vec![format!("curve      {curve}"), format!("size       {}", info.size)];
        lines.extend(contribution_lines(&info));
        lines.push("hash that the next contribution answers:".to_owned());
        lines.extend(hash_lines(&info.challenge));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}

/// What a ceremony's file says about itself.
fn read_info(input: &mut Input) -> Result<Info, Failure> {
    let info = match input.curve {
        Curve::Bn254 => tflsz::info::<Bn254>(&mut input.file),
        Curve::Bls12381 => tflsz::info::<Bls12381>(&mut input.file),
    };
    info.map_err(|error| input.failure(error))
}

/// For machines.
fn info_json(curve: &str, info: &Info) -> Value {
    json!({
        "curve": curve,
        "size": info.size,
        "round": info.round().number(),
        "phase1_challenge": HEXLOWER.encode(&info.phase1_challenge),
        "challenge": HEXLOWER.encode(&info.challenge),
        "round_1": series_json(&info.first, 0),
        "round_2": series_json(&info.second, info.first.len()),
    })
}

/// For people.
fn contribution_lines(info: &Info) -> Vec<String> {
    let mut lines = vec!["round 1".to_owned()];
    lines.extend(series_lines(&info.first, 0));
    lines.push("round 2".to_owned());
    lines.extend(series_lines(&info.second, info.first.len()));
    lines
}
