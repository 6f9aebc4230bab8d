//! `subrosa ceremony phase1 truncate`.

use std::path::PathBuf;

use ::ceremony::phase1;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use serde_json::json;

use crate::{
    ceremony::files::Input,
    failure::Failure,
    output::{self, Output},
};

/// Options of `truncate`.
#[derive(clap::Args)]
pub struct Args {
    /// The file to cut.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The power to cut it to.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=28))]
    power: u32,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let ((), bytes) = input.derive(&args.out, |curve, old, new| match curve {
        Curve::Bn254 => phase1::truncate::<Bn254>(old, new, args.power),
        Curve::Bls12381 => phase1::truncate::<Bls12381>(old, new, args.power),
    })?;
    output.result(&json!({ "power": args.power, "out": args.out, "bytes": bytes }), || {
        vec![format!(
            "cut to power {}, {}: {}",
            args.power,
            output::bytes(bytes),
            args.out.display()
        )]
    });
    Ok(())
}
