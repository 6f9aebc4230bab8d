//! `subrosa ceremony phase1 export-challenge`.

use std::path::PathBuf;

use ::ceremony::phase1;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::{
    ceremony::{files::Input, report::hash_lines},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `export-challenge`.
#[derive(clap::Args)]
pub struct Args {
    /// The last file of the ceremony.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The challenge file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let bars = Bars::new();
    let (challenge, bytes) = input.derive(&args.out, |curve, file, new| match curve {
        Curve::Bn254 => phase1::export_challenge::<Bn254>(file, new, &bars),
        Curve::Bls12381 => phase1::export_challenge::<Bls12381>(file, new, &bars),
    })?;
    let curve = input.curve.snarkjs_name();
    let object = json!({
        "curve": curve, "challenge": HEXLOWER.encode(&challenge), "bytes": bytes, "out": args.out,
    });
    output.result(&object, || {
        let mut lines = vec![format!("{curve}, {}: {}", output::bytes(bytes), args.out.display())];
        lines.push("challenge:".to_owned());
        lines.extend(hash_lines(&challenge));
        lines
    });
    Ok(())
}
