//! `subrosa ceremony phase1 beacon`.

use std::path::PathBuf;

use ::ceremony::phase1::{self, Beacon};
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde_json::json;

use super::contribute::lines;
use crate::{
    ceremony::files::{self, Input},
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `beacon`.
#[derive(clap::Args)]
pub struct Args {
    /// The last file of the ceremony.
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The public randomness, 1 to 255 bytes in hexadecimal digits: a block's hash, a drand round.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    hash: Hash,
    /// The binary logarithm of how often to hash it. Announce it with the source of the randomness.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(10..=63))]
    iterations_exp: u8,
    /// A name for the contribution, at most 64 characters.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Bytes that clap does not take for a list of options.
#[derive(Clone)]
pub struct Hash(pub Vec<u8>);

/// A beacon's bytes from hexadecimal digits.
pub fn hex(text: &str) -> Result<Hash, String> {
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|error| error.to_string())?;
    match bytes.len() {
        1..=255 => Ok(Hash(bytes)),
        _ => Err("a beacon has 1 to 255 bytes".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let beacon = Beacon::new(args.hash.0.clone(), args.iterations_exp).map_err(Failure::input)?;
    let mut out = files::Output::create(&args.out)?;
    let (name, bars) = (args.name.clone(), Bars::new());
    let (old, new) = (&mut input.file, &mut out.file);
    let made = match input.curve {
        Curve::Bn254 => phase1::contribute_beacon::<Bn254>(old, new, name, &beacon, &bars),
        Curve::Bls12381 => phase1::contribute_beacon::<Bls12381>(old, new, name, &beacon, &bars),
    };
    let receipt = made.map_err(|error| input.failure(error))?;
    out.finish()?;
    let object = json!({
        "contribution": receipt.index,
        "name": args.name,
        "response_hash": HEXLOWER.encode(&receipt.response_hash),
        "next_challenge": HEXLOWER.encode(&receipt.next_challenge),
        "out": args.out,
    });
    output.result(&object, || lines(&receipt, &args.out.display().to_string()));
    Ok(())
}
