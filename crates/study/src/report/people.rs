//! The candidates as the page shows them: names, colours, and who finished where.

use std::borrow::Cow;

use super::ReportData;
use crate::count::{Outcome, Votes};

/// Colours that the style sheet has.
const COLOURS: usize = 8;

/// The candidates of a report.
pub(super) struct People<'a> {
    names: &'a [String],
    finish: Vec<u8>,
}

impl<'a> People<'a> {
    pub(super) fn new(data: &'a ReportData) -> Self {
        let mut finish = match (&data.tally.irv, &data.tally.plurality) {
            (Some(irv), _) => {
                let mut standing = irv.rounds.last().map_or(Vec::new(), |r| r.standing.clone());
                let winner = irv.winner();
                standing.sort_by_key(|votes| (Some(votes.candidate) != winner, rank(votes)));
                let left = irv.rounds.iter().rev().filter_map(|round| match round.outcome {
                    Outcome::Eliminated { candidate, .. } => Some(candidate),
                    _ => None,
                });
                standing.iter().map(|votes| votes.candidate).chain(left).collect()
            }
            (None, Some(plurality)) => {
                let mut votes = plurality.votes.clone();
                votes.sort_by_key(rank);
                votes.iter().map(|votes| votes.candidate).collect()
            }
            (None, None) => Vec::new(),
        };
        let mut seen = [false; 256];
        finish.retain(|candidate| {
            seen.get_mut(usize::from(*candidate)).is_some_and(|seen| !std::mem::replace(seen, true))
        });
        Self { names: &data.candidates, finish }
    }

    /// The candidates, the winner first.
    pub(super) fn by_finish(&self) -> &[u8] {
        &self.finish
    }

    pub(super) fn name(&self, candidate: u8) -> Cow<'a, str> {
        match self.names.get(usize::from(candidate)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("Candidate {}", u16::from(candidate) + 1)),
        }
    }

    /// `A`, `A and B`, `A, B and C`.
    pub(super) fn list(&self, candidates: &[u8]) -> String {
        let names: Vec<_> = candidates.iter().map(|candidate| self.name(*candidate)).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }

    /// The class that colours a candidate alike everywhere.
    pub(super) fn colour(&self, candidate: u8) -> String {
        let place = self.finish.iter().position(|other| *other == candidate);
        format!("c{}", place.unwrap_or(COLOURS).min(COLOURS - 1))
    }
}

/// Sorts by most ballots, then by the description's order.
fn rank(votes: &Votes) -> (std::cmp::Reverse<u64>, u8) {
    (std::cmp::Reverse(votes.ballots), votes.candidate)
}
