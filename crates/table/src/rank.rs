//! Fractions of the rows, and ranks among them.

use serde::{Deserialize, Serialize};

/// A fraction `part / whole` of the rows, such as 1/2 for the median.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fraction {
    /// The numerator.
    pub part: u32,
    /// The denominator.
    pub whole: u32,
}

/// A position among sorted rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The value of rank `max(1, ⌈N·p⌉)`; for an even number of rows the median is the lower one.
    Quantile(Fraction),
}

impl Rank {
    /// The rank from 1 among `count ≥ 1` rows.
    pub fn among(self, count: u64) -> u64 {
        match self {
            Self::Min => 1,
            Self::Max => count,
            Self::Quantile(Fraction { part, whole }) => {
                let product = u128::from(count) * u128::from(part);
                (product.div_ceil(u128::from(whole.max(1))) as u64).max(1)
            }
        }
    }
}

/// The rank `N − K` below the top fraction.
pub(crate) fn rank_below_top(fraction: Fraction, count: u64) -> u64 {
    let rest = Fraction { part: fraction.whole.saturating_sub(fraction.part), ..fraction };
    Rank::Quantile(rest).among(count)
}
