//! `subrosa ceremony phase1 beacon`.

use ::ceremony::phase1::{self, Beacon};
use algebra::{Bls12381, Bn254};
use circuit::Curve;

use super::contribute::{lines, object};
use crate::{
    ceremony::{
        files::{self, Input},
        turn::BeaconArgs,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &BeaconArgs, output: &Output) -> Result<(), Failure> {
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
    let object = object(&receipt, args.name.as_deref(), &args.out);
    output.result(&object, || lines(&receipt, &args.out.display().to_string()));
    Ok(())
}
