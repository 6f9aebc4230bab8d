//! How far an epoch is, and why the operator's side cannot go on.

use thiserror::Error;
use wire::DecodeError;

use super::StoreError;
use crate::{BuildError, Fault, SchemaError};

/// How far an epoch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum EpochState {
    /// Rows are accepted.
    Open = 0,
    /// No more rows.
    Closing = 1,
    /// The trees are built.
    Built = 2,
    /// The audit bundle is made.
    Proved = 3,
    /// The digest is in the log and signed.
    Logged = 4,
    /// A quorum of witnesses has seen it.
    Witnessed = 5,
}

impl EpochState {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        let all =
            [Self::Open, Self::Closing, Self::Built, Self::Proved, Self::Logged, Self::Witnessed];
        all.into_iter().find(|state| *state as u8 == byte)
    }
}

/// Why the operator's side cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CustodyError {
    /// Reading or writing failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored bytes are not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(&'static str),
    /// The master key does not open the store.
    #[error("the master key does not open this store")]
    WrongKey,
    /// A table is there already.
    #[error("the store holds a table already")]
    Occupied,
    /// A row that the schema refuses.
    #[error("row {index}: {error}")]
    Row {
        /// Its position in the batch.
        index: usize,
        /// The reason.
        error: SchemaError,
    },
    /// A user that has another row in the epoch.
    #[error("row {index}: its user has another row in epoch {epoch}")]
    Duplicate {
        /// Its position in the batch.
        index: usize,
        /// The epoch.
        epoch: u32,
    },
    /// A batch's name that stood for other rows before.
    #[error("the batch's name stood for other rows before")]
    Reused,
    /// An epoch that is not in the state that a step needs.
    #[error("epoch {epoch} is {state:?}")]
    State {
        /// The epoch.
        epoch: u32,
        /// Its state.
        state: EpochState,
    },
    /// An epoch that is not the next one.
    #[error("epoch {epoch} cannot be sealed before epoch {next}")]
    OutOfOrder {
        /// The epoch.
        epoch: u32,
        /// The first that is not in the log.
        next: u32,
    },
    /// The policy's budget is spent.
    #[error("the policy allows {budget} queries a day, and they were asked (budget)")]
    Budget {
        /// Queries a day.
        budget: u32,
    },
    /// The epoch cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A proof or signature does not hold.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<DecodeError> for CustodyError {
    fn from(_: DecodeError) -> Self {
        Self::Damaged("a value does not decode")
    }
}
