//! What makes entries a board.

use wire::{Decode as _, Digest};

use crate::{BoardError, Entry, Position, Store};

/// The end of a verified chain: where the next entry goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    next: Position,
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self { next: Position::genesis() }
    }

    pub(crate) fn next(&self) -> &Position {
        &self.next
    }

    pub(crate) fn len(&self) -> u64 {
        self.next.sequence
    }

    pub(crate) fn id(&self) -> Digest {
        self.next.board
    }

    pub(crate) fn head(&self) -> Digest {
        self.next.previous
    }

    /// Whether `entry` is the next one.
    pub(crate) fn check(&self, entry: &Entry) -> Result<(), BoardError> {
        let (sequence, author) = (self.next.sequence, entry.author());
        if entry.sequence() != sequence {
            return Err(BoardError::Sequence { sequence, author, got: entry.sequence() });
        }
        if entry.previous() != Some(self.next.previous) {
            return Err(BoardError::Chain { sequence, author });
        }
        match entry.is_signed_for(self.next.board) {
            true => Ok(()),
            false => Err(BoardError::Signature { sequence, author }),
        }
    }

    /// Moves past an entry that was checked, or made, for this place.
    pub(crate) fn advance(&mut self, entry: &Entry) {
        if self.next.sequence == 0 {
            self.next.board = entry.digest();
        }
        self.next.previous = entry.digest();
        self.next.sequence += 1;
    }

    /// Verifies what the store holds beyond this chain, and hands over entry by entry.
    pub(crate) fn catch_up(
        &mut self,
        store: &impl Store,
        mut take: impl FnMut(Entry),
    ) -> Result<(), BoardError> {
        let len = store.len()?;
        if len < self.len() {
            return Err(BoardError::RolledBack { known: self.len(), got: len });
        }
        while self.len() < len {
            let sequence = self.len();
            let bytes = store.read(sequence)?.ok_or(BoardError::Missing { sequence })?;
            let entry = Entry::from_bytes(&bytes)
                .map_err(|reason| BoardError::Malformed { sequence, reason })?;
            self.check(&entry)?;
            self.advance(&entry);
            take(entry);
        }
        Ok(())
    }
}
