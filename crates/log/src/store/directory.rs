//! A log in a directory: kept by one process that has it to itself, or by all processes of a machine
//! that may read the keeper's key, one after the other.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rand_core::CryptoRng;
use wire::Digest;

use super::{DirectoryTiles, JournalEntries, StoreError, journal::Journal, keeper_clock};
use crate::{
    AccessError, Delivered, Header, Keeper, KeeperError, KeeperStore as _, KeyError, Leaf,
    LogAccess, MemoryTiles, Origin, PartyKey, SignedCheckpoint, Standing, Tree, TreeError,
    local::{BATCH, MAX_LEAVES, WITHIN, failed},
    merkle::{Hash, consistency_proof},
    note::VerifierKey,
};

/// How often a process looks whether another has appended.
const POLL: Duration = Duration::from_millis(20);
/// A key as it is configured, and a checkpoint.
const KEY_LIMIT: u64 = 1 << 10;
const CHECKPOINT_LIMIT: u64 = 1 << 20;

/// The keeper of a directory.
pub type KeptLog = Keeper<JournalEntries, DirectoryTiles>;

/// A log in a directory, for the processes of one machine: whoever reads and writes the directory may
/// write to the log, and is its keeper for that moment. What is submitted is in the log when
/// [`LogAccess::submit`] returns.
///
/// While a keeper serves the log ([`DirectoryLog::serve`]) nobody else works on the directory.
pub struct DirectoryLog {
    path: PathBuf,
    key: VerifierKey,
    entries: JournalEntries,
    /// Opened when something is written for the first time.
    keeper: Mutex<Option<KeptLog>>,
    _shared: File,
}

impl DirectoryLog {
    /// Begins a log in a directory, which is made if it is not there, with a keeper's key of its own.
    ///
    /// # Errors
    /// [`StoreError::File`], of the kind [`io::ErrorKind::AlreadyExists`] if there is a log.
    pub fn create(
        directory: &Path,
        origin: &Origin,
        rng: &mut impl CryptoRng,
    ) -> Result<(), StoreError> {
        Self::create_with(directory, origin, &PartyKey::generate(rng))
    }

    /// Begins a log whose keeper has this key.
    ///
    /// # Errors
    /// As [`DirectoryLog::create`].
    pub fn create_with(
        directory: &Path,
        origin: &Origin,
        keeper: &PartyKey,
    ) -> Result<(), StoreError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| StoreError::file(&path, &error)
        };
        fs::create_dir_all(directory).map_err(failed(directory))?;
        let lock = lock_file(directory)?;
        lock.lock().map_err(failed(directory))?;
        let journal = directory.join("journal");
        if journal.exists() {
            return Err(failed(&journal)(io::ErrorKind::AlreadyExists.into()));
        }
        // What a killed process left: a key that signed nothing.
        let path = directory.join("keeper.key");
        for old in [&path, &directory.join("key")] {
            match fs::remove_file(old) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed(old)(error));
                }
                _ => {}
            }
        }
        keeper.save(&path).map_err(|error| key_file(&path, error))?;
        let key = crate::log_key(origin, keeper.identity().id());
        let key = key.map_err(|error| StoreError::damaged(directory, error))?;
        let path = directory.join("key");
        wire::write_new(&path, format!("{key}\n").as_bytes()).map_err(failed(&path))?;
        Journal::create(&journal, &key)
    }

    /// Whether there is a log in a directory.
    pub fn exists(directory: &Path) -> bool {
        directory.join("journal").is_file()
    }

    /// Opens the log of a directory.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let key = read_key(directory)?;
        let lock = lock_file(directory)?;
        if lock.try_lock_shared().is_err() {
            return Err(StoreError::Serving { path: directory.to_owned() });
        }
        let entries = JournalEntries::open(directory, &key, false)?;
        let keeper = Mutex::new(None);
        // What was shown is in the journal before, so a journal with less has lost its end.
        let shown = shown(directory)?.map_or(0, |shown| shown.checkpoint().size);
        let log = Self { path: directory.to_owned(), key, entries, keeper, _shared: lock };
        let held = log.locked(File::lock_shared)?;
        log.entries.journal().catch_up()?;
        drop(held);
        let size = log.entries.journal().size();
        if size < shown {
            let lost = format!("it has the size {size}, and `checkpoint` shows {shown}");
            return Err(StoreError::damaged(&directory.join("journal"), lost));
        }
        Ok(log)
    }

    /// The directory's keeper, which has it to itself as long as what is returned second lives.
    ///
    /// # Errors
    /// [`StoreError::Serving`] if anybody else works on the directory; others of [`StoreError`].
    pub fn serve(directory: &Path) -> Result<(KeptLog, File), StoreError> {
        let key = read_key(directory)?;
        let lock = lock_file(directory)?;
        if lock.try_lock().is_err() {
            return Err(StoreError::Serving { path: directory.to_owned() });
        }
        let entries = JournalEntries::open(directory, &key, true)?;
        entries.journal().catch_up()?;
        Ok((open_keeper(directory, &key, &entries)?, lock))
    }

    /// A lock on the journal until what is returned is dropped. It is taken before the journal itself is:
    /// whoever has it may wait for the journal, and nobody the other way round.
    fn locked(&self, lock: fn(&File) -> io::Result<()>) -> Result<File, StoreError> {
        let path = self.path.join("journal");
        let file = File::open(&path).and_then(|file| lock(&file).map(|()| file));
        file.map_err(|error| StoreError::file(&path, &error))
    }

    /// Reads what other processes appended.
    fn refresh(&self) -> Result<(), AccessError> {
        let _held = self.locked(File::lock_shared)?;
        Ok(self.entries.journal().catch_up()?)
    }

    /// Does something as the keeper, while no other process does.
    fn keep<V>(
        &self,
        work: impl FnOnce(&mut KeptLog) -> Result<V, AccessError>,
    ) -> Result<V, AccessError> {
        let mut slot = self.keeper();
        let _held = self.locked(File::lock)?;
        self.entries.journal().catch_up()?;
        let size = self.entries.journal().size();
        let keeper = match slot.take().filter(|keeper| keeper.tree().size() == size) {
            Some(keeper) => keeper,
            None => open_keeper(&self.path, &self.key, &self.entries)?,
        };
        let keeper = slot.insert(keeper);
        let done = work(keeper);
        if done.is_err() {
            // Whatever was kept of it is found out when the log is opened again.
            *slot = None;
        }
        done
    }

    fn keeper(&self) -> MutexGuard<'_, Option<KeptLog>> {
        // A keeper that a panic left halfway says so itself (`KeeperError::Unsettled`).
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a heartbeat: the log's time goes on.
    ///
    /// # Errors
    /// [`AccessError`].
    pub fn tick(&self) -> Result<(), AccessError> {
        self.keep(|keeper| {
            keeper.append(keeper_clock(&self.path)?, BATCH, true).map(drop).map_err(failed)
        })
    }

    /// Hands in many entries at once, which are in the log when this returns.
    ///
    /// # Errors
    /// [`AccessError`]; then none, or all before the one that is wrong.
    pub fn submit_all(&self, entries: &[(Header, &[u8])]) -> Result<(), AccessError> {
        self.keep(|keeper| {
            let now = keeper_clock(&self.path)?;
            for (header, payload) in entries {
                let entry = Delivered::check(keeper.origin(), header.clone(), payload)?;
                keeper.promise(&entry, now, WITHIN).map_err(failed)?;
            }
            while keeper.append(now, BATCH, false).map_err(failed)?.is_some() {}
            Ok(())
        })
    }
}

/// What keepers have locked that work on a directory.
fn lock_file(directory: &Path) -> Result<File, StoreError> {
    let path = directory.join("serving");
    let file = File::options().create(true).append(true).open(&path);
    file.map_err(|error| StoreError::file(&path, &error))
}

fn read_key(directory: &Path) -> Result<VerifierKey, StoreError> {
    let path = directory.join("key");
    let bytes = wire::read_bounded(&path, KEY_LIMIT);
    let bytes = bytes.map_err(|error| StoreError::file(&path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    text.trim_end().parse().map_err(|error| StoreError::damaged(&path, error))
}

fn key_file(path: &Path, error: KeyError) -> StoreError {
    match error {
        KeyError::File(error) => StoreError::file(path, &error),
        error => StoreError::damaged(path, error),
    }
}

/// The keeper of entries that were read, on tiles that may have to be made again.
fn open_keeper(
    directory: &Path,
    key: &VerifierKey,
    entries: &JournalEntries,
) -> Result<KeptLog, StoreError> {
    let path = directory.join("keeper.key");
    let secret = PartyKey::load(&path).map_err(|error| key_file(&path, error))?;
    let damaged = |error: &dyn ToString| StoreError::damaged(directory, error.to_string());
    let origin: Origin = key.name.as_str().parse().map_err(|error| damaged(&error))?;
    let open = || {
        let tiles = DirectoryTiles::new(directory);
        Keeper::open(secret.identity(), origin.clone(), entries.clone(), tiles)
    };
    let opened = match open() {
        Err(KeeperError::Tiles(TreeError::Tile(_) | TreeError::Root { .. })) => {
            rebuild(directory, entries)?;
            open()
        }
        opened => opened,
    };
    let keeper = opened.map_err(|error| damaged(&failed(error)))?;
    if keeper.key() != key {
        return Err(damaged(&"the keeper's key is not that of the log"));
    }
    // What was shown to others is part of the log, or the journal lost its end.
    let shown = shown(directory)?;
    if let Some(seen) = &shown {
        keeper.compare(seen).map_err(|error| damaged(&failed(error)))?;
    }
    let signed = entries.journal().signed().cloned();
    if let Some(signed) = signed
        && shown.is_none_or(|shown| shown.checkpoint() != signed.checkpoint())
    {
        entries.publish(0, &signed)?;
    }
    Ok(keeper)
}

/// The checkpoint that was shown to others last. A damaged one is not as good as none: it was written
/// whole, and a journal that lost its end may have been damaged with it.
fn shown(directory: &Path) -> Result<Option<SignedCheckpoint>, StoreError> {
    let path = directory.join("checkpoint");
    match wire::read_bounded(&path, CHECKPOINT_LIMIT) {
        Ok(text) => {
            let shown = SignedCheckpoint::parse(&text);
            shown.map(Some).map_err(|error| StoreError::damaged(&path, error))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::file(&path, &error)),
    }
}

/// Makes the tiles again from the leaves.
fn rebuild(directory: &Path, entries: &JournalEntries) -> Result<(), StoreError> {
    let size = entries.journal().size();
    let mut tree = Tree::new(DirectoryTiles::new(directory));
    append_all(&mut tree, entries, size)
}

/// Appends the first leaves to an empty tree.
fn append_all<T: crate::TileStore>(
    tree: &mut Tree<T>,
    entries: &JournalEntries,
    size: u64,
) -> Result<(), StoreError>
where
    T::Error: std::fmt::Display,
{
    let path = entries.journal().path().to_owned();
    for first in (0..size).step_by(BATCH) {
        let mut hashes = Vec::new();
        for index in first..size.min(first + BATCH as u64) {
            hashes.extend(entries.leaf(index)?.map(|leaf| leaf.hash()));
        }
        tree.append(&hashes).map_err(|error| StoreError::damaged(&path, error))?;
    }
    Ok(())
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.to_string())
    }
}

impl LogAccess for DirectoryLog {
    fn key(&self) -> &VerifierKey {
        &self.key
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        self.refresh()?;
        Ok(self.entries.signed()?)
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        let start = Instant::now();
        loop {
            self.refresh()?;
            if self.entries.journal().size() > size {
                return Ok(true);
            }
            match timeout.saturating_sub(start.elapsed()) {
                Duration::ZERO => return Ok(false),
                left => thread::sleep(left.min(POLL)),
            }
        }
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        self.refresh()?;
        let size = self.entries.journal().size();
        let end = from.saturating_add(limit.min(MAX_LEAVES) as u64).min(size);
        let leaves = (from..end).map(|index| self.entries.leaf(index));
        Ok(leaves.filter_map(Result::transpose).collect::<Result<_, _>>()?)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        self.refresh()?;
        Ok(self.entries.payload(header)?)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        let entry = header.digest();
        self.submit_all(&[(header.clone(), payload)])?;
        let standing = self.entries.standing(&entry)?;
        standing.ok_or_else(|| AccessError::Store("the entry was lost".to_owned()))
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.refresh()?;
        Ok(self.entries.standing(entry)?)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.refresh()?;
        if from > to || to > self.entries.journal().size() {
            return Err(AccessError::Malformed(format!("there is no log from {from} to {to}")));
        }
        // Another process may be writing the tiles: the leaves are always there.
        let mut tree = Tree::new(MemoryTiles::default());
        append_all(&mut tree, &self.entries, to)?;
        let Ok(proof) = consistency_proof(&tree, from, to) else {
            return Err(AccessError::Store("the tiles in memory are not whole".to_owned()));
        };
        Ok(proof)
    }
}
