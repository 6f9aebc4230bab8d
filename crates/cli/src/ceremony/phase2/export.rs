//! `subrosa ceremony phase2 export`.

use std::{io::Write as _, path::PathBuf};

use ::ceremony::{Error, phase2};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use serde_json::json;

use crate::{
    ceremony::files::{self, Input},
    failure::Failure,
    output::Output,
};

/// Options of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// The key. `subrosa ceremony phase2 verify` checks it.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The `verification_key.json` to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open_as(&args.input, Format::Zkey)?;
    let json = match input.curve {
        Curve::Bn254 => export::<Bn254>(&mut input),
        Curve::Bls12381 => export::<Bls12381>(&mut input),
    };
    let json = json.map_err(|error| match error {
        // A key of this kind is whole, and worth nothing.
        Error::NoContributions | Error::OnlyBeacons | Error::Forgeable | Error::KeyPoint { .. } => {
            input.refusal(error)
        }
        other => input.failure(other),
    })?;
    let mut out = files::Output::create(&args.out)?;
    let written = out.file.write_all(json.as_bytes());
    written.map_err(|error| Failure::file(&args.out, error))?;
    out.finish()?;
    output.result(&json!({ "out": args.out }), || {
        vec![format!("verification key: {}", args.out.display())]
    });
    Ok(())
}

fn export<E: Engine>(input: &mut Input) -> Result<String, Error> {
    Ok(phase2::export::<E>(&mut input.file)?.to_json()?)
}
