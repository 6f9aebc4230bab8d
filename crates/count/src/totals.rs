//! Methods that add up: approval, plurality at large, Borda, score.
//!
//! The candidates with the highest totals take the seats. A candidate without any votes or points takes none. In a tie
//! for the last seat, the candidate who is listed first takes it.

use serde::{Deserialize, Serialize};

use crate::{
    Choices, Grades, Ranking,
    result::{Tie, TieBreak, Votes, indices},
};

/// A count that adds up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Every candidate's ballots or points, in the description's order.
    pub totals: Vec<Votes>,
    /// Who is elected, the highest total first.
    pub elected: Vec<u8>,
    /// If candidates with equal totals could not all be elected, how it was decided.
    pub tie: Option<Tie>,
}

/// A count of points, with the grades that gave them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// How often each candidate got which grade.
    pub grades: Vec<Graded>,
    /// The points.
    pub totals: Totals,
}

/// How often a candidate got which grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graded {
    /// The candidate's index in the description.
    pub candidate: u8,
    /// Ballots that are not blank and give this candidate no grade.
    pub ungraded: u64,
    /// Ballots by grade, from 0.
    pub ballots: Vec<u64>,
}

impl Graded {
    /// The sum of all grades.
    pub(crate) fn points(&self) -> u64 {
        self.ballots.iter().zip(0_u64..).map(|(ballots, grade)| ballots * grade).sum()
    }
}

/// Histograms of the grades of ballots that are not blank.
pub(crate) fn grades(candidates: usize, best: u8, ballots: &[(&Grades, u64)]) -> Vec<Graded> {
    let empty =
        |candidate| Graded { candidate, ungraded: 0, ballots: vec![0; usize::from(best) + 1] };
    let mut all: Vec<Graded> = indices(candidates).map(empty).collect();
    for (grades, count) in ballots.iter().filter(|(grades, _)| !grades.is_blank()) {
        for (index, graded) in all.iter_mut().enumerate() {
            let slot =
                grades.of(index).and_then(|grade| graded.ballots.get_mut(usize::from(grade)));
            // No grade, and a grade beyond the best, which no reader lets through, count as none.
            *slot.unwrap_or(&mut graded.ungraded) += count;
        }
    }
    all
}

/// One vote for each candidate chosen. Approval and plurality at large differ only in how many
/// candidates a ballot may choose.
pub(crate) fn choices(candidates: usize, seats: u8, ballots: &[(&Choices, u64)]) -> Totals {
    let total = |candidate| {
        let chosen = ballots.iter().filter(|(choices, _)| choices.contains(candidate));
        Votes { candidate, ballots: chosen.map(|(_, count)| count).sum() }
    };
    elect(indices(candidates).map(total).collect(), seats)
}

/// A point for each candidate ranked below; candidates who are not ranked are below all who are, and
/// not below each other.
pub(crate) fn borda(candidates: usize, seats: u8, ballots: &[(&Ranking, u64)]) -> Totals {
    let empty = |candidate| Votes { candidate, ballots: 0 };
    let mut totals: Vec<Votes> = indices(candidates).map(empty).collect();
    for (ranking, count) in ballots {
        let mut below = candidates as u64;
        for choice in ranking.choices() {
            if let Some(votes) = totals.get_mut(usize::from(*choice)) {
                below = below.saturating_sub(1);
                votes.ballots += below * count;
            }
        }
    }
    elect(totals, seats)
}

/// The sum of grades; no grade is no point.
pub(crate) fn score(candidates: usize, best: u8, seats: u8, ballots: &[(&Grades, u64)]) -> Score {
    let grades = grades(candidates, best, ballots);
    let points = |graded: &Graded| Votes { candidate: graded.candidate, ballots: graded.points() };
    let totals = grades.iter().map(points).collect();
    Score { grades, totals: elect(totals, seats) }
}

/// Gives the seats to the highest totals.
pub(crate) fn elect(totals: Vec<Votes>, seats: u8) -> Totals {
    let mut ranked: Vec<&Votes> = totals.iter().filter(|votes| votes.ballots > 0).collect();
    ranked.sort_by_key(|votes| (std::cmp::Reverse(votes.ballots), votes.candidate));
    let elected: Vec<u8> = ranked.iter().take(seats.into()).map(|votes| votes.candidate).collect();
    let last = elected.len().checked_sub(1).and_then(|last| ranked.get(last));
    let next = ranked.get(elected.len());
    let tied = last.zip(next).filter(|(last, next)| last.ballots == next.ballots);
    let tie = tied.map(|(last, _)| Tie {
        candidates: ranked
            .iter()
            .filter(|votes| votes.ballots == last.ballots)
            .map(|votes| votes.candidate)
            .collect(),
        decided_by: TieBreak::CandidateOrder,
    });
    Totals { totals, elected, tie }
}
