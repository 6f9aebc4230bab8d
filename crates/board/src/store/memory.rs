//! Entries in memory, shared by clones, for tests and for boards within one process.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{MAX_ENTRY, Store, StoreError};

/// A store in memory, for tests and for boards within one process. Clones share the entries.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    entries: Mutex<Vec<Vec<u8>>>,
    appended: Condvar,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing under the lock can panic half-way, so a poisoned lock guards whole entries.
    fn entries(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        // Memory has no entry beyond that index.
        let index = usize::try_from(sequence).unwrap_or(usize::MAX);
        Ok(self.entries().get(index).cloned())
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() > MAX_ENTRY {
            return Err(StoreError::TooLarge { sequence });
        }
        let mut entries = self.entries();
        let len = entries.len() as u64;
        if sequence < len {
            return Err(StoreError::Conflict { sequence });
        }
        if sequence > len {
            return Err(StoreError::Gap { sequence });
        }
        entries.push(bytes.to_vec());
        self.0.appended.notify_all();
        Ok(())
    }

    fn len(&self) -> Result<u64, StoreError> {
        Ok(self.entries().len() as u64)
    }

    fn wait_beyond(&self, len: u64, timeout: Duration) -> Result<bool, StoreError> {
        let too_few = |entries: &mut Vec<Vec<u8>>| entries.len() as u64 <= len;
        let waited = self.0.appended.wait_timeout_while(self.entries(), timeout, too_few);
        let (entries, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Ok(entries.len() as u64 > len)
    }
}
