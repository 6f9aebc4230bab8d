//! `subrosa ceremony phase1 contribute`.

use std::path::PathBuf;

use ::ceremony::phase1::{self, Receipt};
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::{
    ceremony::{
        entropy::generator,
        files::{self, Input},
        report::hash_lines,
        seed::SealedSeed,
        turn::ContributeArgs,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &ContributeArgs, output: &Output) -> Result<(), Failure> {
    let input = Input::open(&args.input)?;
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
    let info = phase1::info::<E>(&mut input.file).map_err(|error| input.failure(error))?;
    let mut out = files::Output::create(&args.out)?;
    let seed = SealedSeed::open(&args.out, &info.challenge, &args.entropy)?;
    if seed.is_resumed {
        output.warn("going on with the secrets of a contribution that was not finished");
    }
    let bars = Bars::new();
    let mut rng = generator(&seed.seed, &info.challenge);
    let name = args.name.clone();
    let made = phase1::contribute::<E>(&mut input.file, &mut out.file, name, &mut rng, &bars);
    let receipt = match made {
        Ok(receipt) => receipt,
        Err(error) => {
            // Nothing was made with a new seed; another may be of use.
            if !seed.is_resumed {
                seed.destroy()?;
            }
            return Err(input.failure(error));
        }
    };
    out.finish()?;
    let kept = args.keep_seed.then(|| seed.path().to_owned());
    if kept.is_none() {
        seed.destroy()?;
    }
    report(args, &receipt, kept, output);
    Ok(())
}

fn report(args: &ContributeArgs, receipt: &Receipt, kept: Option<PathBuf>, output: &Output) {
    let object = json!({
        "contribution": receipt.index,
        "name": args.name,
        "response_hash": HEXLOWER.encode(&receipt.response_hash),
        "next_challenge": HEXLOWER.encode(&receipt.next_challenge),
        "out": args.out,
        "seed": kept,
    });
    output.result(&object, || lines(receipt, &args.out.display().to_string()));
}

/// What a contributor is told.
pub fn lines(receipt: &Receipt, out: &str) -> Vec<String> {
    let mut lines = vec![format!("contribution {}: {out}", receipt.index + 1)];
    lines.push("contribution response hash, to be published:".to_owned());
    lines.extend(hash_lines(&receipt.response_hash));
    lines.push("next challenge:".to_owned());
    lines.extend(hash_lines(&receipt.next_challenge));
    lines
}
