//! What a witness remembers, in a folder: of every log the checkpoint that it cosigned last.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use wire::{Digest, Encode as _};

use super::StoreError;
use crate::{Evidence, Origin, SignedCheckpoint, WitnessMemory, note::MAX_NOTE};

/// A witness's memory in a folder, which one process has to itself.
pub struct DirectoryWitness {
    path: PathBuf,
    _held: File,
}

impl DirectoryWitness {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// [`StoreError::Serving`] if another process has it; others of the file system.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::file(path, &error);
        fs::create_dir_all(path).map_err(failed)?;
        let held = File::options().create(true).append(true).open(path.join("serving"));
        let held = held.map_err(failed)?;
        match held.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _held: held }),
            Err(_) => Err(StoreError::Serving { path: path.to_owned() }),
        }
    }

    /// The name of a log in the folder and in paths: the digest of its origin.
    pub fn name(origin: &Origin) -> Digest {
        Digest::of("subrosa/log/origin/v1", origin.as_str().as_bytes())
    }

    fn file(&self, origin: &Origin, kind: &str) -> PathBuf {
        self.path.join(format!("{}.{kind}", Self::name(origin)))
    }

    /// Keeps what convicts a log's keeper; the first for good.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn convict(&self, origin: &Origin, evidence: &Evidence) -> Result<PathBuf, StoreError> {
        let path = self.file(origin, "evidence");
        match wire::write_new(&path, &evidence.to_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StoreError::file(&path, &error))
            }
            _ => Ok(path),
        }
    }

    /// What convicts a log's keeper, if anything does.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn evidence(&self, origin: &Origin) -> Result<Option<Vec<u8>>, StoreError> {
        read(&self.file(origin, "evidence"), crate::MAX_EVIDENCE)
    }
}

impl WitnessMemory for DirectoryWitness {
    type Error = StoreError;

    fn latest(&self, origin: &Origin) -> Result<Option<SignedCheckpoint>, StoreError> {
        let path = self.file(origin, "checkpoint");
        let Some(note) = read(&path, MAX_NOTE as u64)? else { return Ok(None) };
        let note = SignedCheckpoint::parse(&note);
        note.map(Some).map_err(|error| StoreError::damaged(&path, error))
    }

    fn advance(&mut self, old: Option<u64>, new: &SignedCheckpoint) -> Result<bool, StoreError> {
        // One step: nobody else has the folder, and whoever calls has this alone.
        let origin = &new.checkpoint().origin;
        let seen = self.latest(origin)?.map(|seen| seen.checkpoint().size);
        if seen != old {
            return Ok(false);
        }
        let path = self.file(origin, "checkpoint");
        let written = wire::write_atomic(&path, new.to_text().as_bytes());
        written.map(|()| true).map_err(|error| StoreError::file(&path, &error))
    }
}

fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    match wire::read_bounded(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::file(path, &error)),
    }
}
