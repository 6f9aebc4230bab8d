//! How far an epoch is, and why the operator's side cannot go on.

use std::fmt;

use thiserror::Error;
use wire::DecodeError;

use super::{Space, StoreError, Write};
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

impl fmt::Display for EpochState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Closing => "closed, and not built yet",
            Self::Built => "built, and not proved yet",
            Self::Proved => "proved, and not in the log yet",
            Self::Logged => "in the log, and not witnessed yet",
            Self::Witnessed => "witnessed",
        })
    }
}

impl EpochState {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        let all =
            [Self::Open, Self::Closing, Self::Built, Self::Proved, Self::Logged, Self::Witnessed];
        all.into_iter().find(|state| *state as u8 == byte)
    }
}

/// What stores the state of an epoch.
pub(super) fn state(epoch: u32, state: EpochState) -> Write {
    (Space::States, epoch.to_be_bytes().to_vec(), Some(vec![state as u8]))
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
    /// The user's rows and keys were erased.
    #[error("epoch {epoch}: the user's rows and keys of its key period were erased")]
    Erased {
        /// The epoch.
        epoch: u32,
    },
    /// A copy from before rows were erased.
    #[error(
        "the log counts {log} erased rows, one for each ordered column, and this copy {stored}: it was made \
         before they were erased, and is not used"
    )]
    Unerased {
        /// How many the log counts.
        log: u64,
        /// How many were erased here.
        stored: u64,
    },
    /// Rows that cannot be erased, or not in this way.
    #[error("this cannot be erased: {reason}")]
    Unerasable {
        /// Why.
        reason: &'static str,
    },
    /// A user that has several rows under the keys that would be erased.
    #[error(
        "the user has rows in epochs {epochs:?}, which share one key period: they can only be \
         erased together"
    )]
    WholePeriod {
        /// The epochs.
        epochs: Vec<u32>,
    },
    /// The master key does not open the store.
    #[error("the master key does not open this store")]
    WrongKey,
    /// A table is there already.
    #[error("the store already holds a table")]
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
    #[error("the batch's name was used for other rows before")]
    Reused,
    /// An epoch that is not in the state that a step needs.
    #[error("epoch {epoch} is {state}")]
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
    /// Somebody saw a longer log, which the operator signed: this is an older copy.
    #[error(
        "somebody saw a log of {seen} epochs that this operator signed, but this copy has only \
         {stored}: it was set back, so it must not sign"
    )]
    RolledBack {
        /// Epochs in the log that was seen.
        seen: u64,
        /// Epochs in this one.
        stored: u64,
    },
    /// Somebody saw another log of a size that this one has had, signed by the same operator.
    #[error("this operator also signed another log of {size} epochs")]
    Forked {
        /// The size.
        size: u64,
    },
    /// A restore is under way.
    #[error("the table is being restored: first ask for the rows of the open epoch again")]
    Restoring,
    /// An epoch whose rows were lost before a restore.
    #[error(
        "the rows of epoch {epoch} were lost before a restore: the epoch is in the log, but \
         nothing else is known about it"
    )]
    Lost {
        /// The epoch.
        epoch: u32,
    },
    /// The policy's budget is spent.
    #[error(
        "the policy allows {budget} answers a day to {whose}, of which {left} are left (budget)"
    )]
    Budget {
        /// Answers in 24 hours.
        budget: u32,
        /// To whom, for people.
        whose: &'static str,
        /// Those that may be given still.
        left: u64,
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
