//! `subrosa ceremony tflsz info`.

use ::ceremony::tflsz::{self, Info};
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::{
    ceremony::{
        native::{self, FileArgs, Input},
        report::{digest_line, hash_lines, series_json, series_lines, with_digest},
    },
    failure::Failure,
    output::Output,
};

/// Runs `info`.
pub fn run(args: &FileArgs, output: &Output) -> Result<(), Failure> {
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
pub fn read_info(input: &mut Input) -> Result<Info, Failure> {
    let info = match input.curve {
        Curve::Bn254 => tflsz::info::<Bn254>(&mut input.file),
        Curve::Bls12381 => tflsz::info::<Bls12381>(&mut input.file),
    };
    info.map_err(|error| input.failure(error))
}

/// For machines.
pub fn info_json(curve: &str, info: &Info) -> Value {
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
pub fn contribution_lines(info: &Info) -> Vec<String> {
    let mut lines = vec!["round 1".to_owned()];
    lines.extend(series_lines(&info.first, 0));
    lines.push("round 2".to_owned());
    lines.extend(series_lines(&info.second, info.first.len()));
    lines
}
