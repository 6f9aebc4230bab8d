//! Where a board's bytes are kept.

mod directory;
mod memory;

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

pub use self::{directory::DirectoryStore, memory::MemoryStore};
use crate::StoreError;

/// How often [`Store::wait_beyond`] looks, unless the store knows better.
const POLL: Duration = Duration::from_millis(50);

/// Numbered entries that are only ever appended.
///
/// Nobody trusts a store: a [`crate::Board`] verifies what it reads. Several processes may use
/// one at the same time, and the store decides who is first.
pub trait Store: Send {
    /// The encoded entry with this number, or none if there is none yet.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails or the entry is larger than [`crate::MAX_ENTRY`].
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Adds the entry with this number, whole or not at all.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the number is taken, [`StoreError::Gap`] if it is not the
    /// next one, [`StoreError::TooLarge`]; others if the store fails.
    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError>;

    /// How many entries there are.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    fn len(&self) -> Result<u64, StoreError>;

    /// Whether there are none.
    ///
    /// # Errors
    /// Those of [`Store::len`].
    fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Waits until there are more than `len` entries, `timeout` at most, and says whether there
    /// are.
    ///
    /// # Errors
    /// Those of [`Store::len`].
    fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<bool, StoreError> {
        let start = Instant::now();
        loop {
            if self.len()? > len {
                return Ok(true);
            }
            match timeout.saturating_sub(start.elapsed()) {
                Duration::ZERO => return Ok(false),
                left => thread::sleep(left.min(POLL)),
            }
        }
    }
}

macro_rules! forward_store {
    ($($bounds:tt)*) => {
        $($bounds)* {
            fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
                (**self).read(sequence)
            }

            fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
                (**self).append(sequence, bytes)
            }

            fn len(&self) -> Result<u64, StoreError> {
                (**self).len()
            }

            fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<bool, StoreError> {
                (**self).wait_beyond(len, timeout)
            }
        }
    };
}

forward_store!(impl<S: Store + Sync + ?Sized> Store for &S);
forward_store!(impl<S: Store + Sync + ?Sized> Store for Arc<S>);
forward_store!(impl<S: Store + ?Sized> Store for Box<S>);
