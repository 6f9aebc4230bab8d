//! What can be wrong with an entry, a board and a store.

use std::io;

use log::{AccessError, FollowError, note::NoteError};
use thiserror::Error;
use wire::{CheckName, DecodeError, Digest};

use crate::{AuthorId, limits::MAX_PAYLOAD};

wire::check_names! {
    BD_1 = "BD-1",
    BD_2 = "BD-2",
    BD_3 = "BD-3",
    BD_4 = "BD-4",
}

/// Why an entry cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The kind has other characters, or too many.
    #[error("a kind is 1 to 64 characters of a-z, 0-9, `.`, `/` and `-`")]
    Kind,
    /// The payload is too large.
    #[error("a payload of {got} bytes is over the limit of {MAX_PAYLOAD}")]
    Payload {
        /// Its bytes.
        got: usize,
    },
}

/// Why what a store holds is not the board.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// The store has no entries: nobody created the board.
    #[error("the board is empty: nobody created it")]
    Empty,
    /// The genesis entry is that of another board.
    #[error("this is board {got}, not {expected}")]
    WrongBoard {
        /// The board that was asked for.
        expected: Digest,
        /// The board that the store holds.
        got: Digest,
    },
    /// An entry that must be there is not.
    #[error("entry {sequence} is missing")]
    Missing {
        /// Which.
        sequence: u64,
    },
    /// The store lost entries that were already verified.
    #[error("the store has {got} entries, but had {known} before: it was rolled back")]
    RolledBack {
        /// Entries verified before.
        known: u64,
        /// Entries in the store.
        got: u64,
    },
    /// The store shows another entry than the one that was already verified.
    #[error("entry {sequence} was replaced by another one")]
    Replaced {
        /// Which.
        sequence: u64,
    },
    /// The bytes are no entry.
    #[error("entry {sequence}: {reason}")]
    Malformed {
        /// Where they stand.
        sequence: u64,
        /// Why not.
        reason: DecodeError,
    },
    /// The entry was signed for another place.
    #[error("entry {sequence}, by {author}, says that it is entry {got}")]
    Sequence {
        /// Where it stands.
        sequence: u64,
        /// Whose it is.
        author: AuthorId,
        /// Where it says that it stands.
        got: u64,
    },
    /// The entry follows another entry than the one before it.
    #[error("entry {sequence}, by {author}, does not follow the entry before it")]
    Chain {
        /// Which.
        sequence: u64,
        /// Whose it is.
        author: AuthorId,
    },
    /// The author did not sign this entry for this board.
    #[error("entry {sequence}: the signature is not that of {author} for this board")]
    Signature {
        /// Which.
        sequence: u64,
        /// Whose it would be.
        author: AuthorId,
    },
    /// The log has more leaves than a board's.
    #[error("a log of {size} leaves is not the log of a board")]
    TooLong {
        /// Its leaves.
        size: u64,
    },
    /// What the log shows is not that of an honest keeper; there is evidence if it convicts the keeper.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The key has no name that a log can have.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// Somebody else than the keeper wrote in the keeper's name.
    #[error("entry {sequence}, by {author}, is of a kind that is the keeper's")]
    Reserved {
        /// Which.
        sequence: u64,
        /// Whose it is.
        author: AuthorId,
    },
    /// The payload is not the one that the header names.
    #[error("entry {sequence}: the payload is not the one that its author signed")]
    OtherPayload {
        /// Which.
        sequence: u64,
    },
    /// The log's name is that of another keeper.
    #[error("the log's name says another keeper than its key")]
    OtherKeeper,
    /// The keeper appended a leaf with an earlier time than the one before it.
    #[error(
        "leaf {sequence} of the log is older than the one before it: its keeper turned the clock back"
    )]
    Backwards {
        /// Which.
        sequence: u64,
    },
    /// The log has no such entry, or has it not there.
    #[error("entry {sequence} is not in the log")]
    Surplus {
        /// Where it says that it stands.
        sequence: u64,
    },
    /// The log does not answer.
    #[error(transparent)]
    Log(#[from] AccessError),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BoardError {
    /// The check of `docs/spec/election.md` that the board fails. A store that does not answer is no board, and
    /// one without entries has no first one.
    pub fn check(&self) -> CheckName {
        match self {
            Self::Empty
            | Self::WrongBoard { .. }
            | Self::RolledBack { .. }
            | Self::Sequence { .. }
            | Self::Chain { .. }
            | Self::Store(_) => BD_1,
            Self::Malformed { reason, .. } => reason.check(),
            Self::Signature { .. } => BD_2,
            Self::TooLong { .. }
            | Self::Note(_)
            | Self::OtherKeeper
            | Self::Backwards { .. }
            | Self::Log(_) => BD_3,
            Self::Follow(error) => match error {
                FollowError::Entry { .. } => BD_4,
                _ => BD_3,
            },
            Self::Missing { .. }
            | Self::Replaced { .. }
            | Self::Reserved { .. }
            | Self::OtherPayload { .. }
            | Self::Surplus { .. } => BD_4,
        }
    }
}

/// Why nothing was appended.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AppendError {
    /// Somebody else appended first: refresh, look, and decide again.
    #[error("somebody else wrote entry {sequence} first")]
    Conflict {
        /// The entry that is taken.
        sequence: u64,
    },
    /// It is no entry.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The log has another board.
    #[error("the log has a board already")]
    Taken,
    /// The log has an entry of the party's that its outbox does not have, or has another for.
    #[error(
        "the log has an entry of this party ({sequence}) that its outbox does not have: after its \
         outbox was lost or restored, a party can no longer take part"
    )]
    Restored {
        /// Which.
        sequence: u64,
    },
    /// The keeper took the entry and has not appended it in minutes. The outbox has it.
    #[error("the keeper promised to append the entry and has not done so yet")]
    Promised,
    /// The party said that before, in this slot of a log.
    #[error("this party wrote `{kind}` before, as entry {sequence}")]
    Spent {
        /// Where.
        sequence: u64,
        /// The kind of what it said.
        kind: String,
    },
    /// The log does not take the entry, or does not answer.
    #[error(transparent)]
    Log(#[from] AccessError),
    /// The log is damaged, or another one.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The party's outbox does not answer.
    #[error("the party's outbox: {0}")]
    Outbox(String),
    /// The store fails.
    #[error(transparent)]
    Store(StoreError),
}

/// Why a store did not do what it was asked to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The sequence number is taken.
    #[error("entry {sequence} exists already")]
    Conflict {
        /// Which.
        sequence: u64,
    },
    /// Entries before this one are missing.
    #[error("entry {sequence} cannot be written before those before it")]
    Gap {
        /// Which.
        sequence: u64,
    },
    /// More bytes than an entry can have.
    #[error("entry {sequence} is larger than an entry can be")]
    TooLarge {
        /// Which.
        sequence: u64,
    },
    /// The file system.
    #[error(transparent)]
    Io(#[from] io::Error),
}
