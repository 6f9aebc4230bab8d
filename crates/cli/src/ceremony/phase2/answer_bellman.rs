//! `subrosa ceremony phase2 answer-bellman`.

use std::{
    fs::File,
    io::{BufReader, Seek as _},
    path::PathBuf,
};

use ::ceremony::{
    Snapshot, Trust,
    phase2::{self, FirstParameters, Settings},
};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Format, bellman::Parameters};
use serde_json::json;

use super::turn::unverifiable;
use crate::{
    ceremony::{
        files::{self, Input},
        native::verifier_rng,
        receipt::Receipt,
        seed::Turn,
        turn::{AnswerArgs, VerifierArgs},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `answer-bellman`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    answer: AnswerArgs,
    /// The first parameters of the ceremony, as you exported them from a key that you made by
    /// `phase2 new`, or with the digest that somebody you trust has for them.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["circuit", "phase1"])]
    first: Option<PathBuf>,
    /// The circuit, a `.r1cs` file, from which the first parameters are made again.
    #[arg(long = "r1cs", alias = "circuit", value_name = "FILE", requires = "phase1")]
    circuit: Option<PathBuf>,
    /// The prepared file of phase 1. `subrosa ceremony phase1 verify` checks it.
    #[arg(long, value_name = "FILE", requires = "circuit")]
    phase1: Option<PathBuf>,
    #[command(flatten)]
    verifier: VerifierArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let path = &args.answer.input;
    let mut file = File::open(path).map_err(|error| Failure::file(path, error))?;
    // The file does not name its curve; points of one are no points of the other.
    match Parameters::<Bls12381>::open(
        &mut BufReader::new(&mut file),
        args.answer.dialect.dialect(),
    ) {
        Ok(_) => answer::<Bls12381>(args, file, output),
        Err(_) => answer::<Bn254>(args, file, output),
    }
}

fn answer<E: Engine>(args: &Args, file: File, output: &Output) -> Result<(), Failure> {
    let Args { answer, verifier, .. } = args;
    let (dialect, bars) = (answer.dialect.dialect(), Bars::new());
    let failure = |error| files::input_failure(&answer.input, Format::Zkey, error);
    answer.verification.warn(output);
    let mut first = first::<E>(args)?;
    let mut old = Snapshot::take(file, &bars).map_err(failure)?;
    let challenge = phase2::bellman_transcript::<E>(&mut old, dialect).map_err(failure)?;
    let turn = Turn { challenge, round: None, input: old.digest() };
    let (settings, mut rng) = (verifier.settings(), verifier_rng());
    let trust = match &mut first {
        Some(first) => {
            Trust::verify(FirstParameters { file: first, settings: &settings }, &mut rng)
        }
        None => Trust::Skip,
    };
    let (receipt, kept) = answer.secrets.contribute(&answer.out, &turn, output, |out, rng| {
        let new = &mut out.file;
        phase2::answer_bellman::<E>(&mut old, new, dialect, trust, rng, &bars).map_err(failure)
    })?;
    let receipt = Receipt::from(receipt).of_input(turn.input, !answer.verification.trust_input);
    receipt.report(None, &answer.out, [("seed", json!(kept))], output);
    Ok(())
}

/// What the parameters are verified against: a file, or what circuit and phase 1 make.
fn first<E: Engine>(args: &Args) -> Result<Option<BufReader<File>>, Failure> {
    match (&args.first, &args.circuit, &args.phase1) {
        _ if args.answer.verification.trust_input => Ok(None),
        (Some(first), _, _) => {
            let file = File::open(first).map_err(|error| Failure::file(first, error))?;
            Ok(Some(BufReader::new(file)))
        }
        (None, Some(circuit), Some(phase1)) => {
            let mut circuit = Input::open_as(circuit, Format::R1cs)?;
            let mut phase1 = Input::open(phase1)?;
            circuit.require_curve(&phase1)?;
            let (mut key, mut first, bars) =
                (tempfile::tempfile()?, tempfile::tempfile()?, Bars::new());
            let made = phase2::new::<E>(
                &mut circuit.file,
                &mut phase1.file,
                &mut key,
                &Settings::default(),
                &bars,
            );
            made.map_err(|error| phase1.failure(error))?;
            let dialect = args.answer.dialect.dialect();
            let exported = phase2::export_bellman::<E>(&mut key, &mut first, dialect, &bars);
            exported.map_err(|error| phase1.failure(error))?;
            first.rewind()?;
            Ok(Some(BufReader::new(first)))
        }
        _ => Err(unverifiable()),
    }
}
