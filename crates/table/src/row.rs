//! Rows and where they stand (`docs/spec/table.md`).

use crate::hash::{Hash, ROW};

/// A row as the table stores it: whose, under which key, with which values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// An identifier that the user knows to be its own, such as a meter's serial number.
    pub user: Vec<u8>,
    /// The encoded type columns ([`crate::Schema::encode_key`]).
    pub key: Vec<u8>,
    /// The values in schema order, as offsets from each column's minimum.
    pub values: Vec<u64>,
}

/// Where a sum tree stands: a table, an epoch, a key and an ordered column.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The table.
    pub table: &'a Hash,
    /// The epoch.
    pub epoch: u32,
    /// The type columns.
    pub key: &'a [u8],
    /// The ordered column, by its position among all value columns.
    pub column: u16,
}

impl Place<'_> {
    /// `m`: binds a leaf to its place and pseudonym. A neighbour sees only this.
    pub fn tag(&self, pseudonym: &Hash) -> Hash {
        let start = ROW.start().bytes(self.table.as_bytes()).number(self.epoch.into());
        start.bytes(self.key).number(self.column.into()).bytes(pseudonym.as_bytes()).finish()
    }
}

/// One slot of a leaf: a power of a value column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The value column.
    pub column: u16,
    /// The power, from 1.
    pub power: u8,
}
