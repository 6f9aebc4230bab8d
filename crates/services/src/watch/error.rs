//! Why a step does not end well.

use std::path::PathBuf;

use client::ClientError;
use table::Fault;
use thiserror::Error;

/// Why a step does not end well.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The server does not answer: the next step may end better.
    #[error(transparent)]
    Server(#[from] ClientError),
    /// The server's log does not hold.
    #[error("the log does not hold: {0}")]
    Log(Fault),
    /// An epoch's audit does not hold. What was shown is kept.
    #[error("epoch {epoch} does not hold: {fault}; what was shown is in {}", path.display())]
    Audit {
        /// The epoch.
        epoch: u32,
        /// What does not hold.
        fault: Fault,
        /// The folder with header and bundle.
        path: PathBuf,
    },
    /// Two histories.
    #[error("the operator signed {offence}: verify the evidence in {}", path.display())]
    Forked {
        /// What it did.
        offence: &'static str,
        /// The bundle with the evidence.
        path: PathBuf,
    },
    /// Two histories by their roots, without signatures that convict anybody of them.
    #[error("{peer} saw another history of the table: both logs are in {}", path.display())]
    Differs {
        /// The witness that saw the other one.
        peer: String,
        /// The folder with both logs.
        path: PathBuf,
    },
    /// The table does not name the key.
    #[error("the table's genesis does not name this auditor's key")]
    NotNamed,
    /// What was seen cannot be read or stored.
    #[error("{}: {reason}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl WatchError {
    /// Whether the operator lied, as opposed to something that may pass.
    pub fn is_false(&self) -> bool {
        matches!(
            self,
            Self::Log(_) | Self::Audit { .. } | Self::Forked { .. } | Self::Differs { .. }
        )
    }
}
