//! A party's outbox as a file of frames, which one process at a time has.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use wire::{Decode as _, Digest, Encode as _, FileHeader, Reader, put_bytes};

use super::StoreError;
use crate::{Header, MAX_HEADER, OutboxStore, note::VerifierKey};

const FILE: FileHeader = FileHeader::new("outbox", 1);
const CHECK: usize = 16;
const DOMAIN: &str = "subrosa/log/outbox/v1";

/// A party's outbox in a file: bound to the log and the party by what stands at its start, locked while it
/// is open, and readable by its owner only.
pub struct FileOutbox {
    path: PathBuf,
    file: File,
    end: u64,
    headers: Vec<(Header, u64)>,
}

impl FileOutbox {
    /// Opens the outbox of a party for a log, or begins it.
    ///
    /// # Errors
    /// [`StoreError::Serving`] if another process has it; [`StoreError::Damaged`] if it is that of another
    /// party or log; others of the file system.
    pub fn open(
        path: &Path,
        log: &VerifierKey,
        author: &crate::AuthorId,
    ) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::file(path, &error);
        let mut start = FILE.to_bytes();
        put_bytes(&mut start, log.to_string().as_bytes());
        author.encode(&mut start);
        match wire::write_secret(path, &start) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(StoreError::Serving { path: path.to_owned() });
        }
        let mut found = vec![0; start.len()];
        let read = file.read_exact(&mut found);
        if read.is_err() || found != start {
            return Err(StoreError::damaged(
                path,
                "the outbox of another party, or for another log",
            ));
        }
        let end = start.len() as u64;
        let mut outbox = Self { path: path.to_owned(), file, end, headers: Vec::new() };
        while let Some((header, payload)) = outbox.next().map_err(failed)? {
            outbox.end = payload + header.length();
            outbox.headers.push((header, payload));
        }
        // What a killed process left of an entry was never sent.
        outbox.file.set_len(outbox.end).map_err(failed)?;
        outbox.file.sync_data().map_err(failed)?;
        Ok(outbox)
    }

    /// The entry at the end of what is known, and where its payload begins; none if there is none that
    /// is whole.
    fn next(&self) -> io::Result<Option<(Header, u64)>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.end))?;
        file.take((CHECK + MAX_HEADER) as u64).read_to_end(&mut bytes)?;
        let mut reader = Reader::new(&bytes);
        let Ok(check) = reader.array::<CHECK>() else { return Ok(None) };
        let Ok(header) = Header::decode(&mut reader) else { return Ok(None) };
        if check != checked(self.end, &header) {
            return Ok(None);
        }
        let place = self.end + (CHECK + header.to_bytes().len()) as u64;
        let whole = header.verify_payload(&self.read(place, header.length())?).is_ok();
        Ok(whole.then_some((header, place)))
    }

    fn read(&self, place: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place))?;
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A header is whole, and where it was written.
fn checked(at: u64, header: &Header) -> [u8; CHECK] {
    let digest = Digest::of(DOMAIN, &[&at.to_le_bytes()[..], &header.to_bytes()].concat());
    let mut check = [0; CHECK];
    check.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    check
}

impl OutboxStore for FileOutbox {
    type Error = StoreError;

    fn headers(&self) -> Result<Vec<Header>, StoreError> {
        Ok(self.headers.iter().map(|(header, _)| header.clone()).collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, StoreError> {
        let place = self.headers.iter().find(|(stored, _)| stored == header);
        let payload = place.map(|(header, place)| self.read(*place, header.length()));
        payload.transpose().map_err(|error| StoreError::file(&self.path, &error))
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), StoreError> {
        let bytes = [&checked(self.end, header)[..], &header.to_bytes()].concat();
        let write = || {
            let mut file = &self.file;
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&bytes)?;
            file.write_all(payload)?;
            self.file.sync_data()
        };
        write().map_err(|error| StoreError::file(&self.path, &error))?;
        let place = self.end + bytes.len() as u64;
        self.headers.push((header.clone(), place));
        self.end = place + payload.len() as u64;
        Ok(())
    }
}
