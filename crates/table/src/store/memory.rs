//! A store in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Pair, Space, Store, StoreError, Write, full_key};

/// Keeps everything in memory, until the process ends.
#[derive(Default)]
pub struct MemoryStore(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        // Nothing under the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.lock().get(&full_key(space, key)).cloned())
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        let prefix = full_key(space, prefix);
        let map = self.lock();
        let pairs = map.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        Ok(pairs
            .map(|(key, value)| (key.iter().skip(1).copied().collect(), value.clone()))
            .collect())
    }

    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let mut map = self.lock();
        for (space, key, value) in batch {
            let key = full_key(space, &key);
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
        Ok(())
    }
}
