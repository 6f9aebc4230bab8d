//! Evidence against a keeper that anybody can check, from its bytes alone. An honest keeper cannot be
//! framed: every kind needs signatures that it never gives. No kind rests on a witness's clock.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use crate::{
    EvidenceError, Promise, SignedCheckpoint, Stretch,
    merkle::{Hash, contradicts, decode_proof, encode_proof},
    note::{Algorithm, MAX_NOTE, NoteError, VerifierKey},
};

const VERSION: u8 = 1;
/// The largest evidence that anybody reads from outside: a withholding of half a million leaves.
pub const MAX_EVIDENCE: u64 = 256 << 20;
/// Bytes of a key in the form in which it is configured.
const MAX_KEY: usize = 512;

/// What a keeper did, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offence {
    /// Two logs of one size.
    TwoRoots {
        /// One.
        one: SignedCheckpoint,
        /// The other.
        other: SignedCheckpoint,
    },
    /// A log that does not continue an older one.
    Fork {
        /// The older.
        old: SignedCheckpoint,
        /// The newer.
        new: SignedCheckpoint,
        /// Leads to the newer log's root and to another root for the older size ([`contradicts`]).
        proof: Vec<Hash>,
    },
    /// Two leaves in a row of which the second has the earlier time.
    Backwards {
        /// The log.
        log: SignedCheckpoint,
        /// The two leaves.
        leaves: Stretch,
    },
    /// A promised entry that is not in the log before a heartbeat after its deadline.
    Withholding {
        /// The promise.
        promise: Promise,
        /// The log.
        log: SignedCheckpoint,
        /// Everything from the size that the promise names through the first heartbeat after its deadline.
        leaves: Stretch,
    },
}

/// An offence, and the key of the keeper whose it is. Whoever judges compares the key with the one that
/// the log is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The log and its keeper's key.
    pub log: VerifierKey,
    /// What the keeper did.
    pub offence: Offence,
}

impl Evidence {
    /// What two checkpoints prove; `None` if they are of two sizes, or the same, or not the keeper's.
    pub fn two_roots(
        log: &VerifierKey,
        one: &SignedCheckpoint,
        other: &SignedCheckpoint,
    ) -> Option<Self> {
        let offence = Offence::TwoRoots { one: one.clone(), other: other.clone() };
        Self { log: log.clone(), offence }.checked()
    }

    /// What two checkpoints and a proof within the newer log prove; `None` if the newer log continues the
    /// older one.
    pub fn fork(
        log: &VerifierKey,
        old: &SignedCheckpoint,
        new: &SignedCheckpoint,
        proof: Vec<Hash>,
    ) -> Option<Self> {
        let offence = Offence::Fork { old: old.clone(), new: new.clone(), proof };
        Self { log: log.clone(), offence }.checked()
    }

    /// Itself, if it convicts.
    pub fn checked(self) -> Option<Self> {
        self.verify().is_ok().then_some(self)
    }

    /// What the keeper did, in a word or two.
    pub fn name(&self) -> &'static str {
        match self.offence {
            Offence::TwoRoots { .. } => "two roots",
            Offence::Fork { .. } => "fork",
            Offence::Backwards { .. } => "backwards",
            Offence::Withholding { .. } => "withholding",
        }
    }

    /// Checks that the holder of the key did it.
    ///
    /// # Errors
    /// [`EvidenceError`].
    pub fn verify(&self) -> Result<(), EvidenceError> {
        if self.log.algorithm != Algorithm::Ed25519 {
            return Err(EvidenceError::NoOffence("a keeper's key signs checkpoints"));
        }
        match &self.offence {
            Offence::TwoRoots { one, other } => {
                one.verify(&self.log)?;
                other.verify(&self.log)?;
                let (one, other) = (one.checkpoint(), other.checkpoint());
                offence(one.size == other.size, "the logs differ in size")?;
                offence(one.root != other.root, "the logs are the same")
            }
            Offence::Fork { old, new, proof } => {
                old.verify(&self.log)?;
                new.verify(&self.log)?;
                let (old, new) = (old.checkpoint(), new.checkpoint());
                let differ = contradicts((old.size, &old.root), (new.size, &new.root), proof)?;
                offence(differ, "the newer log continues the older one")
            }
            Offence::Backwards { log, leaves } => {
                self.verify_stretch(log, leaves)?;
                let back = |pair: &[crate::Leaf]| match pair {
                    [before, after] => after.time < before.time,
                    _ => false,
                };
                let shown = leaves.leaves.windows(2).any(back);
                offence(shown, "the times of the leaves do not decrease")
            }
            Offence::Withholding { promise, log, leaves } => {
                let origin = &log.checkpoint().origin;
                promise.verify(origin, &self.log.key)?;
                self.verify_stretch(log, leaves)?;
                let end = leaves.first.saturating_add(leaves.leaves.len() as u64);
                offence(leaves.first <= promise.size, "leaves after the promise are not shown")?;
                offence(end > promise.size, "the log does not go on after the promise")?;
                let late = leaves.leaves.last().is_some_and(|leaf| {
                    leaf.is_tick(&self.log.key) && leaf.time > promise.deadline
                });
                offence(late, "there is no heartbeat after the deadline")?;
                let is_it = |leaf: &crate::Leaf| leaf.header.digest() == promise.entry;
                offence(!leaves.leaves.iter().any(is_it), "the entry is in the log")
            }
        }
    }

    fn verify_stretch(
        &self,
        log: &SignedCheckpoint,
        leaves: &Stretch,
    ) -> Result<(), EvidenceError> {
        log.verify(&self.log)?;
        let checkpoint = log.checkpoint();
        Ok(leaves.verify(checkpoint.size, &checkpoint.root)?)
    }
}

fn offence(shown: bool, otherwise: &'static str) -> Result<(), EvidenceError> {
    if shown { Ok(()) } else { Err(EvidenceError::NoOffence(otherwise)) }
}

impl Encode for Evidence {
    fn encode(&self, out: &mut Vec<u8>) {
        let note = |signed: &SignedCheckpoint, out: &mut Vec<u8>| {
            put_bytes(out, signed.to_text().as_bytes());
        };
        out.push(VERSION);
        put_bytes(out, self.log.to_string().as_bytes());
        match &self.offence {
            Offence::TwoRoots { one, other } => {
                out.push(0);
                note(one, out);
                note(other, out);
            }
            Offence::Fork { old, new, proof } => {
                out.push(1);
                note(old, out);
                note(new, out);
                encode_proof(proof, out);
            }
            Offence::Backwards { log, leaves } => {
                out.push(2);
                note(log, out);
                leaves.encode(out);
            }
            Offence::Withholding { promise, log, leaves } => {
                out.push(3);
                promise.encode(out);
                note(log, out);
                leaves.encode(out);
            }
        }
    }
}

impl Decode for Evidence {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let refused = |error: NoteError| DecodeError::invalid("evidence", error);
        let note = |reader: &mut Reader<'_>| {
            SignedCheckpoint::parse(reader.bytes("checkpoint", MAX_NOTE)?).map_err(refused)
        };
        match reader.u8()? {
            VERSION => {}
            got => return Err(DecodeError::invalid("evidence version", format!("{got}, not 1"))),
        }
        let log = reader.text("key", MAX_KEY)?.parse().map_err(refused)?;
        let offence = match reader.u8()? {
            0 => Offence::TwoRoots { one: note(reader)?, other: note(reader)? },
            1 => Offence::Fork {
                old: note(reader)?,
                new: note(reader)?,
                proof: decode_proof(reader)?,
            },
            2 => Offence::Backwards { log: note(reader)?, leaves: Stretch::decode(reader)? },
            3 => Offence::Withholding {
                promise: Promise::decode(reader)?,
                log: note(reader)?,
                leaves: Stretch::decode(reader)?,
            },
            _ => return Err(DecodeError::invalid("evidence", "unknown kind")),
        };
        Ok(Self { log, offence })
    }
}
