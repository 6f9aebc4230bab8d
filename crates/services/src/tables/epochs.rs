//! Sealed epochs in memory, ready to be answered from: at most so many rows, the ones that were asked
//! about last.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use table::{
    BuiltEpoch, Hash,
    store::{Custodian, CustodyError, RedbStore},
};

/// A table's epoch.
type Key = (Hash, u32);
/// An epoch that is there, or is being built by whoever holds the lock.
type Cell = Arc<Mutex<Option<Arc<BuiltEpoch>>>>;

/// The epochs of all tables.
pub struct Epochs {
    limit: u64,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: HashMap<Key, Slot>,
    /// Counts uses.
    clock: u64,
    rows: u64,
}

struct Slot {
    cell: Cell,
    used: u64,
    /// Once it is built.
    rows: Option<u64>,
}

impl Epochs {
    /// Keeps at most so many rows.
    pub fn new(limit: u64) -> Self {
        Self { limit, inner: Mutex::default() }
    }

    /// The most rows that a question may need at once.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Rows in memory.
    pub fn rows(&self) -> u64 {
        self.lock().rows
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing under the lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An epoch, if it is there; without waiting for one that is being built.
    pub fn ready(&self, table: &Hash, epoch: u32) -> Option<Arc<BuiltEpoch>> {
        let cell = self.lock().touch((*table, epoch), false)?;
        // What another thread builds is not there yet; where one panicked, `get` builds it.
        let built = cell.try_lock().ok()?;
        built.clone()
    }

    /// An epoch, built if it is not there. Whoever asks for one that another thread builds waits.
    pub fn get(
        &self,
        custodian: &Custodian<RedbStore>,
        epoch: u32,
    ) -> Result<Arc<BuiltEpoch>, CustodyError> {
        let key = (*custodian.table().id(), epoch);
        let cell = self.lock().touch(key, true);
        // Touched to be made: there is one, and a fresh one would be built in vain only.
        let cell = cell.unwrap_or_default();
        // A thread that panicked has put nothing in.
        let mut built = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = &*built {
            return Ok(Arc::clone(built));
        }
        let loaded = custodian.load(epoch).inspect_err(|_| {
            self.lock().slots.remove(&key);
        })?;
        let loaded = built.insert(Arc::new(loaded));
        let rows = loaded.core.rows;
        self.lock().keep(key, rows, self.limit);
        Ok(Arc::clone(loaded))
    }
}

impl Inner {
    /// The cell of an epoch, used now; made if that is wanted.
    fn touch(&mut self, key: Key, make: bool) -> Option<Cell> {
        self.clock += 1;
        let used = self.clock;
        if make {
            self.slots.entry(key).or_insert_with(|| Slot {
                cell: Cell::default(),
                used,
                rows: None,
            });
        }
        let slot = self.slots.get_mut(&key)?;
        slot.used = used;
        Some(Arc::clone(&slot.cell))
    }

    /// Counts an epoch that was built, and lets others go that were not asked about for longest.
    fn keep(&mut self, key: Key, rows: u64, limit: u64) {
        if let Some(slot) = self.slots.get_mut(&key)
            && slot.rows.replace(rows).is_none()
        {
            self.rows += rows;
        }
        while self.rows > limit {
            let built =
                self.slots.iter().filter(|(other, slot)| **other != key && slot.rows.is_some());
            let Some((oldest, rows)) =
                built.min_by_key(|(_, slot)| slot.used).map(|(key, slot)| (*key, slot.rows))
            else {
                break;
            };
            self.slots.remove(&oldest);
            // Slots without rows were passed over above.
            self.rows -= rows.unwrap_or_default();
        }
    }
}
