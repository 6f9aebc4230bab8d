//! What became of a voter's ballot.

use wire::Digest;

use super::super::{Election, RefusedBallot, Revision, Scheme};

/// What became of one ballot of a voter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is the voter's ballot that counts.
    Counts {
        /// The entry that has it.
        sequence: u64,
    },
    /// It is there, and a later one of the same voter counts.
    Superseded {
        /// The entry that has it.
        sequence: u64,
        /// The ballot that counts.
        by: Revision,
    },
    /// It was posted, and everybody refuses it.
    Refused(RefusedBallot),
    /// It is not there.
    Missing {
        /// The voter's ballot that counts, if there is one.
        counts: Option<Revision>,
    },
}

impl Standing {
    /// What became of a voter's ballot, as far as the board goes.
    pub fn of<S: Scheme>(election: &Election<S>, voter: u32, tracker: &Digest) -> Self {
        let revisions = election.revisions_of(voter);
        let counts = revisions.last().copied();
        let own = revisions.iter().find(|revision| revision.tracker == *tracker);
        match (own, counts) {
            (Some(own), Some(counts)) if own.tracker == counts.tracker => {
                Self::Counts { sequence: own.sequence }
            }
            (Some(own), Some(by)) => Self::Superseded { sequence: own.sequence, by },
            _ => {
                let refused = election.refused().iter();
                let refused = refused.clone().find(|one| one.tracker == Some(*tracker)).cloned();
                refused.map_or(Self::Missing { counts }, Self::Refused)
            }
        }
    }
}
