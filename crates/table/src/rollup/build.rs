//! Building roll-ups: the server's side.

use algebra::Group as _;
use rayon::prelude::*;

use super::{BuiltRollup, Part, Predicate, Rollups, check_rows, rollup_leaf};
use crate::{
    BuiltEpoch, EpochHeader, Fault, Hash, KeyTree, Leaf, Table, TableKeys, commitment::Point,
    leaf::Opening, sum_tree::SumTree, trie::Trie,
};

impl BuiltEpoch {
    /// Puts roll-ups over earlier epochs into this one. `headers` holds at least every epoch from
    /// the first that is covered, and `built` those that are covered. The same rows give the same
    /// bytes.
    ///
    /// # Errors
    /// [`Fault::Policy`] and [`Fault::Query`] for roll-ups that the policy refuses, over epochs that
    /// are not there, or of no rows; [`Fault::Duplicate`].
    pub fn roll_up(
        &mut self,
        table: &Table,
        secrets: &TableKeys,
        predicates: &[Predicate],
        headers: &[EpochHeader],
        built: &[BuiltEpoch],
    ) -> Result<(), Fault> {
        let epoch = self.core.epoch;
        let build = |predicate| BuiltRollup::build(table, secrets, epoch, predicate, built);
        let list: Vec<_> = predicates.iter().map(build).collect::<Result<_, Fault>>()?;
        match list.is_empty() {
            true => Ok(()),
            false => self.hold(list, headers),
        }
    }

    /// Puts roll-ups into the epoch, at least one.
    pub(super) fn hold(
        &mut self,
        mut list: Vec<BuiltRollup>,
        headers: &[EpochHeader],
    ) -> Result<(), Fault> {
        list.sort_by_cached_key(|rollup| rollup.predicate.hash());
        let names: Vec<Hash> = list.iter().map(|rollup| rollup.predicate.hash()).collect();
        let leaves = list.iter().map(|rollup| rollup_leaf(&rollup.record));
        let entries = names.iter().map(|name| name.as_bytes().as_slice()).zip(leaves);
        let trie = Trie::build(32, entries).ok_or(Fault::Duplicate { what: "a roll-up" })?;
        let first = list.iter().map(|rollup| rollup.predicate.region.from).min();
        // There is one at least, as is said above.
        let covered = first.unwrap_or_default()..self.core.epoch;
        let past = |header: &&EpochHeader| covered.contains(&header.core.epoch);
        let headers: Vec<_> = headers.iter().filter(past).cloned().collect();
        if headers.len() != covered.len() {
            return Err(Fault::Query { reason: "an epoch before the roll-up is missing" });
        }
        self.core.rollups = trie.root();
        self.rollups = Rollups { list, headers, trie: Some(trie) };
        Ok(())
    }
}

/// A row in its place in the merged order.
pub(super) struct RolledRow {
    /// Which of the keys, counted through all parts, it is of.
    pub(super) source: u32,
    pub(super) value: u64,
    pub(super) leaf: Leaf,
    pub(super) opening: Opening,
}

/// A row on its way into the merged order, which is that of its own key: by value, then tie.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Merged {
    value: u64,
    tie: [u8; 16],
    source: u32,
    rank: u32,
}

impl BuiltRollup {
    fn build(
        table: &Table,
        secrets: &TableKeys,
        epoch: u32,
        predicate: &Predicate,
        built: &[BuiltEpoch],
    ) -> Result<Self, Fault> {
        predicate.check(table, epoch)?;
        let Predicate { column, region } = predicate;
        let schema = table.schema();
        let overlaps = |key: &[u8], bits: u16| region.overlaps(schema, key, bits);
        let bits = (8 * schema.key_len()) as u16;
        let (mut parts, mut sources): (Vec<Part>, Vec<(&BuiltEpoch, &KeyTree)>) =
            Default::default();
        for covered in region.from..=region.to {
            let past = built.iter().find(|past| past.core.epoch == covered);
            let missing = Fault::Query { reason: "an epoch of the roll-up is missing" };
            let past = past.ok_or(missing)?;
            let trees = past.column(*column).ok_or(Fault::Bounds { what: "the column" })?;
            let inside = trees.keys.iter().filter(|key| overlaps(&key.key, bits));
            let before = sources.len();
            sources.extend(inside.map(|key| (past, key)));
            // `before` is no more than the list is long now.
            let inside = sources.get(before..).unwrap_or_default();
            inside.iter().try_for_each(|(_, key)| check_rows(table, key.tree.count()))?;
            let keys = inside.iter().map(|(_, key)| key.key.clone()).collect();
            parts.push(Part { cover: trees.types.cover(&overlaps), keys });
        }
        if sources.iter().any(|(_, key)| key.erased > 0) {
            return Err(Fault::ERASED);
        }
        let merged = |(source, (past, key)): (usize, &(&BuiltEpoch, &KeyTree))| {
            let place = (past.core.epoch, source as u32);
            let rows = (0_u32..).zip(&key.rows).map(move |(rank, row)| {
                let tie = secrets.tie(table.id(), place.0, *column, &row.pseudonym);
                Merged { value: row.value, tie, source: place.1, rank }
            });
            rows.collect::<Vec<_>>()
        };
        let mut rows: Vec<Merged> = sources.par_iter().enumerate().flat_map_iter(merged).collect();
        if rows.is_empty() {
            return Err(Fault::Query { reason: "a roll-up has rows" });
        }
        rows.par_sort_unstable();
        let open = |row: &Merged| {
            let (past, key) = sources.get(row.source as usize)?;
            let opening = past.opening(table, *column, key, row.rank as usize)?;
            let leaf = key.tree.leaf(row.rank.into())?;
            Some(RolledRow { source: row.source, value: row.value, leaf, opening })
        };
        let rows: Option<Vec<_>> = rows.par_iter().map(open).collect();
        let rows = rows.ok_or(Fault::Bounds { what: "a row of the table" })?;
        Self::over(table, epoch, predicate, parts, rows)
    }

    /// The roll-up over rows in order.
    pub(super) fn over(
        table: &Table,
        epoch: u32,
        predicate: &Predicate,
        parts: Vec<Part>,
        rows: Vec<RolledRow>,
    ) -> Result<Self, Fault> {
        let tags = rows.iter().map(|row| row.leaf.tag).collect();
        let encodings: Vec<_> =
            rows.iter().flat_map(|row| &row.leaf.commitments).copied().collect();
        let points = Point::decode_all(encodings.as_flattened());
        let points = points.map_err(|_| Fault::Encoding { what: "a row's commitment" })?;
        let slots = table.schema().slots(predicate.column).len();
        let tree = SumTree::from_leaves(slots, tags, encodings, points);
        let (sources, values) = rows.iter().map(|row| (row.source, row.value)).unzip();
        let openings: Vec<Opening> = rows.into_iter().map(|row| row.opening).collect();
        Ok(Self {
            record: predicate.record(table, epoch, &tree.root()),
            predicate: predicate.clone(),
            tree,
            parts,
            sources,
            values,
            total: Opening::sum(&openings),
            openings,
        })
    }
}
