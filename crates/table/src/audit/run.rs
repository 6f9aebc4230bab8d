//! What must be shown about each key's rows, derived from the leaves alone.

use algebra::{Group as _, Scalar as _};

use super::{
    leaves::{ColumnLeaves, KeyLeaves},
    rollups::RolledLeaves,
};
use crate::{
    Schema,
    commitment::{BASES, Point, Scalar},
    leaf::Opening,
    range::ValueOpening,
};

/// Statements about one value column of one key.
pub(super) struct Run<'a> {
    /// The ordered column in whose tree the leaves stand, by position among the ordered ones; one
    /// past the last for roll-ups.
    pub(super) tree: usize,
    /// The key or roll-up, by position.
    pub(super) index: usize,
    pub(super) key: &'a KeyLeaves,
    /// The value column.
    pub(super) column: u16,
    /// Its first slot.
    pub(super) slot: usize,
    /// `MAX`.
    pub(super) span: u64,
    pub(super) bits: u32,
    /// Whether differences of neighbours are shown, or the two bounds of every value.
    pub(super) sorted: bool,
}

/// All runs of an epoch: first the differences of every ordered column, key by key, then the bounds
/// of every column without order, last the differences of every roll-up.
pub(super) fn runs<'a>(
    schema: &Schema,
    columns: &'a [ColumnLeaves],
    rolled: &'a [RolledLeaves],
) -> Vec<Run<'a>> {
    let mut sorted = Vec::new();
    let mut extras = Vec::new();
    for (tree, leaves) in columns.iter().enumerate() {
        let slots = schema.slots(leaves.column);
        for (slot, column) in slots.iter().enumerate().filter(|(_, slot)| slot.power == 1) {
            let is_sorted = column.column == leaves.column;
            let Some(value) = schema.value(column.column) else { continue };
            let list = if is_sorted { &mut sorted } else { &mut extras };
            list.extend(leaves.keys.iter().enumerate().map(|(index, key)| Run {
                tree,
                index,
                key,
                column: column.column,
                slot,
                span: value.span(),
                bits: value.bits(),
                sorted: is_sorted,
            }));
        }
    }
    sorted.extend(extras);
    sorted.extend(rolled.iter().enumerate().filter_map(|(index, rollup)| {
        let column = rollup.predicate.column;
        let value = schema.value(column)?;
        Some(Run {
            tree: columns.len(),
            index,
            key: &rollup.leaves,
            column,
            slot: 0,
            span: value.span(),
            bits: value.bits(),
            sorted: true,
        })
    }));
    sorted
}

impl Run<'_> {
    pub(super) fn len(&self) -> usize {
        if self.sorted { self.key.rows() + 1 } else { 2 * self.key.rows() }
    }

    /// The commitments to what must lie in `[0, 2^b)`.
    pub(super) fn statements(&self) -> Vec<Point> {
        let maximum = BASES.value.mul(&Scalar::from_u64(self.span));
        match self.sorted {
            true => differences(self.key.slot(self.slot).copied(), Point::identity(), maximum),
            false => self.key.slot(self.slot).flat_map(|value| [*value, maximum - value]).collect(),
        }
    }

    /// The openings of the statements; `None` if the rows are not what they must be.
    pub(super) fn openings(&self, rows: &[Opening], values: &[u64]) -> Option<Vec<ValueOpening>> {
        let blindings: Option<Vec<Scalar>> =
            rows.iter().map(|row| row.blindings.get(self.slot).copied()).collect();
        let blindings = blindings?;
        if !self.sorted {
            let pair = |(&value, &r): (&u64, &Scalar)| {
                Some([(value, r), (self.span.checked_sub(value)?, -r)])
            };
            let pairs: Option<Vec<_>> = values.iter().zip(&blindings).map(pair).collect();
            return Some(pairs?.concat());
        }
        let blindings = differences(blindings.into_iter(), Scalar::ZERO, Scalar::ZERO);
        let ends = std::iter::once(&0).chain(values).zip(values.iter().chain([&self.span]));
        let steps: Option<Vec<u64>> = ends.map(|(from, to)| to.checked_sub(*from)).collect();
        Some(steps?.into_iter().zip(blindings).collect())
    }
}

/// `x_1 − first, x_2 − x_1, …, last − x_n`.
fn differences<T: Copy + std::ops::Sub<Output = T>>(
    items: impl Iterator<Item = T>,
    first: T,
    last: T,
) -> Vec<T> {
    let mut before = first;
    let mut differences: Vec<T> = items
        .map(|item| {
            let difference = item - before;
            before = item;
            difference
        })
        .collect();
    differences.push(last - before);
    differences
}
