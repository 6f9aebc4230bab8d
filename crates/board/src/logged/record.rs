//! What shows somebody who was not there that a log has the entries of a board.

use log::{FollowError, Leaf, SignedCheckpoint, Stretch, note::VerifierKey};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader, put_bytes};

use super::{Ledger, require_own_key};
use crate::{BoardError, Entry};

const FILE: FileHeader = FileHeader::new("boardlog", 1);
/// The longest name, an id and a key in base64.
const MAX_KEY: usize = 512;
/// No note is longer.
const MAX_NOTE: usize = 1 << 20;

/// A log's leaves from the first to one of a board's entries, heartbeats and all, in a checkpoint that the keeper
/// signed. With the entries themselves anybody verifies the board ([`Record::verify`]): that nothing was left out,
/// that no entry is in another's place, and when each was appended.
///
/// Whether the log is the one that is meant, only its key says.
///
/// Encoded as a file of the kind `boardlog`, version 1: key (length of 4, then text), checkpoint (length of 4, then
/// the note), and the leaves ([`Stretch`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key by which the log is known.
    pub key: VerifierKey,
    /// A checkpoint of the log, with whatever lines its witnesses put under it.
    pub checkpoint: SignedCheckpoint,
    /// All leaves from the first to the board's last entry that counts.
    pub leaves: Stretch,
}

impl Record {
    /// Verifies the board whose entries these are, in order: the keeper's signature, all leaves against the root,
    /// the order of times, every author's signature, every payload. The entries, each of which knows what it
    /// contradicts.
    ///
    /// # Errors
    /// [`BoardError`] naming the first place that fails.
    pub fn verify(&self, written: &[Entry]) -> Result<Vec<Entry>, BoardError> {
        let Self { key, checkpoint, leaves: Stretch { first, leaves, .. } } = self;
        require_own_key(key)?;
        let origin: log::Origin = key.name.as_str().parse()?;
        checkpoint.verify(key)?;
        let shown = checkpoint.checkpoint();
        let is_whole = *first == 0 && self.leaves.verify(shown.size, &shown.root).is_ok();
        if !is_whole {
            return Err(FollowError::Leaves.into());
        }
        require_time(leaves)?;
        let mut ledger = Ledger::new(key, origin.clone());
        let mut written = written.iter();
        for (index, leaf) in (0..).zip(leaves) {
            let verified = leaf.header.verify(&origin);
            verified.map_err(|error| FollowError::Entry { index, error })?;
            ledger.take(leaf, |sequence, _| {
                let entry = written.next().ok_or(BoardError::Missing { sequence })?;
                match entry.sequence() == sequence && entry.leaf() == Some(leaf) {
                    true => Ok(entry.shared_payload()),
                    false => Err(BoardError::Replaced { sequence }),
                }
            })?;
        }
        match written.next() {
            Some(surplus) => Err(BoardError::Surplus { sequence: surplus.sequence() }),
            None => Ok(ledger.into_entries()),
        }
    }
}

fn require_time(leaves: &[Leaf]) -> Result<(), BoardError> {
    let back = leaves.windows(2).position(|pair| match pair {
        [before, after] => after.time < before.time,
        _ => false,
    });
    back.map_or(Ok(()), |before| Err(BoardError::Backwards { sequence: before as u64 + 1 }))
}

impl Encode for Record {
    fn encode(&self, out: &mut Vec<u8>) {
        FILE.encode(out);
        put_bytes(out, self.key.to_string().as_bytes());
        put_bytes(out, self.checkpoint.to_text().as_bytes());
        self.leaves.encode(out);
    }
}

impl Decode for Record {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        FILE.expect(reader)?;
        let text = reader.text("log's key", MAX_KEY)?;
        let key: VerifierKey =
            text.parse().map_err(|error| DecodeError::invalid("log's key", error))?;
        if key.to_string() != text {
            return Err(DecodeError::invalid("log's key", "it is not written as keys are"));
        }
        let checkpoint = SignedCheckpoint::parse(reader.bytes("checkpoint", MAX_NOTE)?);
        let checkpoint = checkpoint.map_err(|error| DecodeError::invalid("checkpoint", error))?;
        Ok(Self { key, checkpoint, leaves: Stretch::decode(reader)? })
    }
}
