//! Instant runoff.

use serde::{Deserialize, Serialize};

use crate::{
    Ranking,
    result::{Extreme, Tie, Votes, choose, indices},
};

/// A count by instant runoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstantRunoff {
    /// The rounds in order; the last one elects somebody, or nobody had a vote at all.
    pub rounds: Vec<Round>,
}

impl InstantRunoff {
    /// Who is elected; nobody if no ballot ranks anybody.
    pub fn winner(&self) -> Option<u8> {
        match self.rounds.last()?.outcome {
            Outcome::Elected { candidate } => Some(candidate),
            _ => None,
        }
    }

    /// The ties in which candidates left.
    pub fn ties(&self) -> impl Iterator<Item = &Tie> {
        self.rounds.iter().filter_map(|round| match &round.outcome {
            Outcome::Eliminated { tie, .. } => tie.as_ref(),
            _ => None,
        })
    }
}

/// One round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// The candidates still standing, in the description's order, and their ballots.
    pub standing: Vec<Votes>,
    /// Ballots that rank nobody still standing, blank ones included.
    pub exhausted: u64,
    /// The ballots that elect: more than half of those not exhausted.
    pub majority: u64,
    /// How the round ends.
    pub outcome: Outcome,
}

impl Round {
    /// The ballots of a candidate, who may have left.
    pub fn ballots_of(&self, candidate: u8) -> Option<u64> {
        self.standing.iter().find(|votes| votes.candidate == candidate).map(|votes| votes.ballots)
    }
}

/// How a round ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// Somebody has a majority.
    Elected {
        /// Who.
        candidate: u8,
    },
    /// Nobody has a majority, and the last one leaves.
    Eliminated {
        /// Who.
        candidate: u8,
        /// If several had the fewest ballots, how one was chosen.
        tie: Option<Tie>,
        /// Where the candidate's ballots go: those who receive any, in the description's order.
        transfers: Vec<Votes>,
        /// The candidate's ballots that rank nobody else still standing.
        exhausted: u64,
    },
    /// No ballot ranks anybody.
    NoVotes,
}

/// The ballots that belong to a candidate, each as the choices that follow.
#[derive(Default)]
struct Pile<'a> {
    total: u64,
    ballots: Vec<(&'a [u8], u64)>,
}

/// What dealing ballots moved.
struct Dealt {
    received: Vec<Votes>,
    exhausted: u64,
}

pub(crate) fn count(candidates: usize, ballots: &[(&Ranking, u64)]) -> InstantRunoff {
    let mut piles: Vec<_> = (0..candidates).map(|_| Some(Pile::default())).collect();
    let whole = ballots.iter().map(|(ranking, count)| (ranking.choices(), *count));
    let mut exhausted = deal(whole.collect(), &mut piles).exhausted;
    let mut rounds = Vec::new();
    loop {
        let standing = standing(&piles);
        let active = standing.iter().map(|votes| votes.ballots).sum::<u64>();
        let majority = active / 2 + 1;
        let elected = standing.iter().find(|votes| votes.ballots >= majority);
        let before = exhausted;
        let outcome = match (elected, last(&standing, &rounds)) {
            (Some(votes), _) => Outcome::Elected { candidate: votes.candidate },
            (None, Some((candidate, tie))) if active > 0 => {
                let pile = piles.get_mut(usize::from(candidate)).and_then(Option::take);
                // Whoever is last stands, and has a pile.
                let dealt = deal(pile.unwrap_or_default().ballots, &mut piles);
                exhausted += dealt.exhausted;
                let Dealt { received: transfers, exhausted } = dealt;
                Outcome::Eliminated { candidate, tie, transfers, exhausted }
            }
            _ => Outcome::NoVotes,
        };
        let goes_on = matches!(outcome, Outcome::Eliminated { .. });
        rounds.push(Round { standing, exhausted: before, majority, outcome });
        if !goes_on {
            return InstantRunoff { rounds };
        }
    }
}

/// Puts each ballot on the pile of its next candidate still standing.
fn deal<'a>(ballots: Vec<(&'a [u8], u64)>, piles: &mut [Option<Pile<'a>>]) -> Dealt {
    let before = standing(piles);
    let mut exhausted = 0;
    for (mut choices, count) in ballots {
        let next = loop {
            let Some((choice, rest)) = choices.split_first() else { break None };
            choices = rest;
            if let Some(Some(pile)) = piles.get_mut(usize::from(*choice)) {
                break Some(pile);
            }
        };
        match next {
            Some(pile) => {
                pile.total += count;
                pile.ballots.push((choices, count));
            }
            None => exhausted += count,
        }
    }
    let gains = standing(piles).into_iter().zip(before).map(|(after, before)| Votes {
        candidate: after.candidate,
        ballots: after.ballots - before.ballots,
    });
    Dealt { received: gains.filter(|votes| votes.ballots > 0).collect(), exhausted }
}

fn standing(piles: &[Option<Pile<'_>>]) -> Vec<Votes> {
    let candidates = indices(piles.len()).zip(piles);
    let votes = |(candidate, pile): (u8, &Option<Pile<'_>>)| {
        pile.as_ref().map(|pile| Votes { candidate, ballots: pile.total })
    };
    candidates.filter_map(votes).collect()
}

/// Who has the fewest ballots, and how a tie for that was decided.
fn last(standing: &[Votes], earlier: &[Round]) -> Option<(u8, Option<Tie>)> {
    let candidates: Vec<u8> = standing.iter().map(|votes| votes.candidate).collect();
    let now = |candidate: u8| {
        standing.iter().find(|votes| votes.candidate == candidate).map(|votes| votes.ballots)
    };
    let earlier: Vec<_> = earlier.iter().map(|round| |who: u8| round.ballots_of(who)).collect();
    choose(Extreme::Fewest, &candidates, now, &earlier)
}
