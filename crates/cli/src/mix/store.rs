//! Reading and writing the files of a mix, and saying what is wrong with them.

use std::{
    io,
    path::{Path, PathBuf},
};

use algebra::Ristretto255 as G;
use shuffle::{Column, Mix, PublicKey};
use wire::{Decode, DecodeError, Reader};
use zeroize::Zeroizing;

use super::format::{CiphertextFile, MixHead, PublicFile, SecretFile, Turn};
use crate::failure::Failure;

/// A key with its names is far smaller.
const KEY_LIMIT: u64 = 1 << 12;

/// The largest file of messages or ciphertexts; below it, every count fits.
pub const FILE_LIMIT: u64 = 1 << 36;

const SECRET_HINT: &str = "`subrosa mix keygen --secret FILE` writes such a file";
const PUBLIC_HINT: &str = "`subrosa mix keygen --public FILE` writes such a file";
const CIPHERTEXTS_HINT: &str = "`subrosa mix encrypt` writes such a file";
const MIX_HINT: &str = "`subrosa mix shuffle` writes such a file";
const COLUMNS_HINT: &str = "`subrosa mix encrypt` and `subrosa mix shuffle` write such files";
const KEY_HINT: &str = "give the key with which the messages were encrypted";

/// Reads a decryption key.
pub fn secret(path: &Path) -> Result<SecretFile, Failure> {
    let bytes = Zeroizing::new(read(path, KEY_LIMIT, SECRET_HINT)?);
    SecretFile::from_bytes(&bytes).map_err(|error| Failure::file(path, error).hint(SECRET_HINT))
}

/// Reads an encryption key.
pub fn public(path: &Path) -> Result<PublicKey<G>, Failure> {
    let bytes = read(path, KEY_LIMIT, PUBLIC_HINT)?;
    let file = PublicFile::from_bytes(&bytes);
    file.map(|file| file.0).map_err(|error| Failure::file(path, error).hint(PUBLIC_HINT))
}

/// Reads what a chain begins with, encrypted with `key`.
pub fn ciphertexts(path: &Path, key: &PublicKey<G>) -> Result<Vec<Column<G>>, Failure> {
    let bytes = read(path, FILE_LIMIT, CIPHERTEXTS_HINT)?;
    ciphertexts_of(path, &bytes, key, CIPHERTEXTS_HINT)
}

/// A mix as it was published.
pub struct Published {
    /// Where it lies.
    pub path: PathBuf,
    /// Whose turn it was.
    pub turn: Turn,
    /// The columns and the proof.
    pub mix: Mix<G>,
}

/// Reads a mix of columns that are encrypted with `key`; checks everything but the proof.
pub fn mix(path: &Path, key: &PublicKey<G>) -> Result<Published, Failure> {
    mix_of(path, &read(path, FILE_LIMIT, MIX_HINT)?, key)
}

/// Columns to shuffle or to decrypt.
pub struct Input {
    /// The columns.
    pub columns: Vec<Column<G>>,
    /// Whose turn it was last.
    pub after: Option<Turn>,
}

/// Reads ciphertexts, or what a mixer made of them.
pub fn input(path: &Path, key: &PublicKey<G>) -> Result<Input, Failure> {
    let bytes = read(path, FILE_LIMIT, COLUMNS_HINT)?;
    if MixHead::begins(&bytes) {
        let Published { turn, mix, .. } = mix_of(path, &bytes, key)?;
        return Ok(Input { columns: mix.outputs, after: Some(turn) });
    }
    let columns = ciphertexts_of(path, &bytes, key, COLUMNS_HINT)?;
    Ok(Input { columns, after: None })
}

/// Reads a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    wire::read_bounded(path, limit).map_err(|error| Failure::file(path, error).hint(hint))
}

/// Requires that nothing is at `path` and that a file can be, before long work is done for it.
pub fn require_new(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    match path.parent() {
        Some(parent) if parent != Path::new("") && !parent.is_dir() => {
            Err(Failure::file(parent, "no such directory").hint("create it first"))
        }
        _ => Ok(()),
    }
}

/// Writes a new file: what others may already hold in their hands is never replaced.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    wire::write_new(path, bytes).map_err(|error| unwritten(path, error))
}

/// Writes a new file that only its owner may read.
pub fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    wire::write_secret(path, bytes).map_err(|error| unwritten(path, error))
}

fn unwritten(path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::file(path, error),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::file(path, "already exists").hint("name another file")
}

fn ciphertexts_of(
    path: &Path,
    bytes: &[u8],
    key: &PublicKey<G>,
    hint: &str,
) -> Result<Vec<Column<G>>, Failure> {
    let file = CiphertextFile::from_bytes(bytes);
    let file = file.map_err(|error| Failure::file(path, error).hint(hint))?;
    require_key(path, &file.key, key)?;
    Ok(file.columns)
}

fn mix_of(path: &Path, bytes: &[u8], key: &PublicKey<G>) -> Result<Published, Failure> {
    let mut reader = Reader::new(bytes);
    let head = MixHead::decode(&mut reader);
    let head = head.map_err(|error| Failure::file(path, error).hint(MIX_HINT))?;
    require_key(path, &head.key, key)?;
    let mix = Mix::from_bytes(reader.take_rest()).map_err(|error| match error {
        // The file is whole, and something in it is neither a point nor a scalar.
        DecodeError::Invalid { .. } => {
            let mixer = head.turn.mixer;
            Failure::refused(format!("mixer {mixer}: {error}, in {}", path.display()))
        }
        other => Failure::file(path, other).hint("the file is damaged: get it again"),
    })?;
    Ok(Published { path: path.to_owned(), turn: head.turn, mix })
}

fn require_key(path: &Path, found: &PublicKey<G>, expected: &PublicKey<G>) -> Result<(), Failure> {
    match found == expected {
        true => Ok(()),
        false => Err(Failure::file(path, "made with another key").hint(KEY_HINT)),
    }
}
