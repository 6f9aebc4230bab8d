//! `subrosa verify BUNDLE`.

use std::path::{Path, PathBuf};

use verifier::{Accepted, CheckError, Expected, Report};
use wire::Digest;

use crate::{failure::Failure, output::Output, progress::Bars};

/// Checks a bundle.
#[derive(clap::Args)]
pub struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The bundle's digest, as it was published; any other bundle is refused.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<Digest>,
    /// The board's identifier (64 hexadecimal digits), as it was announced; claims about any other board
    /// are refused.
    #[arg(long, value_name = "DIGEST")]
    expect_board: Option<Digest>,
    /// List every check by its name in the specification, with how often it was made; a refusal names the
    /// check that failed.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    premises: PremiseArgs,
}

/// What whoever verifies takes upon themselves.
#[derive(clap::Args)]
pub struct PremiseArgs {
    /// Accept on your own responsibility what a claim rests on and the bundle does not show. Copy the name
    /// from the verdict: `unaudited`, `word:KEY`, `key:DIGEST` or `parameters:DIGEST`. May be given several
    /// times.
    #[arg(long, value_name = "PREMISE")]
    pub accept: Vec<Accepted>,
}

/// Opens and checks a bundle, whichever it is.
pub fn check(bundle: &Path, accepted: &[Accepted]) -> Result<Report, Failure> {
    let expected = Expected { accepted: accepted.to_vec(), ..Expected::default() };
    Ok(verifier::check(bundle, expected, &Bars::new())?)
}

/// Why the claims of a report are not established, if they are not.
pub fn reservation(report: &Report) -> Option<Failure> {
    let (message, hint) = report.reservation()?;
    Some(Failure::unestablished(message).hint(hint))
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let accepted = args.premises.accept.clone();
    let expected = Expected { bundle: args.expect, board: args.expect_board, accepted };
    let report = verifier::check(&args.bundle, expected, &Bars::new());
    let report = report.map_err(|error| match (args.explain, Failure::from(error)) {
        (true, failure) => failure.explained(),
        (false, failure) => failure,
    })?;
    match args.explain {
        true => {
            let lines = || report.explained_lines();
            output.verdict(report.explained_json(), lines, reservation(&report))
        }
        false => output.verdict(report.to_json(), || report.lines(), reservation(&report)),
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        let (hint, check) = (error.hint(), error.check());
        let failure = match &error {
            error if error.is_false() => Self::refused(error),
            error if error.is_unchecked() => Self::unestablished(error),
            _ => Self::input(error),
        };
        let failure = failure.under(check);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
