//! The file of a log: frames, only ever appended, and where everything in them stands.

use std::{
    collections::HashMap,
    fmt::Display,
    fs::File,
    io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use wire::{Decode as _, Digest, Encode as _, put_bytes};

use super::{
    StoreError,
    frame::{self, FILE, Frame, PREFIX},
};
use crate::{Header, Leaf, Promise, SignedCheckpoint, Standing, note::VerifierKey};

/// Where an entry stands that is not in the log.
const NOWHERE: u64 = u64::MAX;
/// Bytes that are read ahead of a frame.
const AHEAD: usize = 1 << 13;

/// What of an entry is kept in memory; with its digest 48 bytes.
struct Entry {
    /// Where its frame begins; none of a heartbeat, which nobody promised.
    frame: u64,
    /// Its place in the log.
    place: u64,
}

/// A journal, and where in it everything stands: about 100 bytes of memory for an entry.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the next frame begins.
    end: u64,
    entries: HashMap<Digest, Entry>,
    /// Where each leaf stands in the file.
    leaves: Vec<u64>,
    /// What is promised and not in the log, in the order of the promises.
    promised: Vec<Header>,
    signed: Option<SignedCheckpoint>,
    /// A write failed: what of it is in the file is not known.
    unsettled: bool,
}

impl Journal {
    /// Begins the journal of a log.
    pub(super) fn create(path: &Path, key: &VerifierKey) -> Result<(), StoreError> {
        let mut bytes = FILE.to_bytes();
        put_bytes(&mut bytes, key.to_string().as_bytes());
        wire::write_new(path, &bytes).map_err(|error| StoreError::file(path, &error))
    }

    /// Opens the journal of this log; [`Journal::catch_up`] reads it.
    pub(super) fn open(path: &Path, key: &VerifierKey) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::file(path, &error);
        let mut start = FILE.to_bytes();
        put_bytes(&mut start, key.to_string().as_bytes());
        let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
        let mut found = vec![0; start.len()];
        file.read_exact(&mut found).map_err(failed)?;
        if found != start {
            return Err(StoreError::damaged(path, "not the journal of this log"));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            end: start.len() as u64,
            entries: HashMap::new(),
            leaves: Vec::new(),
            promised: Vec::new(),
            signed: None,
            unsettled: false,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, error: &io::Error) -> StoreError {
        StoreError::file(&self.path, error)
    }

    fn damaged_at(&self, at: u64, reason: &dyn Display) -> StoreError {
        StoreError::damaged(&self.path, format!("the frame at {at} is damaged: {reason}"))
    }

    /// Reads what others have appended. Nobody writes at that time: the caller has a lock.
    pub(super) fn catch_up(&mut self) -> Result<(), StoreError> {
        let length = self.file.metadata().map_err(|error| self.failed(&error))?.len();
        if length <= self.end {
            return Ok(());
        }
        let before = self.end;
        let copy = self.file.try_clone().map_err(|error| self.failed(&error))?;
        let mut reader = BufReader::with_capacity(AHEAD, copy);
        let start = reader.seek(SeekFrom::Start(self.end));
        start.map_err(|error| self.failed(&error))?;
        let (mut at, mut waiting) = (self.end, Vec::new());
        while let Some((frame, head)) = self.frame_at(&mut reader, at, length)? {
            at += PREFIX as u64 + head + frame.payload();
            match frame {
                Frame::Promise { .. } => waiting.push((frame, head)),
                Frame::Append { .. } => {
                    // It was stored after all that is before it.
                    for (frame, head) in waiting.drain(..) {
                        self.take(frame, head)?;
                    }
                    self.take(frame, head)?;
                }
            }
        }
        for (frame, head) in waiting {
            if let Frame::Promise { header, .. } = &frame {
                let mut payload = Vec::new();
                let place = self.end + PREFIX as u64 + head;
                self.read_at(place, header.length(), &mut payload)?;
                if header.verify_payload(&payload).is_err() {
                    break;
                }
            }
            self.take(frame, head)?;
        }
        if self.end > before {
            // Whoever wrote it may have been killed before it was for good.
            self.file.sync_data().map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// The frame at a place, and the bytes of its head; none if there is none that is whole. The reader
    /// stands behind its payload then.
    fn frame_at(
        &self,
        reader: &mut BufReader<File>,
        at: u64,
        length: u64,
    ) -> Result<Option<(Frame, u64)>, StoreError> {
        let failed = |error: io::Error| self.failed(&error);
        let left = length.saturating_sub(at).saturating_sub(PREFIX as u64);
        if length < at.saturating_add(PREFIX as u64) {
            return Ok(None);
        }
        let mut prefix = [0; PREFIX];
        reader.read_exact(&mut prefix).map_err(failed)?;
        let Some(head) = frame::announced(&prefix).filter(|head| *head as u64 <= left) else {
            return Ok(None);
        };
        let mut bytes = vec![0; head];
        reader.read_exact(&mut bytes).map_err(failed)?;
        let frame =
            Frame::read(at, &prefix, &bytes).map_err(|error| self.damaged_at(at, &error))?;
        let Some(frame) = frame.filter(|frame| frame.payload() <= left - head as u64) else {
            return Ok(None);
        };
        reader.seek_relative(frame.payload() as i64).map_err(failed)?;
        Ok(Some((frame, head as u64)))
    }

    /// Notes where the next frame's entries stand.
    fn take(&mut self, frame: Frame, head: u64) -> Result<(), StoreError> {
        let at = self.end;
        self.end = at + PREFIX as u64 + head + frame.payload();
        match frame {
            Frame::Promise { header, promise } => {
                if header.digest() != promise.entry {
                    let reason = format!("the promise at {at} is of another entry");
                    return Err(StoreError::damaged(&self.path, reason));
                }
                self.entries.insert(promise.entry, Entry { frame: at, place: NOWHERE });
                self.promised.push(*header);
            }
            Frame::Append { leaves, signed } => {
                let size = signed.checkpoint().size;
                if self.leaves.len() as u64 + leaves.len() as u64 != size {
                    let reason = format!("the checkpoint at {at} is of another size");
                    return Err(StoreError::damaged(&self.path, reason));
                }
                for (leaf, place) in leaves.iter().zip(frame::places(&leaves)) {
                    let nowhere = Entry { frame: NOWHERE, place: NOWHERE };
                    let entry = self.entries.entry(leaf.header.digest()).or_insert(nowhere);
                    entry.place = self.leaves.len() as u64;
                    self.leaves.push(at + PREFIX as u64 + place);
                }
                let entries = &self.entries;
                let is_logged = |header: &Header| {
                    entries.get(&header.digest()).is_some_and(|entry| entry.place != NOWHERE)
                };
                self.promised.retain(|header| !is_logged(header));
                self.signed = Some(*signed);
            }
        }
        Ok(())
    }

    /// Appends a frame, for good if `sync`.
    pub(super) fn append(
        &mut self,
        frame: Frame,
        payload: &[u8],
        sync: bool,
    ) -> Result<(), StoreError> {
        if self.unsettled {
            return Err(StoreError::Unsettled { path: self.path.clone() });
        }
        self.unsettled = true;
        let framed = frame.framed(self.end);
        let write = || {
            // What a killed process left of a frame.
            self.file.set_len(self.end)?;
            let mut file = &self.file;
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&framed)?;
            file.write_all(payload)?;
            if sync { self.file.sync_data() } else { Ok(()) }
        };
        write().map_err(|error| self.failed(&error))?;
        self.take(frame, (framed.len() - PREFIX) as u64)?;
        self.unsettled = false;
        Ok(())
    }

    /// The checkpoint that was signed last.
    pub(super) fn signed(&self) -> Option<&SignedCheckpoint> {
        self.signed.as_ref()
    }

    /// Leaves of the log.
    pub(super) fn size(&self) -> u64 {
        self.leaves.len() as u64
    }

    /// The first entries that are promised and not in the log.
    pub(super) fn promised(&self, limit: usize) -> Vec<Header> {
        self.promised.iter().take(limit).cloned().collect()
    }

    /// A leaf.
    pub(super) fn leaf(&self, index: u64) -> Result<Option<Leaf>, StoreError> {
        let place = usize::try_from(index).ok().and_then(|index| self.leaves.get(index));
        let Some(place) = place else { return Ok(None) };
        // The next frame may be shorter than what is read here.
        let mut bytes = Vec::with_capacity(crate::MAX_LEAF);
        self.read_at(*place, crate::MAX_LEAF as u64, &mut bytes)?;
        let leaf = Leaf::decode(&mut wire::Reader::new(&bytes));
        leaf.map(Some).map_err(|error| StoreError::damaged(&self.path, error))
    }

    /// Where an entry stands.
    pub(super) fn standing(&self, entry: &Digest) -> Result<Option<Standing>, StoreError> {
        match self.entries.get(entry) {
            None => Ok(None),
            Some(Entry { place, .. }) if *place != NOWHERE => Ok(Some(Standing::Logged(*place))),
            Some(Entry { frame, .. }) => {
                let (_, promise, _) = self.promise_at(*frame)?;
                Ok(Some(Standing::Promised(promise)))
            }
        }
    }

    /// The payload of an entry.
    pub(super) fn payload(&self, entry: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(entry) = self.entries.get(entry) else { return Ok(None) };
        if entry.frame == NOWHERE {
            return Ok(Some(Vec::new()));
        }
        let (header, _, place) = self.promise_at(entry.frame)?;
        let mut payload = Vec::new();
        self.read_at(place, header.length(), &mut payload)?;
        let whole = header.verify_payload(&payload);
        whole.map(|()| Some(payload)).map_err(|error| StoreError::damaged(&self.path, error))
    }

    /// At most `limit` bytes of an entry's payload, from a byte on.
    pub(super) fn payload_part(
        &self,
        entry: &Digest,
        from: u64,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(entry) = self.entries.get(entry) else { return Ok(None) };
        let mut part = Vec::new();
        if entry.frame != NOWHERE {
            let (header, _, place) = self.promise_at(entry.frame)?;
            let length = header.length().saturating_sub(from).min(limit);
            self.read_at(place + from.min(header.length()), length, &mut part)?;
        }
        Ok(Some(part))
    }

    /// The promise in the frame at a place, and where its payload is.
    fn promise_at(&self, at: u64) -> Result<(Header, Promise, u64), StoreError> {
        let damaged = || self.damaged_at(at, &"cut or changed");
        let mut prefix = Vec::new();
        self.read_at(at, PREFIX as u64, &mut prefix)?;
        let prefix = <[u8; PREFIX]>::try_from(prefix).map_err(|_| damaged())?;
        let length = frame::announced(&prefix).ok_or_else(damaged)? as u64;
        let mut head = Vec::new();
        self.read_at(at + PREFIX as u64, length, &mut head)?;
        match Frame::read(at, &prefix, &head).map_err(|error| self.damaged_at(at, &error))? {
            Some(Frame::Promise { header, promise }) => {
                Ok((*header, promise, at + PREFIX as u64 + length))
            }
            _ => Err(damaged()),
        }
    }

    /// So many bytes of the file from a place on, or as many as there are.
    fn read_at(&self, place: u64, length: u64, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
        let mut read = || {
            let mut file = &self.file;
            file.seek(SeekFrom::Start(place))?;
            file.take(length).read_to_end(bytes)
        };
        read().map(drop).map_err(|error| self.failed(&error))
    }
}
