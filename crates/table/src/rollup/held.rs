//! The roll-ups that an epoch holds.

use super::Predicate;
use crate::{
    Hash,
    header::EpochHeader,
    leaf::Opening,
    sum_tree::SumTree,
    trie::{Cover, Trie},
};

/// The keys of a region in one epoch.
pub(crate) struct Part {
    pub(crate) cover: Cover,
    /// Ascending.
    pub(crate) keys: Vec<Vec<u8>>,
}

/// A roll-up with its tree and all that opens it.
pub struct BuiltRollup {
    /// Its name.
    pub predicate: Predicate,
    /// Over the leaves of all keys.
    pub tree: SumTree,
    /// Epoch by epoch.
    pub(crate) parts: Vec<Part>,
    /// Row by row: which of the keys, counted through all parts, it is of.
    pub(crate) sources: Vec<u32>,
    /// Row by row: the value it is sorted by.
    pub(crate) values: Vec<u64>,
    pub(crate) openings: Vec<Opening>,
    /// What the root commits to.
    pub(crate) total: Opening,
    pub(crate) record: Hash,
}

/// The roll-ups of an epoch.
#[derive(Default)]
pub struct Rollups {
    /// By ascending hashes of their predicates.
    pub list: Vec<BuiltRollup>,
    /// The epochs from the first that is covered to the one before this.
    pub(crate) headers: Vec<EpochHeader>,
    /// Of a list that is not empty.
    pub(crate) trie: Option<Trie>,
}

impl Rollups {
    /// The roll-up of a name, if it is there.
    pub fn get(&self, predicate: &Predicate) -> Option<&BuiltRollup> {
        self.list.iter().find(|rollup| rollup.predicate == *predicate)
    }
}
