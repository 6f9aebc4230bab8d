//! `subrosa ceremony kzg contribute`.

use std::path::PathBuf;

use ::ceremony::{Trust, kzg};
use circuit::kzg::BatchContribution;
use serde_json::json;
use wire::{Blake2b, Digest};

use super::size::SizeArgs;
use crate::{
    ceremony::{
        files,
        native::verifier_rng,
        receipt::input_lines,
        seed::Turn,
        turn::{InputArgs, SecretArgs},
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Some ten times the file that Ethereum's sequencer hands out.
const MAX_LEN: u64 = 1 << 26;

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct Args {
    /// The file that the sequencer gave you, a `batchContribution`.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file to create, and to return to the sequencer.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    sizes: SizeArgs,
    #[command(flatten)]
    verification: InputArgs,
    #[command(flatten)]
    secrets: SecretArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let bytes = wire::read_bounded(&args.input, MAX_LEN);
    let bytes = bytes.map_err(|error| Failure::file(&args.input, error))?;
    let before = BatchContribution::read(bytes.as_slice())
        .map_err(|error| files::refusal(&args.input, error.into()))?;
    // It is read once, and all of it is in memory.
    let input = Digest::of("ceremony/input", &bytes);
    let turn = Turn { challenge: Blake2b::digest(&bytes), round: None, input };
    args.verification.warn(output);
    let (sizes, is_verified) = (args.sizes.sizes(), !args.verification.trust_input);
    let (made, kept) = args.secrets.contribute(&args.out, &turn, output, |out, rng| {
        let mut verifier = verifier_rng();
        let trust = match is_verified {
            true => Trust::verify(sizes.as_slice(), &mut verifier),
            false => Trust::Skip,
        };
        let made = kzg::contribute(&before, trust, rng, &Bars::new());
        let made =
            made.map_err(|error| Failure::refused(format!("{}: {error}", args.input.display())))?;
        made.write(&mut out.file).map_err(|error| Failure::file(&args.out, error))?;
        Ok(made)
    })?;
    let sizes = made.contributions.iter().map(|one| [one.powers.g1.len(), one.powers.g2.len()]);
    let object = json!({
        "sizes": sizes.collect::<Vec<_>>(),
        "input": input.to_string(),
        "input_verified": is_verified,
        "out": args.out,
        "seed": kept,
    });
    output.result(&object, || {
        let mut lines = vec![format!("contribution: {}", args.out.display())];
        lines.extend(input_lines(&input, is_verified));
        lines
    });
    Ok(())
}
