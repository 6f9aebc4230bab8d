//! Counting: first preferences and instant runoff, with every step of the way.
//!
//! A [`BallotBox`] gathers decrypted ballots, equal ones together; boxes filled in parallel
//! [merge](BallotBox::merge). [`BallotBox::tally`] depends on the ballots only, not on their order,
//! so that whoever has the ballots computes the same [`Tally`], to the byte.
//!
//! # Instant runoff
//! A ballot belongs to its most preferred candidate still standing; without one it is exhausted. In
//! each round a candidate with more than half of the ballots that are not exhausted is elected.
//! Otherwise the candidate with the fewest leaves, one per round, and their ballots move on.
//!
//! **Ties.** Of several candidates with the fewest ballots, those leave first who had fewest in the
//! previous round, then in the one before, back to the first; among candidates equal in every
//! round, the one listed last in the description leaves. The tally reports each tie and what
//! decided it. Who prefers a lot draws the candidates' order by lot before the election.
//!
//! ```
//! use study::{count::BallotBox, description::Rule, preferences::BallotShape};
//!
//! let shape = BallotShape::new(3, 3).unwrap();
//! let mut ballots = BallotBox::default();
//! for choices in [vec![0], vec![0], vec![1], vec![1, 0], vec![2, 1]] {
//!     ballots.add(shape.ranking(choices));
//! }
//! let tally = ballots.tally(&shape, &[Rule::Plurality, Rule::Irv]);
//! assert_eq!(tally.plurality.unwrap().winner, Some(0));
//! assert_eq!(tally.irv.unwrap().winner(), Some(1));
//! ```

mod encode;
mod irv;
mod plurality;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub use irv::{InstantRunoff, Outcome, Round, Tie, TieBreak};
pub use plurality::Plurality;

use crate::{
    description::Rule,
    preferences::{BallotShape, Ranking, Spoiled},
};

/// Decrypted ballots, equal ones together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BallotBox {
    rankings: HashMap<Ranking, u64>,
    spoiled: [u64; Spoiled::ALL.len()],
}

impl BallotBox {
    /// Adds one ballot as it was decoded.
    pub fn add(&mut self, ballot: Result<Ranking, Spoiled>) {
        match ballot {
            Ok(ranking) => *self.rankings.entry(ranking).or_default() += 1,
            Err(reason) => {
                let slots = Spoiled::ALL.iter().zip(&mut self.spoiled);
                slots.filter(|(known, _)| **known == reason).for_each(|(_, count)| *count += 1);
            }
        }
    }

    /// Adds the ballots of another box.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        let (mut all, fewer) = match self.rankings.len() >= other.rankings.len() {
            true => (self, other),
            false => (other, self),
        };
        for (ranking, count) in fewer.rankings {
            *all.rankings.entry(ranking).or_default() += count;
        }
        all.spoiled.iter_mut().zip(fewer.spoiled).for_each(|(count, more)| *count += more);
        all
    }

    /// Distinct rankings and how many ballots have each, in a fixed order.
    pub fn rankings(&self) -> Vec<(&Ranking, u64)> {
        let mut rankings: Vec<_> = self.rankings.iter().map(|(r, count)| (r, *count)).collect();
        rankings.sort_unstable();
        rankings
    }

    /// Counts by each of the rules. Choices outside `shape` are passed over.
    pub fn tally(&self, shape: &BallotShape, rules: &[Rule]) -> Tally {
        let ballots = self.rankings();
        let spoiled = Spoiled::ALL.into_iter().zip(self.spoiled).filter(|(_, count)| *count > 0);
        Tally {
            ballots: self.rankings.values().sum::<u64>() + self.spoiled.iter().sum::<u64>(),
            blank: self.rankings.get(&Ranking::default()).copied().unwrap_or(0),
            spoiled: spoiled.map(|(reason, ballots)| SpoiledCount { reason, ballots }).collect(),
            plurality: rules
                .contains(&Rule::Plurality)
                .then(|| plurality::count(shape.candidates(), &ballots)),
            irv: rules.contains(&Rule::Irv).then(|| irv::count(shape.candidates(), &ballots)),
        }
    }
}

impl Extend<Result<Ranking, Spoiled>> for BallotBox {
    fn extend<T: IntoIterator<Item = Result<Ranking, Spoiled>>>(&mut self, ballots: T) {
        ballots.into_iter().for_each(|ballot| self.add(ballot));
    }
}

impl FromIterator<Result<Ranking, Spoiled>> for BallotBox {
    fn from_iter<T: IntoIterator<Item = Result<Ranking, Spoiled>>>(ballots: T) -> Self {
        let mut all = Self::default();
        all.extend(ballots);
        all
    }
}

/// The result of an election. Two tallies of the same ballots are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Ballots counted: rankings, blank ones and spoiled ones.
    pub ballots: u64,
    /// Ballots without a choice.
    pub blank: u64,
    /// Ballots that are no ranking, by reason; reasons that occur only.
    pub spoiled: Vec<SpoiledCount>,
    /// Counted by first preferences, if the description says so.
    pub plurality: Option<Plurality>,
    /// Counted by instant runoff, if the description says so.
    pub irv: Option<InstantRunoff>,
}

impl Tally {
    /// The number of spoiled ballots.
    pub fn spoiled_total(&self) -> u64 {
        self.spoiled.iter().fold(0, |sum, count| sum.saturating_add(count.ballots))
    }
}

/// How many ballots were spoiled in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpoiledCount {
    /// What was wrong.
    pub reason: Spoiled,
    /// How often.
    pub ballots: u64,
}

/// A candidate and a number of ballots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Votes {
    /// The candidate's index in the description.
    pub candidate: u8,
    /// The number of ballots.
    pub ballots: u64,
}
