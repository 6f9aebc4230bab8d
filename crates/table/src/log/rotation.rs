//! Changes of the operator's signing key (`docs/spec/table.md`): a record of an epoch, signed by the old key
//! and by the new one. Checkpoints beyond that epoch, and receipts given after it, verify under the
//! new key only.

use board::Identity;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    Checkpoint, LoggedEpoch,
    records::{check_records, only},
};
use crate::{AuxRecord, Fault, PublicKey, Table};

const DOMAIN: &str = "subrosa/table/rotation";
/// Records of an epoch.
const MAX_RECORDS: usize = 1 << 8;

/// The operator hands over to a new key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The epoch that records it: the last one that the old key signs into the log.
    pub epoch: u32,
    /// The key until then.
    pub old: PublicKey,
    /// The key from then on.
    pub new: PublicKey,
    /// The old key's consent, over table, epoch and both keys.
    pub consent: [u8; 64],
    /// The new key's, over the same.
    pub acceptance: [u8; 64],
}

fn message(table: &Table, epoch: u32, old: &PublicKey, new: &PublicKey) -> Digest {
    let mut bytes = table.id().to_bytes();
    epoch.encode(&mut bytes);
    old.encode(&mut bytes);
    new.encode(&mut bytes);
    Digest::of(DOMAIN, &bytes)
}

impl Rotation {
    /// Signs with both keys.
    pub fn sign(table: &Table, epoch: u32, old: &Identity, new: &Identity) -> Self {
        let (old_key, new_key) = (PublicKey::of(old), PublicKey::of(new));
        let message = message(table, epoch, &old_key, &new_key);
        let [consent, acceptance] = [old, new].map(|signer| signer.sign(DOMAIN, message));
        Self { epoch, old: old_key, new: new_key, consent, acceptance }
    }

    /// Whether both hand over in the same epoch to the same key.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        (self.epoch, self.old, self.new) == (other.epoch, other.old, other.new)
    }

    /// Checks both signatures. Whether the old key is the table's says [`Table::rotate`].
    ///
    /// # Errors
    /// [`Fault::Signature`].
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        let Self { epoch, old, new, consent, acceptance } = self;
        let message = message(table, *epoch, old, new);
        let genuine =
            old.0.verify(DOMAIN, message, consent) && new.0.verify(DOMAIN, message, acceptance);
        genuine.then_some(()).ok_or(Fault::Signature { what: "rotation" })
    }
}

impl Encode for Rotation {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.old.encode(out);
        self.new.encode(out);
        out.extend_from_slice(&self.consent);
        out.extend_from_slice(&self.acceptance);
    }
}

impl Decode for Rotation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            epoch: reader.u32()?,
            old: PublicKey::decode(reader)?,
            new: PublicKey::decode(reader)?,
            consent: reader.array()?,
            acceptance: reader.array()?,
        })
    }
}

/// A rotation with its place in the log: what whoever knows only the genesis is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRotation {
    /// The epoch that records it.
    pub epoch: LoggedEpoch,
    /// All that the epoch records.
    pub records: Vec<AuxRecord>,
}

impl LoggedRotation {
    /// Checks that the log of a checkpoint records the rotation, and lets the table know it.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn apply(&self, table: &mut Table, checkpoint: &Checkpoint) -> Result<(), Fault> {
        self.epoch.verify(table, checkpoint)?;
        let core = &self.epoch.header.core;
        check_records(&self.epoch.header, &self.records)?;
        let rotation =
            only("rotations of an epoch", &self.records, |record| record.rotation().cloned())?;
        if rotation.epoch != core.epoch {
            return Err(Fault::Mismatch { what: "the epoch of a rotation" });
        }
        table.rotate(&rotation)
    }
}

impl Encode for LoggedRotation {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        encode_records(&self.records, out);
    }
}

impl Decode for LoggedRotation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { epoch: LoggedEpoch::decode(reader)?, records: decode_records(reader)? })
    }
}

/// Appends the records of an epoch.
pub(crate) fn encode_records(records: &[AuxRecord], out: &mut Vec<u8>) {
    (records.len() as u32).encode(out);
    records.iter().for_each(|record| record.encode(out));
}

/// Reads the records of an epoch.
pub(crate) fn decode_records(reader: &mut Reader<'_>) -> Result<Vec<AuxRecord>, DecodeError> {
    let count = reader.count("records", MAX_RECORDS)?;
    (0..count).map(|_| AuxRecord::decode(reader)).collect()
}
