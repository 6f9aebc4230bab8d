//! What answers say, and what their proofs show: the questions that a policy knows, asked of plain rows under
//! the rules that provers and verifiers keep.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use crate::{
    Fault, Row, Schema, ValueColumn,
    query::{Edge, Hierarchy, KeyBox, Query, Rank, Region, Statistic, edge, rank_below_top},
};

/// The rows of a key.
pub(super) struct Cell {
    key: Vec<u8>,
    pub(super) codes: Vec<u64>,
    /// Ascending.
    pub(super) values: Vec<u64>,
}

impl Cell {
    /// All cells, by ascending keys.
    pub(super) fn of(schema: &Schema, column: u16, rows: &[Row]) -> Result<Vec<Self>, Fault> {
        let mut cells: BTreeMap<&[u8], Vec<u64>> = BTreeMap::new();
        for row in rows {
            schema.check_row(row)?;
            let value = row.values.get(usize::from(column)).copied();
            let value = value.ok_or(Fault::Query { reason: "there is no such value column" })?;
            cells.entry(&row.key).or_default().push(value);
        }
        let cell = |(key, mut values): (&[u8], Vec<u64>)| {
            values.sort_unstable();
            let codes = schema.decode_key(key).ok_or(Fault::Bounds { what: "a key" })?;
            Ok(Self { key: key.to_vec(), codes, values })
        };
        cells.into_iter().map(cell).collect()
    }

    /// The same cell with other values.
    #[cfg(test)]
    pub(super) fn with(&self, values: Vec<u64>) -> Self {
        Self { key: self.key.clone(), codes: self.codes.clone(), values }
    }

    fn count(&self) -> u64 {
        self.values.len() as u64
    }

    fn below(&self, bound: u64) -> usize {
        self.values.partition_point(|value| *value < bound)
    }

    fn up_to(&self, bound: u64) -> usize {
        self.values.partition_point(|value| *value <= bound)
    }
}

/// Rows of a cell between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) cell: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A sum that is told, over some rows of every cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) parts: Vec<Part>,
    pub(super) value: BigInt,
}

/// How many rows of a cell stand on either side of a value. A proof shows a part of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) cell: usize,
    pub(super) value: u64,
    pub(super) below: usize,
    pub(super) up_to: usize,
}

/// Everything that is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) sums: Vec<Sum>,
    pub(super) standings: Vec<Standing>,
    pub(super) answered: usize,
    pub(super) declined: usize,
}

impl Facts {
    /// Asks everything.
    pub(super) fn gather(schema: &Schema, column: u16, cells: &[Cell]) -> Result<Self, Fault> {
        let mut facts = Self::default();
        for query in questions(schema, column, cells) {
            match facts.ask(schema, &query, cells) {
                Ok(true) => facts.answered += 1,
                Ok(false) | Err(Fault::Policy { .. } | Fault::Hierarchy { .. }) => {
                    facts.declined += 1
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(facts)
    }

    /// Asks a question; whether it is answered with values.
    pub(super) fn ask(
        &mut self,
        schema: &Schema,
        query: &Query,
        cells: &[Cell],
    ) -> Result<bool, Fault> {
        query.check_policy(schema)?;
        let column = schema.value(query.column).ok_or(Fault::Bounds { what: "the column" })?;
        if let Some(hierarchy) = Hierarchy::of(schema) {
            let keys = cells.iter().map(|cell| (cell.key.as_slice(), cell.count()));
            if hierarchy.rule((&query.region, query.statistic.kind()), keys)?.is_some() {
                return Ok(false);
            }
        }
        let is_inside =
            |cell: &Cell| query.region.overlaps(schema, &cell.key, (8 * cell.key.len()) as u16);
        let inside: Vec<(usize, &Cell)> =
            cells.iter().enumerate().filter(|(_, cell)| is_inside(cell)).collect();
        let told = Told { cells: inside, column };
        let (shown, sums, at) = told.by(query.statistic);
        if told.count() == 0 {
            return Ok(false);
        }
        let keys = told.cells.iter().map(|(_, cell)| cell.count());
        schema.policy.permits(query.statistic.kind(), &shown, keys)?;
        self.sums.extend(sums);
        for value in at {
            self.standings.extend(told.standings(value));
        }
        Ok(true)
    }
}

/// The cells that a question is about.
struct Told<'a> {
    cells: Vec<(usize, &'a Cell)>,
    column: &'a ValueColumn,
}

/// Counts that an answer speaks of, its sums, and the values whose ranks are shown.
type Shown = (Vec<u64>, Vec<Sum>, Vec<u64>);

impl Told<'_> {
    fn count(&self) -> u64 {
        self.cells.iter().map(|(_, cell)| cell.count()).sum()
    }

    fn by(&self, statistic: Statistic) -> Shown {
        let (starts, ends) = (self.ranks(|_| 0), self.ranks(|cell| cell.values.len()));
        match statistic {
            Statistic::Moments => (vec![self.count()], vec![self.sum(&starts, &ends)], vec![]),
            Statistic::Order(rank) => {
                (vec![self.count()], vec![], vec![self.value_of(rank.among(self.count()))])
            }
            Statistic::Top(fraction) => {
                let rank = rank_below_top(fraction, self.count());
                let threshold = self.value_of(rank);
                let cut = self.ranks_summing_to(rank, threshold);
                let sum = self.sum(&cut, &ends);
                (vec![self.count(), self.count() - rank], vec![sum], vec![threshold])
            }
            Statistic::Histogram => {
                let (mut counts, mut sums, mut at, mut from) =
                    (vec![], vec![], vec![], starts.clone());
                for part in 0..=self.column.cuts.len() {
                    let to = match edge(self.column, part) {
                        Edge::Bottom => starts.clone(),
                        Edge::Inside(cut) => {
                            at.push(cut);
                            self.ranks(|cell| cell.below(cut))
                        }
                        Edge::Top => ends.clone(),
                    };
                    counts.push((to.iter().sum::<usize>() - from.iter().sum::<usize>()) as u64);
                    sums.push(self.sum(&from, &to));
                    from = to;
                }
                (counts, sums, at)
            }
        }
    }

    fn ranks(&self, rank: impl Fn(&Cell) -> usize) -> Vec<usize> {
        self.cells.iter().map(|(_, cell)| rank(cell)).collect()
    }

    fn value_of(&self, rank: u64) -> u64 {
        let mut values: Vec<u64> =
            self.cells.iter().flat_map(|(_, cell)| cell.values.clone()).collect();
        values.sort_unstable();
        // Ranks are from 1 to the number of rows; of no rows nothing is told (`ask`).
        values.get((rank as usize).saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The cut that a prover makes: among rows of the value, those of the first cells are before it.
    fn ranks_summing_to(&self, rank: u64, value: u64) -> Vec<usize> {
        let mut ranks = self.ranks(|cell| cell.below(value));
        let mut missing = (rank as usize).saturating_sub(ranks.iter().sum());
        for (cut, (_, cell)) in ranks.iter_mut().zip(&self.cells) {
            let more = missing.min(cell.up_to(value) - *cut);
            *cut += more;
            missing -= more;
        }
        ranks
    }

    fn sum(&self, from: &[usize], to: &[usize]) -> Sum {
        let mut sum = Sum { parts: Vec::new(), value: BigInt::ZERO };
        for ((index, cell), (from, to)) in self.cells.iter().zip(from.iter().zip(to)) {
            if from < to {
                sum.parts.push(Part { cell: *index, from: *from, to: *to });
                // Ranks of a cell are at most the number of its rows.
                sum.value += cell.values.get(*from..*to).unwrap_or_default().iter().sum::<u64>();
            }
        }
        sum
    }

    fn standings(&self, value: u64) -> impl Iterator<Item = Standing> {
        self.cells.iter().map(move |(index, cell)| {
            let (below, up_to) = (cell.below(value), cell.up_to(value));
            Standing { cell: *index, value, below, up_to }
        })
    }
}

/// Every region with every statistic.
pub(super) fn questions(schema: &Schema, column: u16, cells: &[Cell]) -> Vec<Query> {
    let policy = &schema.policy;
    let mut statistics = vec![Statistic::Moments, Statistic::Histogram];
    statistics.extend([Rank::Min, Rank::Max].map(Statistic::Order));
    let quantile = |p| Statistic::Order(Rank::Quantile(p));
    statistics.extend(policy.quantiles.iter().flat_map(|p| [quantile(*p), Statistic::Top(*p)]));
    let boxes = match &policy.hierarchy {
        Some(orders) => of_hierarchy(schema, orders, cells),
        None => of_anything(schema, cells),
    };
    let region = |boxes: &Vec<KeyBox>| Region { from: 0, to: 0, boxes: boxes.clone() };
    let ask = |boxes: &Vec<KeyBox>| {
        let region = region(boxes);
        let query = move |statistic| Query { column, region: region.clone(), statistic };
        statistics.iter().copied().map(query).collect::<Vec<_>>()
    };
    boxes.iter().flat_map(ask).collect()
}

/// All boxes of a hierarchy that have rows.
fn of_hierarchy(schema: &Schema, orders: &[Vec<String>], cells: &[Cell]) -> Vec<Vec<KeyBox>> {
    let mut boxes = BTreeSet::from([KeyBox::all(schema)]);
    let place = |name: &String| schema.types.iter().position(|column| column.name == *name);
    for cell in cells {
        for order in orders {
            let mut one = KeyBox::all(schema);
            for at in order.iter().filter_map(place) {
                fix(&mut one, at, cell);
                boxes.insert(one.clone());
            }
        }
    }
    boxes.into_iter().map(|one| vec![one]).collect()
}

/// All rows, every key, all rows without a key, and every value of a column.
fn of_anything(schema: &Schema, cells: &[Cell]) -> Vec<Vec<KeyBox>> {
    let mut regions = BTreeSet::from([vec![KeyBox::all(schema)]]);
    for cell in cells {
        let (mut rest, mut key) = (Vec::new(), KeyBox::all(schema));
        for (at, (column, code)) in schema.types.iter().zip(&cell.codes).enumerate() {
            let mut one = KeyBox::all(schema);
            fix(&mut one, at, cell);
            regions.insert(vec![one]);
            // Equal to the key in all columns before, and below or above it in this one.
            let below = code.checked_sub(1).map(|last| (0, last));
            let above = (*code < column.max()).then(|| (code + 1, column.max()));
            for range in [below, above].into_iter().flatten() {
                let mut one = key.clone();
                one.ranges.iter_mut().skip(at).take(1).for_each(|open| *open = range);
                rest.push(one);
            }
            fix(&mut key, at, cell);
        }
        rest.sort();
        regions.insert(vec![key]);
        regions.insert(rest);
    }
    regions.into_iter().filter(|boxes| !boxes.is_empty()).collect()
}

/// Fixes a column to its value in a cell.
fn fix(key_box: &mut KeyBox, at: usize, cell: &Cell) {
    if let Some((range, code)) = key_box.ranges.get_mut(at).zip(cell.codes.get(at)) {
        *range = (*code, *code);
    }
}
