//! Condorcet's comparison of pairs, and the two methods that resolve its circles.
//!
//! A ballot prefers every candidate whom it ranks to all whom it does not rank, and says nothing about two candidates
//! whom it does not rank. One candidate beats another if more ballots prefer the first to the second than the reverse.
//! The strength of the pair is the number of these ballots ("winning votes").

use serde::{Deserialize, Serialize};

use crate::{
    Ranking,
    result::{Tie, TieBreak, indices},
};

/// A number for every ordered pair of candidates; rows and columns are in the description's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Matrix(Vec<Vec<u64>>);

impl Matrix {
    fn zero(candidates: usize) -> Self {
        Self(vec![vec![0; candidates]; candidates])
    }

    /// The number of candidates.
    pub fn candidates(&self) -> usize {
        self.0.len()
    }

    /// The number of a row and a column; 0 of candidates who are none.
    pub fn get(&self, row: u8, column: u8) -> u64 {
        let row = self.0.get(usize::from(row));
        row.and_then(|row| row.get(usize::from(column))).copied().unwrap_or(0)
    }

    fn slot(&mut self, row: u8, column: u8) -> Option<&mut u64> {
        self.0.get_mut(usize::from(row))?.get_mut(usize::from(column))
    }

    fn is_zero(&self) -> bool {
        self.0.iter().flatten().all(|number| *number == 0)
    }
}

/// For every pair, how many ballots prefer the row's candidate to the column's.
pub(crate) fn compare(candidates: usize, ballots: &[(&Ranking, u64)]) -> Matrix {
    let mut prefer = Matrix::zero(candidates);
    for (ranking, count) in ballots {
        let mut below = vec![true; candidates];
        for choice in ranking.choices() {
            let Some(own) = below.get_mut(usize::from(*choice)) else { continue };
            *own = false;
            let row = prefer.0.get_mut(usize::from(*choice)).into_iter().flatten();
            row.zip(&below).filter(|(_, below)| **below).for_each(|(votes, _)| *votes += count);
        }
    }
    prefer
}

/// A count by Schulze's method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schulze {
    /// Ballots that prefer the row's candidate to the column's.
    pub prefer: Matrix,
    /// The strength of the strongest path from the row's candidate to the column's.
    pub paths: Matrix,
    /// All candidates, the winner first; none if no ballot prefers anybody.
    pub order: Vec<u8>,
    /// Candidates of whom none had a stronger path to another when a place was given.
    pub ties: Vec<Tie>,
}

/// Schulze 2011: the candidate wins whose strongest path to each other candidate is as strong as the
/// one back. The same again among the others gives the places behind.
pub(crate) fn schulze(candidates: usize, ballots: &[(&Ranking, u64)]) -> Schulze {
    let prefer = compare(candidates, ballots);
    let mut paths = Matrix::zero(candidates);
    let all = || indices(candidates);
    for (row, column) in all().flat_map(|row| all().map(move |column| (row, column))) {
        if prefer.get(row, column) > prefer.get(column, row)
            && let Some(slot) = paths.slot(row, column)
        {
            *slot = prefer.get(row, column);
        }
    }
    // Floyd and Warshall, with the weakest link as the length of a path.
    for middle in all() {
        for row in all().filter(|row| *row != middle) {
            for column in all().filter(|column| *column != row && *column != middle) {
                let through = paths.get(row, middle).min(paths.get(middle, column));
                if let Some(slot) = paths.slot(row, column) {
                    *slot = (*slot).max(through);
                }
            }
        }
    }
    let beats = |one: u8, other: u8| paths.get(one, other) > paths.get(other, one);
    let (order, ties) = if prefer.is_zero() { (vec![], vec![]) } else { places(candidates, beats) };
    Schulze { prefer, paths, order, ties }
}

/// A count by ranked pairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankedPairs {
    /// Ballots that prefer the row's candidate to the column's.
    pub prefer: Matrix,
    /// The pairs in which one beats the other, the strongest first.
    pub pairs: Vec<Pair>,
    /// All candidates, the winner first; none if no ballot prefers anybody.
    pub order: Vec<u8>,
    /// Candidates whom no locked pair told apart when a place was given.
    pub ties: Vec<Tie>,
}

/// A pair in which one beats the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Who is preferred by more ballots.
    pub winner: u8,
    /// Who is preferred by fewer.
    pub loser: u8,
    /// Ballots for the winner.
    pub ballots: u64,
    /// Ballots for the loser.
    pub against: u64,
    /// Whether the pair counts: it closes no circle with stronger ones.
    pub locked: bool,
    /// Whether only the order of the candidates decided that it goes before the next pair.
    pub tied_with_next: bool,
}

/// Tideman 1987, by winning votes: pairs are locked from the strongest to the weakest, but for those
/// that would close a circle. Of equally strong ones that with fewer ballots against it goes first,
/// then the one whose winner, then whose loser, is listed first.
pub(crate) fn ranked_pairs(candidates: usize, ballots: &[(&Ranking, u64)]) -> RankedPairs {
    let prefer = compare(candidates, ballots);
    let all = || indices(candidates);
    let pair = |(winner, loser)| Pair {
        winner,
        loser,
        ballots: prefer.get(winner, loser),
        against: prefer.get(loser, winner),
        locked: false,
        tied_with_next: false,
    };
    let pairs = all().flat_map(|winner| all().map(move |loser| (winner, loser))).map(pair);
    let mut pairs: Vec<Pair> = pairs.filter(|pair| pair.ballots > pair.against).collect();
    let strength = |pair: &Pair| (std::cmp::Reverse(pair.ballots), pair.against);
    pairs.sort_by_key(|pair| (strength(pair), pair.winner, pair.loser));
    let next: Vec<_> = pairs.iter().skip(1).map(strength).collect();
    pairs
        .iter_mut()
        .zip(next)
        .for_each(|(pair, next)| pair.tied_with_next = strength(pair) == next);

    // Bit j of row i: locked pairs lead from i to j.
    let mut reach = vec![0_u64; candidates];
    for pair in &mut pairs {
        // Pairs are of candidates, and each of these has a row.
        let back = reach.get(usize::from(pair.loser)).copied().unwrap_or(0);
        if bit(pair.winner) & back != 0 {
            continue;
        }
        pair.locked = true;
        let gained = back | bit(pair.loser);
        for (from, reached) in all().zip(&mut reach) {
            if from == pair.winner || *reached & bit(pair.winner) != 0 {
                *reached |= gained;
            }
        }
    }
    let beats = |one: u8, other: u8| {
        reach.get(usize::from(one)).is_some_and(|reached| reached & bit(other) != 0)
    };
    let (order, ties) = if prefer.is_zero() { (vec![], vec![]) } else { places(candidates, beats) };
    RankedPairs { prefer, pairs, order, ties }
}

fn bit(candidate: u8) -> u64 {
    // There are at most 64 candidates; another one would have no bit, and be beaten by nobody.
    1_u64.checked_shl(candidate.into()).unwrap_or(0)
}

/// Gives the places one by one to whom nobody else without a place beats; of several to the one
/// listed first.
fn places(candidates: usize, beats: impl Fn(u8, u8) -> bool) -> (Vec<u8>, Vec<Tie>) {
    let mut left: Vec<u8> = indices(candidates).collect();
    let (mut order, mut ties) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let unbeaten = |one: &u8| !left.iter().any(|other| beats(*other, *one));
        let free: Vec<u8> = left.iter().copied().filter(unbeaten).collect();
        let Some(next) = free.first().copied() else { break };
        if free.len() > 1 {
            ties.push(Tie { candidates: free, decided_by: TieBreak::CandidateOrder });
        }
        order.push(next);
        left.retain(|candidate| *candidate != next);
    }
    (order, ties)
}
