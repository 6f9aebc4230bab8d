//! The candidates as the page shows them: names, colours, and who finished where.

use std::borrow::Cow;

use count::{MeekOutcome, Transfer};

use super::{data::Answered, format::counted};
use crate::count::{Count, Outcome, Rule, Votes};

/// Colours that the style sheet has.
const COLOURS: usize = 8;

/// The candidates of a report.
pub(super) struct People<'a> {
    names: &'a [String],
    finish: Vec<u8>,
    number: usize,
    is_weighted: bool,
}

impl<'a> People<'a> {
    pub(super) fn new(answered: &Answered<'a>) -> Self {
        let decides = answered.asked.decides.or(Some(Rule::Irv));
        let count = decides.and_then(|rule| answered.tally.by(rule));
        let mut finish = count.map_or(Vec::new(), finish);
        let all = answered.asked.candidates.iter().zip(0_u8..).map(|(_, candidate)| candidate);
        finish.extend(all);
        let mut seen = [false; 256];
        finish.retain(|candidate| {
            seen.get_mut(usize::from(*candidate)).is_some_and(|seen| !std::mem::replace(seen, true))
        });
        let (names, number) = (answered.asked.candidates.as_slice(), answered.number);
        Self { names, finish, number, is_weighted: answered.is_weighted }
    }

    /// The candidates, the winner first.
    pub(super) fn by_finish(&self) -> &[u8] {
        &self.finish
    }

    /// A name for a part of the page, once for every question.
    pub(super) fn id(&self, part: &str) -> String {
        let part = part.to_lowercase();
        if self.number > 0 { format!("{part}-{}", self.number) } else { part }
    }

    /// What the figures of a count are of: ballots, or votes where ballots have weights.
    pub(super) fn unit(&self) -> (&'static str, &'static str) {
        if self.is_weighted { ("vote", "votes") } else { ("ballot", "ballots") }
    }

    /// `1 ballot`, `2 ballots`; of weighted ones `2 votes`.
    pub(super) fn counted(&self, number: u64) -> String {
        let (one, many) = self.unit();
        counted(number, one, many)
    }

    /// All names, by index.
    pub(super) fn names(&self) -> &'a [String] {
        self.names
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
        // All who have no place have the last colour.
        format!("c{}", place.unwrap_or(COLOURS).min(COLOURS - 1))
    }
}

/// The candidates as the deciding count leaves them, the winners first.
fn finish(count: &Count) -> Vec<u8> {
    let ranked = |votes: &[Votes]| {
        let mut votes = votes.to_vec();
        votes.sort_by_key(rank);
        votes.iter().map(|votes| votes.candidate).collect::<Vec<u8>>()
    };
    let mut finish = count.elected();
    finish.extend(match count {
        Count::Irv(irv) => {
            let standing = irv.rounds.last().map_or(Vec::new(), |round| ranked(&round.standing));
            let left = irv.rounds.iter().rev().filter_map(|round| match round.outcome {
                Outcome::Eliminated { candidate, .. } => Some(candidate),
                _ => None,
            });
            standing.into_iter().chain(left).collect()
        }
        Count::Plurality(plurality) => ranked(&plurality.votes),
        Count::Borda(totals) | Count::Approval(totals) | Count::AtLarge(totals) => {
            ranked(&totals.totals)
        }
        Count::Score(score) => ranked(&score.totals.totals),
        Count::Star(star) => ranked(&star.scores.totals),
        Count::Schulze(schulze) => schulze.order.clone(),
        Count::RankedPairs(pairs) => pairs.order.clone(),
        Count::MajorityJudgment(judgment) => {
            judgment.order.iter().map(|judged| judged.candidate).collect()
        }
        Count::ScottishStv(stv) => leavers(stv.stages.iter().map(|stage| match stage.transfer {
            Transfer::Exclusion { candidate, .. } => Some(candidate),
            _ => None,
        })),
        Count::MeekStv(stv) => leavers(stv.rounds.iter().map(|round| match round.outcome {
            MeekOutcome::Defeated { candidate, .. } => Some(candidate),
            _ => None,
        })),
        _ => Vec::new(),
    });
    finish
}

/// Who stayed longest first.
fn leavers(stages: impl DoubleEndedIterator<Item = Option<u8>>) -> Vec<u8> {
    stages.rev().flatten().collect()
}

/// Sorts by most ballots, then by the description's order.
fn rank(votes: &Votes) -> (std::cmp::Reverse<u64>, u8) {
    (std::cmp::Reverse(votes.ballots), votes.candidate)
}
