//! `subrosa ceremony phase1 new`.

use std::path::PathBuf;

use ::ceremony::{Error, phase1};
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::{
    ceremony::{curve::CurveName, files, report::hash_lines},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `new`.
#[derive(clap::Args)]
pub struct Args {
    /// The curve.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    /// The power: circuits may have up to 2^P constraints.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=28))]
    power: u32,
    /// Begin a native ceremony. It binds contributors' names and costs less, but snarkjs cannot verify it.
    #[arg(long)]
    native: bool,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut out = files::Output::create(&args.out)?;
    let (power, bars) = (args.power, Bars::new());
    let file = &mut out.file;
    let challenge = match (args.curve.curve(), args.native) {
        (Curve::Bn254, false) => phase1::new::<Bn254>(file, power, &bars),
        (Curve::Bn254, true) => phase1::native::new::<Bn254>(file, power, &bars),
        (Curve::Bls12381, false) => phase1::new::<Bls12381>(file, power, &bars),
        (Curve::Bls12381, true) => phase1::native::new::<Bls12381>(file, power, &bars),
    };
    let challenge = challenge.map_err(|error: Error| Failure::file(&args.out, error))?;
    let bytes = out.finish()?;
    let curve = args.curve.curve().snarkjs_name();
    let object = json!({
        "curve": curve, "power": power, "challenge": HEXLOWER.encode(&challenge), "bytes": bytes,
        "native": args.native, "out": args.out,
    });
    output.result(&object, || {
        let size = output::bytes(bytes);
        let mut lines = vec![format!("{curve}, power {power}, {size}: {}", args.out.display())];
        lines.push("first challenge:".to_owned());
        lines.extend(hash_lines(&challenge));
        lines
    });
    Ok(())
}
