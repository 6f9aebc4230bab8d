//! Roll-ups (`docs/spec/table-answers.md`): one sorted sum tree over the rows of many keys and epochs, so that a
//! quantile over `w` epochs of `K` keys takes two range statements instead of `2wK`, and shows the
//! ranks of no key.
//!
//! ```text
//! sums    the trees of a region's keys, in epochs that are in the log
//! merged  their leaves, unchanged, in one order by value: a sum tree like that of a key
//! record  H_roll(table, predicate, log size, count, enc(2C_1).., h), in a trie keyed by H(predicate)
//! audit   covers of the region show that no key is missing; every leaf is there once; d_0..d_n ≥ 0
//! answer  the path of the record in an epoch of the log, then what a single key would prove
//! ```
//!
//! A roll-up is named by its [`Predicate`] and not by a list of keys: auditors derive the list again, and verifiers
//! derive the predicate from the query. It is in an epoch of the log, because otherwise an operator could show
//! everybody a different one. It covers only earlier epochs.
//!
//! Auditors learn how the rows of the keys interleave. So the policy must allow roll-ups, and every key that they cover
//! has `min_count` rows.

mod build;
mod held;
mod proof;
#[cfg(test)]
mod tests;

pub(crate) use held::Part;
pub use held::{BuiltRollup, Rollups};
pub use proof::RolledUp;

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    Fault, Hash, Schema, Table,
    hash::{PREDICATE, ROLLUP, ROLLUP_LEAF},
    query::{Query, Region},
    sum_tree::Root,
};

/// Which rows a roll-up holds: all of a region, in the trees of one ordered column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The ordered column, which a client could not tell from a leaf.
    pub column: u16,
    /// Keys and epochs.
    pub region: Region,
}

impl Predicate {
    /// The roll-up that answers a query.
    pub fn of(schema: &Schema, query: &Query) -> Self {
        Self { column: query.slots(schema).0, region: query.region.clone() }
    }

    /// The key in the trie of roll-ups.
    pub fn hash(&self) -> Hash {
        PREDICATE.start().bytes(&self.to_bytes()).finish()
    }

    /// Checks that an epoch may hold the roll-up: schema and policy allow it, and every epoch that
    /// it covers comes before.
    ///
    /// # Errors
    /// [`Fault::Policy`], [`Fault::Query`].
    pub fn check(&self, table: &Table, epoch: u32) -> Result<(), Fault> {
        let refused = |code, reason| Err(Fault::Policy { code, reason });
        if !table.schema().policy.rollups {
            return refused("rollups", "the policy does not allow roll-ups");
        }
        if !table.schema().value(self.column).is_some_and(|column| column.ordered) {
            return refused("order", "the column is not ordered");
        }
        self.region.check(table, log_size(table, epoch))
    }

    /// `H_roll`: the record of the roll-up that an epoch holds.
    pub(crate) fn record(&self, table: &Table, epoch: u32, root: &Root) -> Hash {
        let start = ROLLUP.start().bytes(table.id().as_bytes()).bytes(&self.to_bytes());
        let start = start.number(log_size(table, epoch)).number(root.count);
        start.list(root.doubles.iter()).bytes(root.hash.as_bytes()).finish()
    }
}

/// The size of the log that the roll-ups of an epoch are built from: all epochs before it.
fn log_size(table: &Table, epoch: u32) -> u64 {
    epoch.saturating_sub(table.genesis().first_epoch).into()
}

/// The leaf of a record in the trie of roll-ups.
pub(crate) fn rollup_leaf(record: &Hash) -> Hash {
    ROLLUP_LEAF.start().bytes(record.as_bytes()).finish()
}

/// What every key under a roll-up is held to.
pub(crate) fn check_rows(table: &Table, rows: u64) -> Result<(), Fault> {
    match rows >= table.schema().policy.min_count.max(1) {
        true => Ok(()),
        false => {
            let reason = "a key under a roll-up has fewer rows than the policy's min_count";
            Err(Fault::Policy { code: "min-count", reason })
        }
    }
}

impl Encode for Predicate {
    fn encode(&self, out: &mut Vec<u8>) {
        self.column.encode(out);
        self.region.encode(out);
    }
}

impl Decode for Predicate {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { column: reader.u16()?, region: Region::decode(reader)? })
    }
}
