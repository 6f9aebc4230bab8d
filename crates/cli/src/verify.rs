//! `subrosa verify BUNDLE`.

use std::path::{Path, PathBuf};

use verifier::{CheckError, Expected, Report};
use wire::Digest;

use crate::{failure::Failure, output::Output, progress::Bars};

/// Checks a bundle.
#[derive(clap::Args)]
pub struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The bundle's digest as it was published elsewhere; refuses any other bundle.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<Digest>,
    /// The board's name as it was announced; refuses claims about any other.
    #[arg(long, value_name = "DIGEST")]
    expect_board: Option<Digest>,
}

/// Opens and checks a bundle, whichever it is.
pub fn check(bundle: &Path) -> Result<Report, Failure> {
    Ok(verifier::check(bundle, Expected::default(), &Bars::new())?)
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let expected = Expected { bundle: args.expect, board: args.expect_board };
    let report = verifier::check(&args.bundle, expected, &Bars::new())?;
    output.result(&report.to_json(), || report.lines());
    Ok(())
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        let hint = error.hint();
        let failure = if error.is_false() { Self::refused(error) } else { Self::input(error) };
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
