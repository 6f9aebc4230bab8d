//! From proven sums to the numbers that were asked for: exact fractions, rounded only when shown.

use num_bigint::{BigInt, Sign};
use num_traits::Zero as _;

use super::Moments;
use crate::ValueColumn;

/// Decimals that roots are shown with.
pub const ROOT_DECIMALS: u32 = 6;

/// A fraction of integers, in steps of a column's scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The numerator.
    pub numerator: BigInt,
    /// The denominator, positive.
    pub denominator: BigInt,
    /// Decimal places that a step stands for.
    pub scale: u32,
}

impl Exact {
    /// The number with so many decimals, halves rounded away from zero.
    pub fn to_decimal(&self, decimals: u32) -> String {
        let ten = |power: u32| BigInt::from(10).pow(power);
        let numerator: BigInt = self.numerator.magnitude().clone().into();
        let shifted = numerator * ten(decimals) * 2;
        let denominator = &self.denominator * ten(self.scale);
        let rounded: BigInt = (shifted + &denominator) / (denominator * 2);
        let (whole, part) = (&rounded / ten(decimals), &rounded % ten(decimals));
        let sign =
            if self.numerator.sign() == Sign::Minus && !rounded.is_zero() { "-" } else { "" };
        match decimals {
            0 => format!("{sign}{whole}"),
            _ => format!(
                "{sign}{whole}.{part:0>width$}",
                part = part.to_string(),
                width = decimals as usize
            ),
        }
    }
}

/// The square root of a fraction, with a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Whether it is below zero.
    pub negative: bool,
    /// What it is the root of; not below zero.
    pub radicand: Exact,
}

impl Root {
    /// The number with so many decimals, halves rounded away from zero. The same everywhere: nothing
    /// is computed in floating point.
    pub fn to_decimal(&self, decimals: u32) -> String {
        let ten = |power: u32| BigInt::from(10).pow(power);
        let Exact { numerator, denominator, scale } = &self.radicand;
        // ⌊√x + 1/2⌋ = ⌊(⌊√(4x)⌋ + 1) / 2⌋, with x in units of the last decimal squared.
        let quadruple: BigInt = numerator * 4 * ten(2 * decimals) / (denominator * ten(*scale));
        let rounded: BigInt = (quadruple.sqrt() + 1) / 2;
        let signed = if self.negative { -rounded } else { rounded };
        Exact { numerator: signed, denominator: 1.into(), scale: decimals }.to_decimal(decimals)
    }
}

/// The classic statistics of a set of rows; `None` where there are too few rows or powers.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// COUNT.
    pub count: u64,
    /// SUM.
    pub sum: Exact,
    /// AVG.
    pub mean: Option<Exact>,
    /// VAR_SAMP.
    pub variance: Option<Exact>,
    /// STDDEV_SAMP.
    pub deviation: Option<Root>,
    /// SKEW, the third standardized moment.
    pub skewness: Option<Root>,
}

impl Summary {
    /// The statistics of proven sums of a column.
    pub fn of(column: &ValueColumn, moments: &Moments) -> Self {
        let scale = u32::from(column.scale);
        let exact = |numerator: BigInt, denominator: &BigInt, power: u32| Exact {
            numerator,
            denominator: denominator.clone(),
            scale: scale * power,
        };
        let (count, one) = (BigInt::from(moments.count), BigInt::from(1));
        let sums: Vec<BigInt> = moments.sums().into_iter().map(BigInt::from).collect();
        // Committed values are offsets: V_1 + N·MIN. Central moments are the same.
        // Every column has one moment at least.
        let first = sums.first().cloned().unwrap_or_default();
        let sum = &first + &count * column.min;
        let mean = (moments.count > 0).then(|| exact(sum.clone(), &count, 1));
        let spread = sums.get(1).map(|second| &count * second - &first * &first);
        let variance = spread.clone().filter(|_| moments.count > 1);
        let variance = variance.map(|spread| exact(spread, &(&count * (&count - 1)), 2));
        // N³·m₃ = N²V₃ − 3N·V₁V₂ + 2V₁³ and N²·m₂ = N·V₂ − V₁².
        let third: Option<BigInt> = sums.get(1).zip(sums.get(2)).map(|(second, third)| {
            &count * &count * third - 3 * &count * &first * second + 2 * first.pow(3)
        });
        let skewness = spread.filter(|spread| !spread.is_zero()).zip(third);
        // N cancels: the third moment over the second to the power of 3/2.
        let skewness = skewness.map(|(spread, third)| Root {
            negative: third.sign() == Sign::Minus,
            radicand: Exact { numerator: third.pow(2), denominator: spread.pow(3), scale: 0 },
        });
        let deviation = variance.clone().map(|radicand| Root { negative: false, radicand });
        let sum = exact(sum, &one, 1);
        Self { count: moments.count, sum, mean, variance, deviation, skewness }
    }
}

/// The interval of a rounded sum and of the mean, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// SUM: the least and the greatest that it can be.
    pub sum: [Exact; 2],
    /// AVG: likewise.
    pub mean: [Exact; 2],
}

impl Interval {
    /// What a proven rounded sum of `count ≥ 1` rows says.
    pub fn of(column: &ValueColumn, rounding: u8, count: u64, sum: u128) -> Self {
        let scale = u32::from(column.scale);
        let least = BigInt::from(sum) + BigInt::from(count) * column.min;
        let greatest = &least + (BigInt::from(1) << u32::from(rounding)) - 1;
        let exact = |numerator: &BigInt, denominator: u64| Exact {
            numerator: numerator.clone(),
            denominator: denominator.into(),
            scale,
        };
        let ends = [&least, &greatest];
        Self { sum: ends.map(|end| exact(end, 1)), mean: ends.map(|end| exact(end, count.max(1))) }
    }
}

/// A committed value of a column as it is shown.
pub fn value_to_decimal(column: &ValueColumn, offset: u64) -> String {
    let value = BigInt::from(column.min) + BigInt::from(offset);
    let scale = u32::from(column.scale);
    Exact { numerator: value, denominator: 1.into(), scale }.to_decimal(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_rounded_only_when_shown() {
        let exact =
            |n: i64, d: i64, scale| Exact { numerator: n.into(), denominator: d.into(), scale };
        assert_eq!(exact(1, 3, 0).to_decimal(4), "0.3333");
        assert_eq!(exact(-1, 2, 0).to_decimal(0), "-1");
        assert_eq!(exact(-1, 3, 0).to_decimal(0), "0");
        assert_eq!(exact(12345, 1, 2).to_decimal(2), "123.45");
        assert_eq!(exact(5, 1, 2).to_decimal(1), "0.1");
    }

    #[test]
    fn roots_are_exact_to_the_last_decimal() {
        let root = |n: i64, d: i64, scale, negative| Root {
            negative,
            radicand: Exact { numerator: n.into(), denominator: d.into(), scale },
        };
        assert_eq!(root(2, 1, 0, false).to_decimal(20), "1.41421356237309504880");
        assert_eq!(root(2, 1, 0, true).to_decimal(3), "-1.414");
        assert_eq!(root(1, 4, 0, false).to_decimal(0), "1", "a half, away from zero");
        assert_eq!(root(1, 4, 0, true).to_decimal(0), "-1");
        assert_eq!(root(0, 7, 4, true).to_decimal(2), "0.00");
        assert_eq!(root(14_400, 1, 4, false).to_decimal(2), "1.20");
        assert_eq!(root(899, 900, 0, false).to_decimal(3), "0.999");
    }
}
