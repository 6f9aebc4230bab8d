//! First preferences.

use serde::{Deserialize, Serialize};

use crate::{
    Ranking,
    result::{Votes, indices},
};

/// A count of first preferences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plurality {
    /// Every candidate, in the description's order.
    pub votes: Vec<Votes>,
    /// Who has most; of several the one listed first. Nobody if no candidate has a vote.
    pub winner: Option<u8>,
    /// If several have most, all of them; otherwise empty.
    pub tied: Vec<u8>,
}

pub(crate) fn count(candidates: usize, ballots: &[(&Ranking, u64)]) -> Plurality {
    let mut votes: Vec<_> =
        indices(candidates).map(|candidate| Votes { candidate, ballots: 0 }).collect();
    for (ranking, count) in ballots {
        let mut choices = ranking.choices().iter().map(|choice| usize::from(*choice));
        if let Some(first) = choices.find(|choice| *choice < candidates)
            && let Some(votes) = votes.get_mut(first)
        {
            votes.ballots += count;
        }
    }
    let most = votes.iter().map(|votes| votes.ballots).max().filter(|most| *most > 0);
    let ahead = votes.iter().filter(|votes| Some(votes.ballots) == most);
    let mut tied: Vec<_> = ahead.map(|votes| votes.candidate).collect();
    let winner = tied.first().copied();
    if tied.len() == 1 {
        tied.clear();
    }
    Plurality { votes, winner, tied }
}
