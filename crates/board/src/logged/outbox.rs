//! What a party signed, kept before anybody sees it.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use log::{AuthorId, Header, MAX_HEADER, MAX_PAYLOAD, SignedCheckpoint, note::VerifierKey};
use wire::{Decode as _, Digest, Encode as _, Reader, put_bytes};

/// An entry as its author signed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The header.
    pub header: Header,
    /// The payload that it names.
    pub payload: Vec<u8>,
}

/// A party's memory of one log: what it signed, one entry in a slot, and how far it saw the log grow. Every
/// step is for good when it returns, and whole or not done.
pub trait Outbox {
    /// What was signed in a slot.
    ///
    /// # Errors
    /// Those of the store.
    fn signed(&self, kind: &str, subject: &[u8]) -> io::Result<Option<Signed>>;

    /// Everything that was signed, in any order.
    ///
    /// # Errors
    /// Those of the store.
    fn all(&self) -> io::Result<Vec<Signed>>;

    /// Keeps what was signed, unless there is something in the slot: what is kept there.
    ///
    /// # Errors
    /// Those of the store; then nobody must see it.
    fn keep(&mut self, signed: &Signed) -> io::Result<Signed>;

    /// The largest checkpoint that was seen.
    ///
    /// # Errors
    /// Those of the store.
    fn seen(&self) -> io::Result<Option<SignedCheckpoint>>;

    /// Remembers a checkpoint that continues the one seen before.
    ///
    /// # Errors
    /// Those of the store.
    fn see(&mut self, signed: &SignedCheckpoint) -> io::Result<()>;
}

/// An outbox that ends with the process. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryOutbox(Arc<Mutex<Memory>>);

#[derive(Debug, Default)]
struct Memory {
    signed: BTreeMap<(String, Vec<u8>), Signed>,
    seen: Option<SignedCheckpoint>,
}

impl MemoryOutbox {
    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for MemoryOutbox {
    fn signed(&self, kind: &str, subject: &[u8]) -> io::Result<Option<Signed>> {
        Ok(self.lock().signed.get(&(kind.to_owned(), subject.to_vec())).cloned())
    }

    fn all(&self) -> io::Result<Vec<Signed>> {
        Ok(self.lock().signed.values().cloned().collect())
    }

    fn keep(&mut self, signed: &Signed) -> io::Result<Signed> {
        let slot = (signed.header.kind().to_owned(), signed.header.subject().to_vec());
        Ok(self.lock().signed.entry(slot).or_insert_with(|| signed.clone()).clone())
    }

    fn seen(&self) -> io::Result<Option<SignedCheckpoint>> {
        Ok(self.lock().seen.clone())
    }

    fn see(&mut self, signed: &SignedCheckpoint) -> io::Result<()> {
        let mut memory = self.lock();
        let size = |seen: &SignedCheckpoint| seen.checkpoint().size;
        if memory.seen.as_ref().is_none_or(|seen| size(seen) < size(signed)) {
            memory.seen = Some(signed.clone());
        }
        Ok(())
    }
}

/// Whose outbox it is: the layout's version, the log's key and the party's.
const OWNER: &str = "owner";
/// Held by the process that uses the outbox.
const LOCK: &str = "lock";
/// The largest checkpoint that was seen.
const SEEN: &str = "seen";
const VERSION: &str = "subrosa outbox 1";
const SLOT_DOMAIN: &str = "subrosa/board/slot/v1";
const SUFFIX: &str = ".entry";
/// A file holds a header, a payload and its length.
const LIMIT: u64 = MAX_PAYLOAD + MAX_HEADER as u64 + 4;
/// No note is longer.
const NOTE_LIMIT: u64 = 1 << 20;

/// An outbox in a directory: a file for each slot, which appears whole, on disk before it is used, and is never
/// replaced. One party's on one log, and one process's at a time. Never delete or restore it while the
/// board lives: a party that forgets what it signed is put out.
#[derive(Debug)]
pub struct DirectoryOutbox {
    root: PathBuf,
    seen: Option<SignedCheckpoint>,
    /// Unlocked when dropped.
    _lock: File,
}

impl DirectoryOutbox {
    /// Opens a party's outbox, making the directory if need be.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::WouldBlock`] if another process has it open, and
    /// [`io::ErrorKind::InvalidInput`] if it is another party's, or of another log.
    pub fn open(root: &Path, log: &VerifierKey, party: &AuthorId) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let lock = File::create(root.join(LOCK))?;
        lock.try_lock().map_err(|_| {
            let reason = "another process has this outbox open: every party needs its own";
            io::Error::new(io::ErrorKind::WouldBlock, reason)
        })?;
        let mut outbox = Self { root: root.to_owned(), seen: None, _lock: lock };
        outbox.require_owner(&format!("{VERSION}\nlog {log}\nparty {party}\n"))?;
        outbox.seen = match read(&outbox.root.join(SEEN), NOTE_LIMIT)? {
            Some(note) => Some(SignedCheckpoint::parse(&note).map_err(invalid)?),
            None => None,
        };
        Ok(outbox)
    }

    /// Requires that the outbox is this party's on this log; an empty one becomes so.
    fn require_owner(&self, owner: &str) -> io::Result<()> {
        let path = self.root.join(OWNER);
        match read(&path, NOTE_LIMIT)? {
            Some(found) if found == owner.as_bytes() => Ok(()),
            Some(_) => Err(refused("it is the outbox of another party, or of another log")),
            None => {
                let others = |entry: io::Result<fs::DirEntry>| {
                    entry.map_or(true, |entry| entry.file_name() != LOCK)
                };
                if fs::read_dir(&self.root)?.any(others) {
                    return Err(refused("it has files but does not say whose they are: no outbox"));
                }
                wire::write_new(&path, owner.as_bytes())
            }
        }
    }

    fn path(&self, kind: &str, subject: &[u8]) -> PathBuf {
        let mut slot = Vec::new();
        put_bytes(&mut slot, kind.as_bytes());
        put_bytes(&mut slot, subject);
        self.root.join(format!("{}{SUFFIX}", Digest::of(SLOT_DOMAIN, &slot)))
    }
}

impl Outbox for DirectoryOutbox {
    fn signed(&self, kind: &str, subject: &[u8]) -> io::Result<Option<Signed>> {
        read(&self.path(kind, subject), LIMIT)?.map(|bytes| parse(&bytes)).transpose()
    }

    fn all(&self) -> io::Result<Vec<Signed>> {
        let mut all = Vec::new();
        for file in fs::read_dir(&self.root)? {
            let file = file?;
            if file.file_name().to_str().is_some_and(|name| name.ends_with(SUFFIX)) {
                all.push(parse(&wire::read_bounded(&file.path(), LIMIT)?)?);
            }
        }
        Ok(all)
    }

    fn keep(&mut self, signed: &Signed) -> io::Result<Signed> {
        let (kind, subject) = (signed.header.kind(), signed.header.subject());
        let mut bytes = signed.header.to_bytes();
        put_bytes(&mut bytes, &signed.payload);
        match wire::write_new(&self.path(kind, subject), &bytes) {
            Ok(()) => Ok(signed.clone()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.signed(kind, subject)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    fn seen(&self) -> io::Result<Option<SignedCheckpoint>> {
        Ok(self.seen.clone())
    }

    fn see(&mut self, signed: &SignedCheckpoint) -> io::Result<()> {
        let size = |seen: &SignedCheckpoint| seen.checkpoint().size;
        if self.seen.as_ref().is_none_or(|seen| size(seen) < size(signed)) {
            wire::write_atomic(&self.root.join(SEEN), signed.to_text().as_bytes())?;
            self.seen = Some(signed.clone());
        }
        Ok(())
    }
}

/// A file's bytes, if there is one.
fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    match wire::read_bounded(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse(bytes: &[u8]) -> io::Result<Signed> {
    let reader = &mut Reader::new(bytes);
    let mut signed = || {
        let header = Header::decode(reader)?;
        let payload = reader.bytes("payload", MAX_PAYLOAD as usize)?.to_vec();
        Ok(Signed { header, payload })
    };
    let signed = signed().map_err(|error: wire::DecodeError| invalid(error))?;
    signed.header.verify_payload(&signed.payload).map_err(invalid)?;
    Ok(signed)
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
