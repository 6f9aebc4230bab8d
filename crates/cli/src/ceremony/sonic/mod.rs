//! `subrosa ceremony sonic`: the reference string of Sonic.

mod new;

use ::ceremony::{
    Snapshot, Trust,
    sonic::{self, Info},
};
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use clap::Subcommand;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::{
    ceremony::{
        continuity::ContinuityArgs,
        native::{self, FileArgs, Input, verifier_rng},
        report::{digest_line, hash_lines, series_json, series_lines, with_digest},
        seed::Turn,
        turn::{ContributeArgs, InputArgs, StepArgs},
        verdict::{of_series, who_knows},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Steps of the ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Make the first file of a ceremony.
    New(new::Args),
    /// Contribute your own secrets.
    Contribute(TurnArgs),
    /// Check a file, and with it the whole ceremony.
    Verify(VerifyArgs),
    /// Extract the reference string from the last file of a ceremony.
    Finish(StepArgs),
    /// Check that the points of a finished reference string are consistent.
    VerifySrs(FileArgs),
    /// Show what a ceremony's file says about itself, without checking it.
    Info(FileArgs),
}

/// Options of `verify`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    continuity: ContinuityArgs,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args, output),
        Command::Contribute(args) => contribute(&args, output),
        Command::Verify(args) => verify(&args, output),
        Command::Finish(args) => {
            native::finish(&args, output, |curve, ceremony, srs| match curve {
                Curve::Bn254 => sonic::finish::<Bn254>(ceremony, srs),
                Curve::Bls12381 => sonic::finish::<Bls12381>(ceremony, srs),
            })
        }
        Command::VerifySrs(args) => verify_srs(&args, output),
        Command::Info(args) => info(&args, output),
    }
}

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct TurnArgs {
    #[command(flatten)]
    turn: ContributeArgs,
    #[command(flatten)]
    verification: InputArgs,
}

fn contribute(args: &TurnArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.turn.input)?;
    let info = read_info(&mut input)?;
    let failure = |error| native::input_failure(&args.turn.input, error);
    let mut old = Snapshot::take(&mut input.file, &Bars::new()).map_err(failure)?;
    let turn = Turn { challenge: info.challenge, round: Some(1), input: old.digest() };
    args.turn.take_turn(&turn, &args.verification, output, |rng, out| {
        let (name, mut verifier, bars) = (args.turn.name.clone(), verifier_rng(), Bars::new());
        let trust = match args.verification.trust_input {
            true => Trust::Skip,
            false => Trust::verify((), &mut verifier),
        };
        let receipt = match input.curve {
            Curve::Bn254 => sonic::contribute::<Bn254>(&mut old, out, name, trust, rng, &bars),
            Curve::Bls12381 => {
                sonic::contribute::<Bls12381>(&mut old, out, name, trust, rng, &bars)
            }
        };
        receipt.map_err(failure)
    })
}

fn verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file.file)?;
    let (file, bars) = (&mut input.file, Bars::new());
    let verified = match input.curve {
        Curve::Bn254 => sonic::verify::<Bn254>(file, &mut verifier_rng(), &bars),
        Curve::Bls12381 => sonic::verify::<Bls12381>(file, &mut verifier_rng(), &bars),
    };
    let info = verified.map_err(|error| input.refusal(error))?;
    let contributions = of_series(&info.contributions);
    let findings = native::findings(
        &args.continuity,
        &mut input,
        &contributions,
        |curve, file| match curve {
            Curve::Bn254 => sonic::records::<Bn254>(file),
            Curve::Bls12381 => sonic::records::<Bls12381>(file),
        },
    )?;
    let curve = input.curve.snarkjs_name();
    let mut object = info_json(curve, &info);
    if let Some(object) = object.as_object_mut() {
        object.insert("verified".to_owned(), true.into());
        object.extend(findings.json);
    }
    output.result(&object, || {
        let mut lines = series_lines(&info.contributions, 0);
        lines.push(format!("{curve}, degree {}: every point is right.", info.degree));
        lines.extend(findings.lines);
        lines.push(who_knows("the secrets", &contributions));
        lines
    });
    Ok(())
}

fn verify_srs(args: &FileArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file)?;
    let (file, bars) = (&mut input.file, Bars::new());
    let verified = match input.curve {
        Curve::Bn254 => sonic::verify_srs::<Bn254>(file, &mut verifier_rng(), &bars),
        Curve::Bls12381 => sonic::verify_srs::<Bls12381>(file, &mut verifier_rng(), &bars),
    };
    verified.map_err(|error| input.refusal(error))?;
    let curve = input.curve.snarkjs_name();
    output.result(&json!({ "verified": true, "curve": curve }), || {
        vec![
            format!("{curve}: the points belong together."),
            "Whether anybody knows the secrets, only the ceremony's file shows.".to_owned(),
        ]
    });
    Ok(())
}

fn info(args: &FileArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file)?;
    let info = read_info(&mut input)?;
    let curve = input.curve.snarkjs_name();
    let digest = native::digest(&mut input)?;
    output.result(&with_digest(info_json(curve, &info), &digest), || {
        let mut lines = vec![format!("curve      {curve}"), format!("degree     {}", info.degree)];
        lines.extend(series_lines(&info.contributions, 0));
        lines.push("hash that the next contribution answers:".to_owned());
        lines.extend(hash_lines(&info.challenge));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}

fn read_info(input: &mut Input) -> Result<Info, Failure> {
    let info = match input.curve {
        Curve::Bn254 => sonic::info::<Bn254>(&mut input.file),
        Curve::Bls12381 => sonic::info::<Bls12381>(&mut input.file),
    };
    info.map_err(|error| input.failure(error))
}

fn info_json(curve: &str, info: &Info) -> Value {
    json!({
        "curve": curve,
        "degree": info.degree,
        "challenge": HEXLOWER.encode(&info.challenge),
        "contributions": series_json(&info.contributions, 0),
    })
}
