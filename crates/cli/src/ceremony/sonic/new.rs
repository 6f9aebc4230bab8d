//! `subrosa ceremony sonic new`.

use std::path::PathBuf;

use ::ceremony::{Error, sonic};
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
    #[arg(long, value_enum, default_value = "bls12-381")]
    curve: CurveName,
    /// The degree: for N multiplications and Q linear constraints at least 4N + 8 and at least N + Q.
    #[arg(
        long,
        value_name = "D",
        value_parser = clap::value_parser!(u64).range(1..=1 << 32),
        required_unless_present = "gates",
        conflicts_with = "gates"
    )]
    degree: Option<u64>,
    /// Multiplications of the largest circuit, from which the degree follows.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=1 << 30),
        requires = "constraints"
    )]
    gates: Option<u64>,
    /// Linear constraints of the largest circuit.
    #[arg(
        long,
        value_name = "Q",
        value_parser = clap::value_parser!(u64).range(0..=1 << 31),
        requires = "gates"
    )]
    constraints: Option<u64>,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    // The command line has a degree, or both of the circuit's numbers.
    let of_circuit = sonic::degree(args.gates.unwrap_or(0), args.constraints.unwrap_or(0));
    let degree = args.degree.unwrap_or(of_circuit);
    let mut out = files::Output::create(&args.out)?;
    let (file, bars) = (&mut out.file, Bars::new());
    let challenge = match args.curve.curve() {
        Curve::Bn254 => sonic::new::<Bn254>(degree, file, &bars),
        Curve::Bls12381 => sonic::new::<Bls12381>(degree, file, &bars),
    };
    let challenge = challenge.map_err(|error: Error| Failure::file(&args.out, error))?;
    let bytes = out.finish()?;
    let curve = args.curve.curve().snarkjs_name();
    let object = json!({
        "curve": curve, "degree": degree, "challenge": HEXLOWER.encode(&challenge),
        "bytes": bytes, "out": args.out,
    });
    output.result(&object, || {
        let (bytes, out) = (output::bytes(bytes), args.out.display());
        let mut lines = vec![format!("{curve}, degree {degree}, {bytes}: {out}")];
        lines.push("hash that the first contribution answers:".to_owned());
        lines.extend(hash_lines(&challenge));
        lines
    });
    Ok(())
}
