//! `subrosa ceremony phase2 answer-bellman`.

use std::{fs::File, io::BufReader};

use ::ceremony::phase2;
use algebra::{Bls12381, Bn254, Engine};
use circuit::bellman::Parameters;
use serde_json::json;

use crate::{
    ceremony::{receipt::Receipt, turn::AnswerArgs},
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &AnswerArgs, output: &Output) -> Result<(), Failure> {
    let file = File::open(&args.input).map_err(|error| Failure::file(&args.input, error))?;
    let mut file = BufReader::new(file);
    // The file does not name its curve; points of one are no points of the other.
    match Parameters::<Bls12381>::open(&mut file, args.dialect.dialect()) {
        Ok(_) => answer::<Bls12381>(args, file, output),
        Err(_) => answer::<Bn254>(args, file, output),
    }
}

fn answer<E: Engine>(
    args: &AnswerArgs,
    mut file: BufReader<File>,
    output: &Output,
) -> Result<(), Failure> {
    let (dialect, failure) = (args.dialect.dialect(), |error| Failure::file(&args.input, error));
    let transcript = phase2::bellman_transcript::<E>(&mut file, dialect).map_err(failure)?;
    let (receipt, kept) = args.secrets.contribute(&args.out, &transcript, output, |out, rng| {
        let (new, bars) = (&mut out.file, Bars::new());
        phase2::answer_bellman::<E>(&mut file, new, dialect, rng, &bars).map_err(failure)
    })?;
    Receipt::from(receipt).report(None, &args.out, [("seed", json!(kept))], output);
    Ok(())
}
