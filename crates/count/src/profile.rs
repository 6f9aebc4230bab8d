//! Ballots, equal ones together.

use std::collections::HashMap;

use thiserror::Error;

use crate::{Contest, Count, Marks, Rule};

/// The most ballots of a profile, so that no sum of any rule overflows.
pub const MAX_BALLOTS: u64 = 1 << 40;

/// More than [`MAX_BALLOTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than {MAX_BALLOTS} ballots")]
pub struct TooManyBallots;

/// The ballots about one question, equal ones together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    ballots: HashMap<Marks, u64>,
    total: u64,
}

impl Profile {
    /// Adds equal ballots.
    ///
    /// # Errors
    /// [`TooManyBallots`]; nothing is added then.
    pub fn add(&mut self, marks: Marks, count: u64) -> Result<(), TooManyBallots> {
        let total = self.total.checked_add(count).filter(|total| *total <= MAX_BALLOTS);
        self.total = total.ok_or(TooManyBallots)?;
        if count > 0 {
            *self.ballots.entry(marks).or_default() += count;
        }
        Ok(())
    }

    /// Adds the ballots of another profile, each as often as this number says: its weight in a common
    /// [`Unit`](crate::Unit).
    ///
    /// # Errors
    /// [`TooManyBallots`]; nothing is added then.
    pub fn add_all(&mut self, other: &Self, votes: u64) -> Result<(), TooManyBallots> {
        let more = other.total.checked_mul(votes).ok_or(TooManyBallots)?;
        let total = self.total.checked_add(more).filter(|total| *total <= MAX_BALLOTS);
        total.ok_or(TooManyBallots)?;
        other.ballots.iter().try_for_each(|(marks, count)| self.add(marks.clone(), count * votes))
    }

    /// The ballots of both.
    ///
    /// # Errors
    /// [`TooManyBallots`].
    pub fn merge(self, other: Self) -> Result<Self, TooManyBallots> {
        let (mut all, fewer) = match self.ballots.len() >= other.ballots.len() {
            true => (self, other),
            false => (other, self),
        };
        fewer.ballots.into_iter().try_for_each(|(marks, count)| all.add(marks, count))?;
        Ok(all)
    }

    /// The number of ballots.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of ballots on which nothing is marked.
    pub fn blank(&self) -> u64 {
        self.ballots.iter().filter(|(marks, _)| marks.is_blank()).map(|(_, count)| count).sum()
    }

    /// Distinct ballots and how many there are of each, in a fixed order.
    pub fn sorted(&self) -> Vec<(&Marks, u64)> {
        let mut ballots: Vec<_> =
            self.ballots.iter().map(|(marks, count)| (marks, *count)).collect();
        ballots.sort_unstable();
        ballots
    }

    /// Counts by a rule.
    pub fn count(&self, rule: Rule, contest: &Contest) -> Count {
        Count::new(rule, contest, &self.sorted())
    }
}
