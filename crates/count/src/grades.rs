//! Methods that read grades one by one: STAR and majority judgment.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{
    Grades,
    result::{Extreme, Tie, TieBreak, Votes, choose},
    totals::{self, Graded, Totals},
};

/// A count by STAR: score, then automatic runoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// How often each candidate got which grade.
    pub grades: Vec<Graded>,
    /// The points, and the two with most of them; the first round.
    pub scores: Totals,
    /// The ballots that grade one of the two higher, in the order of points; the second round.
    pub runoff: Vec<Votes>,
    /// Ballots that are not blank and grade the two alike.
    pub equal: u64,
    /// Who wins the runoff; nobody without points.
    pub winner: Option<u8>,
    /// If as many ballots grade the one higher as the other: the points decide.
    pub tie: Option<Tie>,
}

/// The two candidates with most points, then the one of them whom more ballots grade higher.
pub(crate) fn star(candidates: usize, best: u8, ballots: &[(&Grades, u64)]) -> Star {
    let totals::Score { grades, totals: scores } = totals::score(candidates, best, 2, ballots);
    let finalists = scores.elected.clone();
    // No grade is grade 0.
    let grade = |grades: &Grades, candidate: u8| grades.of(candidate.into()).unwrap_or(0);
    let higher = |one: u8| {
        let above = ballots.iter().filter(|(grades, _)| {
            finalists
                .iter()
                .all(|other| one == *other || grade(grades, one) > grade(grades, *other))
        });
        Votes { candidate: one, ballots: above.map(|(_, count)| count).sum() }
    };
    let runoff: Vec<Votes> = match finalists.len() {
        2 => finalists.iter().map(|one| higher(*one)).collect(),
        _ => Vec::new(),
    };
    let cast: u64 = ballots.iter().filter(|(grades, _)| !grades.is_blank()).map(|(_, n)| n).sum();
    let decided: u64 = runoff.iter().map(|votes| votes.ballots).sum();
    let equal = if runoff.is_empty() { 0 } else { cast.saturating_sub(decided) };
    let of = |votes: &[Votes], candidate: u8| {
        votes.iter().find(|votes| votes.candidate == candidate).map(|votes| votes.ballots)
    };
    let mut in_order = finalists.clone();
    in_order.sort_unstable();
    let points = |candidate: u8| of(&scores.totals, candidate);
    let last = |candidate: u8| if runoff.is_empty() { Some(0) } else { of(&runoff, candidate) };
    let chosen = choose(Extreme::Most, &in_order, last, &[points]);
    let (winner, tie) = chosen.map_or((None, None), |(winner, tie)| (Some(winner), tie));
    Star { grades, scores, runoff, equal, winner, tie }
}

/// A count by majority judgment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MajorityJudgment {
    /// How often each candidate got which grade. Whom a ballot gives no grade it gives the worst.
    pub grades: Vec<Graded>,
    /// All candidates, the best first; none if all ballots are blank.
    pub order: Vec<Judged>,
    /// Candidates with equally many of every grade.
    pub ties: Vec<Tie>,
}

/// A candidate's place by majority judgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The candidate's index in the description.
    pub candidate: u8,
    /// The grade that a majority gives at least: the lower median.
    pub median: u8,
    /// How many median grades were taken away from both until they differed from the next
    /// candidate's; none if they never did, or if there is no next candidate.
    pub removed: Option<u64>,
}

/// Balinski and Laraki 2007: the highest median wins. Of equal ones a median grade is taken from each
/// until the medians differ.
pub(crate) fn majority_judgment(
    candidates: usize,
    best: u8,
    ballots: &[(&Grades, u64)],
) -> MajorityJudgment {
    let grades = totals::grades(candidates, best, ballots);
    let voters = grades.first().map_or(0, |one| one.ungraded + one.ballots.iter().sum::<u64>());
    if voters == 0 {
        return MajorityJudgment { grades, order: Vec::new(), ties: Vec::new() };
    }
    let mut ranked: Vec<(u8, Vec<u64>)> =
        grades.iter().map(|graded| (graded.candidate, cumulative(graded))).collect();
    // Stable, so that the description's order decides among equals.
    ranked.sort_by(|(_, one), (_, other)| compare(other, one, voters).0);
    let next = ranked.iter().skip(1).map(Some).chain([None]);
    let order: Vec<Judged> = ranked
        .iter()
        .zip(next)
        .map(|((candidate, own), next)| Judged {
            candidate: *candidate,
            median: grade_at(own, (voters - 1) / 2),
            removed: next.and_then(|(_, next)| compare(own, next, voters).1),
        })
        .collect();
    let mut ties = Vec::new();
    for equal in ranked.chunk_by(|(_, one), (_, other)| one == other) {
        if equal.len() > 1 {
            let candidates = equal.iter().map(|(candidate, _)| *candidate).collect();
            ties.push(Tie { candidates, decided_by: TieBreak::CandidateOrder });
        }
    }
    MajorityJudgment { grades, order, ties }
}

/// Ballots with each grade or a worse one.
fn cumulative(graded: &Graded) -> Vec<u64> {
    let sum = |sum: &mut u64, ballots: &u64| {
        *sum += ballots;
        Some(*sum)
    };
    graded.ballots.iter().scan(graded.ungraded, sum).collect()
}

/// The grade at a place, from 0, when a candidate's ballots lie in the order of their grades.
fn grade_at(cumulative: &[u64], place: u64) -> u8 {
    let grades = cumulative.iter().zip(0_u8..);
    let mut at = grades.filter(|(up_to, _)| **up_to > place);
    at.next().map_or(0, |(_, grade)| grade)
}

/// Compares by medians that are taken away one after the other, and says how many were equal.
///
/// They lie at m, then alternately one further down and one further up; with an odd number of
/// ballots down comes first. The ballots of two candidates differ exactly at the places between their
/// cumulative numbers of some grade, so the first difference needs no walk over ballots.
fn compare(one: &[u64], other: &[u64], voters: u64) -> (Ordering, Option<u64>) {
    let middle = voters.saturating_sub(1) / 2;
    let is_odd = voters % 2 == 1;
    let differ = one.iter().zip(other).map(|(a, b)| (*a.min(b), *a.max(b))).filter(|(a, b)| a < b);
    let down = differ.clone().filter(|(from, _)| *from <= middle);
    let down = down.map(|(_, to)| (to - 1).min(middle)).max();
    let up = differ.filter(|(_, to)| *to > middle + 1).map(|(from, _)| from.max(middle + 1)).min();
    let down = down.map(|place| match middle - place {
        0 => (0, place),
        steps => (2 * steps - u64::from(is_odd), place),
    });
    let up = up.map(|place| (2 * (place - middle) - u64::from(!is_odd), place));
    match down.into_iter().chain(up).min() {
        Some((removed, place)) => {
            (grade_at(one, place).cmp(&grade_at(other, place)), Some(removed))
        }
        None => (Ordering::Equal, None),
    }
}
