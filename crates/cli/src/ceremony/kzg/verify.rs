//! `subrosa ceremony kzg verify`.

use std::{
    fmt::Display,
    fs::File,
    path::{Path, PathBuf},
};

use ::ceremony::kzg;
use circuit::kzg::{BatchContribution, BatchTranscript};
use serde_json::json;

use super::size::SizeArgs;
use crate::{
    ceremony::{
        continuity::{AfterArgs, Findings},
        files,
        native::verifier_rng,
    },
    failure::Failure,
    output::Output,
    progress::Bars,
};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The `batchTranscript`.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A `batchContribution` that continues it, to be checked as well.
    #[arg(long, value_name = "FILE")]
    contribution: Option<PathBuf>,
    #[command(flatten)]
    after: AfterArgs,
    #[command(flatten)]
    sizes: SizeArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let sizes = args.sizes.sizes();
    let (mut rng, bars) = (verifier_rng(), Bars::new());
    let transcript = read(&args.file, BatchTranscript::read)?;
    let verified = kzg::verify_transcript(&transcript, &sizes, &mut rng, &bars);
    let verified = verified.map_err(|error| refused(&args.file, error))?;
    let mut findings = Findings::default();
    if let Some(after) = &args.after.after {
        let old = kzg::records(&read(after, BatchTranscript::read)?);
        let new = kzg::records(&transcript);
        args.after.check((after, &old), (&args.file, &new), &mut findings)?;
    }
    if let Some(path) = &args.contribution {
        let contribution = read(path, BatchContribution::read)?;
        let checked = kzg::verify_contribution(&transcript, &contribution, &sizes, &mut rng, &bars);
        checked.map_err(|error| refused(path, error))?;
    }
    let mut object = json!({
        "verified": true,
        "sizes": sizes.iter().map(|(g1, g2)| [g1, g2]).collect::<Vec<_>>(),
        "participants": verified.participants,
        "idle": verified.idle,
        "contribution": args.contribution,
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(findings.json);
    }
    output.result(&object, || {
        let mut lines: Vec<_> = verified
            .sizes
            .iter()
            .map(|(g1, g2)| format!("{g1} powers in G1, {g2} in G2"))
            .collect();
        lines.push(format!("{} took part: every point is right.", verified.participants));
        let idle = verified.idle.iter().map(|index| index + 1);
        lines.extend(idle.map(|number| {
            format!("WARNING: participant {number} used the secret 1, which everybody knows.")
        }));
        lines.extend(findings.lines);
        if args.contribution.is_some() {
            lines.push("The contribution continues the transcript.".to_owned());
        }
        lines.push("It was not checked who they are: neither names nor signatures.".to_owned());
        lines
            .push("Nobody knows the secrets if at least one participant forgot theirs.".to_owned());
        lines
    });
    Ok(())
}

fn read<T>(
    path: &Path,
    read: impl FnOnce(File) -> Result<T, circuit::Error>,
) -> Result<T, Failure> {
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    read(file).map_err(|error| files::refusal(path, error.into()))
}

fn refused(path: &Path, error: impl Display) -> Failure {
    Failure::refused(format!("{}: {error}", path.display()))
}
