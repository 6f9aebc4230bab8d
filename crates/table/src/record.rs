//! What an epoch records besides its rows (`docs/spec/table.md`).

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    hash::{AUX, Hash},
    identity::Rotation,
};

/// Something that an epoch records besides its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuxRecord {
    /// The root of the log of queries answered so far, so that abuse shows.
    QueryLog(Hash),
    /// The table that continues this one.
    Successor(Hash),
    /// From the next epoch on another key signs.
    Rotation(Rotation),
    /// The list of rows erased so far.
    Erasures {
        /// How many: one for every ordered column of a row.
        count: u64,
        /// The root over their tombstones.
        root: Hash,
    },
}

impl AuxRecord {
    /// The change of the operator's key, if it is one.
    pub fn rotation(&self) -> Option<&Rotation> {
        match self {
            Self::Rotation(rotation) => Some(rotation),
            _ => None,
        }
    }

    /// The root of the log of questions, if it is that.
    pub fn questions(&self) -> Option<Hash> {
        match self {
            Self::QueryLog(root) => Some(*root),
            _ => None,
        }
    }

    /// The table that continues this one, if it says so.
    pub fn successor(&self) -> Option<Hash> {
        match self {
            Self::Successor(table) => Some(*table),
            _ => None,
        }
    }

    /// How many rows were erased, and the root over their tombstones, if it says so.
    pub fn erasures(&self) -> Option<(u64, Hash)> {
        match self {
            Self::Erasures { count, root } => Some((*count, *root)),
            _ => None,
        }
    }
}

impl Encode for AuxRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::QueryLog(root) => {
                out.push(0);
                root.encode(out);
            }
            Self::Successor(table) => {
                out.push(1);
                table.encode(out);
            }
            Self::Rotation(rotation) => {
                out.push(2);
                rotation.encode(out);
            }
            Self::Erasures { count, root } => {
                out.push(3);
                count.encode(out);
                root.encode(out);
            }
        }
    }
}

impl Decode for AuxRecord {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            0 => Hash::decode(reader).map(Self::QueryLog),
            1 => Hash::decode(reader).map(Self::Successor),
            2 => Rotation::decode(reader).map(Self::Rotation),
            3 => Ok(Self::Erasures { count: reader.u64()?, root: Hash::decode(reader)? }),
            _ => Err(DecodeError::invalid("record", "unknown kind")),
        }
    }
}

/// `aux = H_aux(records)`, over each record's encoding.
pub fn hash_aux(records: &[AuxRecord]) -> Hash {
    let start = AUX.start().number(records.len() as u64);
    records.iter().fold(start, |hashing, record| hashing.bytes(&record.to_bytes())).finish()
}
