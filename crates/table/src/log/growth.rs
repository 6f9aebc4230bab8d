//! What an operator shows a witness: a checkpoint, and that its log continues the one that the
//! witness saw before.

use ::log::note::MAX_NOTE;
use board::Identity;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{Cosignature, Evidence, LoggedRotation, Rotation, SignedCheckpoint, merkle};
use crate::{Fault, Genesis, Hash, Table};

/// Bytes of a genesis, and changes of the operator's key.
const MAX_GENESIS: usize = 1 << 22;
const MAX_ROTATIONS: usize = 1 << 12;

/// A log that has grown, by itself: a witness needs nothing else but what it remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The table, with the rotations that follow.
    pub table: Table,
    /// Every change of the operator's key in the log.
    pub rotations: Vec<LoggedRotation>,
    /// The size that the proof starts from.
    pub since: u64,
    /// The root that the log had at that size: shown, so that a log which does not continue the one
    /// that a witness saw is proven not to.
    pub since_root: Hash,
    /// The log now.
    pub signed: SignedCheckpoint,
    /// From the one to the other.
    pub consistency: Vec<Hash>,
}

impl Growth {
    /// Checks everything that a witness checks, `seen` being the last checkpoint that it cosigned
    /// of this table: the operator signed, and the log only grew.
    ///
    /// # Errors
    /// [`Fault`]; two roots of one size are [`super::Evidence`].
    pub fn verify(&self, seen: Option<&SignedCheckpoint>) -> Result<(), Fault> {
        self.signed.verify_operator(&self.table)?;
        let new = &self.signed.checkpoint;
        let since = (self.since, &self.since_root);
        merkle::verify_consistency(since, (new.size, &new.root), &self.consistency)?;
        if self.since == 0 {
            require_same(&merkle::root::<[u8; 32]>(&[]), &self.since_root)?;
        }
        let Some(old) = seen.map(|seen| &seen.checkpoint) else { return Ok(()) };
        if old.table != new.table {
            return Err(Fault::Mismatch { what: "the checkpoint's origin" });
        }
        if old.size > new.size {
            return Err(Fault::Bounds { what: "the size of the log: it is older than one seen" });
        }
        if self.since != old.size && old.size != new.size {
            let (got, expected) = (self.since, old.size);
            return Err(Fault::Number { what: "epochs that the proof starts from", got, expected });
        }
        match old.size == new.size {
            true => require_same(&old.root, &new.root),
            false => require_same(&old.root, &self.since_root),
        }
    }

    /// What proves that the operator showed `seen` and this log to different people, if it did.
    pub fn fork(&self, seen: &SignedCheckpoint) -> Option<Evidence> {
        let (old, new) = (&seen.checkpoint, &self.signed.checkpoint);
        let (seen, signed) = (seen.clone(), self.signed.clone());
        let evidence = match old.size == new.size {
            true => Evidence::TwoRoots { one: seen, other: signed },
            false => {
                // The root of a complete old log is no part of the proof.
                let start = old.size.is_power_of_two().then_some(self.since_root);
                let consistency = start.into_iter().chain(self.consistency.iter().copied());
                Evidence::Fork { old: seen, new: signed, consistency: consistency.collect() }
            }
        };
        evidence.verify(&self.table).is_ok().then_some(evidence)
    }

    /// What proves that this log and another of the table record different changes of the operator's
    /// key, or that one goes on under a key which is handed over in the other: then neither can be
    /// verified under the keys of the other. `None` if the keys of one are the first of the other.
    pub fn succession(&self, other: &Self) -> Option<Evidence> {
        let (ours, theirs) = (self.table.rotations(), other.table.rotations());
        let common = ours.iter().zip(theirs).take_while(|(one, two)| one.agrees(two)).count();
        let retired = |rotation: &Rotation, signed: &SignedCheckpoint| Evidence::RetiredKey {
            rotation: rotation.clone(),
            checkpoint: signed.clone(),
        };
        let evidence = match (ours.get(common), theirs.get(common)) {
            (Some(one), Some(other)) => {
                Evidence::TwoSuccessors { one: one.clone(), other: other.clone() }
            }
            (Some(rotation), None) => retired(rotation, &other.signed),
            (None, Some(rotation)) => retired(rotation, &self.signed),
            (None, None) => return None,
        };
        evidence.verify(&self.table).is_ok().then_some(evidence)
    }

    /// Cosigns after [`Growth::verify`]. The witness remembers the checkpoint before it shows the
    /// cosignature to anybody.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn cosign(
        &self,
        seen: Option<&SignedCheckpoint>,
        witness: &Identity,
        time: u64,
    ) -> Result<Cosignature, Fault> {
        self.verify(seen)?;
        Ok(self.signed.checkpoint.cosign(witness, time))
    }
}

fn require_same(seen: &Hash, shown: &Hash) -> Result<(), Fault> {
    match seen == shown {
        true => Ok(()),
        false => Err(Fault::Mismatch { what: "the consistency of the log" }),
    }
}

impl Encode for Growth {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.table.genesis().to_bytes());
        (self.rotations.len() as u32).encode(out);
        self.rotations.iter().for_each(|rotation| rotation.encode(out));
        self.since.encode(out);
        self.since_root.encode(out);
        put_bytes(out, self.signed.to_note().as_bytes());
        merkle::encode_proof(&self.consistency, out);
    }
}

impl Decode for Growth {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let refused = |error: Fault| DecodeError::invalid("log", error);
        let genesis = Genesis::from_bytes(reader.bytes("genesis", MAX_GENESIS)?);
        let table = genesis.and_then(Table::new).map_err(Fault::from);
        let mut table = table.map_err(refused)?;
        let count = reader.count("rotations", MAX_ROTATIONS)?;
        let rotations = (0..count).map(|_| LoggedRotation::decode(reader));
        let rotations: Vec<LoggedRotation> = rotations.collect::<Result<_, _>>()?;
        let (since, since_root) = (reader.u64()?, Hash::decode(reader)?);
        let note = reader.text("checkpoint", MAX_NOTE)?;
        let signed = SignedCheckpoint::from_note_with(&mut table, note, &rotations);
        let signed = signed.map_err(refused)?;
        let consistency = merkle::decode_proof(reader)?;
        Ok(Self { table, rotations, since, since_root, signed, consistency })
    }
}
