//! `subrosa ceremony tflsz contribute`.

use std::path::PathBuf;

use ::ceremony::{
    Snapshot, Trust,
    tflsz::{self, Info, Round},
    trust::ReadSeek,
};
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;

use super::info::read_info;
use crate::{
    ceremony::{
        files,
        native::{self, Input, verifier_rng},
        seed::Turn,
        turn::{ContributeArgs, InputArgs},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    turn: ContributeArgs,
    #[command(flatten)]
    verification: InputArgs,
    /// The file of phase 1, against which the input is verified. `subrosa ceremony phase1 verify` checks
    /// it.
    #[arg(long, value_name = "FILE", required_unless_present = "trust_input")]
    phase1: Option<PathBuf>,
    /// The round, 1 or 2 [default: the current round]. The first contribution to round 2 ends round 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    round: Option<u8>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut input = Input::open(&args.turn.input)?;
    let info = read_info(&mut input)?;
    let round = match args.round {
        Some(1) => Round::First,
        Some(_) => Round::Second,
        None => info.round(),
    };
    let phase1 = args.phase1.as_ref().filter(|_| !args.verification.trust_input);
    let phase1 = phase1.map(|path| files::Input::open(path)).transpose()?;
    match input.curve {
        Curve::Bn254 => contribute::<Bn254>(args, input, &info, round, phase1, output),
        Curve::Bls12381 => contribute::<Bls12381>(args, input, &info, round, phase1, output),
    }
}

fn contribute<E: Engine>(
    args: &Args,
    mut input: Input,
    info: &Info,
    round: Round,
    mut phase1: Option<files::Input>,
    output: &Output,
) -> Result<(), Failure> {
    let failure = |error| native::input_failure(&args.turn.input, error);
    let mut old = Snapshot::take(&mut input.file, &Bars::new()).map_err(failure)?;
    let (challenge, input) = (info.challenge, old.digest());
    let turn = Turn { challenge, round: Some(round.number()), input };
    args.turn.take_turn(&turn, &args.verification, output, |rng, out| {
        let (name, mut verifier, bars) = (args.turn.name.clone(), verifier_rng(), Bars::new());
        let trust = match &mut phase1 {
            Some(phase1) => {
                let phase1: &mut dyn ReadSeek = &mut phase1.file;
                Trust::verify(phase1, &mut verifier)
            }
            None => Trust::Skip,
        };
        let receipt = tflsz::contribute::<E>(&mut old, out, round, name, trust, rng, &bars);
        receipt.map_err(failure)
    })
}
