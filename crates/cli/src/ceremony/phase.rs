//! Turns in the two phases of a Groth16 ceremony: `contribute` and `beacon`, in the files of snarkjs
//! and in native ones.

use std::fs::File;

use ::ceremony::{Error, phase1::Beacon, tflsz};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use wire::NewFile;

use super::{
    files::{self, Input},
    receipt::Receipt,
    turn::{BeaconArgs, ContributeArgs},
};
use crate::{failure::Failure, output::Output, progress::Bars};

/// A phase.
pub trait Phase {
    /// Its files.
    const FORMAT: Format;
    /// What a contributor in the form of snarkjs is told.
    type Receipt: Into<Receipt>;

    /// Whether a file is of a native ceremony.
    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error>;

    /// Contributions in the form of snarkjs.
    fn snarkjs<E: Engine>() -> Form<Self::Receipt>;

    /// Contributions to native files.
    fn native<E: Engine>() -> Form<tflsz::Receipt>;
}

/// A participant's contribution: from an old file to a new one, under a name.
type Contribute<R> =
    fn(&mut File, &mut NewFile, Option<String>, &mut ChaCha20Rng, &Bars) -> Result<R, Error>;
/// A beacon's.
type ContributeBeacon<R> =
    fn(&mut File, &mut NewFile, Option<String>, &Beacon, &Bars) -> Result<R, Error>;

/// How a phase's files of one form are contributed to.
pub struct Form<R> {
    /// What the next contribution answers.
    pub challenge: fn(&mut File) -> Result<[u8; 64], Error>,
    /// A participant's contribution.
    pub contribute: Contribute<R>,
    /// A beacon's.
    pub contribute_beacon: ContributeBeacon<R>,
}

/// Whether a file is of a native ceremony.
pub fn is_native<P: Phase, E: Engine>(input: &mut Input) -> Result<bool, Failure> {
    P::is_native::<E>(&mut input.file).map_err(|error| input.failure(error))
}

/// Runs `contribute`.
pub fn contribute<P: Phase>(args: &ContributeArgs, output: &Output) -> Result<(), Failure> {
    let input = Input::open_as(&args.input, P::FORMAT)?;
    match input.curve {
        Curve::Bn254 => contribute_over::<P, Bn254>(args, input, output),
        Curve::Bls12381 => contribute_over::<P, Bls12381>(args, input, output),
    }
}

fn contribute_over<P: Phase, E: Engine>(
    args: &ContributeArgs,
    mut input: Input,
    output: &Output,
) -> Result<(), Failure> {
    match is_native::<P, E>(&mut input)? {
        true => P::native::<E>().contribute(args, input, Some(1), output),
        false => P::snarkjs::<E>().contribute(args, input, None, output),
    }
}

/// Runs `beacon`.
pub fn beacon<P: Phase>(args: &BeaconArgs, output: &Output) -> Result<(), Failure> {
    let input = Input::open_as(&args.input, P::FORMAT)?;
    match input.curve {
        Curve::Bn254 => beacon_over::<P, Bn254>(args, input, output),
        Curve::Bls12381 => beacon_over::<P, Bls12381>(args, input, output),
    }
}

fn beacon_over<P: Phase, E: Engine>(
    args: &BeaconArgs,
    mut input: Input,
    output: &Output,
) -> Result<(), Failure> {
    match is_native::<P, E>(&mut input)? {
        true => P::native::<E>().beacon(args, input, output),
        false => P::snarkjs::<E>().beacon(args, input, output),
    }
}

impl<R: Into<Receipt>> Form<R> {
    fn contribute(
        &self,
        args: &ContributeArgs,
        mut input: Input,
        round: Option<u8>,
        output: &Output,
    ) -> Result<(), Failure> {
        let challenge = (self.challenge)(&mut input.file).map_err(|error| input.failure(error))?;
        args.take_turn(&challenge, round, output, |rng, new| {
            let (old, name) = (&mut input.file, args.name.clone());
            let made = (self.contribute)(old, new, name, rng, &Bars::new());
            made.map_err(|error| input.failure(error))
        })
    }

    fn beacon(&self, args: &BeaconArgs, mut input: Input, output: &Output) -> Result<(), Failure> {
        let beacon =
            Beacon::new(args.randomness()?, args.iterations_exp).map_err(Failure::input)?;
        let mut out = files::Output::create(&args.out)?;
        let (old, new, name) = (&mut input.file, &mut out.file, args.name.clone());
        let made = (self.contribute_beacon)(old, new, name, &beacon, &Bars::new());
        let receipt: Receipt = made.map_err(|error| input.failure(error))?.into();
        out.finish()?;
        receipt.report(args.name.as_deref(), &args.out, [], output);
        Ok(())
    }
}
