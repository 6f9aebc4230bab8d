//! A log whose keeper is in this process.

use std::{
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use wire::Digest;

use crate::{
    AccessError, Admission, AdmissionPolicy, Delivered, Header, Identity, Keeper, KeeperError,
    KeeperStore, Leaf, LogAccess, MemoryEntries, MemoryTiles, Origin, SignedCheckpoint, Standing,
    TileStore, TreeError,
    merkle::{Hash, consistency_proof},
    note::VerifierKey,
};

/// What a keeper promises, in seconds: within a process it appends at once.
pub(crate) const WITHIN: u64 = 60;
/// Entries that are appended at once.
pub(crate) const BATCH: usize = 1 << 10;
/// Leaves in one answer.
pub(crate) const MAX_LEAVES: usize = 1 << 12;

/// Milliseconds since 1970, from wherever whoever opens the log has them.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// A keeper in this process, asked by any of its threads. What is submitted is in the log when
/// [`LogAccess::submit`] returns.
pub struct LocalLog<S = MemoryEntries, T = MemoryTiles> {
    key: VerifierKey,
    clock: Clock,
    inner: Mutex<Inner<S, T>>,
    grown: Condvar,
}

struct Inner<S, T> {
    keeper: Keeper<S, T>,
    /// Who may write; everybody if there is none.
    admission: Option<Admission>,
}

impl LocalLog {
    /// A new log in memory.
    ///
    /// # Errors
    /// [`crate::note::NoteError`] for an origin that is no name of a key.
    pub fn in_memory(
        keeper: Identity,
        origin: Origin,
        policy: Option<AdmissionPolicy>,
        clock: Clock,
    ) -> Result<Self, AccessError> {
        let (entries, tiles) = (MemoryEntries::default(), MemoryTiles::default());
        Self::new(Keeper::open(keeper, origin, entries, tiles).map_err(failed)?, policy, clock)
    }
}

impl<S, T> LocalLog<S, T>
where
    S: KeeperStore<Error: fmt::Display>,
    T: TileStore<Error: fmt::Display>,
{
    /// A keeper, and who may write to its log: everybody if there is no policy.
    ///
    /// # Errors
    /// [`AccessError::Malformed`] for a keeper whose key has no name.
    pub fn new(
        keeper: Keeper<S, T>,
        policy: Option<AdmissionPolicy>,
        clock: Clock,
    ) -> Result<Self, AccessError> {
        let key = keeper.key().clone();
        let admission =
            policy.map(|policy| Admission::new(keeper.origin().clone(), policy, clock()));
        Ok(Self {
            key,
            clock,
            inner: Mutex::new(Inner { keeper, admission }),
            grown: Condvar::new(),
        })
    }

    /// Other parties may write from now on.
    pub fn admit(&self, policy: AdmissionPolicy) {
        let mut inner = self.lock();
        let origin = inner.keeper.origin().clone();
        inner.admission = Some(Admission::new(origin, policy, (self.clock)()));
    }

    /// Appends a heartbeat: the log's time goes on.
    ///
    /// # Errors
    /// [`AccessError::Store`].
    pub fn tick(&self) -> Result<(), AccessError> {
        let now = (self.clock)() / 1000;
        self.lock().keeper.append(now, BATCH, true).map_err(failed)?;
        self.grown.notify_all();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S, T>> {
        // A keeper that a panic left halfway says so itself (`KeeperError::Unsettled`).
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a keeper says that does not do what it was asked to.
pub(crate) fn failed<E: fmt::Display, T: fmt::Display>(error: KeeperError<E, T>) -> AccessError {
    let reason = match error {
        KeeperError::Store(error) => error.to_string(),
        KeeperError::Tiles(error) => tiles(error),
        KeeperError::Entry(error) => return error.into(),
        other => other.to_string(),
    };
    AccessError::Store(reason)
}

fn tiles<T: fmt::Display>(error: TreeError<T>) -> String {
    match error {
        TreeError::Store(error) => error.to_string(),
        TreeError::Tile(tile) => format!("tile {tile} is missing or damaged: restore the store"),
        TreeError::Root { .. } => "the stored tiles are not those of the log".to_owned(),
        TreeError::Full => "a log has less than 2^63 leaves".to_owned(),
    }
}

impl<S, T> LogAccess for LocalLog<S, T>
where
    S: KeeperStore<Error: fmt::Display> + Send,
    T: TileStore<Error: fmt::Display> + Send,
{
    fn key(&self) -> &VerifierKey {
        &self.key
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        self.lock().keeper.signed().map_err(failed)
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        let start = Instant::now();
        let mut inner = self.lock();
        loop {
            if inner.keeper.tree().size() > size {
                return Ok(true);
            }
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(false);
            }
            let woken = self.grown.wait_timeout(inner, left);
            inner = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        let inner = self.lock();
        let size = inner.keeper.tree().size();
        let end = from.saturating_add(limit.min(MAX_LEAVES) as u64).min(size);
        (from..end).map(|index| inner.keeper.leaf(index).map_err(failed)).collect()
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        let payload = self.lock().keeper.payload(header).map_err(failed)?;
        payload.as_ref().map_or(Ok(()), |payload| header.verify_payload(payload))?;
        Ok(payload)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        let inner = &mut *self.lock();
        let (keeper, now) = (&mut inner.keeper, (self.clock)());
        let entry = header.digest();
        if !matches!(keeper.standing(&entry).map_err(failed)?, Some(Standing::Logged(_))) {
            let delivered = match &mut inner.admission {
                Some(admission) => {
                    admission.admit(header, now)?;
                    admission.deliver(&entry, payload, now)?
                }
                None => Delivered::check(keeper.origin(), header.clone(), payload)?,
            };
            keeper.promise(&delivered, now / 1000, WITHIN).map_err(failed)?;
            while keeper.append(now / 1000, BATCH, false).map_err(failed)?.is_some() {}
            self.grown.notify_all();
        }
        let standing = keeper.standing(&entry).map_err(failed)?;
        standing.ok_or_else(|| AccessError::Store("the entry was lost".to_owned()))
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.lock().keeper.standing(entry).map_err(failed)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        let inner = self.lock();
        let tree = inner.keeper.tree();
        if from > to || to > tree.size() {
            return Err(AccessError::Malformed(format!("there is no log from {from} to {to}")));
        }
        consistency_proof(tree, from, to).map_err(|error| AccessError::Store(tiles(error)))
    }
}
