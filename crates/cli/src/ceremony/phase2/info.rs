//! `subrosa ceremony phase2 info`.

use std::path::PathBuf;

use ::ceremony::phase2;
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::{native, turn::Key};
use crate::{
    ceremony::{
        files::Input,
        phase::is_native,
        report::{
            digest_line, hash_lines, key_contribution_lines, key_contributions_json, with_digest,
        },
    },
    failure::Failure,
    output::{self, Output},
};

/// Options of `info`.
#[derive(clap::Args)]
pub struct Args {
    /// The key.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let input = Input::open_as(&args.file, Format::Zkey)?;
    match input.curve {
        Curve::Bn254 => info::<Bn254>(input, output),
        Curve::Bls12381 => info::<Bls12381>(input, output),
    }
}

fn info<E: Engine>(mut input: Input, output: &Output) -> Result<(), Failure> {
    if is_native::<Key, E>(&mut input)? {
        return native::info::<E>(input, output);
    }
    let info = phase2::info::<E>(&mut input.file);
    let info = info.map_err(|error| input.failure(error))?;
    let curve = input.curve.snarkjs_name();
    let object = json!({
        "curve": curve,
        "native": false,
        "wires": info.variables,
        "public": info.public,
        "domain_size": info.domain_size,
        "circuit_hash": HEXLOWER.encode(&info.circuit_hash),
        "contributions": key_contributions_json(&info.contributions),
    });
    let digest = input.digest()?;
    output.result(&with_digest(object, &digest), || {
        let mut lines = vec![
            format!("curve   {curve}"),
            format!("wires   {}", output::count(info.variables.into())),
            format!("public  {}", output::count(info.public.into())),
            format!("domain  2^{}", info.domain_size.ilog2()),
            "circuit hash:".to_owned(),
        ];
        lines.extend(hash_lines(&info.circuit_hash));
        lines.extend(key_contribution_lines(&info.contributions));
        lines.push(digest_line(&digest));
        lines
    });
    Ok(())
}
