//! `subrosa ceremony phase1 answer-challenge`.

use std::{fs::File, path::PathBuf};

use ::ceremony::{
    Error, Snapshot, Trust,
    phase1::{self, Answer},
};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{
    Curve,
    bellman::{PowersFile, PowersKind},
};
use data_encoding::HEXLOWER;
use serde_json::json;
use wire::Digest;

use crate::{
    ceremony::{
        files, native::verifier_rng, receipt::input_lines, report::hash_lines, seed::Turn,
        turn::AnswerArgs,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Runs the command.
pub fn run(args: &AnswerArgs, output: &Output) -> Result<(), Failure> {
    let path = &args.input;
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    let len = file.metadata().map_err(|error| Failure::file(path, error))?.len();
    // No two curves have a challenge of the same length.
    match (power::<Bn254>(len), power::<Bls12381>(len)) {
        (Some(_), _) => answer::<Bn254>(args, Curve::Bn254, file, output),
        (None, Some(_)) => answer::<Bls12381>(args, Curve::Bls12381, file, output),
        (None, None) => Err(Failure::file(path, Error::ChallengeLen { len })
            .hint("`subrosa ceremony phase1 export-challenge` writes such a file")),
    }
}

fn power<E: Engine>(len: u64) -> Option<u32> {
    PowersFile::<E>::power_of_len(PowersKind::Challenge, len)
}

fn answer<E: Engine>(
    args: &AnswerArgs,
    curve: Curve,
    mut file: File,
    output: &Output,
) -> Result<(), Failure> {
    let (failure, bars) = (|error| files::refusal(&args.input, error), Bars::new());
    let mut old = Snapshot::take(&mut file, &bars).map_err(failure)?;
    let challenge = phase1::challenge_hash(&mut old, &bars).map_err(failure)?;
    let turn = Turn { challenge, round: None, input: old.digest() };
    args.verification.warn(output);
    let mut verifier = verifier_rng();
    let trust = match args.verification.trust_input {
        true => Trust::Skip,
        false => Trust::verify((), &mut verifier),
    };
    let dialect = args.dialect.dialect();
    let (answer, kept) = args.secrets.contribute(&args.out, &turn, output, |out, rng| {
        let made = phase1::answer::<E>(&mut old, &mut out.file, dialect, trust, rng, &bars);
        made.map_err(failure)
    })?;
    report(args, curve, &answer, (turn.input, kept), output);
    Ok(())
}

fn report(
    args: &AnswerArgs,
    curve: Curve,
    answer: &Answer,
    (input, kept): (Digest, Option<PathBuf>),
    output: &Output,
) {
    let Answer { power, challenge, response_hash } = answer;
    let (curve, out) = (curve.snarkjs_name(), &args.out);
    let is_verified = !args.verification.trust_input;
    let object = json!({
        "curve": curve,
        "power": power,
        "challenge": HEXLOWER.encode(challenge),
        "response_hash": HEXLOWER.encode(response_hash),
        "input": input.to_string(),
        "input_verified": is_verified,
        "out": out,
        "seed": kept,
    });
    output.result(&object, || {
        let mut lines = vec![format!("{curve}, power {power}: {}", out.display())];
        lines.push("challenge:".to_owned());
        lines.extend(hash_lines(challenge));
        lines.push("contribution response hash, to be published:".to_owned());
        lines.extend(hash_lines(response_hash));
        lines.extend(input_lines(&input, is_verified));
        lines
    });
}
