//! Why a decrypted ballot is no ranking.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a decrypted ballot is no ranking. It counts for nobody.
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
}

impl Spoiled {
    /// Every reason, in the order that a tally lists them.
    pub const ALL: [Self; 5] =
        [Self::WrongLength, Self::UnknownCandidate, Self::Repeated, Self::Gap, Self::TooManyRanks];

    /// The number of the reason on the wire.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::WrongLength => 1,
            Self::UnknownCandidate => 2,
            Self::Repeated => 3,
            Self::Gap => 4,
            Self::TooManyRanks => 5,
        }
    }
}
