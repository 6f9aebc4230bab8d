//! What results are made of.

use serde::{Deserialize, Serialize};

/// A candidate and a number of ballots, or of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Votes {
    /// The candidate's index in the description.
    pub candidate: u8,
    /// The number of ballots.
    pub ballots: u64,
}

/// A tie for the fewest ballots, or for a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// Who was equal, in the description's order.
    pub candidates: Vec<u8>,
    /// What decided.
    pub decided_by: TieBreak,
}

/// What decided a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TieBreak {
    /// The ballots in an earlier round.
    EarlierRound {
        /// The round that left one candidate, from 1.
        round: u8,
    },
    /// The order of the description: they were equal in every round.
    CandidateOrder,
}

/// The indices of so many candidates; there are at most [`MAX_CANDIDATES`](crate::MAX_CANDIDATES).
pub(crate) fn indices(candidates: usize) -> impl Iterator<Item = u8> {
    (0..=u8::MAX).take(candidates)
}

/// Which end of a list of figures is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    /// Who stays or goes first: the greatest.
    Most,
    /// Who leaves: the least.
    Fewest,
}

/// One of the candidates with the extreme figure. A tie looks back at earlier rounds, the last one
/// first, and then at the order of the description: whoever is listed first counts as having more.
pub(crate) fn choose<F: Ord + Copy>(
    extreme: Extreme,
    candidates: &[u8],
    figure: impl Fn(u8) -> Option<F>,
    earlier: &[impl Fn(u8) -> Option<F>],
) -> Option<(u8, Option<Tie>)> {
    let mut left = at_extreme(extreme, candidates.to_vec(), &figure);
    let tied = left.clone();
    let tie = |decided_by| Some(Tie { candidates: tied.clone(), decided_by });
    if let [only] = left.as_slice() {
        return Some((*only, None));
    }
    for (round, number) in earlier.iter().zip(1..=u8::MAX).rev() {
        left = at_extreme(extreme, left, round);
        if let [only] = left.as_slice() {
            return Some((*only, tie(TieBreak::EarlierRound { round: number })));
        }
    }
    let chosen = match extreme {
        Extreme::Most => left.first(),
        Extreme::Fewest => left.last(),
    };
    Some((*chosen?, tie(TieBreak::CandidateOrder)))
}

fn at_extreme<F: Ord + Copy>(
    extreme: Extreme,
    candidates: Vec<u8>,
    figure: impl Fn(u8) -> Option<F>,
) -> Vec<u8> {
    let figures = candidates.iter().filter_map(|candidate| figure(*candidate));
    let end = match extreme {
        Extreme::Most => figures.max(),
        Extreme::Fewest => figures.min(),
    };
    candidates.into_iter().filter(|candidate| figure(*candidate) == end).collect()
}
