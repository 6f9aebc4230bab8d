//! What the ceremonies in this project's own files have in common: a chain of contributions, each
//! bound to everything before it.

use circuit::Attribution;
use transcript::{Transcript, TranscriptExt};
use wire::{Blake2b, Decode, DecodeError, Digest, Encode, Reader, put_bytes};

use crate::Error;

/// A contribution as its contributor knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The name that the contributor gave. Their proofs of knowledge bind it.
    pub name: Option<String>,
    /// The hash that contributors publish: of this contribution and all before it.
    pub hash: [u8; 64],
    /// The digest of the file that was contributed to, by its contributor's word. Their proofs bind it.
    pub input: Digest,
}

/// What a contributor publishes and keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The hash of the contribution and all before it.
    pub hash: [u8; 64],
    /// The contribution's position in the file, from 0.
    pub index: usize,
}

/// Bytes of a name; 64 UTF-16 units have no more.
const MAX_NAME: usize = 192;

/// Requires a name that files can hold.
pub(crate) fn check_name(name: &Option<String>) -> Result<(), Error> {
    Ok(Attribution::participant(name.clone()).require_writable()?)
}

pub(crate) fn put_name(name: &Option<String>, out: &mut Vec<u8>) {
    // An empty name stands for none, as it does when it is read.
    put_bytes(out, name.as_deref().unwrap_or_default().as_bytes());
}

/// An empty one stands for none.
pub(crate) fn read_name(reader: &mut Reader<'_>) -> Result<Option<String>, DecodeError> {
    let name = reader.text("name", MAX_NAME)?;
    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
    check_name(&name).map_err(|error| DecodeError::invalid("name", error))?;
    Ok(name)
}

/// Appends a number of contributions (32 bits) and the contributions.
pub(crate) fn put_all(contributions: &[impl Encode], out: &mut Vec<u8>) {
    // A transcript of so many is refused by its length.
    u32::try_from(contributions.len()).unwrap_or(u32::MAX).encode(out);
    contributions.iter().for_each(|one| one.encode(out));
}

/// Reads them. Memory is reserved for what is there only.
pub(crate) fn read_all<T: Decode>(reader: &mut Reader<'_>) -> Result<Vec<T>, DecodeError> {
    let count = reader.count("contributions", reader.remaining())?;
    (0..count).map(|_| T::decode(reader)).collect()
}

/// The hash of what a ceremony starts from.
pub(crate) fn start(domain: &str, parts: &[&[u8]]) -> [u8; 64] {
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, domain.as_bytes());
    parts.iter().for_each(|part| put_bytes(&mut bytes, part));
    Blake2b::digest(&bytes)
}

/// The hash of a contribution and all before it.
pub(crate) fn next(before: &[u8; 64], contribution: &impl Encode) -> [u8; 64] {
    let mut bytes = before.to_vec();
    contribution.encode(&mut bytes);
    Blake2b::digest(&bytes)
}

/// The transcript of a contribution's proofs, bound to all contributions before it and to the digest of
/// the file that it was made from.
pub(crate) fn proofs(
    protocol: &'static [u8],
    round: u8,
    before: &[u8; 64],
    name: &Option<String>,
    input: &Digest,
) -> Transcript {
    let mut transcript = Transcript::new(protocol);
    transcript.absorb_u64(b"round", round.into());
    transcript.absorb(b"before", before);
    // As in files.
    transcript.absorb(b"name", name.as_deref().unwrap_or_default().as_bytes());
    transcript.absorb(b"input", input.as_bytes());
    transcript
}
