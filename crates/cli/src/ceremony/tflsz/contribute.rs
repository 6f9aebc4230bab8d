//! `subrosa ceremony tflsz contribute`.

use ::ceremony::tflsz::{self, Round};
use algebra::{Bls12381, Bn254};
use circuit::Curve;

use super::read_info;
use crate::{
    ceremony::{native::Input, turn::ContributeArgs},
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    turn: ContributeArgs,
    /// The round, 1 or 2; by default the one that goes on. The first contribution to round 2 ends
    /// round 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    round: Option<u8>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let turn = &args.turn;
    let mut input = Input::open(&turn.input)?;
    let info = read_info(&mut input)?;
    let round = match args.round {
        Some(1) => Round::First,
        Some(_) => Round::Second,
        None => info.round(),
    };
    turn.take_turn(&info.challenge, Some(round.number()), output, |rng, out| {
        let (old, name, bars) = (&mut input.file, turn.name.clone(), Bars::new());
        let receipt = match input.curve {
            Curve::Bn254 => tflsz::contribute::<Bn254>(old, out, round, name, rng, &bars),
            Curve::Bls12381 => tflsz::contribute::<Bls12381>(old, out, round, name, rng, &bars),
        };
        receipt.map_err(|error| input.failure(error))
    })
}
