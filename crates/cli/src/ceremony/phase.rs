//! Turns in the two phases of a Groth16 ceremony: `contribute` and `beacon`, in the files of snarkjs
//! and in native ones.

use std::{fs::File, path::Path};

use ::ceremony::{Error, phase1::Beacon, tflsz};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use serde_json::{Value, json};
use wire::NewFile;

use super::{
    files::{self, Input},
    native::{take_beacon, take_turn},
    turn::{BeaconArgs, ContributeArgs},
};
use crate::{failure::Failure, output::Output};

/// A phase.
pub trait Phase {
    /// Its files.
    const FORMAT: Format;
    /// What a contributor in the form of snarkjs is told.
    type Receipt;

    /// Whether a file is of a native ceremony.
    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error>;

    /// What the next contribution answers.
    fn challenge<E: Engine>(file: &mut File) -> Result<[u8; 64], Error>;

    /// A participant's contribution.
    fn contribute<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Self::Receipt, Error>;

    /// A beacon's.
    fn contribute_beacon<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<Self::Receipt, Error>;

    /// What the next contribution to a native file answers.
    fn native_challenge<E: Engine>(file: &mut File) -> Result<[u8; 64], Error>;

    /// A participant's contribution to a native file.
    fn contribute_native<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        rng: &mut ChaCha20Rng,
    ) -> Result<tflsz::Receipt, Error>;

    /// A beacon's.
    fn contribute_beacon_native<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<tflsz::Receipt, Error>;

    /// A receipt for machines.
    fn receipt_json(receipt: &Self::Receipt, name: Option<&str>, out: &Path) -> Value;

    /// A receipt for people.
    fn receipt_lines(receipt: &Self::Receipt, out: &Path) -> Vec<String>;
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
    let name = args.name.clone();
    if is_native::<P, E>(&mut input)? {
        let challenge = P::native_challenge::<E>(&mut input.file);
        let challenge = challenge.map_err(|error| input.failure(error))?;
        return take_turn(args, &challenge, 1, output, |rng, out| {
            let made = P::contribute_native::<E>(&mut input.file, out, name, rng);
            made.map_err(|error| input.failure(error))
        });
    }
    let challenge = P::challenge::<E>(&mut input.file).map_err(|error| input.failure(error))?;
    let (receipt, kept) = args.secrets.contribute(&args.out, &challenge, output, |out, rng| {
        let made = P::contribute::<E>(&mut input.file, &mut out.file, name, rng);
        made.map_err(|error| input.failure(error))
    })?;
    let mut object = P::receipt_json(&receipt, args.name.as_deref(), &args.out);
    if let Some(object) = object.as_object_mut() {
        object.insert("seed".to_owned(), json!(kept));
    }
    output.result(&object, || P::receipt_lines(&receipt, &args.out));
    Ok(())
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
    let name = args.name.clone();
    if is_native::<P, E>(&mut input)? {
        return take_beacon(args, output, |beacon, out| {
            let made = P::contribute_beacon_native::<E>(&mut input.file, out, name, beacon);
            made.map_err(|error| input.failure(error))
        });
    }
    let beacon = Beacon::new(args.hash.0.clone(), args.iterations_exp).map_err(Failure::input)?;
    let mut out = files::Output::create(&args.out)?;
    let made = P::contribute_beacon::<E>(&mut input.file, &mut out.file, name, &beacon);
    let receipt = made.map_err(|error| input.failure(error))?;
    out.finish()?;
    let object = P::receipt_json(&receipt, args.name.as_deref(), &args.out);
    output.result(&object, || P::receipt_lines(&receipt, &args.out));
    Ok(())
}
