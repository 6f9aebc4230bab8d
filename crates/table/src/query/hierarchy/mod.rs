//! Which boxes a policy's hierarchy answers about, and which of them it withholds (`docs/spec/table-answers.md`,
//! against differencing).
//!
//! A hierarchy is a list of orders of type columns. An order `c_1, .., c_k` is a tree of boxes: all rows; in it a box
//! for every value of `c_1`; in each of these a box for every value of `c_2`; and so on. For every epoch by itself,
//! with `m = min_count`:
//!
//! 1. A box without rows is answered, with that; one with fewer than `m` is withheld
//!    ([`Withheld::Small`]). At first all rows are one block.
//! 2. The boxes come order by order and level by level, from the box with most rows to the box with fewest, and equal
//!    boxes from the greatest codes to the least. A box cuts the blocks that it meets, unless it would cut a block into
//!    a part with rows, but fewer than `m`. Every box that does not cut is withheld ([`Withheld::Complement`]).
//!
//! In one order this is complementary suppression: if the small children of a box have fewer than `m` rows together,
//! the smallest of their siblings is withheld, too (of equal siblings, the one with the least code). No box is withheld
//! that could be answered beside the others. A question about several epochs is answered if its box is answered in each
//! of them.
//!
//! # What follows
//! Blocks are disjoint, each has at least `m` rows, and an answered box, of any order, is a union of blocks. Therefore
//! every answer, about any epochs and in any sequence of questions, is computed from the values of whole blocks. A
//! linear combination of sums gives all rows of a block the same weight. So if it gives weight to any row, it gives
//! weight to at least `m` rows. Blocks only become smaller: a box that cannot cut at its turn can never cut later, and
//! later orders yield to earlier ones.
//!
//! The epoch's counts alone determine what is withheld, so asking again shows nothing more. Every verifier computes it
//! from the keys that an answer shows. Parts of boxes, between cuts or above a rank, have counts of their own that no
//! verifier sees. So histograms and top shares are refused.
//!
//! The proof of a value by rank also shows how many rows of each key are on either side of it. So it is given only for
//! boxes in which every key has `m` rows, and withheld for others ([`Withheld::Parts`]). Therefore values can be
//! exchanged among the rows of a key of such a box, or of a block elsewhere, at least `m` of them, and no answer that
//! an outsider sees changes.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{KeyBox, Region};
use crate::{Fault, Kind, Schema};

/// Why a box of the hierarchy is not answered about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Withheld {
    /// It has fewer rows than `min_count`, in at least one epoch.
    Small = 0,
    /// It has enough rows, and would show fewer by subtraction.
    Complement = 1,
    /// A key in it has fewer rows than `min_count`, and a value by rank shows where they stand.
    Parts = 2,
}

impl Withheld {
    /// For people: `small`, `to protect another`, or `small parts`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Complement => "to protect another",
            Self::Parts => "small parts",
        }
    }
}

/// The hierarchy of a checked schema.
pub(crate) struct Hierarchy<'a> {
    schema: &'a Schema,
    /// Positions of type columns, from the outermost, by order.
    orders: Vec<Vec<usize>>,
}

/// The rows of a key on their way through the boxes.
struct Counted {
    codes: Vec<u64>,
    rows: u64,
    /// The block that they are in.
    block: usize,
    /// The box of a level that they are in.
    path: Vec<u64>,
}

impl<'a> Hierarchy<'a> {
    /// The policy's hierarchy, if it has one.
    pub(crate) fn of(schema: &'a Schema) -> Option<Self> {
        let position = |name: &String| schema.types.iter().position(|column| column.name == *name);
        let order = |names: &Vec<String>| names.iter().filter_map(position).collect();
        Some(Self { schema, orders: schema.policy.hierarchy.as_ref()?.iter().map(order).collect() })
    }

    /// The box that a region is.
    ///
    /// # Errors
    /// [`Fault::Hierarchy`] for a region that is not one box of the hierarchy.
    pub(crate) fn find<'r>(&self, region: &'r Region) -> Result<&'r KeyBox, Fault> {
        if let [key_box] = region.boxes.as_slice()
            && (self.is_box(key_box, &[])
                || self.orders.iter().any(|order| self.is_box(key_box, order)))
        {
            return Ok(key_box);
        }
        let order = |names: &Vec<String>| format!("`{}`", names.join("`, `"));
        let orders: Vec<String> =
            self.schema.policy.hierarchy.iter().flatten().map(order).collect();
        let boxes = match orders.is_empty() {
            true => "all rows".to_owned(),
            false => {
                format!("all rows, or one value each of the first of {}", orders.join("; or of "))
            }
        };
        Err(Fault::Hierarchy { boxes })
    }

    /// Whether a box fixes the first columns of an order, and leaves all others open.
    fn is_box(&self, key_box: &KeyBox, order: &[usize]) -> bool {
        let is_open = |index: &usize| {
            let column = self.schema.types.get(*index);
            key_box.ranges.get(*index).copied() == column.map(|column| (0, column.max()))
        };
        let is_fixed =
            |index: &usize| key_box.ranges.get(*index).is_some_and(|(low, high)| low == high);
        let fixed = order.iter().rposition(|index| !is_open(index)).map_or(0, |last| last + 1);
        let (fixed, _) = order.split_at(fixed);
        let mut others = (0..key_box.ranges.len()).filter(|index| !fixed.contains(index));
        fixed.iter().all(is_fixed) && others.all(|index| is_open(&index))
    }

    /// Why a question is withheld in an epoch with these keys and rows, if it is.
    ///
    /// # Errors
    /// [`Fault::Hierarchy`] for a question that is not about a box; [`Fault::Bounds`] for a key that is
    /// not one of the schema.
    pub(crate) fn rule<'k>(
        &self,
        (region, kind): (&Region, Kind),
        keys: impl Iterator<Item = (&'k [u8], u64)> + Clone,
    ) -> Result<Option<Withheld>, Fault> {
        let key_box = self.find(region)?;
        let is_inside = |key: &[u8]| region.overlaps(self.schema, key, (8 * key.len()) as u16);
        let policy = &self.schema.policy;
        let mut inside = keys.clone().filter(|(key, _)| is_inside(key));
        let is_parted = inside.any(|(_, rows)| !policy.covers(kind, rows));
        Ok(self.withheld(key_box, keys)?.or(is_parted.then_some(Withheld::Parts)))
    }

    /// Why a box is withheld in an epoch with these keys and rows, if it is.
    ///
    /// # Errors
    /// [`Fault::Bounds`] for a key that is not one of the schema.
    fn withheld<'k>(
        &self,
        key_box: &KeyBox,
        keys: impl Iterator<Item = (&'k [u8], u64)>,
    ) -> Result<Option<Withheld>, Fault> {
        let read = |(key, rows): (&[u8], u64)| {
            let codes = self.schema.decode_key(key).ok_or(Fault::Bounds { what: "a key" })?;
            Ok(Counted { codes, rows, block: 0, path: Vec::new() })
        };
        let mut keys: Vec<Counted> = keys.map(read).collect::<Result<_, Fault>>()?;
        let is_inside = |key: &&Counted| {
            let mut fields = key_box.ranges.iter().zip(&key.codes);
            fields.all(|((low, high), code)| (low..=high).contains(&code))
        };
        match keys.iter().filter(is_inside).map(|key| key.rows).sum::<u64>() {
            0 => return Ok(None),
            rows if rows < self.schema.policy.min_count => return Ok(Some(Withheld::Small)),
            _ => {}
        }
        self.cut(&mut keys);
        let inside: BTreeSet<usize> = keys.iter().filter(is_inside).map(|key| key.block).collect();
        let mut outside = keys.iter().filter(|key| !is_inside(key)).map(|key| key.block);
        Ok(outside.any(|block| inside.contains(&block)).then_some(Withheld::Complement))
    }

    /// Rule 2: puts every key into its block.
    fn cut(&self, keys: &mut [Counted]) {
        let mut blocks = vec![keys.iter().map(|key| key.rows).sum()];
        for order in &self.orders {
            for depth in 1..=order.len() {
                for key in keys.iter_mut() {
                    let path = order.iter().take(depth);
                    key.path = path.filter_map(|index| key.codes.get(*index).copied()).collect();
                }
                keys.sort_unstable_by(|a, b| a.path.cmp(&b.path));
                let mut boxes: Vec<&mut [Counted]> =
                    keys.chunk_by_mut(|a, b| a.path == b.path).collect();
                // The most rows first; of equal ones, the sort being stable, the greatest codes.
                boxes.reverse();
                let rows = |one: &&mut [Counted]| one.iter().map(|key| key.rows).sum::<u64>();
                boxes.sort_by_cached_key(|one| Reverse(rows(one)));
                for one in boxes {
                    split(self.schema.policy.min_count, one, &mut blocks);
                }
            }
        }
    }
}

/// Cuts the blocks that a box meets, unless too small a part would remain of one, in the box or outside.
/// `blocks` are their rows, by number.
fn split(min_count: u64, one: &mut [Counted], blocks: &mut Vec<u64>) {
    let mut parts: BTreeMap<usize, u64> = BTreeMap::new();
    for key in one.iter() {
        *parts.entry(key.block).or_default() += key.rows;
    }
    let rest = |block: usize, part: u64| blocks.get(block).map_or(0, |rows| rows - part);
    parts.retain(|block, part| rest(*block, *part) > 0);
    if parts.iter().any(|(block, part)| (*part).min(rest(*block, *part)) < min_count) {
        return;
    }
    let mut renamed: BTreeMap<usize, usize> = BTreeMap::new();
    for (old, part) in parts {
        renamed.insert(old, blocks.len());
        if let Some(rows) = blocks.get_mut(old) {
            *rows -= part;
        }
        blocks.push(part);
    }
    // Blocks that are not cut keep their numbers.
    for key in one {
        key.block = renamed.get(&key.block).copied().unwrap_or(key.block);
    }
}

#[cfg(test)]
mod tests;
