//! What a watching auditor remembers.

use std::path::{Path, PathBuf};

use table::{EpochHeader, Hash, log::Growth};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader, put_bytes};

use super::error::WatchError;
use crate::exclusive::Exclusive;

const HEADER: FileHeader = FileHeader { kind: "watched", version: 1 };
const FILE: &str = "watched.log";
/// The folder with two logs that differ, and the file with the name of who saw the other one.
const DIFFERING: &str = "differs";
const NAME: &str = "witness";
const LIMIT: u64 = 1 << 28;
const MAX_GROWTH: usize = 1 << 24;

/// The log seen last, with what was done about it.
pub(super) struct Memory {
    pub(super) growth: Growth,
    /// Of every epoch in it, audited.
    pub(super) digests: Vec<Hash>,
    /// Epochs that the server has the auditor's word about.
    pub(super) vouched: u64,
}

impl Memory {
    /// What was stored; `None` at first.
    pub(super) fn load(folder: &Path) -> Result<Option<Self>, WatchError> {
        let path = folder.join(FILE);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let bytes = wire::read_bounded(&path, LIMIT).map_err(|error| failed(&path, error))?;
        Self::decode(&bytes).map(Some).map_err(|error| failed(&path, error))
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        HEADER.expect(&mut reader)?;
        let growth = Growth::from_bytes(reader.bytes("log", MAX_GROWTH)?)?;
        let count = reader.count("digests", reader.remaining() / 32)?;
        let digests = (0..count).map(|_| Hash::decode(&mut reader));
        let digests = digests.collect::<Result<_, DecodeError>>()?;
        let vouched = reader.u64()?;
        reader.finish()?;
        Ok(Self { growth, digests, vouched })
    }

    /// Stores it for good.
    pub(super) fn store(&self, folder: &Path) -> Result<(), WatchError> {
        let mut bytes = Vec::new();
        HEADER.encode(&mut bytes);
        put_bytes(&mut bytes, &self.growth.to_bytes());
        (self.digests.len() as u32).encode(&mut bytes);
        self.digests.iter().for_each(|digest| digest.encode(&mut bytes));
        self.vouched.encode(&mut bytes);
        let path = folder.join(FILE);
        wire::write_atomic(&path, &bytes).map_err(|error| failed(&path, error))
    }
}

/// Has the memory to itself, from reading to writing.
pub(super) fn lock(folder: &Path) -> Result<Exclusive, WatchError> {
    let path = folder.join(FILE);
    Exclusive::take(&path).map_err(|error| failed(&path, error))
}

/// Keeps an epoch that does not hold, as it was shown; where.
pub(super) fn keep(
    folder: &Path,
    epoch: u32,
    header: &EpochHeader,
    bundle: &[u8],
) -> Result<PathBuf, WatchError> {
    let path = folder.join(format!("refused-{epoch}"));
    std::fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
    for (name, bytes) in [("header", header.to_bytes().as_slice()), ("audit", bundle)] {
        let file = path.join(name);
        wire::write_atomic(&file, bytes).map_err(|error| failed(&file, error))?;
    }
    Ok(path)
}

/// Keeps two logs that differ, as `subrosa table log --out` writes logs, with the name of the witness
/// that saw the other one; where.
pub(super) fn keep_differing(
    folder: &Path,
    peer: &str,
    own: &Growth,
    seen: &Growth,
) -> Result<PathBuf, WatchError> {
    let path = folder.join(DIFFERING);
    std::fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
    // The name comes last: where it is, both logs are.
    let (own, seen) = (own.to_bytes(), seen.to_bytes());
    for (name, bytes) in
        [("own.log", own.as_slice()), ("witness.log", &seen), (NAME, peer.as_bytes())]
    {
        let file = path.join(name);
        wire::write_atomic(&file, bytes).map_err(|error| failed(&file, error))?;
    }
    Ok(path)
}

/// The witness that saw another log, and the folder with both; `None` if there is none.
pub(super) fn differing(folder: &Path) -> Result<Option<(String, PathBuf)>, WatchError> {
    let path = folder.join(DIFFERING);
    let file = path.join(NAME);
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let name = wire::read_bounded(&file, LIMIT).map_err(|error| failed(&file, error))?;
    Ok(Some((String::from_utf8_lossy(&name).into_owned(), path)))
}

fn failed(path: &Path, error: impl std::fmt::Display) -> WatchError {
    WatchError::State { path: path.to_owned(), reason: error.to_string() }
}
