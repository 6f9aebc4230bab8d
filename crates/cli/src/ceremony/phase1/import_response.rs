//! `subrosa ceremony phase1 import-response`.

use std::fs::File;

use ::ceremony::{Error, phase1};
use algebra::{Bls12381, Bn254};
use circuit::Curve;

use crate::{
    ceremony::{
        files::{self, Input},
        native::verifier_rng,
        receipt::Receipt,
        turn::ImportArgs,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &ImportArgs, output: &Output) -> Result<(), Failure> {
    let path = &args.response;
    let mut input = Input::open(&args.input)?;
    let mut response = File::open(path).map_err(|error| Failure::file(path, error))?;
    let mut out = files::Output::create(&args.out)?;
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let (old, response, new, name) =
        (&mut input.file, &mut response, &mut out.file, args.name.clone());
    let (settings, rng) = (&args.verifier.settings(), &mut rng);
    let made = match input.curve {
        Curve::Bn254 => {
            phase1::import_response::<Bn254>(old, response, new, name, settings, rng, &bars)
        }
        Curve::Bls12381 => {
            phase1::import_response::<Bls12381>(old, response, new, name, settings, rng, &bars)
        }
    };
    let receipt = made.map_err(|error| match error {
        error @ Error::Reduced { .. } => input.failure(error),
        error => files::refusal(path, error),
    })?;
    out.finish()?;
    Receipt::from(receipt).report(args.name.as_deref(), &args.out, [], output);
    Ok(())
}
