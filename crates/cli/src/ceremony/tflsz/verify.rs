//! `subrosa ceremony tflsz verify` and `verify-key`.

use std::{fs::File, path::PathBuf};

use ::ceremony::{Error, phase1, tflsz};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, native::TflszPoints};
use serde_json::json;

use super::info::{contribution_lines, info_json};
use crate::{
    ceremony::{
        continuity::ContinuityArgs,
        files,
        native::{self, FileArgs, Input, verifier_rng},
        turn::VerifierArgs,
        verdict::of_series,
    },
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The file of the ceremony.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The phase 1 that it began with, which is verified too.
    #[arg(long, value_name = "PTAU")]
    phase1: PathBuf,
    /// Do not verify phase 1, because you verified it before. The verdict says so.
    #[arg(long)]
    phase1_verified: bool,
    #[command(flatten)]
    continuity: ContinuityArgs,
    #[command(flatten)]
    verifier: VerifierArgs,
}

/// Runs `verify`.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file)?;
    let mut phase1 = files::Input::open(&args.phase1)?;
    let (curve, other) = (input.curve.snarkjs_name(), phase1.curve.snarkjs_name());
    if input.curve != phase1.curve {
        let file = args.file.display();
        return Err(Failure::file(
            &args.phase1,
            format!("it is over {other}, but {file} is over {curve}"),
        ));
    }
    if !args.phase1_verified {
        let checked = match input.curve {
            Curve::Bn254 => verify_phase1::<Bn254>(args, &mut phase1.file),
            Curve::Bls12381 => verify_phase1::<Bls12381>(args, &mut phase1.file),
        };
        checked.map_err(|error| phase1.refusal(error))?;
    }
    let (file, ptau, bars) = (&mut input.file, &mut phase1.file, Bars::new());
    let verified = match input.curve {
        Curve::Bn254 => tflsz::verify::<Bn254>(file, ptau, &mut verifier_rng(), &bars),
        Curve::Bls12381 => tflsz::verify::<Bls12381>(file, ptau, &mut verifier_rng(), &bars),
    };
    let verified = verified.map_err(|error| input.refusal(error))?;
    let contributions = of_series(verified.info.first.iter().chain(&verified.info.second));
    let findings = native::findings(
        &args.continuity,
        &mut input,
        &contributions,
        |curve, file| match curve {
            Curve::Bn254 => tflsz::records::<Bn254>(file),
            Curve::Bls12381 => tflsz::records::<Bls12381>(file),
        },
    )?;
    let mut object = info_json(curve, &verified.info);
    if let Some(object) = object.as_object_mut() {
        object.insert("verified".to_owned(), true.into());
        object.insert("complete".to_owned(), verified.is_complete().into());
        object.insert("phase1_verified".to_owned(), (!args.phase1_verified).into());
        object.extend(findings.json);
    }
    output.result(&object, || {
        let most = output::counted(verified.info.size, "ciphertext", "ciphertexts");
        let mut lines = contribution_lines(&verified.info);
        lines.push(format!("{curve}, up to {most}: every point is right."));
        lines.extend(findings.lines);
        lines.push(match args.phase1_verified {
            true => "Phase 1 was not verified in this run: that it was before is your word \
                     (--phase1-verified)."
                .to_owned(),
            false => "Phase 1 was verified in this run.".to_owned(),
        });
        lines.push(match verified.is_complete() {
            true => {
                "Nobody knows the secrets if one contributor to phase 1 forgot theirs, and one \
                     contributor to each round."
                    .to_owned()
            }
            false => "Not to be used yet: nobody has contributed to round 2.".to_owned(),
        });
        lines
    });
    Ok(())
}

fn verify_phase1<E: Engine>(args: &Args, ptau: &mut File) -> Result<(), Error> {
    let settings = args.verifier.settings();
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    match phase1::native::is_native::<E>(ptau)? {
        true => phase1::native::verify::<E>(ptau, &settings, &mut rng, &bars).map(drop),
        false => phase1::verify::<E>(ptau, &settings, &mut rng, &bars).map(drop),
    }
}

/// Runs `verify-key`.
pub fn run_key(args: &FileArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.file)?;
    let size = match input.curve {
        Curve::Bn254 => verify_key::<Bn254>(&mut input),
        Curve::Bls12381 => verify_key::<Bls12381>(&mut input),
    };
    let size = size.map_err(|error| input.refusal(error))?;
    let curve = input.curve.snarkjs_name();
    let object = json!({ "verified": true, "curve": curve, "size": size });
    output.result(&object, || {
        let most = output::counted(size, "ciphertext", "ciphertexts");
        vec![
            format!("{curve}, up to {most}: the points belong together."),
            "Whether anybody knows the secrets, only the ceremony's file shows.".to_owned(),
        ]
    });
    Ok(())
}

fn verify_key<E: Engine>(input: &mut Input) -> Result<u64, Error> {
    let points = TflszPoints::<E>::read(&mut input.file)?;
    tflsz::verify_key(&points, &mut verifier_rng(), &Bars::new())?;
    Ok(points.size())
}
