//! The single transferable vote by Meek's method, after the Reference Meek Rule of the Proportional
//! Representation Foundation (<https://prfound.org/resources/reference/reference-meek-rule/>): decimal numbers of
//! nine places. Comments name its steps:
//!
//! * A: everybody is hopeful and keeps all that arrives; omega is 10^-6.
//! * B.1 decides when the count is complete: all seats are taken, or those hopeful are no more than the seats left.
//! * B.2 decides who is elected in a round: whoever is hopeful and has the quota, after as many distributions as it
//!   takes until somebody has it, or the total surplus is below omega or shrinks no more.
//! * B.3 decides who leaves otherwise: the hopeful candidate with the lowest vote; tied are all who have no more than
//!   the total surplus above it.
//! * C: those left over are elected as far as there are seats.
//!
//! The whole count, with what stands in place of that rule's lot, is in `docs/spec/counting.md`.
//!
//! Every elected candidate keeps a share of each ballot that arrives and passes on the rest; the
//! shares are found by iteration, so that each elected candidate has a quota.

use serde::{Deserialize, Serialize};

use crate::{
    Ranking,
    decimal::Decimal9,
    result::{Extreme, Tie, choose, indices},
};

/// The reference rule's omega, 10^-6: a total surplus below it ends the iterations.
const OMEGA: u128 = 1_000;
/// A round ends after so many iterations in any case. The reference rule has no limit; ballots that
/// come near it are made for that purpose.
const MAX_ITERATIONS: u32 = 1_000;
/// One vote, or a keep factor of one, in units of 10^-9.
const ONE: u64 = 1_000_000_000;

/// A count by Meek's method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeekStv {
    /// Ballots that rank anybody.
    pub valid: u64,
    /// The rounds in order.
    pub rounds: Vec<MeekRound>,
    /// Who is elected, in the order of election.
    pub elected: Vec<u8>,
}

impl MeekStv {
    /// The ties in which candidates left.
    pub fn ties(&self) -> impl Iterator<Item = &Tie> {
        self.rounds.iter().filter_map(|round| match &round.outcome {
            MeekOutcome::Defeated { tie, .. } => tie.as_ref(),
            _ => None,
        })
    }
}

/// One round of the count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeekRound {
    /// How often ballots were distributed.
    pub iterations: u32,
    /// The votes that elect, after the last distribution.
    pub quota: Decimal9,
    /// Every candidate's votes, in the description's order.
    pub votes: Vec<Decimal9>,
    /// The share of each ballot that every candidate kept.
    pub keep: Vec<Decimal9>,
    /// What no candidate has: ballots that rank nobody else still standing.
    pub exhausted: Decimal9,
    /// How the round ends.
    pub outcome: MeekOutcome,
}

/// How a round ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MeekOutcome {
    /// Candidates reached the quota.
    Elected {
        /// Those with most votes first.
        candidates: Vec<u8>,
    },
    /// Nobody did, and the last one leaves.
    Defeated {
        /// Who.
        candidate: u8,
        /// If others had no more than the total surplus above the fewest votes, how one was chosen.
        tie: Option<Tie>,
    },
    /// Nobody but those who take the last seats is left.
    Remaining {
        /// Who is elected without a quota.
        candidates: Vec<u8>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Neither elected nor defeated.
    Hopeful,
    Elected,
    Defeated,
}

/// Votes, quota and surplus are in units of 10^-9, too.
struct Count<'a> {
    seats: usize,
    valid: u64,
    ballots: Vec<(&'a [u8], u64)>,
    states: Vec<State>,
    /// Keep factors, in units of 10^-9.
    keep: Vec<u64>,
    votes: Vec<u128>,
    quota: u128,
    surplus: u128,
    rounds: Vec<MeekRound>,
    elected: Vec<u8>,
}

pub(crate) fn count(candidates: usize, seats: u8, ballots: &[(&Ranking, u64)]) -> MeekStv {
    let is_known = |choice: &u8| usize::from(*choice) < candidates;
    let ballots = ballots.iter().filter(|(ranking, _)| ranking.choices().iter().any(is_known));
    let ballots: Vec<_> = ballots.map(|(ranking, count)| (ranking.choices(), *count)).collect();
    let valid = ballots.iter().map(|(_, count)| count).sum();
    let mut count = Count {
        seats: usize::from(seats).min(candidates),
        valid,
        ballots,
        states: vec![State::Hopeful; candidates],
        keep: vec![ONE; candidates],
        votes: vec![0; candidates],
        quota: 0,
        surplus: 0,
        rounds: Vec::new(),
        elected: Vec::new(),
    };
    // Without valid ballots nobody is elected (docs/spec/counting.md).
    if valid > 0 {
        while count.round() {}
    }
    MeekStv { valid, rounds: count.rounds, elected: count.elected }
}

impl Count<'_> {
    /// One round (B), until somebody is elected or defeated: whether the count goes on.
    fn round(&mut self) -> bool {
        let mut iterations = 1;
        self.distribute();
        // B.1, after a first distribution, so that the last round, too, has votes to show.
        let hopeful = self.in_state(State::Hopeful);
        if hopeful.len() <= self.seats.saturating_sub(self.elected.len()) {
            let candidates = self.by_votes(hopeful);
            self.elected.extend(&candidates);
            self.note(iterations, MeekOutcome::Remaining { candidates });
            return false;
        }
        // B.2: until somebody is elected (c), or the surplus is below omega or shrinks no more (e).
        loop {
            let mut winners = self.in_state(State::Hopeful);
            winners.retain(|candidate| self.votes_of(*candidate) >= self.quota);
            if !winners.is_empty() {
                return self.elect(iterations, winners);
            }
            let before = self.surplus;
            if before < OMEGA || iterations >= MAX_ITERATIONS {
                break;
            }
            self.update_keep_factors();
            self.distribute();
            iterations += 1;
            let reached = self
                .in_state(State::Hopeful)
                .into_iter()
                .any(|who| self.votes_of(who) >= self.quota);
            if !reached && self.surplus >= before {
                break;
            }
        }
        // B.3: with a keep factor of 0 a ballot passes whole to the next choice.
        // There is one: more are hopeful than there are seats left.
        if let Some((candidate, tie)) = self.weakest() {
            self.note(iterations, MeekOutcome::Defeated { candidate, tie });
            self.set(candidate, State::Defeated, 0);
        }
        true
    }

    fn elect(&mut self, iterations: u32, winners: Vec<u8>) -> bool {
        let candidates = self.by_votes(winners);
        for candidate in &candidates {
            self.set(*candidate, State::Elected, ONE);
        }
        self.elected.extend(&candidates);
        self.note(iterations, MeekOutcome::Elected { candidates });
        self.elected.len() < self.seats
    }

    /// B.2.a, b and d: votes, quota and total surplus.
    fn distribute(&mut self) {
        let Self { ballots, keep, votes, .. } = self;
        votes.fill(0);
        for (choices, count) in ballots {
            let mut weight = ONE;
            for choice in *choices {
                let index = usize::from(*choice);
                let (Some(keep), Some(votes)) = (keep.get(index), votes.get_mut(index)) else {
                    continue;
                };
                // Both are at most ONE: the product is 10^18 at most and fits in 64 bits.
                let kept = (weight * keep).div_ceil(ONE).min(weight);
                *votes += u128::from(kept) * u128::from(*count);
                weight -= kept;
                if weight == 0 {
                    break;
                }
            }
        }
        let seats = self.seats as u128;
        self.quota = self.votes.iter().sum::<u128>() / (seats + 1) + 1;
        let elected =
            self.in_state(State::Elected).into_iter().map(|candidate| self.votes_of(candidate));
        let (above, below) = elected.fold((0_u128, 0_u128), |(above, below), votes| {
            (above + votes.saturating_sub(self.quota), below + self.quota.saturating_sub(votes))
        });
        self.surplus = above.saturating_sub(below);
    }

    /// B.2.f: `keep · quota / votes` for each who is elected, rounded up twice, and ONE at most. Who has more
    /// than the quota keeps less of each ballot from then on.
    fn update_keep_factors(&mut self) {
        let factors = self.states.iter().zip(&self.votes).zip(&mut self.keep);
        for ((_, votes), keep) in factors.filter(|((state, _), _)| **state == State::Elected) {
            let product = (u128::from(*keep) * self.quota).div_ceil(ONE.into());
            // Divided and rounded up. Without votes, or beyond 64 bits, the factor would be above ONE, so ONE it is.
            let factor = (product * u128::from(ONE) + votes.saturating_sub(1)).checked_div(*votes);
            *keep = factor.and_then(|factor| u64::try_from(factor).ok()).unwrap_or(ONE).min(ONE);
        }
    }

    /// The hopeful candidate with the fewest votes. All hopeful candidates whose votes exceed the fewest by at most
    /// the surplus are tied, since what is still to be passed on could change their order.
    fn weakest(&self) -> Option<(u8, Option<Tie>)> {
        let mut tied = self.in_state(State::Hopeful);
        let fewest = tied.iter().map(|candidate| self.votes_of(*candidate)).min()?;
        tied.retain(|candidate| self.votes_of(*candidate) <= fewest + self.surplus);
        let votes = |round: &'_ MeekRound, who: u8| round.votes.get(usize::from(who)).copied();
        let earlier: Vec<_> =
            self.rounds.iter().map(|round| move |who| votes(round, who)).collect();
        // The same figure for all: the votes of this round do not decide among them.
        choose(Extreme::Fewest, &tied, |_| Some(Decimal9::default()), &earlier)
    }

    fn in_state(&self, state: State) -> Vec<u8> {
        let all = indices(self.states.len()).zip(&self.states);
        all.filter(|(_, own)| **own == state).map(|(candidate, _)| candidate).collect()
    }

    fn set(&mut self, candidate: u8, state: State, keep: u64) {
        let index = usize::from(candidate);
        if let (Some(own), Some(factor)) = (self.states.get_mut(index), self.keep.get_mut(index)) {
            (*own, *factor) = (state, keep);
        }
    }

    /// Candidates here come from [`Self::with`], so that each has votes.
    fn votes_of(&self, candidate: u8) -> u128 {
        self.votes.get(usize::from(candidate)).copied().unwrap_or(0)
    }

    fn by_votes(&self, mut candidates: Vec<u8>) -> Vec<u8> {
        candidates.sort_by_key(|who| (std::cmp::Reverse(self.votes_of(*who)), *who));
        candidates
    }

    fn note(&mut self, iterations: u32, outcome: MeekOutcome) {
        let whole = Decimal9::whole(self.valid).units();
        let exhausted = whole.saturating_sub(self.votes.iter().sum());
        self.rounds.push(MeekRound {
            iterations,
            quota: Decimal9::from_units(self.quota),
            votes: self.votes.iter().map(|votes| Decimal9::from_units(*votes)).collect(),
            keep: self.keep.iter().map(|keep| Decimal9::from_units((*keep).into())).collect(),
            exhausted: Decimal9::from_units(exhausted),
            outcome,
        });
    }
}
