//! Every kind of claim, and the check of a whole bundle: what `subrosa verify` and
//! `subrosa-verify` run.
//!
//! Each crate below says what its claims are and how they are checked ([`claim::Verifier`]). [`registry`] is the one
//! list of them. [`check`] opens a bundle, checks every file and every claim, and returns a [`Report`], for people and
//! for machines.
//!
//! | kind | claims | crate |
//! |---|---|---|
//! | `election` | a result, counted from a board | `study` |
//! | `election-trace` | answers about the ballots of an election | `study` |
//! | `trace` | answers about the submissions of a mix on a board, of two engines | `study` |
//! | `table-…` | answers, look-ups, absence, audits, offences: six kinds | `table` |
//! | `snark-proof` | public inputs have a witness: proofs of Groth16, GM17 and Sonic | `snark` |
//! | `ceremony` | who contributed to a phase 1 or to a key of Groth16 | `ceremony` |
//! | `set-membership` | a hidden value is in a set, or is not | `snark` |
//! | `vole-verdict` | a verifier's word | `vole` |
#![forbid(unsafe_code)]

mod accepted;
mod report;

use std::path::Path;

use ceremony::claims::CeremonyVerifier;
use claim::{Bundle, BundleError, Registry, Verdict, VerifyError};
use serde_json::Value;
use snark::{claims::SnarkProofVerifier, set_membership::claims::SetMembershipVerifier};
use study::{
    election::{ElectionVerifier, Replays},
    inquiry::InquiryVerifier,
    tracing::TraceVerifier,
};
use thiserror::Error;
use vole::circuit::VerdictVerifier;
use wire::{CheckName, Digest, Progress};

pub use accepted::Accepted;
pub use report::{OpenPremise, Report};

/// The verifiers of every kind of claim.
pub fn registry() -> Registry {
    // Claims about one election share its board, which is then replayed once.
    let replays = Replays::default();
    let registry = Registry::new()
        .with(ElectionVerifier::sharing(&replays))
        .with(InquiryVerifier::sharing(&replays))
        .with(VerdictVerifier)
        .with(TraceVerifier)
        .with(SetMembershipVerifier)
        .with(SnarkProofVerifier)
        .with(CeremonyVerifier);
    table::claims::verifiers().fold(registry, Registry::with)
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
    /// A claim that holds is about another board than the expected one, or about none.
    #[error("the claim of {claim} is about {}", match found {
        Some(board) => format!("board {board}, and not the expected one"),
        None => "no board".to_owned(),
    })]
    OtherBoard {
        /// The claim.
        claim: String,
        /// The board that it names.
        found: Option<String>,
    },
}

impl CheckError {
    /// Whether what is claimed is false, as opposed to not checked, or there being no bundle to check.
    pub fn is_false(&self) -> bool {
        match self {
            Self::Bundle(error) => !error.is_usage(),
            Self::Refused(error) => error.check().is_some(),
            Self::Other { .. } | Self::OtherBoard { .. } => true,
        }
    }

    /// The check of the specification that fails, if one does.
    pub fn check(&self) -> Option<CheckName> {
        match self {
            Self::Bundle(error) => error.check(),
            Self::Refused(error) => error.check(),
            Self::Other { .. } | Self::OtherBoard { .. } => None,
        }
    }

    /// Whether there is a bundle of which nothing is wrong, and something that this program cannot
    /// check.
    pub fn is_unchecked(&self) -> bool {
        matches!(self, Self::Refused(error) if error.check().is_none())
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Bundle(error) if error.is_usage() => {
                Some("name the directory that holds bundle.json")
            }
            Self::Refused(VerifyError::UnknownKind { .. } | VerifyError::UnknownVersion { .. }) => {
                Some("a newer version of this program may be able to check it")
            }
            _ => None,
        }
    }
}

/// What somebody knows of a bundle beforehand.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The bundle's digest.
    pub bundle: Option<Digest>,
    /// The name of the board that every claim is about.
    pub board: Option<Digest>,
    /// What claims may rest on without the bundle showing it.
    pub accepted: Vec<Accepted>,
}

/// Checks the bundle in a directory: every file and every claim, and that it is what was expected.
///
/// # Errors
/// [`CheckError`] with the first thing that is wrong.
pub fn check(
    directory: &Path,
    expected: Expected,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    let bundle = Bundle::open(directory)?;
    let digest = bundle.digest()?;
    let verdicts = claim::verify(&bundle, &registry(), progress)?;
    if expected.bundle.is_some_and(|expected| expected != digest) {
        return Err(CheckError::Other { found: digest });
    }
    if let Some(board) = expected.board {
        verdicts.iter().try_for_each(|verdict| require_board(verdict, board))?;
    }
    Ok(Report::new(digest, bundle.len(), verdicts, &expected.accepted))
}

/// Requires that a claim is about this board. What its statement names was computed from the board.
fn require_board(verdict: &Verdict, expected: Digest) -> Result<(), CheckError> {
    let field = |name: &str| verdict.statement.get(name).and_then(Value::as_str);
    // An election's name is its board's.
    match field("board").or_else(|| field("election")) {
        Some(board) if board == expected.to_string() => Ok(()),
        found => Err(CheckError::OtherBoard {
            claim: verdict.claim.clone(),
            found: found.map(str::to_owned),
        }),
    }
}
