//! What is answered from: the rows of a key, or of a roll-up.

use crate::{BuiltEpoch, KeyTree, Table, leaf::Opening, rollup::BuiltRollup, sum_tree::SumTree};

/// Sorted rows under one root, with all that opens them.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    Key(&'a BuiltEpoch, &'a KeyTree),
    Rollup(&'a BuiltRollup),
}

impl<'a> Rows<'a> {
    pub(super) fn tree(self) -> &'a SumTree {
        match self {
            Self::Key(_, key) => &key.tree,
            Self::Rollup(rollup) => &rollup.tree,
        }
    }

    /// What the root commits to.
    pub(super) fn total(self) -> &'a Opening {
        match self {
            Self::Key(_, key) => &key.total,
            Self::Rollup(rollup) => &rollup.total,
        }
    }

    pub(super) fn value(self, rank: u64) -> Option<u64> {
        // A rank beyond memory is beyond the rows.
        let rank = usize::try_from(rank).ok()?;
        match self {
            Self::Key(_, key) => key.rows.get(rank).map(|row| row.value),
            Self::Rollup(rollup) => rollup.values.get(rank).copied(),
        }
    }

    pub(super) fn opening(self, table: &Table, column: u16, rank: u64) -> Option<Opening> {
        // As in `value`.
        let rank = usize::try_from(rank).ok()?;
        match self {
            Self::Key(built, key) => built.opening(table, column, key, rank),
            Self::Rollup(rollup) => rollup.openings.get(rank).cloned(),
        }
    }

    /// Rows with a value below `bound`.
    pub(super) fn below(self, bound: u64) -> u64 {
        let rows = match self {
            Self::Key(_, key) => key.rows.partition_point(|row| row.value < bound),
            Self::Rollup(rollup) => rollup.values.partition_point(|value| *value < bound),
        };
        rows as u64
    }
}
