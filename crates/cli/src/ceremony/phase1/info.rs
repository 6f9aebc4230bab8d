//! `subrosa ceremony phase1 info`.

use std::path::PathBuf;

use ::ceremony::phase1;
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::json;

use super::{native, turn::Powers};
use crate::{
    ceremony::{
        files::Input,
        phase::is_native,
        report::{contribution_lines, contributions_json, digest_line, hash_lines, with_digest},
    },
    failure::Failure,
    output::Output,
};

/// Options of `info`.
#[derive(clap::Args)]
pub struct Args {
    /// The file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let input = Input::open(&args.file)?;
    match input.curve {
        Curve::Bn254 => info::<Bn254>(input, output),
        Curve::Bls12381 => info::<Bls12381>(input, output),
    }
}

fn info<E: Engine>(mut input: Input, output: &Output) -> Result<(), Failure> {
    if is_native::<Powers, E>(&mut input)? {
        return native::info::<E>(input, output);
    }
    let info = phase1::info::<E>(&mut input.file);
    let info = info.map_err(|error| input.failure(error))?;
    let (curve, header) = (input.curve.snarkjs_name(), info.header);
    let object = json!({
        "curve": curve,
        "native": false,
        "power": header.power,
        "ceremony_power": header.ceremony_power,
        "prepared": info.is_prepared,
        "challenge": HEXLOWER.encode(&info.challenge),
        "contributions": contributions_json(&info.contributions),
    });
    let digest = input.digest()?;
    output.result(&with_digest(object, &digest), || {
        let prepared = if info.is_prepared { "" } else { "not " };
        let mut lines = vec![
            format!("curve      {curve}"),
            format!("power      {} of {}", header.power, header.ceremony_power),
            format!("{prepared}prepared for circuits"),
        ];
        lines.extend(contribution_lines(&info.contributions));
        lines.push("next challenge:".to_owned());
        lines.extend(hash_lines(&info.challenge));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}
