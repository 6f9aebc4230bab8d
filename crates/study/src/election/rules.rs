//! The two sets of rules that elections are replayed by.

use crate::description::{ElectionDescription, Schedule};

/// Which rules hold on a board: its first entry says it.
///
/// Version 1 is that of elections without times: the operator alone opens, closes and says who is absent. Boards of
/// it stay what they were. In version 2 what the operator says counts only when the log's times and the other
/// parties' signatures agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Those of `election/setup`.
    One,
    /// Those of `election/setup/2`.
    Two(Schedule),
}

impl Rules {
    /// The rules that a description asks for.
    pub fn of(description: &ElectionDescription) -> Self {
        description.schedule.map_or(Self::One, Self::Two)
    }

    /// The version, 1 or 2.
    pub fn version(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two(_) => 2,
        }
    }

    /// When the polls are open and how long parties are waited for, in version 2.
    pub fn schedule(self) -> Option<Schedule> {
        match self {
            Self::One => None,
            Self::Two(schedule) => Some(schedule),
        }
    }

    /// The kind of first entry of an election under these rules.
    pub fn setup(self) -> &'static str {
        match self {
            Self::One => "election/setup",
            Self::Two(_) => "election/setup/2",
        }
    }
}
