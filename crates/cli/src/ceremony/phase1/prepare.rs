//! `subrosa ceremony phase1 prepare`.

use ::ceremony::phase1;
use algebra::{Bls12381, Bn254};
use circuit::Curve;
use serde_json::json;

use crate::{
    ceremony::{files::Input, turn::StepArgs},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &StepArgs, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.input)?;
    let bars = Bars::new();
    let ((), bytes) = input.derive(&args.out, |curve, old, new| match curve {
        Curve::Bn254 => phase1::prepare::<Bn254>(old, new, &bars),
        Curve::Bls12381 => phase1::prepare::<Bls12381>(old, new, &bars),
    })?;
    output.result(&json!({ "out": args.out, "bytes": bytes }), || {
        vec![format!("prepared, {}: {}", output::bytes(bytes), args.out.display())]
    });
    Ok(())
}
