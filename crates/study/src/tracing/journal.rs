//! A server's journal in a directory.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use board::AuthorId;
use trace::Journal;
use wire::Digest;

/// No share message is larger.
const LIMIT: u64 = 1 << 31;
/// Whose journal it is: the layout's version and the server's public key.
const OWNER: &str = "owner";
/// Held by the process that uses the journal.
const LOCK: &str = "lock";
/// The layout's version.
const VERSION: &str = "subrosa trace journal 2";

/// One file for each record, whole or absent, on disk before it is used. One server's, and one
/// process's at a time. Never delete or restore it while the session lives: a server that forgets what
/// it signed signs twice.
#[derive(Debug)]
pub struct DirectoryJournal {
    root: PathBuf,
    /// Unlocked when dropped.
    _lock: File,
}

impl DirectoryJournal {
    /// Opens a server's journal, making the directory if need be.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::WouldBlock`] if another process has it open, and
    /// [`io::ErrorKind::InvalidInput`] if it is another server's, or of an older version.
    pub fn open(root: &Path, server: &AuthorId) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let lock = File::create(root.join(LOCK))?;
        lock.try_lock().map_err(|_| {
            let reason = "another process has this journal open: every server needs its own";
            io::Error::new(io::ErrorKind::WouldBlock, reason)
        })?;
        let journal = Self { root: root.to_owned(), _lock: lock };
        journal.require_owner(server)?;
        Ok(journal)
    }

    /// Requires that the journal is this server's; an empty one becomes so.
    fn require_owner(&self, server: &AuthorId) -> io::Result<()> {
        let owner = format!("{VERSION}\nserver {server}\n");
        let path = self.root.join(OWNER);
        match wire::read_bounded(&path, LIMIT) {
            Ok(found) if found == owner.as_bytes() => Ok(()),
            Ok(_) => Err(refused("it is the journal of another server")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let others = |entry: io::Result<fs::DirEntry>| {
                    entry.map_or(true, |entry| entry.file_name() != LOCK)
                };
                if fs::read_dir(&self.root)?.any(others) {
                    return Err(refused(
                        "it has files but does not say whose they are: an older version's, or no journal",
                    ));
                }
                wire::write_new(&path, owner.as_bytes())
            }
            Err(error) => Err(error),
        }
    }

    fn path(&self, key: &Digest) -> PathBuf {
        self.root.join(key.to_string())
    }
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

impl Journal for DirectoryJournal {
    type Error = io::Error;

    fn load(&self, key: &Digest) -> io::Result<Option<Vec<u8>>> {
        match wire::read_bounded(&self.path(key), LIMIT) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn record(&mut self, key: &Digest, value: &[u8]) -> io::Result<Vec<u8>> {
        match wire::write_new(&self.path(key), value) {
            Ok(()) => Ok(value.to_vec()),
            // Somebody was first, perhaps this server before it was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.load(key)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }
}
