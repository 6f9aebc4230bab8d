//! The keeper's store on a journal, and the files that are made from it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use wire::{Digest, Encode as _};

use super::{DirectoryTiles, StoreError, frame::Frame, journal::Journal, tiles};
use crate::{
    Header, KeeperStore, Leaf, Promise, SignedCheckpoint, Standing, TileStore as _,
    note::VerifierKey,
    tile::{Content, TILE_WIDTH, Tile},
};

/// The entries of a log in a directory. Copies of it are the same store.
#[derive(Clone)]
pub struct JournalEntries {
    journal: Arc<Mutex<Journal>>,
    directory: PathBuf,
    /// Whether a promise is for good when it was stored; else when something is appended after it.
    sync_promises: bool,
}

impl JournalEntries {
    /// The entries of this log. Nothing is read yet.
    pub(super) fn open(
        directory: &Path,
        key: &VerifierKey,
        sync_promises: bool,
    ) -> Result<Self, StoreError> {
        let journal = Journal::open(&directory.join("journal"), key)?;
        let journal = Arc::new(Mutex::new(journal));
        Ok(Self { journal, directory: directory.to_owned(), sync_promises })
    }

    pub(super) fn journal(&self) -> MutexGuard<'_, Journal> {
        // A journal that a panic left halfway through a write says so itself.
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tiles beside the journal.
    pub fn tiles(&self) -> DirectoryTiles {
        DirectoryTiles::new(&self.directory)
    }

    /// At most `limit` bytes of an entry's payload, from a byte on; `None` if there is no such entry. They
    /// are as they were stored: whoever has all of them checks them.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn payload_part(
        &self,
        entry: &Digest,
        from: u64,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.journal().payload_part(entry, from, limit)
    }

    /// Replaces the file `checkpoint` by one with the lines of witnesses.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn show(&self, signed: &SignedCheckpoint) -> Result<(), StoreError> {
        let path = self.directory.join("checkpoint");
        let written = tiles::replace(&path, signed.to_text().as_bytes());
        written.map_err(|error| StoreError::file(&path, &error))
    }

    /// Makes the files that others read: bundles of the leaves from a place on, and the checkpoint.
    pub(super) fn publish(&self, from: u64, signed: &SignedCheckpoint) -> Result<(), StoreError> {
        let mut store = self.tiles();
        let (width, size) = (TILE_WIDTH as u64, signed.checkpoint().size);
        for number in from / width..size.div_ceil(width) {
            let (first, end) = (number * width, size.min((number + 1) * width));
            let Some(tile) = Tile::new(Content::Entries, number, (end - first) as usize) else {
                continue;
            };
            let mut bundle = Vec::new();
            for index in first..end {
                // Every leaf below the signed size was appended: an empty one in its place would be another log.
                let missing = || StoreError::damaged(&self.directory, format!("no leaf {index}"));
                let leaf = self.journal().leaf(index)?.ok_or_else(missing)?.to_bytes();
                // A leaf has less than 64 KiB.
                bundle.extend_from_slice(&(leaf.len() as u16).to_be_bytes());
                bundle.extend_from_slice(&leaf);
            }
            store.put(&tile, &bundle)?;
        }
        self.show(signed)
    }
}

impl KeeperStore for JournalEntries {
    type Error = StoreError;

    fn signed(&self) -> Result<Option<SignedCheckpoint>, StoreError> {
        Ok(self.journal().signed().cloned())
    }

    fn leaf(&self, index: u64) -> Result<Option<Leaf>, StoreError> {
        self.journal().leaf(index)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, StoreError> {
        self.journal().payload(&header.digest())
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, StoreError> {
        self.journal().standing(entry)
    }

    fn promised(&self, limit: usize) -> Result<Vec<Header>, StoreError> {
        Ok(self.journal().promised(limit))
    }

    fn promise(
        &mut self,
        header: &Header,
        payload: &[u8],
        promise: &Promise,
    ) -> Result<(), StoreError> {
        let frame = Frame::Promise { header: Box::new(header.clone()), promise: promise.clone() };
        self.journal().append(frame, payload, self.sync_promises)
    }

    fn append(&mut self, leaves: &[Leaf], signed: &SignedCheckpoint) -> Result<(), StoreError> {
        let frame = Frame::Append { leaves: leaves.to_vec(), signed: Box::new(signed.clone()) };
        self.journal().append(frame, &[], true)?;
        let from = signed.checkpoint().size - leaves.len() as u64;
        self.publish(from, signed)
    }
}
