//! Two passes make an answer.

use std::collections::BTreeMap;

use super::{Pass, Reading};
use trace::{Direction, IndexSet, TraceError};

/// The answer to a query: every asked row is in one of the three sets.
///
/// A row is unproven if neither pass proves anything about it: a server spoilt it, or its sender
/// did. The querier must not react where anybody sees it: a server that spoils one row in one pass
/// would learn from a complaint, or from a retry of that row alone, that its answer was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Proven to be in the set that was asked about.
    pub yes: IndexSet,
    /// Proven to be in its complement.
    pub no: IndexSet,
    /// Neither.
    pub unproven: IndexSet,
}

impl Verdict {
    /// Puts the readings of both passes together; `pass` is either of them.
    ///
    /// Going in, a row that is proven in the pass over J is a yes, in the other a no. Going out,
    /// outputs with one value share their answer, since a commitment of that value may have gone to
    /// any of them: yes if one is proven in the pass over I, no if all are in the other.
    ///
    /// # Errors
    /// [`TraceError::Query`] if both have one key: the servers then hold signatures on everything.
    pub fn of(pass: &Pass, asked: &Reading, complement: &Reading) -> Result<Self, TraceError> {
        if asked.key == complement.key {
            return Err(TraceError::Query("both passes have the same key"));
        }
        let inward = pass.request().direction == Direction::In;
        let classes = pass.outputs().class_of();
        let group = |row: u32| match inward {
            true => row,
            // Every output has a class: a row without one would stand for itself.
            false => classes.get(row as usize).copied().unwrap_or(row),
        };
        let mut groups: BTreeMap<u32, (bool, bool)> = BTreeMap::new();
        let proven = asked.proven.iter().zip(&complement.proven);
        for (&row, (&asked, &complement)) in pass.opened().iter().zip(proven) {
            let (any, all) = groups.entry(group(row)).or_insert((false, true));
            *any |= asked;
            *all &= complement;
        }
        let questions = pass.request().questions.iter();
        let rows = questions.flat_map(|question| match inward {
            true => question.inputs.iter().collect::<Vec<_>>(),
            false => question.outputs.iter().collect(),
        });
        let (mut yes, mut no, mut unproven) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            match groups.get(&group(row)) {
                // Both would be a forgery going in.
                Some((true, all)) if !(inward && *all) => yes.push(row),
                Some((false, true)) => no.push(row),
                _ => unproven.push(row),
            }
        }
        let [yes, no, unproven] = [yes, no, unproven].map(IndexSet::from_sorted);
        Ok(Self { yes, no, unproven })
    }
}
