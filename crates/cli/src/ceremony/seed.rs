//! The sealed seed of a contribution: kept for its owner alone until the contribution is complete,
//! so that a command that was killed does not contribute twice.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use wire::{Blake2b, Decode, DecodeError, Digest, Encode, FileHeader, Reader};
use zeroize::Zeroizing;

use super::entropy::{EntropyArgs, Seed};
use crate::failure::Failure;

const HEADER: FileHeader = FileHeader::new("cerseed", 2);
const LEN: u64 = 18 + 32 + 64 + 32 + 32;

/// What a contribution is made to: a seed is for this and nothing else.
pub struct Turn {
    /// What it answers.
    pub challenge: [u8; 64],
    /// The round of a native ceremony.
    pub round: Option<u8>,
    /// The digest of the whole input.
    pub input: Digest,
}

/// What a seed is for: one turn, on one file, into one file. The same secrets on two files would be an
/// oracle twice over, and the challenge alone does not tell files apart.
pub struct Purpose {
    challenge: [u8; 64],
    input: Digest,
    out: Digest,
}

impl Purpose {
    /// The file is known by its name, so that its directory may move.
    pub fn of(turn: &Turn, out: &Path) -> Self {
        // A seed is for one round only.
        let challenge = match turn.round {
            Some(round) => Blake2b::digest(&[&turn.challenge[..], &[round]].concat()),
            None => turn.challenge,
        };
        // A path without a name is a directory, and no contribution is written there.
        let name = out.file_name().unwrap_or_default();
        let out = Digest::of("ceremony/seed/out", name.as_encoded_bytes());
        Self { challenge, input: turn.input, out }
    }

    /// What the secrets depend on besides the seed.
    pub fn hash(&self) -> [u8; 64] {
        Blake2b::digest(&self.to_bytes())
    }
}

impl Encode for Purpose {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.challenge);
        self.input.encode(out);
        self.out.encode(out);
    }
}

impl Decode for Purpose {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let challenge = reader.array()?;
        Ok(Self { challenge, input: Digest::decode(reader)?, out: Digest::decode(reader)? })
    }
}

/// A seed in its file.
pub struct SealedSeed {
    pub seed: Seed,
    path: PathBuf,
    /// Whether an earlier command left it.
    pub is_resumed: bool,
}

impl SealedSeed {
    /// The seed of a contribution that is to become `out`: what an earlier command left, or a new one.
    pub fn open(out: &Path, purpose: &Purpose, entropy: &EntropyArgs) -> Result<Self, Failure> {
        let path = path_of(out);
        match wire::read_bounded(&path, LEN).map(Zeroizing::new) {
            Ok(bytes) => {
                let seed = decode(&bytes, purpose).map_err(|error| {
                    Failure::file(&path, error).hint("the seed belongs to another contribution")
                })?;
                Ok(Self { seed, path, is_resumed: true })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let seed = entropy.seed()?;
                let mut bytes = Zeroizing::new(Vec::with_capacity(LEN as usize));
                HEADER.encode(&mut bytes);
                bytes.extend_from_slice(seed.as_ref());
                purpose.encode(&mut bytes);
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
    // As in `Purpose::of`.
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".seed");
    out.with_file_name(name)
}

fn decode(bytes: &[u8], purpose: &Purpose) -> Result<Seed, DecodeError> {
    let mut reader = Reader::new(bytes);
    HEADER.expect(&mut reader)?;
    let seed = Zeroizing::new(reader.array()?);
    let made_for = Purpose::decode(&mut reader)?;
    reader.finish()?;
    let wrong = |what| Err(DecodeError::invalid("seed", what));
    if made_for.challenge != purpose.challenge || made_for.input != purpose.input {
        return wrong("made for a contribution to another file");
    }
    if made_for.out != purpose.out {
        return wrong("made for a new file of another name");
    }
    Ok(seed)
}
