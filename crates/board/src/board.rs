//! A verified view of a board.

use std::time::Duration;

use wire::{Decode as _, Digest, Encode as _};

use crate::{
    AppendError, BoardError, Entry, EntryError, Identity, Position, Store, StoreError, chain::Chain,
};

/// A board in a store, as far as it was read and verified. It has a genesis entry at least.
#[derive(Clone, Debug)]
pub struct Board<S> {
    store: S,
    verified: Verified,
}

/// Entries that a [`Board`] verified, to go on from with another store or later. Only a board
/// makes one, and it stays within the process: a file of it would prove nothing.
#[derive(Clone, Debug)]
pub struct Verified {
    chain: Chain,
    entries: Vec<Entry>,
}

impl<S: Store> Board<S> {
    /// Writes the genesis entry of a new board into an empty store.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the store holds a board already; those of
    /// [`Board::append`].
    pub fn create(
        store: S,
        identity: &Identity,
        kind: &str,
        payload: &[u8],
    ) -> Result<Self, AppendError> {
        let verified = Verified { chain: Chain::new(), entries: Vec::new() };
        let mut board = Self { store, verified };
        board.append(identity, kind, payload)?;
        Ok(board)
    }

    /// Reads and verifies the board in a store, whichever it is.
    ///
    /// # Errors
    /// [`BoardError::Empty`] before somebody created it; those of [`Board::refresh`].
    pub fn open(store: S) -> Result<Self, BoardError> {
        let verified = Verified { chain: Chain::new(), entries: Vec::new() };
        let mut board = Self { store, verified };
        board.refresh()?;
        match board.entries().is_empty() {
            true => Err(BoardError::Empty),
            false => Ok(board),
        }
    }

    /// Reads and verifies the one board that `id` names.
    ///
    /// # Errors
    /// [`BoardError::WrongBoard`], before anything but the genesis entry is read; those of
    /// [`Board::open`].
    pub fn open_expecting(store: S, id: Digest) -> Result<Self, BoardError> {
        let genesis = store.read(0)?.ok_or(BoardError::Empty)?;
        let genesis = Entry::from_bytes(&genesis)
            .map_err(|reason| BoardError::Malformed { sequence: 0, reason })?;
        let wrong = |got| BoardError::WrongBoard { expected: id, got };
        if genesis.digest() != id {
            return Err(wrong(genesis.digest()));
        }
        let board = Self::open(store)?;
        // A store may answer differently the second time.
        match board.id() == id {
            true => Ok(board),
            false => Err(wrong(board.id())),
        }
    }

    /// Goes on from entries that were verified before, and verifies only those that are new.
    ///
    /// # Errors
    /// [`BoardError::Replaced`] if the store does not continue them; those of
    /// [`Board::refresh`].
    pub fn open_at(store: S, verified: Verified) -> Result<Self, BoardError> {
        let mut board = Self { store, verified };
        let sequence = board.verified.chain.len().saturating_sub(1);
        let last = board.store.read(sequence)?.ok_or(BoardError::Missing { sequence })?;
        let is_last = |entry: Entry| entry.digest() == board.head();
        if !Entry::from_bytes(&last).is_ok_and(is_last) {
            return Err(BoardError::Replaced { sequence });
        }
        board.refresh()?;
        Ok(board)
    }

    /// Reads and verifies the entries that were appended since, and counts them.
    ///
    /// # Errors
    /// [`BoardError`] names the first entry that fails; those before it are kept.
    pub fn refresh(&mut self) -> Result<usize, BoardError> {
        let Verified { chain, entries } = &mut self.verified;
        let known = entries.len();
        chain.catch_up(&self.store, |entry| entries.push(entry))?;
        Ok(entries.len() - known)
    }

    /// Waits up to `timeout` for new entries, verifies them, and says whether there are any.
    ///
    /// # Errors
    /// Those of [`Board::refresh`].
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError> {
        self.store.wait_beyond(self.verified.chain.len(), timeout)?;
        Ok(self.refresh()? > 0)
    }

    /// Signs an entry that follows [`Board::head`] and appends it. Returns its digest.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if somebody else appended since the last refresh;
    /// [`AppendError::Entry`], [`AppendError::Store`].
    pub fn append(
        &mut self,
        identity: &Identity,
        kind: &str,
        payload: &[u8],
    ) -> Result<Digest, AppendError> {
        let entry = self.sign(identity, kind, payload)?;
        self.store.append(entry.sequence(), &entry.to_bytes()).map_err(|error| match error {
            StoreError::Conflict { sequence } => AppendError::Conflict { sequence },
            other => AppendError::Store(other),
        })?;
        let digest = entry.digest();
        self.verified.chain.advance(&entry);
        self.verified.entries.push(entry);
        Ok(digest)
    }

    /// What was read and verified, in order. There is a genesis entry at least.
    pub fn entries(&self) -> &[Entry] {
        &self.verified.entries
    }

    /// The digest of the last verified entry: who knows it knows the whole board.
    pub fn head(&self) -> Digest {
        self.verified.chain.head()
    }

    /// The board's name: the digest of its genesis entry.
    pub fn id(&self) -> Digest {
        self.verified.chain.id()
    }

    /// Where the next entry goes.
    pub fn next_position(&self) -> Position {
        *self.verified.chain.next()
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// What was verified, for [`Board::open_at`].
    pub fn into_verified(self) -> Verified {
        self.verified
    }

    fn sign(&self, identity: &Identity, kind: &str, payload: &[u8]) -> Result<Entry, EntryError> {
        Entry::sign(identity, self.verified.chain.next(), kind, payload)
    }
}
