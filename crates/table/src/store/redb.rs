//! A store in one file, by `redb`: copy-on-write B-trees, one writer, readers that never wait.

use std::path::Path;

use redb::{Database, ReadableDatabase as _, TableDefinition};

use super::{Pair, Space, Store, StoreError, Write, full_key};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("table");

/// Keeps everything in a file, which one process at a time may open.
pub struct RedbStore(Database);

impl RedbStore {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    /// [`StoreError`] if it is damaged, of another kind, or open elsewhere.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let database = Database::create(path).map_err(failed)?;
        // A transaction that opens the table creates it, so that readers find it.
        let transaction = database.begin_write().map_err(failed)?;
        transaction.open_table(TABLE).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(Self(database))
    }
}

fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError(Box::new(error.into()))
}

impl Store for RedbStore {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let transaction = self.0.begin_read().map_err(failed)?;
        let table = transaction.open_table(TABLE).map_err(failed)?;
        let value = table.get(full_key(space, key).as_slice()).map_err(failed)?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        let prefix = full_key(space, prefix);
        let transaction = self.0.begin_read().map_err(failed)?;
        let table = transaction.open_table(TABLE).map_err(failed)?;
        let mut pairs = Vec::new();
        for pair in table.range(prefix.as_slice()..).map_err(failed)? {
            let (key, value) = pair.map_err(failed)?;
            if !key.value().starts_with(&prefix) {
                break;
            }
            pairs.push((key.value().iter().skip(1).copied().collect(), value.value().to_vec()));
        }
        Ok(pairs)
    }

    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let transaction = self.0.begin_write().map_err(failed)?;
        {
            let mut table = transaction.open_table(TABLE).map_err(failed)?;
            for (space, key, value) in batch {
                let key = full_key(space, &key);
                match value {
                    Some(value) => table.insert(key.as_slice(), value.as_slice()),
                    None => table.remove(key.as_slice()),
                }
                .map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }
}
