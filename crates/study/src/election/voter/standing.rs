//! What became of a voter's ballot.

use std::{fmt, str::FromStr};

use shuffle::ballot::TrackingCode;
use wire::{DecodeError, Digest};

use super::super::{Election, RefusedBallot, Revision, Scheme};

/// What a voter noted down of a ballot: the code, or all of the tracker. Two ballots of one code take a device
/// 2^50 sealings; two of one tracker nobody finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// Its first 100 bits.
    Code(TrackingCode),
    /// The tracker.
    Tracker(Digest),
}

impl Noted {
    /// Whether it is of the ballot with this tracker.
    pub fn is(&self, tracker: &Digest) -> bool {
        match self {
            Self::Code(code) => *code == TrackingCode::of_digest(tracker),
            Self::Tracker(noted) => noted == tracker,
        }
    }
}

/// 64 hexadecimal digits are a tracker, anything else must be a code.
impl FromStr for Noted {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        match text.parse() {
            Ok(tracker) => Ok(Self::Tracker(tracker)),
            Err(_) => text.parse().map(Self::Code),
        }
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => code.fmt(f),
            Self::Tracker(tracker) => tracker.fmt(f),
        }
    }
}

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
        Self::of_noted(election, voter, &Noted::Tracker(*tracker))
    }

    /// The same, for somebody who has nothing but what the voter noted down.
    pub fn of_noted<S: Scheme>(election: &Election<S>, voter: u32, noted: &Noted) -> Self {
        let revisions = election.revisions_of(voter);
        let counts = revisions.last().copied();
        let own = revisions.iter().find(|revision| noted.is(&revision.tracker));
        match (own, counts) {
            (Some(own), Some(counts)) if own.tracker == counts.tracker => {
                Self::Counts { sequence: own.sequence }
            }
            (Some(own), Some(by)) => Self::Superseded { sequence: own.sequence, by },
            _ => {
                let name = election.roll().get(voter as usize).map(|voter| &voter.name);
                let mut refused =
                    election.refused().iter().filter(|refused| Some(&refused.voter) == name);
                let refused = refused.find(|one| one.tracker.is_some_and(|own| noted.is(&own)));
                refused.cloned().map_or(Self::Missing { counts }, Self::Refused)
            }
        }
    }
}
