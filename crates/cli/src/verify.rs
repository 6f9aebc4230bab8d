//! `subrosa verify BUNDLE`.

use std::path::PathBuf;

use ::trace::{AnyVerifier, routed::RoutedEngine};
use ::vole::circuit::VerdictVerifier;
use algebra::Ristretto255;
use claim::{Bundle, Check, Registry, Verdict, VerifyError};
use serde_json::json;
use study::{
    election::{ElectionVerifier, Replays},
    inquiry::InquiryVerifier,
};

use wire::Digest;

use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Checks a bundle.
#[derive(clap::Args)]
pub struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The bundle's digest as it was published elsewhere; refuses any other bundle.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<Digest>,
}

/// The verifiers of every system.
fn registry() -> Registry {
    let traces = AnyVerifier::default().with::<RoutedEngine<Ristretto255>>();
    #[cfg(feature = "gmp")]
    let traces = traces.with::<::trace::db::DbEngine>();
    let replays = Replays::default();
    let registry = Registry::new()
        .with(ElectionVerifier::sharing(&replays))
        .with(InquiryVerifier::sharing(&replays))
        .with(VerdictVerifier)
        .with(traces);
    #[cfg(feature = "gmp")]
    let registry = registry.with(::snark::set_membership::claims::SetMembershipVerifier);
    ::table::claims::verifiers().into_iter().fold(registry, Registry::with)
}

/// Opens and checks a bundle.
pub fn check(path: &std::path::Path) -> Result<(Bundle, Vec<Verdict>), Failure> {
    let bundle = Bundle::open(path).map_err(|error| match error.is_usage() {
        true => Failure::input(error).hint("name the directory that holds bundle.json"),
        false => Failure::refused(error),
    })?;
    let verdicts = claim::verify(&bundle, &registry(), &Bars::new());
    let verdicts = verdicts.map_err(|error| match error {
        VerifyError::Refused(refusal) => Failure::refused(refusal),
        other => Failure::refused(other),
    })?;
    Ok((bundle, verdicts))
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let (bundle, verdicts) = check(&args.bundle)?;
    let digest = bundle.digest().map_err(Failure::input)?;
    if args.expect.is_some_and(|expected| expected != digest) {
        return Err(Failure::refused(format!("this is bundle {digest}, and not the expected one")));
    }
    let object = json!({ "verified": true, "bundle": digest.to_string(), "claims": verdicts });
    output.result(&object, || {
        let files = output::count(bundle.len() as u64);
        let mut lines = vec![format!("{files:>9}  files with the digests in the manifest")];
        for verdict in &verdicts {
            lines.extend(check_lines(&verdict.checks));
            lines.push(format!("The claim of {} holds:", verdict.claim));
            lines.extend(verdict.summary.iter().map(|line| format!("  {line}")));
        }
        lines.push(format!("bundle {digest}"));
        lines
    });
    Ok(())
}

/// What was checked, a line each.
fn check_lines(checks: &[Check]) -> impl Iterator<Item = String> {
    checks.iter().map(|check| format!("{:>9}  {}", output::count(check.count), check.what))
}
