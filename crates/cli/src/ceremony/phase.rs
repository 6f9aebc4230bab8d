//! Turns in the two phases of a Groth16 ceremony: `contribute` and `beacon`, in the files of snarkjs
//! and in native ones.

use std::fs::File;

use ::ceremony::{Error, Snapshot, phase1::Beacon};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use wire::NewFile;

use super::{
    files::{self, Input},
    receipt::Receipt,
    seed::Turn,
    turn::{BeaconArgs, ContributeArgs, InputArgs},
};
use crate::{failure::Failure, output::Output, progress::Bars};

/// Calls a function of a phase in the form that the file has: that of snarkjs, or the native one.
macro_rules! in_form {
    ($native:expr, $phase:ident::$function:ident::<$engine:ident>($($argument:expr),*)) => {
        match $native {
            true => $phase::native::$function::<$engine>($($argument),*).map(Into::into),
            false => $phase::$function::<$engine>($($argument),*).map(Into::into),
        }
    };
}

pub(super) use in_form;

/// A phase.
pub trait Phase {
    /// Its files.
    const FORMAT: Format;
    /// What a contributor's input is verified against.
    type Reference: clap::Args;
    /// The same, open.
    type Files;

    /// Opens what the input is verified against, unless that is trusted.
    fn open(
        reference: &Self::Reference,
        trust_input: bool,
        input: &Input,
    ) -> Result<Option<Self::Files>, Failure>;

    /// Whether a file is of a native ceremony.
    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error>;

    /// What the next contribution answers.
    fn challenge<E: Engine>(old: &mut Snapshot<&mut File>, native: bool)
    -> Result<[u8; 64], Error>;

    /// A participant's contribution. Without files to verify against, the input is trusted.
    fn contribute<E: Engine>(
        old: &mut Snapshot<&mut File>,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        files: Option<Self::Files>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Receipt, Error>;

    /// A beacon's.
    fn contribute_beacon<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<Receipt, Error>;
}

/// Options of `contribute` in a phase.
#[derive(clap::Args)]
pub struct Args<R: clap::Args> {
    #[command(flatten)]
    turn: ContributeArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    reference: R,
}

/// Whether a file is of a native ceremony.
pub fn is_native<P: Phase, E: Engine>(input: &mut Input) -> Result<bool, Failure> {
    P::is_native::<E>(&mut input.file).map_err(|error| input.failure(error))
}

/// Runs `contribute`.
pub fn contribute<P: Phase>(args: &Args<P::Reference>, output: &Output) -> Result<(), Failure> {
    let input = Input::open_as(&args.turn.input, P::FORMAT)?;
    match input.curve {
        Curve::Bn254 => contribute_over::<P, Bn254>(args, input, output),
        Curve::Bls12381 => contribute_over::<P, Bls12381>(args, input, output),
    }
}

fn contribute_over<P: Phase, E: Engine>(
    args: &Args<P::Reference>,
    mut input: Input,
    output: &Output,
) -> Result<(), Failure> {
    let native = is_native::<P, E>(&mut input)?;
    let files = P::open(&args.reference, args.input.trust_input, &input)?;
    let path = input.path().to_owned();
    let failure = |error| files::input_failure(&path, P::FORMAT, error);
    let mut old = Snapshot::take(&mut input.file, &Bars::new()).map_err(failure)?;
    let challenge = P::challenge::<E>(&mut old, native).map_err(failure)?;
    let turn = Turn { challenge, round: native.then_some(1), input: old.digest() };
    args.turn.take_turn(&turn, &args.input, output, |rng, new| {
        let name = args.turn.name.clone();
        P::contribute::<E>(&mut old, new, native, name, files, rng).map_err(failure)
    })
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
    let native = is_native::<P, E>(&mut input)?;
    let beacon = Beacon::new(args.randomness()?, args.iterations_exp).map_err(Failure::input)?;
    let mut out = files::Output::create(&args.out)?;
    let (old, new, name) = (&mut input.file, &mut out.file, args.name.clone());
    let made = P::contribute_beacon::<E>(old, new, native, name, &beacon);
    let receipt = made.map_err(|error| input.failure(error))?;
    out.finish()?;
    receipt.report(args.name.as_deref(), &args.out, [], output);
    Ok(())
}
