//! What epochs record besides their rows, and what follows from it: that a row was erased, that a question
//! was noted.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{Checkpoint, LoggedEpoch, merkle};
use crate::{AuxRecord, EpochHeader, Fault, Hash, Table, hash_aux};

/// Records of an epoch.
const MAX_RECORDS: usize = 1 << 8;

/// Requires that these are all records of an epoch.
///
/// # Errors
/// [`Fault::Mismatch`].
pub fn check_records(header: &EpochHeader, records: &[AuxRecord]) -> Result<(), Fault> {
    match hash_aux(records) == header.core.aux {
        true => Ok(()),
        false => Err(Fault::Mismatch { what: "the records of an epoch" }),
    }
}

/// The one record of a kind that an epoch may have.
///
/// # Errors
/// [`Fault::Number`] for none, or more than one.
pub(crate) fn only<T>(
    what: &'static str,
    records: &[AuxRecord],
    of: impl Fn(&AuxRecord) -> Option<T>,
) -> Result<T, Fault> {
    let mut found: Vec<T> = records.iter().filter_map(of).collect();
    match (found.pop(), found.len() as u64) {
        (Some(only), 0) => Ok(only),
        (None, got) => Err(Fault::Number { what, got, expected: 1 }),
        (Some(_), more) => Err(Fault::Number { what, got: more + 1, expected: 1 }),
    }
}

/// An epoch in the log, with all that it records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRecords {
    /// The epoch.
    pub epoch: LoggedEpoch,
    /// All its records.
    pub records: Vec<AuxRecord>,
}

impl LoggedRecords {
    /// Checks that the checkpoint's log holds the epoch, and that it records these and nothing else.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, checkpoint: &Checkpoint) -> Result<(), Fault> {
        self.epoch.verify(table, checkpoint)?;
        check_records(&self.epoch.header, &self.records)
    }
}

impl Encode for LoggedRecords {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        encode_records(&self.records, out);
    }
}

impl Decode for LoggedRecords {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { epoch: LoggedEpoch::decode(reader)?, records: decode_records(reader)? })
    }
}

/// What is left of a row that the operator erased: its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The row's epoch.
    pub epoch: u32,
    /// The ordered column.
    pub column: u16,
    /// The row's pseudonym in it.
    pub pseudonym: Hash,
}

impl Encode for Tombstone {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.column.encode(out);
        self.pseudonym.encode(out);
    }
}

impl Decode for Tombstone {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { epoch: reader.u32()?, column: reader.u16()?, pseudonym: Hash::decode(reader)? })
    }
}

/// A row was erased: its tombstone is in the list that a later epoch records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureProof {
    /// An epoch that records the list.
    pub recorded: LoggedRecords,
    /// The tombstone's place in the list, from 0.
    pub number: u64,
    /// The tombstone.
    pub tombstone: Tombstone,
    /// Siblings in the list's tree, from the bottom.
    pub inclusion: Vec<Hash>,
}

impl ErasureProof {
    /// Checks that the operator says in its log that it erased the row; how many it erased until then. That
    /// the bytes are gone, nothing can show.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, checkpoint: &Checkpoint) -> Result<u64, Fault> {
        self.recorded.verify(table, checkpoint)?;
        let Self { recorded, number, tombstone, inclusion } = self;
        let (count, root) = only("lists of erasures", &recorded.records, AuxRecord::erasures)?;
        let header = &recorded.epoch.header;
        let in_time = table.genesis().first_epoch..header.core.epoch;
        if !in_time.contains(&tombstone.epoch) {
            return Err(Fault::Bounds { what: "the epoch of an erased row" });
        }
        if !table.schema().ordered().any(|column| column == tombstone.column) {
            return Err(Fault::Bounds { what: "the column" });
        }
        let leaf = merkle::leaf_hash(&tombstone.to_bytes());
        match merkle::root_from_inclusion(*number, count, &leaf, inclusion)? == root {
            true => Ok(count),
            false => Err(Fault::Mismatch { what: "the list of erasures" }),
        }
    }
}

impl Encode for ErasureProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.recorded.encode(out);
        self.number.encode(out);
        self.tombstone.encode(out);
        merkle::encode_proof(&self.inclusion, out);
    }
}

impl Decode for ErasureProof {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            recorded: LoggedRecords::decode(reader)?,
            number: reader.u64()?,
            tombstone: Tombstone::decode(reader)?,
            inclusion: merkle::decode_proof(reader)?,
        })
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
