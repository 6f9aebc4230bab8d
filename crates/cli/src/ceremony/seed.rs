//! The sealed seed of a contribution: kept for its owner alone until the contribution is complete,
//! so that a command that was killed does not contribute twice.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use wire::{DecodeError, Encode as _, FileHeader, Reader};
use zeroize::Zeroizing;

use super::entropy::{EntropyArgs, Seed};
use crate::failure::Failure;

const HEADER: FileHeader = FileHeader::new("cerseed", 1);
const LEN: u64 = 18 + 32 + 64;

/// A seed in its file.
pub struct SealedSeed {
    pub seed: Seed,
    path: PathBuf,
    /// Whether an earlier command left it.
    pub is_resumed: bool,
}

impl SealedSeed {
    /// The seed of a contribution to `challenge` that is to become `out`: what an earlier command
    /// left, or a new one.
    pub fn open(out: &Path, challenge: &[u8; 64], entropy: &EntropyArgs) -> Result<Self, Failure> {
        let path = path_of(out);
        match wire::read_bounded(&path, LEN).map(Zeroizing::new) {
            Ok(bytes) => {
                let seed = decode(&bytes, challenge).map_err(|error| {
                    Failure::file(&path, error).hint("the seed belongs to another contribution")
                })?;
                Ok(Self { seed, path, is_resumed: true })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let seed = entropy.seed()?;
                let mut bytes = Zeroizing::new(Vec::with_capacity(LEN as usize));
                HEADER.encode(&mut bytes);
                bytes.extend_from_slice(seed.as_ref());
                bytes.extend_from_slice(challenge);
                let written = wire::write_secret(&path, &bytes);
                written.map_err(|error| Failure::file(&path, error))?;
                Ok(Self { seed, path, is_resumed: false })
            }
            Err(error) => Err(Failure::file(&path, error)),
        }
    }

    /// Forgets the seed, for ever: what was contributed cannot be made again.
    pub fn destroy(self) -> Result<(), Failure> {
        let overwrite = || {
            // Into the bytes that are there: to cut the file first would only let go of them.
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            file.write_all(&[0; LEN as usize])?;
            file.sync_all()?;
            fs::remove_file(&self.path)
        };
        overwrite().map_err(|error| Failure::file(&self.path, error))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Where the seed of a contribution lies that is to become `out`.
pub fn path_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".seed");
    out.with_file_name(name)
}

fn decode(bytes: &[u8], challenge: &[u8; 64]) -> Result<Seed, DecodeError> {
    let mut reader = Reader::new(bytes);
    HEADER.expect(&mut reader)?;
    let seed = Zeroizing::new(reader.array()?);
    if reader.array::<64>()? != *challenge {
        return Err(DecodeError::invalid("seed", "made for a contribution to another file"));
    }
    reader.finish()?;
    Ok(seed)
}
