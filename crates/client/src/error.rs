//! Why a request has no answer that can be relied on.

use table::{
    Fault,
    claims::ClaimError,
    log::{Evidence, SignedCheckpoint},
};
use thiserror::Error;

use crate::api::Problem;

/// Why a request has no answer that can be relied on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClientError {
    /// An address that is not `https://..`, or `http://` to this machine; roots that are no PEM.
    #[error("{0}")]
    Options(String),
    /// The server cannot be reached, or the connection ended.
    #[error("{url}: {reason}")]
    Transport {
        /// What was asked for.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The server does not answer, and says why.
    #[error("the server refuses ({}): {}", .0.reason, .0.detail)]
    Problem(Box<Problem>),
    /// The server's answer is not what it must be.
    #[error("the server's answer: {0}")]
    Answer(String),
    /// The server's answer does not hold.
    #[error("{what} does not hold: {fault}")]
    Refused {
        /// What was verified.
        what: &'static str,
        /// Why it does not hold.
        fault: Fault,
    },
    /// A log that is older than one that was seen.
    #[error("the server shows a log of {shown} epochs, but {seen} were seen before")]
    Stale {
        /// Epochs in the log that it shows.
        shown: u64,
        /// Epochs in the log that was seen.
        seen: u64,
    },
    /// A log that does not continue the one that was seen: keep both checkpoints.
    #[error("the operator signed two histories: the log does not continue the one seen before")]
    Equivocation {
        /// The log that was seen.
        seen: Box<SignedCheckpoint>,
        /// The log that is shown.
        shown: Box<SignedCheckpoint>,
        /// What convicts the operator, where the two are of one size.
        evidence: Option<Box<Evidence>>,
    },
    /// A bundle cannot be written.
    #[error(transparent)]
    Bundle(#[from] claim::BundleError),
    /// A proof cannot be made a claim of.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

impl ClientError {
    /// Whether what the server said is false, as opposed to not said.
    pub fn is_false(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Stale { .. } | Self::Equivocation { .. })
    }

    /// Whether the same request may well succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Transport { .. }) || matches!(self.status(), Some(408 | 429 | 503))
    }

    /// Whether the server may not do it, now or later: the table's policy or the token forbid it.
    pub fn is_for_good(&self) -> bool {
        match self {
            Self::Problem(problem) => problem.status == 403 || table::is_of_policy(&problem.reason),
            _ => false,
        }
    }

    /// The reason of a problem, for machines.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => Some(&problem.reason),
            _ => None,
        }
    }

    /// The HTTP status of a problem.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Problem(problem) => Some(problem.status),
            _ => None,
        }
    }

    pub(crate) fn answer(reason: impl std::fmt::Display) -> Self {
        Self::Answer(reason.to_string())
    }
}

/// Names what was verified.
pub(crate) fn refused(what: &'static str) -> impl Fn(Fault) -> ClientError {
    move |fault| ClientError::Refused { what, fault }
}
