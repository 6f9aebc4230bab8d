//! The frames of a journal: a promised entry with its payload, or leaves with the checkpoint over them.

use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};

use crate::{Header, Leaf, Promise, SignedCheckpoint, note::MAX_NOTE};

/// The first bytes of a journal; after them stands the key of the log (`text`).
pub(super) const FILE: FileHeader = FileHeader::new("logkept", 1);
/// Bytes before a frame's head: its length, and what tells whether it is whole.
pub(super) const PREFIX: usize = 4 + CHECK;
/// Leaves that a frame may hold.
const MAX_LEAVES: usize = 1 << 16;
/// The largest head.
pub(super) const MAX_HEAD: usize = 64 + MAX_NOTE + MAX_LEAVES * crate::MAX_LEAF;

const CHECK: usize = 16;
const DOMAIN: &str = "subrosa/log/journal/v1";

/// What a keeper did, in one step.
#[derive(Debug)]
pub(super) enum Frame {
    /// It promised an entry, whose payload follows the head.
    Promise { header: Box<Header>, promise: Promise },
    /// It appended leaves.
    Append { leaves: Vec<Leaf>, signed: Box<SignedCheckpoint> },
}

impl Frame {
    /// Bytes of payload after the head.
    pub(super) fn payload(&self) -> u64 {
        match self {
            Self::Promise { header, .. } => header.length(),
            Self::Append { .. } => 0,
        }
    }

    /// Prefix and head, as they stand at this place of the journal.
    pub(super) fn framed(&self, at: u64) -> Vec<u8> {
        let head = self.to_bytes();
        let mut bytes = Vec::with_capacity(PREFIX + head.len());
        (head.len() as u32).encode(&mut bytes);
        bytes.extend_from_slice(&check(at, &head));
        bytes.extend_from_slice(&head);
        bytes
    }

    /// The frame whose prefix and head these are, if it is whole.
    ///
    /// # Errors
    /// [`DecodeError`] for one that is whole and no frame: nobody was killed while he wrote it.
    pub(super) fn read(
        at: u64,
        prefix: &[u8; PREFIX],
        head: &[u8],
    ) -> Result<Option<Self>, DecodeError> {
        let whole = prefix.ends_with(&check(at, head));
        whole.then(|| Self::from_bytes(head)).transpose()
    }
}

/// Places after the first byte of a head at which each of its leaves begins.
pub(super) fn places(leaves: &[Leaf]) -> impl Iterator<Item = u64> {
    // The tag, and the number of leaves.
    let mut at = 1 + 4_u64;
    leaves.iter().map(move |leaf| {
        let place = at;
        at += leaf.to_bytes().len() as u64;
        place
    })
}

/// Bytes of the head that a prefix announces, if a head may have as many.
pub(super) fn announced(prefix: &[u8; PREFIX]) -> Option<usize> {
    let length = prefix.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))?;
    usize::try_from(length).ok().filter(|length| *length <= MAX_HEAD)
}

/// A frame is whole, and where it was written: garbage is neither.
fn check(at: u64, head: &[u8]) -> [u8; CHECK] {
    let digest = Digest::of(DOMAIN, &[&at.to_le_bytes(), head].concat());
    let mut check = [0; CHECK];
    check.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    check
}

impl Encode for Frame {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Promise { header, promise } => {
                out.push(0);
                header.encode(out);
                promise.encode(out);
            }
            Self::Append { leaves, signed } => {
                out.push(1);
                (leaves.len() as u32).encode(out);
                leaves.iter().for_each(|leaf| leaf.encode(out));
                put_bytes(out, signed.to_text().as_bytes());
            }
        }
    }
}

impl Decode for Frame {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            0 => {
                let (header, promise) = (Header::decode(reader)?, Promise::decode(reader)?);
                Ok(Self::Promise { header: Box::new(header), promise })
            }
            1 => {
                let count = reader.count("leaves", MAX_LEAVES)?;
                let leaves = (0..count).map(|_| Leaf::decode(reader)).collect::<Result<_, _>>()?;
                let signed = SignedCheckpoint::parse(reader.bytes("checkpoint", MAX_NOTE)?);
                let signed = signed.map_err(|error| DecodeError::invalid("checkpoint", error))?;
                Ok(Self::Append { leaves, signed: Box::new(signed) })
            }
            _ => Err(DecodeError::invalid("frame", "unknown kind")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    /// A torn frame is none. One that is whole and means nothing is damage, and is not cut off like a torn one.
    #[test]
    fn only_torn_frames_are_none() {
        let (at, head) = (40, [9_u8; 30]);
        let prefix = |check: [u8; CHECK]| -> [u8; PREFIX] {
            [(head.len() as u32).to_le_bytes().as_slice(), &check].concat().try_into().unwrap()
        };
        assert!(Frame::read(at, &prefix(check(at, &head)), &head).is_err());
        for torn in [check(at + 1, &head), check(at, &head[1..]), [0; CHECK]] {
            assert!(Frame::read(at, &prefix(torn), &head).unwrap().is_none());
        }
    }
}
