//! A board as whoever takes part in it follows it, whatever it stands on.

use std::time::Duration;

use wire::Digest;

use crate::{AppendError, Board, BoardError, Entry, Identity, Store, logged::Record};

/// Entries that are verified as they are read, and the way to say something.
pub trait Bulletin: Send {
    /// What was read and verified, in order. There is a genesis entry at least.
    fn entries(&self) -> &[Entry];

    /// The board's name: the digest of its genesis entry.
    fn id(&self) -> Digest;

    /// Reads and verifies the entries that were appended since, and counts them.
    ///
    /// # Errors
    /// [`BoardError`]; the entries before the one that fails are kept.
    fn refresh(&mut self) -> Result<usize, BoardError>;

    /// Waits up to `timeout` for new entries, verifies them, and says whether there are any.
    ///
    /// # Errors
    /// [`BoardError`].
    fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError>;

    /// Says something: a payload of a kind, and what of that kind it is.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] on a chain, if somebody else was first; [`AppendError::Spent`] on a log, if the
    /// author said that before; others.
    fn append(
        &mut self,
        identity: &Identity,
        slot: (&str, &[u8]),
        payload: &[u8],
    ) -> Result<(), AppendError>;

    /// What shows that a log has these entries up to a place; `None` of a chain, which shows it itself.
    fn record(&self, last: u64) -> Option<Record>;
}

/// A chain knows no slots.
impl<S: Store> Bulletin for Board<S> {
    fn entries(&self) -> &[Entry] {
        Self::entries(self)
    }

    fn id(&self) -> Digest {
        Self::id(self)
    }

    fn refresh(&mut self) -> Result<usize, BoardError> {
        Self::refresh(self)
    }

    fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError> {
        Self::wait(self, timeout)
    }

    fn append(
        &mut self,
        identity: &Identity,
        (kind, _subject): (&str, &[u8]),
        payload: &[u8],
    ) -> Result<(), AppendError> {
        Self::append(self, identity, kind, payload).map(drop)
    }

    fn record(&self, _last: u64) -> Option<Record> {
        None
    }
}
