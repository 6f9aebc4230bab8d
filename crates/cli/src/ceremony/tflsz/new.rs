//! `subrosa ceremony tflsz new`.

use std::path::PathBuf;

use ::ceremony::tflsz;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::{
    ceremony::{files, native, report::hash_lines},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `new`.
#[derive(clap::Args)]
pub struct Args {
    /// A verified phase 1, prepared or not, of at least the power asked for.
    #[arg(long, value_name = "PTAU")]
    phase1: PathBuf,
    /// The reference string is for shuffles of up to 2^P - 1 ciphertexts.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(2..=28))]
    power: u32,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut phase1 = files::Input::open(&args.phase1)?;
    let mut out = files::Output::create(&args.out)?;
    let (ptau, file, power, bars) = (&mut phase1.file, &mut out.file, args.power, Bars::new());
    let challenge = match phase1.curve {
        Curve::Bn254 => tflsz::new::<Bn254>(ptau, power, file, &bars),
        Curve::Bls12381 => tflsz::new::<Bls12381>(ptau, power, file, &bars),
    };
    let challenge = challenge.map_err(|error| native::failure(&args.phase1, error))?;
    let bytes = out.finish()?;
    let curve = phase1.curve.snarkjs_name();
    let size = (1_u64 << power) - 1;
    let object = json!({
        "curve": curve, "size": size, "challenge": HEXLOWER.encode(&challenge), "bytes": bytes,
        "out": args.out,
    });
    output.result(&object, || {
        let (bytes, out) = (output::bytes(bytes), args.out.display());
        let most = output::counted(size, "ciphertext", "ciphertexts");
        let mut lines = vec![format!("{curve}, up to {most}, {bytes}: {out}")];
        lines.push("hash that the first contribution answers:".to_owned());
        lines.extend(hash_lines(&challenge));
        lines
    });
    Ok(())
}
