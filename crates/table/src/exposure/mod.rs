//! What outsiders learn from all answers that a policy gives: attacks on it, for its operator to try on the
//! rows of an epoch before anybody else does.
//!
//! An outsider knows the schema, the keys with their counts, every answer and everything that its proof shows, and
//! nobody's value. For one value column in one epoch, [`examine`] asks every question that the policy allows (`facts`)
//! and then makes two attacks:
//!
//! * *linear*: is a combination of the answered sums, with any rational weights, about some rows, but fewer than a
//!   given number? Arithmetic is exact, and the search is complete unless the result says otherwise.
//! * *intervals*: do values by rank, with the ranks that their proofs show, bound the values of people of known keys,
//!   without also bounding those of enough others as narrowly?
//!
//! If neither attack finds anything, there may still be a leak. But if everybody is in a [crowd](Exposure::crowd) of so
//! many rows, there is an argument: values can be exchanged among the rows of a crowd, and no answer changes. Then an
//! outsider can distinguish none of these rows from the others.
//!
//! If a policy has no hierarchy, there are too many questions to ask all. [`examine`] then asks about all rows, every
//! key, all rows without one key, and every value of a type column.

mod facts;
mod linear;

use std::collections::BTreeMap;

use num_bigint::BigInt;

use self::facts::{Cell, Facts, Part};
use crate::{Fault, Row, Schema, ValueColumn, query::Exact};

/// What a column's answers show of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Questions that are answered with values.
    pub answered: usize,
    /// Questions that are refused or withheld, of those that were asked.
    pub declined: usize,
    /// The rows of the smallest set that no answer tells apart; none if nothing is answered.
    pub crowd: Option<u64>,
    /// What is shown of fewer rows than was asked for.
    pub findings: Vec<Finding>,
    /// Whether the linear attack tried everything.
    pub complete: bool,
}

/// Something that answers show together, about too few rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A sum of values of these keys.
    Sum {
        /// Rows that it is about.
        rows: u64,
        /// Their keys, by type codes.
        keys: Vec<Vec<u64>>,
        /// The sum, if it weighs all rows alike and sums are exact.
        sum: Option<Exact>,
    },
    /// Bounds of all values of these keys.
    Bracket {
        /// Rows that they are about.
        rows: u64,
        /// Their keys, by type codes.
        keys: Vec<Vec<u64>>,
        /// The least that the values can be, as an offset.
        low: u64,
        /// The greatest.
        high: u64,
    },
}

/// Tries what a policy's answers about a value column show of the rows of an epoch, and looks for anything
/// about fewer than `least` of them.
///
/// # Errors
/// [`Fault::Query`] if there is no such column, [`Fault::Row`] for rows that are not of the schema.
pub fn examine(schema: &Schema, column: u16, rows: &[Row], least: u64) -> Result<Exposure, Fault> {
    let cells = Cell::of(schema, column, rows)?;
    let facts = Facts::gather(schema, column, &cells)?;
    let shown = schema.value(column).ok_or(Fault::Bounds { what: "the column" })?;
    let mut findings = brackets(shown, (&cells, &facts), least);
    let segments = Segments::cut(&cells, &facts);
    let search = linear::search(&segments.equations(&facts), &segments.weights(), least);
    let exact = schema.policy.rounding.is_none().then_some(shown);
    findings.extend(search.found.iter().map(|found| segments.finding(found, &cells, exact)));
    Ok(Exposure {
        answered: facts.answered,
        declined: facts.declined,
        crowd: crowd(&cells, &facts),
        findings,
        complete: search.complete,
    })
}

/// People of known keys whose values are bounded as those of fewer than `least` rows are.
fn brackets(column: &ValueColumn, (cells, facts): (&[Cell], &Facts), least: u64) -> Vec<Finding> {
    let whole = (0, column.span());
    let mut bounds = vec![whole; cells.len()];
    for standing in &facts.standings {
        let Some((cell, bounds)) = cells.get(standing.cell).zip(bounds.get_mut(standing.cell))
        else {
            continue;
        };
        // All of its rows are on one side.
        if standing.up_to == cell.values.len() {
            bounds.1 = bounds.1.min(standing.value);
        }
        if standing.below == 0 {
            bounds.0 = bounds.0.max(standing.value);
        }
    }
    let mut alike: BTreeMap<(u64, u64), Vec<&Cell>> = BTreeMap::new();
    for (cell, bounds) in cells.iter().zip(bounds).filter(|(_, bounds)| *bounds != whole) {
        alike.entry(bounds).or_default().push(cell);
    }
    let bracket = |((low, high), cells): ((u64, u64), Vec<&Cell>)| {
        let rows = cells.iter().map(|cell| cell.values.len() as u64).sum();
        let keys = cells.iter().map(|cell| cell.codes.clone()).collect();
        (rows < least).then_some(Finding::Bracket { rows, keys, low, high })
    };
    alike.into_iter().filter_map(bracket).collect()
}

/// The least number of rows among which values can be exchanged without any answer changing: those of a
/// cell whose order is shown in part, and those of all cells that the same sums are about.
fn crowd(cells: &[Cell], facts: &Facts) -> Option<u64> {
    let mut sums = vec![Vec::new(); cells.len()];
    let mut ordered = vec![false; cells.len()];
    for (number, sum) in facts.sums.iter().enumerate() {
        for part in &sum.parts {
            let Some(cell) = cells.get(part.cell) else { continue };
            if (part.from, part.to) != (0, cell.values.len()) {
                ordered.iter_mut().skip(part.cell).take(1).for_each(|ordered| *ordered = true);
            }
            sums.iter_mut().skip(part.cell).take(1).for_each(|sums| sums.push(number));
        }
    }
    for standing in &facts.standings {
        ordered.iter_mut().skip(standing.cell).take(1).for_each(|ordered| *ordered = true);
    }
    let mut crowds: BTreeMap<(Option<usize>, &[usize]), u64> = BTreeMap::new();
    for (index, cell) in cells.iter().enumerate() {
        let (Some(sums), Some(ordered)) = (sums.get(index), ordered.get(index)) else { continue };
        if *ordered || !sums.is_empty() {
            let alone = ordered.then_some(index);
            *crowds.entry((alone, sums.as_slice())).or_default() += cell.values.len() as u64;
        }
    }
    crowds.into_values().min()
}

/// The rows of all cells, cut wherever a sum begins or ends, and put together where the same sums are about
/// them.
struct Segments {
    /// The parts of every segment, and the sums that are about it.
    all: Vec<(Vec<Part>, Vec<usize>)>,
}

impl Segments {
    fn cut(cells: &[Cell], facts: &Facts) -> Self {
        let mut all: BTreeMap<Vec<usize>, Vec<Part>> = BTreeMap::new();
        let mut of_cell: Vec<Vec<(usize, &Part)>> = vec![Vec::new(); cells.len()];
        for (number, sum) in facts.sums.iter().enumerate() {
            for part in &sum.parts {
                let at = of_cell.iter_mut().skip(part.cell).take(1);
                at.for_each(|parts| parts.push((number, part)));
            }
        }
        for (cell, parts) in of_cell.iter().enumerate() {
            let mut edges: Vec<usize> =
                parts.iter().flat_map(|(_, part)| [part.from, part.to]).collect();
            edges.sort_unstable();
            edges.dedup();
            for edge in edges.windows(2) {
                let [from, to] = *edge else { continue };
                let covers = |part: &Part| part.from <= from && to <= part.to;
                let sums: Vec<usize> =
                    parts.iter().filter(|(_, part)| covers(part)).map(|(at, _)| *at).collect();
                if !sums.is_empty() {
                    all.entry(sums).or_default().push(Part { cell, from, to });
                }
            }
        }
        Self { all: all.into_iter().map(|(sums, parts)| (parts, sums)).collect() }
    }

    fn weights(&self) -> Vec<u64> {
        let rows = |parts: &[Part]| parts.iter().map(|part| (part.to - part.from) as u64).sum();
        self.all.iter().map(|(parts, _)| rows(parts)).collect()
    }

    /// A row for every sum: which segments it is about, and what it is.
    fn equations(&self, facts: &Facts) -> Vec<linear::Equation> {
        let equation = |(number, sum): (usize, &facts::Sum)| linear::Equation {
            weights: self.all.iter().map(|(_, sums)| sums.contains(&number).into()).collect(),
            value: sum.value.clone(),
        };
        facts.sums.iter().enumerate().map(equation).collect()
    }

    /// What a combination is about; with its sum where the column's sums are exact.
    fn finding(
        &self,
        found: &linear::Equation,
        cells: &[Cell],
        exact: Option<&ValueColumn>,
    ) -> Finding {
        let about =
            self.all.iter().zip(&found.weights).filter(|(_, weight)| **weight != BigInt::ZERO);
        let parts: Vec<&Part> = about.clone().flat_map(|((parts, _), _)| parts).collect();
        let mut weights = about.map(|(_, weight)| weight);
        let first = weights.next().filter(|first| weights.all(|weight| weight == *first));
        let rows = parts.iter().map(|part| (part.to - part.from) as u64).sum();
        let sum = |(weight, column): (&BigInt, &ValueColumn)| Exact {
            numerator: &found.value / weight + BigInt::from(rows) * column.min,
            denominator: 1.into(),
            scale: column.scale.into(),
        };
        let mut keys: Vec<Vec<u64>> =
            parts.iter().filter_map(|part| Some(cells.get(part.cell)?.codes.clone())).collect();
        keys.dedup();
        Finding::Sum { rows, keys, sum: first.zip(exact).map(sum) }
    }
}

#[cfg(test)]
mod tests;
