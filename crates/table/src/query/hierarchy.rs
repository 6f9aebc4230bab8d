//! Which boxes a policy's hierarchy answers about, and which of them it withholds (section 4.4,
//! against differencing).
//!
//! A hierarchy of type columns `c_1, .., c_k` is a tree of boxes: all rows; in it a box for every
//! value of `c_1`; in each of these one for every value of `c_2`; and so on. Of every epoch by itself,
//! with `m = min_count`:
//!
//! 1. A box with rows, but fewer than `m`, is withheld ([`Withheld::Small`]).
//! 2. If the children of a box that 1. withholds have fewer than `m` rows together, the smallest of
//!    the other children that have rows is withheld, too, and of equal ones that with the least code
//!    ([`Withheld::Complement`]). It has `m` rows or more, hence one is enough; and there is one, unless
//!    the box itself has fewer than `m` rows.
//! 3. Below a withheld box, every box with rows is withheld.
//!
//! A box without rows is answered, with that. A question about several epochs is answered if its box
//! is in each of them.
//!
//! # What follows
//! The *rest* of an answered box is what remains of it without its answered children: nothing, or
//! the withheld children, or, if it has no children, the box. It has no rows or at least `m`, by 1. and 2.
//! Nothing in it is answered, by 3., so all rests are disjoint, and an answered box is the union of
//! the rests in it. Therefore every answer, about whichever epochs and in whichever order, is computed
//! from the values of whole rests; a linear combination of sums gives all rows of a rest the same
//! weight, and whatever weighs any row weighs at least `m`.
//!
//! What is withheld follows from the epoch's counts alone, so that asking again shows nothing more.
//! Every verifier computes it from the keys that an answer shows. Parts of boxes, between cuts or above
//! a rank, have counts of their own that no verifier sees: histograms and top shares are refused.

use std::collections::BTreeMap;

use super::Region;
use crate::{Fault, Schema};

/// Why a box of the hierarchy is not answered about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Withheld {
    /// It has fewer rows than `min_count`, in at least one epoch.
    Small,
    /// It has enough rows, and would show a small one by subtraction.
    Complement,
}

impl Withheld {
    /// For people: `small`, or `to protect another`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Complement => "to protect another",
        }
    }
}

/// The hierarchy of a checked schema.
pub(crate) struct Hierarchy<'a> {
    schema: &'a Schema,
    /// Positions of its type columns, from the outermost.
    columns: Vec<usize>,
}

impl<'a> Hierarchy<'a> {
    /// The policy's hierarchy, if it has one.
    pub(crate) fn of(schema: &'a Schema) -> Option<Self> {
        let position = |name: &String| schema.types.iter().position(|column| column.name == *name);
        let columns = schema.policy.hierarchy.as_ref()?.iter().filter_map(position).collect();
        Some(Self { schema, columns })
    }

    /// The codes by which a region is found in the tree: of the first columns, as many as it fixes.
    ///
    /// # Errors
    /// [`Fault::Hierarchy`] for a region that is not one box of the hierarchy.
    pub(crate) fn path(&self, region: &Region) -> Result<Vec<u64>, Fault> {
        self.find(region).ok_or_else(|| {
            let names = self.schema.policy.hierarchy.iter().flatten();
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let boxes = match names.is_empty() {
                true => "all rows".to_owned(),
                false => {
                    format!("all rows, or one value each of the first of {}", names.join(", "))
                }
            };
            Fault::Hierarchy { boxes }
        })
    }

    fn find(&self, region: &Region) -> Option<Vec<u64>> {
        let [key_box] = region.boxes.as_slice() else { return None };
        let is_open = |index: &usize| {
            let range = key_box.ranges.get(*index)?;
            Some(*range == (0, self.schema.types.get(*index)?.max()))
        };
        let fixed = self.columns.iter().rposition(|index| is_open(index) == Some(false));
        let (fixed, open) = self.columns.split_at(fixed.map_or(0, |last| last + 1));
        let mut others = (0..key_box.ranges.len()).filter(|index| !self.columns.contains(index));
        if !open.iter().all(|index| is_open(index) == Some(true))
            || !others.all(|index| is_open(&index) == Some(true))
        {
            return None;
        }
        let code = |index: &usize| {
            let (low, high) = *key_box.ranges.get(*index)?;
            (low == high).then_some(low)
        };
        fixed.iter().map(code).collect()
    }

    /// Why a box, by its path, is withheld in an epoch with these keys and rows, if it is.
    ///
    /// # Errors
    /// [`Fault::Bounds`] for a key that is not one of the schema.
    pub(crate) fn withheld<'k>(
        &self,
        path: &[u64],
        keys: impl Iterator<Item = (&'k [u8], u64)>,
    ) -> Result<Option<Withheld>, Fault> {
        let min_count = self.schema.policy.min_count;
        // Of all rows by the columns of the path.
        let mut counts: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        for (key, rows) in keys {
            let codes = self.schema.decode_key(key).ok_or(Fault::Bounds { what: "a key" })?;
            let columns = self.columns.iter().take(path.len());
            let codes = columns.filter_map(|index| codes.get(*index).copied()).collect();
            *counts.entry(codes).or_default() += rows;
        }
        match counts.get(path).copied().unwrap_or_default() {
            0 => return Ok(None),
            rows if rows < min_count => return Ok(Some(Withheld::Small)),
            _ => {}
        }
        // The boxes on the way have enough rows, too: what withholds any of them is rule 2.
        for (depth, code) in path.iter().enumerate() {
            let (parent, _) = path.split_at(depth);
            let mut children: BTreeMap<u64, u64> = BTreeMap::new();
            for (codes, rows) in counts.iter().filter(|(codes, _)| codes.starts_with(parent)) {
                *children.entry(codes.get(depth).copied().unwrap_or_default()).or_default() += rows;
            }
            if complement(min_count, &children) == Some(*code) {
                return Ok(Some(Withheld::Complement));
            }
        }
        Ok(None)
    }
}

/// Rule 2: which of the children with rows, by code, protects the small ones, if they need it.
fn complement(min_count: u64, children: &BTreeMap<u64, u64>) -> Option<u64> {
    let small: u64 = children.values().filter(|rows| **rows < min_count).sum();
    let others = children.iter().filter(|(_, rows)| **rows >= min_count);
    let smallest = others.min_by_key(|(code, rows)| (**rows, **code))?;
    (0 < small && small < min_count).then_some(*smallest.0)
}

#[cfg(test)]
mod tests;
