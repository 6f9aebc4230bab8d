//! `subrosa ceremony phase2 export-bellman`.

use std::path::PathBuf;

use ::ceremony::phase2;
use algebra::{Bls12381, Bn254};
use circuit::{Curve, Format};
use serde_json::json;

use crate::{
    ceremony::{files::Input, turn::DialectName},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `export-bellman`.
#[derive(clap::Args)]
pub struct Args {
    /// The last key of the ceremony.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The parameters to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Whose points at infinity to write.
    #[arg(long, value_enum, default_value = "snarkjs")]
    dialect: DialectName,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open_as(&args.input, Format::Zkey)?;
    let (dialect, bars) = (args.dialect.dialect(), Bars::new());
    let ((), bytes) = input.derive(&args.out, |curve, key, new| match curve {
        Curve::Bn254 => phase2::export_bellman::<Bn254>(key, new, dialect, &bars),
        Curve::Bls12381 => phase2::export_bellman::<Bls12381>(key, new, dialect, &bars),
    })?;
    let curve = input.curve.snarkjs_name();
    output.result(&json!({ "curve": curve, "bytes": bytes, "out": args.out }), || {
        vec![format!("{curve}, {}: {}", output::bytes(bytes), args.out.display())]
    });
    Ok(())
}
