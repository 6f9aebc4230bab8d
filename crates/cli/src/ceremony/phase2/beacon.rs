//! `subrosa ceremony phase2 beacon`.

use ::ceremony::phase2::{self, Beacon};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};

use super::{
    contribute::{lines, object},
    native,
};
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
    let input = Input::open_as(&args.input, Format::Zkey)?;
    match input.curve {
        Curve::Bn254 => contribute::<Bn254>(args, input, output),
        Curve::Bls12381 => contribute::<Bls12381>(args, input, output),
    }
}

fn contribute<E: Engine>(
    args: &BeaconArgs,
    mut input: Input,
    output: &Output,
) -> Result<(), Failure> {
    if native::is_native::<E>(&mut input)? {
        return native::beacon::<E>(args, input, output);
    }
    let beacon = Beacon::new(args.hash.0.clone(), args.iterations_exp).map_err(Failure::input)?;
    let mut out = files::Output::create(&args.out)?;
    let (name, bars) = (args.name.clone(), Bars::new());
    let (old, new) = (&mut input.file, &mut out.file);
    let made = phase2::contribute_beacon::<E>(old, new, name, &beacon, &bars);
    let receipt = made.map_err(|error| input.failure(error))?;
    out.finish()?;
    let object = object(&receipt, args.name.as_deref(), &args.out);
    output.result(&object, || lines(&receipt, &args.out.display().to_string()));
    Ok(())
}
