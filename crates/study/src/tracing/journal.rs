//! A server's journal in a directory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use trace::Journal;
use wire::Digest;

/// No share message is larger.
const LIMIT: u64 = 1 << 31;

/// One file for each record, whole or absent, on disk before it is used. Never delete it while the
/// session lives: a server that forgets what it signed signs twice.
#[derive(Clone, Debug)]
pub struct DirectoryJournal(PathBuf);

impl DirectoryJournal {
    /// Opens a journal, making the directory if need be.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        Ok(Self(root.to_owned()))
    }
}

impl Journal for DirectoryJournal {
    type Error = io::Error;

    fn load(&self, key: &Digest) -> io::Result<Option<Vec<u8>>> {
        match wire::read_bounded(&self.0.join(key.to_string()), LIMIT) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn record(&mut self, key: &Digest, value: &[u8]) -> io::Result<Vec<u8>> {
        match wire::write_new(&self.0.join(key.to_string()), value) {
            Ok(()) => Ok(value.to_vec()),
            // Somebody was first, perhaps this server before it was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.load(key)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }
}
