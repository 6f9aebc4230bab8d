//! Changes of the operator's key with their place in the log: what whoever knows only the genesis is shown.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{
    Checkpoint, LoggedEpoch,
    records::{check_records, decode_records, encode_records, only},
};
use crate::{AuxRecord, Fault, Table};

/// A rotation with its place in the log.
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
