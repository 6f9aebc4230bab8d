//! The single transferable vote by the rules of Scotland's local elections: weighted inclusive
//! Gregory, to five decimal places.
//!
//! The Scottish Local Government Elections Order 2011, schedule 1, rules 45 to 53 (2007: 45 to 52).

use serde::{Deserialize, Serialize};

use crate::{
    Ranking,
    decimal::Decimal5,
    result::{Extreme, Tie, choose, indices},
};

/// A count by the Scottish rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScottishStv {
    /// Ballots that rank anybody.
    pub valid: u64,
    /// The votes that elect: one more than the valid ballots divided by one more than the seats.
    pub quota: u64,
    /// The stages in order; none without valid ballots.
    pub stages: Vec<Stage>,
    /// Who is elected, in the order of election.
    pub elected: Vec<u8>,
}

impl ScottishStv {
    /// The ties in which surpluses waited or candidates were excluded.
    pub fn ties(&self) -> impl Iterator<Item = &Tie> {
        self.stages.iter().filter_map(|stage| match &stage.transfer {
            Transfer::Surplus { tie, .. } | Transfer::Exclusion { tie, .. } => tie.as_ref(),
            Transfer::FirstPreferences => None,
        })
    }
}

/// One stage of the count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What was transferred.
    pub transfer: Transfer,
    /// Every candidate's votes after it, in the description's order.
    pub votes: Vec<Decimal5>,
    /// Votes that no candidate has: not transferable, or lost to the places behind the fifth.
    pub exhausted: Decimal5,
    /// Who reached the quota, those with most votes first.
    pub elected: Vec<u8>,
    /// Who took the last seats without a quota, because nobody else was left.
    pub remaining: Vec<u8>,
}

/// What a stage transferred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Transfer {
    /// Nothing: ballots were sorted by first preferences.
    FirstPreferences,
    /// What an elected candidate had above the quota.
    Surplus {
        /// Who.
        candidate: u8,
        /// How much.
        surplus: Decimal5,
        /// If several had the greatest surplus, how one was chosen.
        tie: Option<Tie>,
    },
    /// All ballots of the candidate with the fewest votes.
    Exclusion {
        /// Who.
        candidate: u8,
        /// If several had the fewest votes, how one was chosen.
        tie: Option<Tie>,
    },
}

/// Ballots that say the same from here on and count the same.
#[derive(Clone, Copy)]
struct Parcel<'a> {
    /// The choices that follow.
    choices: &'a [u8],
    ballots: u64,
    /// What each ballot counts.
    value: Decimal5,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Continuing,
    /// Deemed elected; the surplus, if any, is not transferred yet.
    Elected,
    /// Elected with the surplus transferred, or excluded.
    Done,
}

struct Count<'a> {
    seats: usize,
    valid: u64,
    quota: Decimal5,
    standing: Vec<Standing>,
    parcels: Vec<Vec<Parcel<'a>>>,
    votes: Vec<Decimal5>,
    stages: Vec<Stage>,
    elected: Vec<u8>,
}

pub(crate) fn count(candidates: usize, seats: u8, ballots: &[(&Ranking, u64)]) -> ScottishStv {
    let is_known = |choice: &u8| usize::from(*choice) < candidates;
    let ballots = ballots.iter().filter(|(ranking, _)| ranking.choices().iter().any(is_known));
    let valid: u64 = ballots.clone().map(|(_, count)| count).sum();
    let quota = valid / (u64::from(seats) + 1) + 1;
    let mut count = Count {
        seats: usize::from(seats).min(candidates),
        valid,
        quota: Decimal5::whole(quota),
        standing: vec![Standing::Continuing; candidates],
        parcels: vec![Vec::new(); candidates],
        votes: vec![Decimal5::default(); candidates],
        stages: Vec::new(),
        elected: Vec::new(),
    };
    if valid > 0 {
        for (ranking, ballots) in ballots {
            let value = Decimal5::whole(1);
            count.credit(Parcel { choices: ranking.choices(), ballots: *ballots, value });
        }
        count.run();
    }
    let Count { stages, elected, .. } = count;
    ScottishStv { valid, quota, stages, elected }
}

impl<'a> Count<'a> {
    fn run(&mut self) {
        let mut transfer = Transfer::FirstPreferences;
        while self.end_stage(transfer) {
            transfer = match self.next_surplus() {
                Some((candidate, tie)) => self.transfer_surplus(candidate, tie),
                None => match self.next_exclusion() {
                    Some((candidate, tie)) => self.exclude(candidate, tie),
                    None => return,
                },
            };
        }
    }

    fn votes_of(&self, candidate: u8) -> Decimal5 {
        // Candidates here are among the standing, each of whom has votes.
        self.votes.get(usize::from(candidate)).copied().unwrap_or_default()
    }

    fn with(&self, standing: Standing) -> Vec<u8> {
        let all = indices(self.standing.len()).zip(&self.standing);
        all.filter(|(_, own)| **own == standing).map(|(candidate, _)| candidate).collect()
    }

    fn set(&mut self, candidate: u8, standing: Standing) {
        if let Some(slot) = self.standing.get_mut(usize::from(candidate)) {
            *slot = standing;
        }
    }

    /// Gives ballots to the next continuing candidate, if they name one.
    fn credit(&mut self, parcel: Parcel<'a>) {
        let mut choices = parcel.choices;
        while let Some((choice, rest)) = choices.split_first() {
            choices = rest;
            let index = usize::from(*choice);
            if self.standing.get(index) == Some(&Standing::Continuing)
                && let (Some(pile), Some(votes)) =
                    (self.parcels.get_mut(index), self.votes.get_mut(index))
            {
                let value = parcel.value.units() * u128::from(parcel.ballots);
                *votes = Decimal5::from_units(votes.units() + value);
                pile.push(Parcel { choices, ..parcel });
                return;
            }
        }
    }

    /// Finds who is elected (rules 47 and 53) and notes the stage: whether the count goes on.
    fn end_stage(&mut self, transfer: Transfer) -> bool {
        let mut elected = self.with(Standing::Continuing);
        elected.retain(|candidate| self.votes_of(*candidate) >= self.quota);
        elected.sort_by_key(|candidate| (std::cmp::Reverse(self.votes_of(*candidate)), *candidate));
        elected.iter().for_each(|candidate| self.set(*candidate, Standing::Elected));
        self.elected.extend(&elected);
        let mut remaining = self.with(Standing::Continuing);
        remaining
            .sort_by_key(|candidate| (std::cmp::Reverse(self.votes_of(*candidate)), *candidate));
        if remaining.len() > self.seats.saturating_sub(self.elected.len()) {
            remaining.clear();
        }
        self.elected.extend(&remaining);
        let credited = self.votes.iter().map(|votes| votes.units()).sum();
        let all = Decimal5::whole(self.valid).units();
        let exhausted = Decimal5::from_units(all.saturating_sub(credited));
        let votes = self.votes.clone();
        self.stages.push(Stage { transfer, votes, exhausted, elected, remaining });
        self.elected.len() < self.seats
    }

    /// One of these candidates with the most or the fewest votes now; ties look at earlier stages.
    fn choose(&self, extreme: Extreme, candidates: &[u8]) -> Option<(u8, Option<Tie>)> {
        let earlier = self.stages.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let votes = |stage: &'_ Stage, who: u8| stage.votes.get(usize::from(who)).copied();
        let earlier: Vec<_> = earlier.iter().map(|stage| move |who| votes(stage, who)).collect();
        choose(extreme, candidates, |who| Some(self.votes_of(who)), &earlier)
    }

    /// The greatest surplus that was not transferred yet (rule 49).
    fn next_surplus(&self) -> Option<(u8, Option<Tie>)> {
        let mut waiting = self.with(Standing::Elected);
        waiting.retain(|candidate| self.votes_of(*candidate) > self.quota);
        self.choose(Extreme::Most, &waiting)
    }

    fn next_exclusion(&self) -> Option<(u8, Option<Tie>)> {
        self.choose(Extreme::Fewest, &self.with(Standing::Continuing))
    }

    /// Rule 48: every ballot goes on at its value, times the surplus, divided by the candidate's votes;
    /// what stands behind the fifth place is ignored.
    fn transfer_surplus(&mut self, candidate: u8, tie: Option<Tie>) -> Transfer {
        let total = self.votes_of(candidate).units();
        let surplus = total.saturating_sub(self.quota.units());
        self.set(candidate, Standing::Done);
        for parcel in self.take(candidate, self.quota) {
            // Who has a surplus has votes.
            let value = (surplus * parcel.value.units()).checked_div(total).unwrap_or(0);
            self.credit(Parcel { value: Decimal5::from_units(value), ..parcel });
        }
        Transfer::Surplus { candidate, surplus: Decimal5::from_units(surplus), tie }
    }

    /// Rule 50 (2011: 51): every ballot goes on at the value that it has.
    fn exclude(&mut self, candidate: u8, tie: Option<Tie>) -> Transfer {
        self.set(candidate, Standing::Done);
        for parcel in self.take(candidate, Decimal5::default()) {
            self.credit(parcel);
        }
        Transfer::Exclusion { candidate, tie }
    }

    /// Takes a candidate's ballots away, who keeps so many votes.
    fn take(&mut self, candidate: u8, keeps: Decimal5) -> Vec<Parcel<'a>> {
        let index = usize::from(candidate);
        if let Some(votes) = self.votes.get_mut(index) {
            *votes = keeps;
        }
        // As in `votes_of`: each has parcels, if none.
        self.parcels.get_mut(index).map(std::mem::take).unwrap_or_default()
    }
}
