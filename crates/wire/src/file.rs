//! Files that are whole or absent.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::{DecodeError, Encode, Reader};

const MAGIC: &[u8; 8] = b"SUBROSA\0";

/// How the names of unfinished files end, and how long the random part before that is.
const PART_SUFFIX: &str = ".part";
const PART_RANDOM_LEN: usize = 6;

/// The first bytes of every file of ours: `SUBROSA\0`, an eight-byte kind, a 16-bit version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// One to eight visible ASCII characters, padded with zeros on the wire.
    pub kind: &'static str,
    /// The version of the kind's format.
    pub version: u16,
}

impl FileHeader {
    /// A header for a constant.
    ///
    /// # Panics
    /// If the kind is not one to eight visible ASCII characters: when compiling, in a constant.
    pub const fn new(kind: &'static str, version: u16) -> Self {
        assert!(is_kind(kind), "a kind is one to eight visible ASCII characters");
        Self { kind, version }
    }

    /// Requires this header at the reader's position.
    ///
    /// # Errors
    /// [`DecodeError::Kind`] and [`DecodeError::Version`].
    ///
    /// # Panics
    /// If the kind is not one to eight visible ASCII characters, as in [`FileHeader::new`].
    pub fn expect(&self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let kind = DecodeError::Kind { expected: self.kind };
        let is_ours = reader.array::<8>().is_ok_and(|magic| magic == *MAGIC);
        let is_kind = reader.array::<8>().is_ok_and(|kind| kind == self.padded_kind());
        if !is_ours || !is_kind {
            return Err(kind);
        }
        match reader.u16()? {
            got if got == self.version => Ok(()),
            got => Err(DecodeError::Version { kind: self.kind, got, expected: self.version }),
        }
    }

    /// Cutting a long kind short would let two kinds of file pass for each other.
    fn padded_kind(&self) -> [u8; 8] {
        assert!(is_kind(self.kind), "a kind is one to eight visible ASCII characters");
        let mut padded = [0; 8];
        padded.iter_mut().zip(self.kind.bytes()).for_each(|(to, from)| *to = from);
        padded
    }
}

#[expect(clippy::indexing_slicing, reason = "constant functions have no iterators")]
const fn is_kind(kind: &str) -> bool {
    let bytes = kind.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_graphic() {
            return false;
        }
        at += 1;
    }
    1 <= at && at <= 8
}

impl Encode for FileHeader {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.padded_kind());
        self.version.encode(out);
    }
}

/// Replaces `path` by a file with these bytes: written beside it, synced, renamed. After a crash
/// the path holds the old file or the new one. The new one gives nobody more access than the old.
///
/// # Errors
/// Those of the file system.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = write_beside(path, bytes, mode_of(path)?.unwrap_or(0o644))?;
    file.persist(path)?;
    sync_directory_of(path)
}

/// Creates `path` with these bytes, whole or not at all.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if the path exists; others of the file system.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = write_beside(path, bytes, 0o644)?;
    file.persist_noclobber(path)?;
    sync_directory_of(path)
}

/// [`write_new`] with a file that only its owner may read. What a killed command left of it is
/// removed.
///
/// # Errors
/// Those of [`write_new`].
pub fn write_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_leftovers(path);
    let file = write_beside(path, bytes, 0o600)?;
    file.persist_noclobber(path)?;
    sync_directory_of(path)
}

/// A file that is too large to be held in memory before it is written: it lies beside its place
/// until [`NewFile::finish`] puts it there, and disappears if that does not happen. What a killed
/// command leaves there is removed when the same file is begun again.
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl NewFile {
    /// Begins a file, readable for everyone when it is in its place.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create(path: &Path) -> io::Result<Self> {
        remove_leftovers(path);
        Ok(Self { file: temporary_beside(path, 0o644)?, path: path.to_owned() })
    }

    /// Puts the file into its place.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the path exists; others of the file system.
    pub fn finish(self) -> io::Result<()> {
        let Self { file, path } = self;
        file.as_file().sync_all()?;
        file.persist_noclobber(&path)?;
        sync_directory_of(&path)
    }
}

impl Read for NewFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] over the limit; others of the file system.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("over the limit of {limit} bytes"),
        ));
    }
    Ok(bytes)
}

fn write_beside(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let mut file = temporary_beside(path, mode)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn temporary_beside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let (mut builder, prefix) = (Builder::new(), part_prefix(path));
    builder.prefix(&prefix).suffix(PART_SUFFIX).rand_bytes(PART_RANDOM_LEN);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    // Files have no such mode there.
    let _ = mode;
    // The kind alone: the error's own text names a file that nobody asked for.
    let temporary = builder.tempfile_in(directory_of(path));
    let temporary = temporary.map_err(|error| io::Error::from(error.kind()))?;
    // The lock says that somebody still works on it. Where there are none, nothing is removed.
    temporary.as_file().try_lock().ok();
    Ok(temporary)
}

/// What the names of all unfinished files of a path begin with.
fn part_prefix(path: &Path) -> OsString {
    let mut prefix = OsString::from(".subrosa-");
    // Without a name the path is no file's, and writing to it fails.
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push("-");
    prefix
}

/// Removes what killed commands left of `path`, and not what somebody works on. That nothing can be
/// removed is no reason not to go on.
fn remove_leftovers(path: &Path) {
    let prefix = part_prefix(path);
    let is_part = |name: OsString| {
        let random = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let random = random.and_then(|random| random.strip_suffix(PART_SUFFIX.as_bytes()));
        random.is_some_and(|random| random.len() == PART_RANDOM_LEN)
    };
    let is_abandoned = |part: &Path| File::open(part).is_ok_and(|file| file.try_lock().is_ok());
    for entry in fs::read_dir(directory_of(path)).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_part(entry.file_name()) && is_abandoned(&entry.path()) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// The permissions of a file, if there is one.
#[cfg(unix)]
fn mode_of(path: &Path) -> io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    match path.metadata() {
        Ok(file) => Ok(Some(file.permissions().mode() & 0o777)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn mode_of(_path: &Path) -> io::Result<Option<u32>> {
    Ok(None)
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a rename durable. Platforms without directory handles sync on their own.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(directory_of(path))?.sync_all(),
        false => Ok(()),
    }
}
