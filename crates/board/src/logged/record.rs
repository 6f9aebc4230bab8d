//! What shows somebody who was not there that a log has the entries of a board.

use log::{FollowError, Leaf, Quorum, SignedCheckpoint, Stretch, cosigned_at, note::VerifierKey};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader, put_bytes};

use super::{Ledger, naming::require_own_key};
use crate::{BoardError, Entry};

const FILE: FileHeader = FileHeader::new("boardlog", 1);
const WITNESSED: FileHeader = FileHeader::new("boardlog", 2);
/// The longest name, an id and a key in base64.
const MAX_KEY: usize = 512;
/// No note is longer.
const MAX_NOTE: usize = 1 << 20;
/// Witnesses whose keys a record has.
const MAX_WITNESSES: usize = 64;

/// A log's leaves from the first to one of a board's entries, heartbeats and all, in a checkpoint that the keeper
/// signed. With the entries themselves anybody verifies the board ([`Record::verify`]): that nothing was left out,
/// that no entry is in another's place, and when each was appended.
///
/// Whether the log is the one that is meant, only its key says.
///
/// Encoded as a file of the kind `boardlog`, version 1: key (length of 4, then text), checkpoint (length of 4, then
/// the note), and the leaves ([`Stretch`]). With witnesses, version 2: behind that their number (4) and keys (length of
/// 4, then text).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key by which the log is known.
    pub key: VerifierKey,
    /// A checkpoint of the log, with whatever lines its witnesses put under it.
    pub checkpoint: SignedCheckpoint,
    /// All leaves from the first to the board's last entry that counts.
    pub leaves: Stretch,
    /// The witnesses that cosigned the checkpoint: all of them did. Whose keys these are has to be known from
    /// elsewhere.
    pub witnesses: Vec<VerifierKey>,
}

impl Record {
    /// What a log showed, with those of the witnesses who cosigned it.
    pub(super) fn new(
        key: VerifierKey,
        checkpoint: SignedCheckpoint,
        leaves: Stretch,
        witnesses: &[VerifierKey],
    ) -> Self {
        let cosigned = |key: &&VerifierKey| cosigned_at(&checkpoint, key).is_some();
        let witnesses = witnesses.iter().filter(cosigned).take(MAX_WITNESSES).cloned().collect();
        Self { key, checkpoint, leaves, witnesses }
    }

    /// When each of the witnesses cosigned, by its clock.
    pub fn cosigned(&self) -> impl Iterator<Item = (&VerifierKey, u64)> {
        // The witnesses cosigned: `new` keeps no others, and `verify` requires it of those of a file.
        let time = |key| cosigned_at(&self.checkpoint, key).unwrap_or_default();
        self.witnesses.iter().map(move |key| (key, time(key)))
    }

    /// Verifies the board whose entries these are, in order: the keeper's signature and the witnesses', all leaves against the root,
    /// the order of times, every author's signature, every payload. The entries, each of which knows what it
    /// contradicts.
    ///
    /// # Errors
    /// [`BoardError`] naming the first place that fails.
    pub fn verify(&self, written: &[Entry]) -> Result<Vec<Entry>, BoardError> {
        let Self { key, checkpoint, leaves: Stretch { first, leaves, .. }, witnesses } = self;
        require_own_key(key)?;
        let origin: log::Origin = key.name.as_str().parse()?;
        checkpoint.verify(key)?;
        let all = Quorum::new(witnesses.clone(), witnesses.len()).map_err(FollowError::from)?;
        all.verify(checkpoint).map_err(FollowError::from)?;
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
        let header = if self.witnesses.is_empty() { FILE } else { WITNESSED };
        header.encode(out);
        put_bytes(out, self.key.to_string().as_bytes());
        put_bytes(out, self.checkpoint.to_text().as_bytes());
        self.leaves.encode(out);
        if !self.witnesses.is_empty() {
            (self.witnesses.len() as u32).encode(out);
            self.witnesses.iter().for_each(|key| put_bytes(out, key.to_string().as_bytes()));
        }
    }
}

impl Decode for Record {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let is_witnessed = FILE.expect(&mut reader.clone()).is_err();
        if is_witnessed { WITNESSED.expect(reader) } else { FILE.expect(reader) }?;
        let key = read_key(reader, "log's key")?;
        let checkpoint = SignedCheckpoint::parse(reader.bytes("checkpoint", MAX_NOTE)?);
        let checkpoint = checkpoint.map_err(|error| DecodeError::invalid("checkpoint", error))?;
        let (leaves, mut witnesses) = (Stretch::decode(reader)?, Vec::new());
        if is_witnessed {
            let count = reader.count("witnesses", MAX_WITNESSES)?;
            if count == 0 {
                return Err(DecodeError::invalid("witnesses", "there are none"));
            }
            for _ in 0..count {
                witnesses.push(read_key(reader, "witness's key")?);
            }
        }
        Ok(Self { key, checkpoint, leaves, witnesses })
    }
}

fn read_key(reader: &mut Reader<'_>, what: &'static str) -> Result<VerifierKey, DecodeError> {
    let text = reader.text(what, MAX_KEY)?;
    let key: VerifierKey = text.parse().map_err(|error| DecodeError::invalid(what, error))?;
    match key.to_string() == text {
        true => Ok(key),
        false => Err(DecodeError::invalid(what, "it is not written as keys are")),
    }
}
