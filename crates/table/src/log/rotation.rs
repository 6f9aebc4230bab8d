//! Changes of the operator's key with their place in the log: what whoever knows only the genesis is shown.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{
    Checkpoint, LoggedEpoch, SignedCheckpoint,
    checkpoint::parse,
    records::{check_records, decode_records, encode_records, only},
};
use crate::{
    AuxRecord, Fault, Refused, Table,
    checks::{TB_4, TB_5, TB_8, Under as _},
};

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

impl SignedCheckpoint {
    /// Reads a note of a table of which only the genesis is known, and lets it know the changes of
    /// the operator's key that the note's log records.
    ///
    /// # Errors
    /// As [`SignedCheckpoint::from_note`] and [`LoggedRotation::apply`].
    pub fn from_note_with(
        table: &mut Table,
        note: &str,
        rotations: &[LoggedRotation],
    ) -> Result<Self, Fault> {
        Ok(Self::check_note(table, note, rotations)?)
    }

    /// [`SignedCheckpoint::from_note_with`], naming the check that fails.
    pub(crate) fn check_note(
        table: &mut Table,
        note: &str,
        rotations: &[LoggedRotation],
    ) -> Result<Self, Refused> {
        let (checkpoint, _) = parse(note).under(TB_5)?;
        checkpoint.check_table(table)?;
        for rotation in rotations {
            rotation.epoch.verify(table, &checkpoint).under(TB_4)?;
            rotation.apply(table, &checkpoint).under(TB_8)?;
        }
        Self::from_note(table, note).under(TB_5)
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
