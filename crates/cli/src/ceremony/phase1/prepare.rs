//! `subrosa ceremony phase1 prepare`.

use std::path::PathBuf;

use ::ceremony::phase1;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use serde_json::json;

use crate::{
    ceremony::files::{self, Input},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `prepare`.
#[derive(clap::Args)]
pub struct Args {
    /// The last file of the ceremony.
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let mut out = files::Output::create(&args.out)?;
    let (old, new, bars) = (&mut input.file, &mut out.file, Bars::new());
    let done = match input.curve {
        Curve::Bn254 => phase1::prepare::<Bn254>(old, new, &bars),
        Curve::Bls12381 => phase1::prepare::<Bls12381>(old, new, &bars),
    };
    done.map_err(|error| input.failure(error))?;
    let bytes = out.finish()?;
    output.result(&json!({ "out": args.out, "bytes": bytes }), || {
        vec![format!("prepared, {}: {}", output::bytes(bytes), args.out.display())]
    });
    Ok(())
}
