//! Why a decrypted ballot does not count.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a decrypted ballot, or what it says about one question, counts for nobody.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Error,
)]
#[serde(rename_all = "snake_case")]
pub enum Spoiled {
    /// Not the election's number of cells, or a cell that is no text at all.
    #[error("it does not have the length of a ballot")]
    WrongLength,
    /// An index beyond the last candidate.
    #[error("it ranks a candidate who does not stand")]
    UnknownCandidate,
    /// One candidate at two ranks.
    #[error("it ranks a candidate twice")]
    Repeated,
    /// A choice after an unused rank.
    #[error("it leaves out a rank before its last choice")]
    Gap,
    /// A choice, or other bytes, beyond the last rank.
    #[error("it holds more than the ballot has ranks for")]
    TooManyRanks,
    /// More candidates chosen than a ballot may choose.
    #[error("it chooses too many candidates")]
    TooManyChoices,
    /// A grade beyond the best one.
    #[error("it gives a grade that there is not")]
    UnknownGrade,
}

impl Spoiled {
    /// Every reason, in the order that a tally lists them.
    pub const ALL: [Self; 7] = [
        Self::WrongLength,
        Self::UnknownCandidate,
        Self::Repeated,
        Self::Gap,
        Self::TooManyRanks,
        Self::TooManyChoices,
        Self::UnknownGrade,
    ];

    /// The number of the reason on the wire.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::WrongLength => 1,
            Self::UnknownCandidate => 2,
            Self::Repeated => 3,
            Self::Gap => 4,
            Self::TooManyRanks => 5,
            Self::TooManyChoices => 6,
            Self::UnknownGrade => 7,
        }
    }
}
