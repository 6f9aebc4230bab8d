//! Where a table's operator keeps rows, keys and epochs, and how an epoch is sealed so that a crash
//! at any point loses nothing and never makes two digests.
//!
//! A [`Store`] is an ordered map with atomic, durable batches: [`MemoryStore`] for tests and
//! [`RedbStore`] on disk. A [`Custodian`] works on top of it.

#[cfg(feature = "sql")]
mod ask;
mod asked;
mod custodian;
mod erasure;
mod find;
mod ingest;
mod layout;
mod memory;
mod nodes;
mod promises;
mod records;
mod redb;
mod restore;
mod rollups;
mod state;
mod users;
mod vault;
mod watermark;

use thiserror::Error;

#[cfg(feature = "sql")]
pub use self::ask::{Answered, AskError, Asking};
pub use self::{
    custodian::{BUNDLE_CHUNK, Custodian},
    memory::MemoryStore,
    promises::{Accepted, Batch, Promise},
    redb::RedbStore,
    restore::LostEpoch,
    state::{CustodyError, EpochState},
    vault::MasterKey,
    watermark::Watermark,
};
pub use crate::questions::{MAX_ASKER, Question};

/// A part of a store; the discriminant is the first byte of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Space {
    /// `genesis`, `secrets`, `aliased`, for a moment `probe`; after a restore `seen`, `restored`, and `lost` with an epoch.
    Meta = 0,
    /// `(period, user)` to nothing for a user with keys that are derived, or to other keys, sealed. Users are named by
    /// keyed hashes, but in stores that earlier versions made.
    Users = 1,
    /// `(epoch, user)` to the user's row, sealed.
    Rows = 2,
    /// Epoch to its state.
    States = 3,
    /// Epoch to its header, with its core from `Built` on.
    Headers = 4,
    /// `(epoch, chunk)` to a part of its audit bundle.
    Bundles = 5,
    /// Epoch to its digest: written with the checkpoint that was signed over it.
    Log = 6,
    /// Size to the signed note, with all cosignatures known.
    Checkpoints = 7,
    /// `(epoch, auditor)` to an attestation.
    Attestations = 8,
    /// Epoch to what it records besides its rows.
    Records = 9,
    /// Number to a question that was answered.
    Questions = 10,
    /// `(epoch, user)` to what was promised about the user's row.
    Promises = 11,
    /// A batch's name to the hash of its rows, its epoch and its deadline.
    Batches = 12,
    /// Epoch to the predicates of the roll-ups that it holds.
    Rollups = 13,
    /// `(epoch, source)` to how far a source of rows has been read.
    Watermarks = 14,
    /// `(epoch, column, key, chunk)` to a part of the nodes of a sum tree, in epochs that earlier versions sealed.
    Nodes = 15,
    /// `(epoch, column, key, level, index)` to a tile of a sum tree.
    Tiles = 16,
    /// `(epoch, column, which)` to the crown of a trie, and with a number to a block of it.
    Tries = 17,
    /// `(period, path)` to a node of the secret that the period's keys are derived from, sealed.
    Secrets = 18,
    /// Number to the tombstone of a row that was erased.
    Tombstones = 19,
    /// `(epoch, user)` to the number of the first tombstone of the user's row; users are always named by keyed hashes.
    Erased = 20,
}

/// A key and its new value, or none to delete it.
pub type Write = (Space, Vec<u8>, Option<Vec<u8>>);

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Why a store failed.
#[derive(Debug, Error)]
#[error("the store failed: {0}")]
pub struct StoreError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// An ordered map in which batches are written whole or not at all.
pub trait Store: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// [`StoreError`].
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Hands over every pair whose key starts with a prefix, by ascending keys.
    ///
    /// # Errors
    /// [`StoreError`].
    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError>;

    /// Writes a batch, durably when it returns.
    ///
    /// # Errors
    /// [`StoreError`]; then nothing of the batch is written.
    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError>;

    /// Whether it can be read, and written if the last batch could not be.
    ///
    /// # Errors
    /// [`StoreError`].
    fn probe(&self) -> Result<(), StoreError> {
        self.get(Space::Meta, &[]).map(|_| ())
    }
}

impl<S: Store + ?Sized> Store for &S {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        (**self).get(space, key)
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        (**self).scan(space, prefix)
    }

    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        (**self).commit(batch)
    }

    fn probe(&self) -> Result<(), StoreError> {
        (**self).probe()
    }
}

fn full_key(space: Space, key: &[u8]) -> Vec<u8> {
    [&[space as u8], key].concat()
}

#[cfg(test)]
mod erasure_tests;
#[cfg(test)]
mod find_tests;
#[cfg(test)]
mod node_tests;
#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;
