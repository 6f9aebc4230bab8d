//! Entries in a directory, a file each, which processes share without locks.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use wire::{read_bounded, write_new};

use crate::{MAX_ENTRY, Store, StoreError};

/// A directory with a file per entry: `00000000.entry`, `00000001.entry`, and so on.
///
/// A file appears whole and is never replaced, so processes share the directory without locks;
/// whose file gets the name is first. Other files, such as those of writers that crashed, are
/// ignored.
#[derive(Debug)]
pub struct DirectoryStore {
    directory: PathBuf,
    /// Entries known to exist; files are never removed, so this is where to look for more.
    known: AtomicU64,
}

impl DirectoryStore {
    /// Opens a directory, which is created if need be.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        let mut known = 0;
        for file in fs::read_dir(&directory)? {
            let name = file?.file_name();
            // What is not named as an entry counts for none.
            // The highest number counts: a file lost below it must show as missing.
            let number = name.to_str().and_then(number_of).unwrap_or(0);
            known = known.max(number);
        }
        Ok(Self { directory, known: known.into() })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    fn path_of(&self, sequence: u64) -> PathBuf {
        self.directory.join(format!("{sequence:08}.entry"))
    }
}

impl Store for DirectoryStore {
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path_of(sequence);
        match fs::metadata(&path) {
            // Opening a pipe that somebody put there would wait for ever.
            Ok(file) if !file.is_file() => {
                Err(io::Error::other(format!("{} is not a file", path.display())).into())
            }
            Ok(_) => match read_bounded(&path, MAX_ENTRY as u64) {
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    Err(StoreError::TooLarge { sequence })
                }
                read => Ok(Some(read?)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() > MAX_ENTRY {
            return Err(StoreError::TooLarge { sequence });
        }
        // Cheaper than to learn it from `write_new`, which has written the bytes by then.
        let len = self.len()?;
        if sequence < len {
            return Err(StoreError::Conflict { sequence });
        }
        if sequence > len {
            return Err(StoreError::Gap { sequence });
        }
        match write_new(&self.path_of(sequence), bytes) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Conflict { sequence })
            }
            written => Ok(written?),
        }
    }

    fn len(&self) -> Result<u64, StoreError> {
        let mut len = self.known.load(Ordering::Relaxed);
        while len < u64::MAX && self.path_of(len).try_exists()? {
            len += 1;
        }
        self.known.fetch_max(len, Ordering::Relaxed);
        Ok(len)
    }
}

/// One more than the sequence number in a file's name.
fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".entry")?;
    let sequence: u64 = digits.parse().ok()?;
    if digits != format!("{sequence:08}") {
        return None;
    }
    sequence.checked_add(1)
}
