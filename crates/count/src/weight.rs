//! Weights of ballots: positive rational numbers, exact.
//!
//! A weighted count is made of whole numbers: all weights are multiplied by the least common multiple of their
//! denominators, and a ballot then counts as so many equal ones. Every figure of the count is in that
//! unit, one over the multiple. Nothing is rounded that the rule does not round.

use std::{fmt, num::NonZeroU32, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// The most that one ballot counts in the common unit: a million voters of this weight are
/// [`MAX_BALLOTS`](crate::MAX_BALLOTS).
pub const MAX_VOTES: u64 = 1 << 20;

/// What a ballot counts: a positive rational number in lowest terms, `3` or `3/2` as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weight {
    numerator: NonZeroU32,
    denominator: NonZeroU32,
}

/// No weight, or weights that have no unit in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WeightError {
    /// Not a positive rational number in lowest terms.
    #[error("write a weight as a positive whole number or fraction in lowest terms, `3` or `3/2`")]
    Form,
    /// A ballot would count more than [`MAX_VOTES`] in the unit that all weights have in common.
    #[error(
        "brought to a common denominator, a ballot counts more than {MAX_VOTES}; choose rounder weights"
    )]
    TooFine,
}

impl Weight {
    /// One.
    pub const ONE: Self = Self { numerator: NonZeroU32::MIN, denominator: NonZeroU32::MIN };

    /// A fraction in lowest terms.
    ///
    /// # Errors
    /// [`WeightError::Form`] for anything else, and for zero.
    pub fn new(numerator: u32, denominator: u32) -> Result<Self, WeightError> {
        let parts = NonZeroU32::new(numerator).zip(NonZeroU32::new(denominator));
        let lowest =
            parts.filter(|(above, below)| gcd(above.get().into(), below.get().into()) == 1);
        let (numerator, denominator) = lowest.ok_or(WeightError::Form)?;
        Ok(Self { numerator, denominator })
    }

    /// What stands above the line.
    pub fn numerator(self) -> u32 {
        self.numerator.get()
    }

    /// What stands below the line.
    pub fn denominator(self) -> u32 {
        self.denominator.get()
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator() {
            1 => write!(f, "{}", self.numerator()),
            denominator => write!(f, "{}/{denominator}", self.numerator()),
        }
    }
}

impl FromStr for Weight {
    type Err = WeightError;

    /// Reads what [`Display`](fmt::Display) writes, and nothing else.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A whole number is written without its denominator, which is 1.
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        let number = |digits: &str| digits.parse().map_err(|_| WeightError::Form);
        let weight = Self::new(number(above)?, number(below)?)?;
        if weight.to_string() == text { Ok(weight) } else { Err(WeightError::Form) }
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The unit that weights have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    parts: u64,
}

impl Unit {
    /// The greatest unit of which all weights are multiples and which divides one.
    ///
    /// # Errors
    /// [`WeightError::TooFine`] if one of them is more than [`MAX_VOTES`] of it.
    pub fn of(weights: &[Weight]) -> Result<Self, WeightError> {
        let mut denominators = weights.iter().map(|weight| u64::from(weight.denominator()));
        // A ballot counts at least the multiple divided by its denominator, which is below 2^32.
        let multiple = |all: u64, one: u64| {
            (all / gcd(all, one)).checked_mul(one).filter(|multiple| *multiple <= MAX_VOTES << 32)
        };
        let parts = denominators.try_fold(1, multiple);
        let unit = Self { parts: parts.ok_or(WeightError::TooFine)? };
        let fits = |weight: &Weight| unit.votes(*weight).is_some_and(|votes| votes <= MAX_VOTES);
        if weights.iter().all(fits) { Ok(unit) } else { Err(WeightError::TooFine) }
    }

    /// How many units make one.
    pub fn parts(self) -> u64 {
        self.parts
    }

    /// What a ballot of this weight counts in this unit; `None` if it is no multiple, or too large.
    pub fn votes(self, weight: Weight) -> Option<u64> {
        let below = u64::from(weight.denominator());
        (self.parts.is_multiple_of(below))
            .then(|| (self.parts / below).checked_mul(weight.numerator().into()))?
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
