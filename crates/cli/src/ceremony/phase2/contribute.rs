//! `subrosa ceremony phase2 contribute`.

use ::ceremony::phase2::{self, Receipt};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::native;
use crate::{
    ceremony::{files::Input, report::hash_lines, turn::ContributeArgs},
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &ContributeArgs, output: &Output) -> Result<(), Failure> {
    let input = Input::open_as(&args.input, Format::Zkey)?;
    match input.curve {
        Curve::Bn254 => contribute::<Bn254>(args, input, output),
        Curve::Bls12381 => contribute::<Bls12381>(args, input, output),
    }
}

fn contribute<E: Engine>(
    args: &ContributeArgs,
    mut input: Input,
    output: &Output,
) -> Result<(), Failure> {
    if native::is_native::<E>(&mut input)? {
        return native::contribute::<E>(args, input, output);
    }
    let info = phase2::info::<E>(&mut input.file).map_err(|error| input.failure(error))?;
    let (out, name) = (&args.out, args.name.clone());
    let (receipt, kept) = args.secrets.contribute(out, &info.transcript, output, |out, rng| {
        let (old, new, bars) = (&mut input.file, &mut out.file, Bars::new());
        let made = phase2::contribute::<E>(old, new, name, rng, &bars);
        made.map_err(|error| input.failure(error))
    })?;
    let mut object = object(&receipt, args.name.as_deref(), &args.out);
    if let Some(object) = object.as_object_mut() {
        object.insert("seed".to_owned(), json!(kept));
    }
    output.result(&object, || lines(&receipt, &args.out.display().to_string()));
    Ok(())
}

/// What machines are told about a contribution.
pub fn object(receipt: &Receipt, name: Option<&str>, out: &std::path::Path) -> Value {
    json!({
        "contribution": receipt.index,
        "name": name,
        "circuit_hash": HEXLOWER.encode(&receipt.circuit_hash),
        "hash": HEXLOWER.encode(&receipt.contribution_hash),
        "out": out,
    })
}

/// What a contributor is told.
pub fn lines(receipt: &Receipt, out: &str) -> Vec<String> {
    let mut lines = vec![format!("contribution {}: {out}", receipt.index + 1)];
    lines.push("circuit hash:".to_owned());
    lines.extend(hash_lines(&receipt.circuit_hash));
    lines.push("contribution hash, to be published:".to_owned());
    lines.extend(hash_lines(&receipt.contribution_hash));
    lines
}
