//! Why evidence convicts nobody.

use thiserror::Error;

use crate::{merkle::ProofError, note::NoteError};

/// Why evidence convicts nobody.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// A checkpoint is not the keeper's.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// A proof does not lead to the log.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The promise is not the keeper's.
    #[error("the signature of the promise is not the keeper's for this log")]
    Promise,
    /// Everything is genuine and shows no offence.
    #[error("this is no evidence: {0}")]
    NoOffence(&'static str),
}
