//! A store in one file, by `redb`: copy-on-write B-trees, one writer, readers that never wait.
//!
//! `redb` refuses everything after the file system has failed once. This store then opens the file
//! anew, which goes back to the last batch that was committed: when there is space again, the next
//! batch is written, and nobody has to start the process anew.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::{Database, Error, ReadableDatabase as _, TableDefinition};

use super::{Pair, Space, Store, StoreError, Write, full_key};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("table");
/// Bytes of the file that are kept in memory, unless it is said how many.
const CACHE: usize = 256 << 20;
/// What is written to see whether writing works again: so much that the file may have to grow.
const PROBE: &[u8] = b"probe";
const PROBE_BYTES: usize = 1 << 16;

/// Keeps everything in a file, which one process at a time may open, and its owner alone may read.
pub struct RedbStore {
    path: PathBuf,
    cache: usize,
    file: RwLock<Opened>,
    /// Whether the last batch could not be written.
    failing: AtomicBool,
}

struct Opened {
    /// None after it failed and could not be opened again.
    database: Option<Database>,
    /// Counts how often it was opened.
    generation: u64,
}

impl RedbStore {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    /// [`StoreError`] if it is damaged, of another kind, or open elsewhere.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with_cache(path, CACHE)
    }

    /// Opens a file, or creates it, and keeps so many bytes of it in memory.
    ///
    /// # Errors
    /// [`StoreError`] if it is damaged, of another kind, or open elsewhere.
    pub fn open_with_cache(path: &Path, bytes: usize) -> Result<Self, StoreError> {
        for_its_owner(path).map_err(|error| failed(Error::Io(error)))?;
        let database = open(path, bytes).map_err(failed)?;
        // A transaction that opens the table creates it, so that readers find it.
        let create = || {
            let transaction = database.begin_write()?;
            transaction.open_table(TABLE)?;
            Ok::<_, Error>(transaction.commit()?)
        };
        create().map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            cache: bytes,
            file: RwLock::new(Opened { database: Some(database), generation: 0 }),
            failing: AtomicBool::new(false),
        })
    }

    /// Works on the file. If that was closed by a failure it is opened, and the work done once more.
    fn with<T>(&self, work: impl Fn(&Database) -> Result<T, Error>) -> Result<T, StoreError> {
        let (generation, first) = self.attempt(&work);
        match first {
            Some(Err(error)) if !closes(&error) => Err(failed(error)),
            Some(Ok(done)) => Ok(done),
            // What failed by itself is told, and not tried again.
            Some(Err(error @ Error::Io(_))) => {
                let reopened = self.reopen(generation);
                // Where it could be opened again, what failed first is told.
                Err(reopened.err().unwrap_or_else(|| failed(error)))
            }
            _ => {
                self.reopen(generation)?;
                let (_, again) = self.attempt(work);
                // Another thread's failure has closed it again: that is an error, too.
                again.unwrap_or(Err(Error::PreviousIo)).map_err(failed)
            }
        }
    }

    fn attempt<T>(
        &self,
        work: impl Fn(&Database) -> Result<T, Error>,
    ) -> (u64, Option<Result<T, Error>>) {
        // A thread that panicked while it opened the file left none, and the next one opens it.
        let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
        (file.generation, file.database.as_ref().map(work))
    }

    /// Opens the file anew, unless another thread has done so since.
    fn reopen(&self, generation: u64) -> Result<(), StoreError> {
        // As in `attempt`.
        let mut file = self.file.write().unwrap_or_else(PoisonError::into_inner);
        if file.generation == generation {
            // Closed first: a file is open once.
            file.database = None;
            file.database = Some(open(&self.path, self.cache).map_err(failed)?);
            file.generation += 1;
        }
        Ok(())
    }

    fn write(&self, batch: &[Write]) -> Result<(), StoreError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            {
                let mut table = transaction.open_table(TABLE)?;
                for (space, key, value) in batch {
                    let key = full_key(*space, key);
                    match value {
                        Some(value) => table.insert(key.as_slice(), value.as_slice())?,
                        None => table.remove(key.as_slice())?,
                    };
                }
            }
            Ok(transaction.commit()?)
        })
    }
}

fn open(path: &Path, cache: usize) -> Result<Database, Error> {
    Ok(Database::builder().set_cache_size(cache).create(path)?)
}

/// Whether nothing works on a file after this error.
fn closes(error: &Error) -> bool {
    matches!(error, Error::Io(_) | Error::PreviousIo | Error::DatabaseClosed)
}

/// Makes the file, or takes others' access to it away: it says who the table's users are.
fn for_its_owner(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            file.set_permissions(permissions)?;
        }
    }
    Ok(())
}

fn failed(error: impl Into<Error>) -> StoreError {
    StoreError(Box::new(error.into()))
}

impl Store for RedbStore {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|database| {
            let table = database.begin_read()?.open_table(TABLE)?;
            let value = table.get(full_key(space, key).as_slice())?;
            Ok(value.map(|value| value.value().to_vec()))
        })
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        let prefix = full_key(space, prefix);
        self.with(|database| {
            let table = database.begin_read()?.open_table(TABLE)?;
            let mut pairs = Vec::new();
            for pair in table.range(prefix.as_slice()..)? {
                let (key, value) = pair?;
                if !key.value().starts_with(&prefix) {
                    break;
                }
                pairs.push((key.value().iter().skip(1).copied().collect(), value.value().to_vec()));
            }
            Ok(pairs)
        })
    }

    fn commit(&self, mut batch: Vec<Write>) -> Result<(), StoreError> {
        // Neighbours in the file are written together. Of two writes to a place the later stays the later.
        batch.sort_by(|(space, key, _), (other, others, _)| (space, key).cmp(&(other, others)));
        let written = self.write(&batch);
        self.failing.store(written.is_err(), Ordering::Relaxed);
        written
    }

    fn probe(&self) -> Result<(), StoreError> {
        self.get(Space::Meta, PROBE)?;
        if self.failing.load(Ordering::Relaxed) {
            let probe = |value| vec![(Space::Meta, PROBE.to_vec(), value)];
            self.commit(probe(Some(vec![0xa5; PROBE_BYTES])))?;
            self.commit(probe(None))?;
        }
        Ok(())
    }
}
