//! The secret of a run in a file.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use board::AuthorId;
use wire::{Decode as _, DecodeError, Digest, DigestWriter, Encode as _, FileHeader, Reader};
use zeroize::Zeroizing;

use super::{Kept, RunSecret, SecretStore};

const FILE: FileHeader = FileHeader::new("runsecrt", 1);
const NAME: &str = "subrosa/party/run/v1";
const EXTENSION: &str = "secret";
const LIMIT: u64 = 1 << 10;
/// Behind the file's header: whether the run still needs it (0) or not (1), and until when it is kept then.
const EXPIRES_AT: u64 = 18;
const UNTIL_AT: u64 = 19;

/// The secret of a party's run on a board, in a file of the party's state that only its owner may read: header
/// (kind `runsecrt`, version 1), whether the run needs it no more (1 byte), seconds since 1970 until which it is kept
/// then (8 bytes; 0 for no time), board (32), party (32), secret (32).
pub struct FileSecret {
    path: PathBuf,
    board: Digest,
    party: AuthorId,
    until: u64,
}

impl FileSecret {
    /// The secret of a party on the board of this name, in a directory; kept until a time, in seconds since 1970, if
    /// there is one, also when the run has ended before.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::InvalidData`] for a file that is something else.
    pub fn open(
        directory: &Path,
        board: Digest,
        party: AuthorId,
        until: Option<u64>,
    ) -> io::Result<Self> {
        let mut name = DigestWriter::new(NAME);
        name.update(board.as_bytes());
        name.update(party.as_bytes());
        let path = directory.join(format!("{}.{EXTENSION}", name.finish()));
        // 0 is no time: such a secret is kept until somebody erases it.
        let secret = Self { path, board, party, until: until.unwrap_or_default() };
        let kept = secret.load()?.map(|kept| kept.until);
        if let (Some(_), Some(until)) = (kept.filter(|kept| Some(*kept) != until), until) {
            secret.note(UNTIL_AT, &until.to_le_bytes())?;
        }
        Ok(secret)
    }

    /// Changes in place what stands before the secret: of this there is never a second copy.
    fn note(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::options().write(true).open(&self.path)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn decode(&self, bytes: &[u8]) -> Result<Kept, DecodeError> {
        let mut reader = Reader::new(bytes);
        let (_, until) = head(&mut reader)?;
        let whose = (Digest::decode(&mut reader)?, AuthorId::decode(&mut reader)?);
        if whose != (self.board, self.party) {
            return Err(DecodeError::invalid("secret of a run", "of another board or party"));
        }
        let secret = RunSecret::from_bytes(&Zeroizing::new(reader.array()?));
        reader.finish()?;
        Ok(Kept { secret, until })
    }
}

impl SecretStore for FileSecret {
    fn load(&self) -> io::Result<Option<Kept>> {
        // All zeros: whoever erased it was killed before it was removed.
        let bytes = read(&self.path)?.filter(|bytes| bytes.iter().any(|byte| *byte != 0));
        let Some(bytes) = bytes else { return Ok(None) };
        let kept = self.decode(&bytes);
        let refused = |error| {
            let reason = format!("{}: {error}", self.path.display());
            io::Error::new(io::ErrorKind::InvalidData, reason)
        };
        kept.map(Some).map_err(refused)
    }

    fn keep(&self, secret: &RunSecret) -> io::Result<()> {
        let mut bytes = Zeroizing::new(FILE.to_bytes());
        bytes.push(0);
        self.until.encode(&mut bytes);
        self.board.encode(&mut bytes);
        self.party.encode(&mut bytes);
        bytes.extend_from_slice(secret.as_bytes());
        match wire::write_secret(&self.path, &bytes) {
            // Another process of this party was first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }

    fn let_expire(&self) -> io::Result<()> {
        match self.load()? {
            Some(_) => self.note(EXPIRES_AT, &[1]),
            None => Ok(()),
        }
    }

    fn erase(&self) -> io::Result<()> {
        erase_file(&self.path)
    }
}

/// Erases the secrets in a party's state that no run needs and whose time is over at `now`, in seconds since 1970;
/// all of them, if there is no `now`. How many.
///
/// # Errors
/// Those of the file system.
pub fn erase_expired(directory: &Path, now: Option<u64>) -> io::Result<usize> {
    let mut erased = 0;
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension() != Some(OsStr::new(EXTENSION)) {
            continue;
        }
        // A file that does not read as a secret is not ours to erase.
        let kept = read(&path)?.and_then(|bytes| head(&mut Reader::new(&bytes)).ok());
        let is_over =
            |now| kept.is_some_and(|(expires, until)| expires && until != 0 && until <= now);
        if kept.is_some() && now.is_none_or(is_over) {
            erase_file(&path)?;
            erased += 1;
        }
    }
    Ok(erased)
}

/// Overwrites a file with zeros, syncs it and removes it; nothing, if it is not there. What a file system or a
/// medium keeps of former contents is out of reach.
///
/// # Errors
/// Those of the file system.
pub fn erase_file(path: &Path) -> io::Result<()> {
    let mut file = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let length = file.metadata()?.len().min(LIMIT);
    let zeros: Vec<u8> = (0..length).map(|_| 0).collect();
    file.write_all(&zeros)?;
    file.sync_all()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    match path.parent().filter(|parent| cfg!(unix) && !parent.as_os_str().is_empty()) {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

fn read(path: &Path) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    match wire::read_bounded(path, LIMIT) {
        Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the run needs the secret no more, and until when it is kept then.
fn head(reader: &mut Reader<'_>) -> Result<(bool, u64), DecodeError> {
    FILE.expect(reader)?;
    let expires = match reader.u8()? {
        0 => false,
        1 => true,
        _ => return Err(DecodeError::invalid("secret of a run", "its second field is 0 or 1")),
    };
    Ok((expires, reader.u64()?))
}
