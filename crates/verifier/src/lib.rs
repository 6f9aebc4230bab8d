//! Every kind of claim, and the check of a whole bundle: what `subrosa verify` and
//! `subrosa-verify` run.
//!
//! The rooms below each say what their claims are and how they are checked
//! ([`claim::Verifier`]); [`registry`] is the one list of them. [`check`] opens a bundle, checks
//! every file and every claim, and returns a [`Report`], for people and for machines.
//!
//! | kind | claims | room |
//! |---|---|---|
//! | `election` | a result, counted from a board | `study` |
//! | `election-trace` | answers about the ballots of an election | `study` |
//! | `trace` | answers about the submissions of a mix, of two engines | `trace` |
//! | `table-…` | answers, look-ups, absence, audits, offences: six kinds | `table` |
//! | `set-membership` | a hidden value is in a set, or is not | `snark` |
//! | `vole-verdict` | a verifier's word | `vole` |
#![forbid(unsafe_code)]

mod report;

use std::path::Path;

use algebra::Ristretto255;
use claim::{Bundle, BundleError, Registry, VerifyError};
use snark::set_membership::claims::SetMembershipVerifier;
use study::{
    election::{ElectionVerifier, Replays},
    inquiry::InquiryVerifier,
};
use thiserror::Error;
use trace::{AnyVerifier, db::DbEngine, routed::RoutedEngine};
use vole::circuit::VerdictVerifier;
use wire::{Digest, Progress};

pub use report::Report;

/// The verifiers of every kind of claim.
pub fn registry() -> Registry {
    // Claims about one election share its board, which is then replayed once.
    let replays = Replays::default();
    let traces = AnyVerifier::default().with::<RoutedEngine<Ristretto255>>().with::<DbEngine>();
    let registry = Registry::new()
        .with(ElectionVerifier::sharing(&replays))
        .with(InquiryVerifier::sharing(&replays))
        .with(VerdictVerifier)
        .with(traces)
        .with(SetMembershipVerifier);
    table::claims::verifiers().into_iter().fold(registry, Registry::with)
}

/// Why a bundle is not accepted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It cannot be opened.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A file or a claim is wrong.
    #[error(transparent)]
    Refused(#[from] VerifyError),
    /// It is whole, and it is not the one that was expected.
    #[error("this is bundle {found}, and not the expected one")]
    Other {
        /// The digest of what is there.
        found: Digest,
    },
}

impl CheckError {
    /// Whether what is claimed is false, as opposed to there being no bundle to check.
    pub fn is_false(&self) -> bool {
        match self {
            Self::Bundle(error) => !error.is_usage(),
            Self::Refused(_) | Self::Other { .. } => true,
        }
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&'static str> {
        (!self.is_false()).then_some("name the directory that holds bundle.json")
    }
}

/// Checks the bundle in a directory: every file and every claim, and if a digest is `expected`, that
/// the bundle has it.
///
/// # Errors
/// [`CheckError`] with the first thing that is wrong.
pub fn check(
    directory: &Path,
    expected: Option<Digest>,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    let bundle = Bundle::open(directory)?;
    let digest = bundle.digest()?;
    let verdicts = claim::verify(&bundle, &registry(), progress)?;
    match expected {
        Some(expected) if expected != digest => Err(CheckError::Other { found: digest }),
        _ => Ok(Report { digest, files: bundle.len(), verdicts }),
    }
}
