//! `subrosa ceremony kzg contribute`.

use std::path::PathBuf;

use ::ceremony::kzg;
use circuit::kzg::BatchContribution;
use serde_json::json;
use wire::Blake2b;

use crate::{
    ceremony::{files, turn::SecretArgs},
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Some ten times the file that Ethereum's sequencer hands out.
const MAX_LEN: u64 = 1 << 26;

/// Options of `contribute`.
#[derive(clap::Args)]
pub struct Args {
    /// What the sequencer handed you, a `batchContribution`.
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The file to create and to hand back.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    secrets: SecretArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let bytes = wire::read_bounded(&args.input, MAX_LEN);
    let bytes = bytes.map_err(|error| Failure::file(&args.input, error))?;
    let before = BatchContribution::read(bytes.as_slice())
        .map_err(|error| files::refusal(&args.input, error.into()))?;
    let challenge = Blake2b::digest(&bytes);
    let (made, kept) = args.secrets.contribute(&args.out, &challenge, output, |out, rng| {
        let made = kzg::contribute(&before, rng, &Bars::new());
        let made =
            made.map_err(|error| Failure::refused(format!("{}: {error}", args.input.display())))?;
        made.write(&mut out.file).map_err(|error| Failure::file(&args.out, error))?;
        Ok(made)
    })?;
    let sizes = made.contributions.iter().map(|one| [one.powers.g1.len(), one.powers.g2.len()]);
    let object = json!({ "sizes": sizes.collect::<Vec<_>>(), "out": args.out, "seed": kept });
    output.result(&object, || vec![format!("contribution: {}", args.out.display())]);
    Ok(())
}
