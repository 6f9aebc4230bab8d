//! Tables that continue others: the genesis of the new one names the log that it continues, and the old one
//! records the name of the new one in a later epoch (`docs/spec/table.md`).

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    AuxRecord, Continued, Fault, Hash, Table,
    log::{Checkpoint, LoggedRecords, merkle, only},
};

/// Two tables name each other. Either alone is not enough: anybody can make a table that names another, and an
/// operator can name any table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession {
    /// The old table's epoch that records the successor.
    pub recorded: LoggedRecords,
    /// From the log that the successor's genesis names to the checkpoint's.
    pub consistency: Vec<Hash>,
}

impl Succession {
    /// Checks that `next` continues the table whose log the checkpoint is of, and that this table says so.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(
        &self,
        table: &Table,
        checkpoint: &Checkpoint,
        next: &Table,
    ) -> Result<(), Fault> {
        self.recorded.verify(table, checkpoint)?;
        if only("successors", &self.recorded.records, AuxRecord::successor)? != *next.id() {
            return Err(Fault::Mismatch { what: "the table that follows" });
        }
        let continued = next.genesis().continues.as_ref();
        let continued = continued.filter(|continued| continued.table == *table.id());
        let Continued { epochs, root, .. } =
            continued.ok_or(Fault::Mismatch { what: "the table that is continued" })?;
        if *epochs == 0 {
            return Err(Fault::Bounds { what: "the epochs of the table that is continued" });
        }
        let newest = (checkpoint.size, &checkpoint.root);
        Ok(merkle::verify_consistency((*epochs, root), newest, &self.consistency)?)
    }
}

impl Encode for Succession {
    fn encode(&self, out: &mut Vec<u8>) {
        self.recorded.encode(out);
        merkle::encode_proof(&self.consistency, out);
    }
}

impl Decode for Succession {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let recorded = LoggedRecords::decode(reader)?;
        Ok(Self { recorded, consistency: merkle::decode_proof(reader)? })
    }
}
