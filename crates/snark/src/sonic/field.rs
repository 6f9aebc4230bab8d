//! Powers of scalars.

use algebra::{Scalar, scale_by_powers};

/// A scalar that is not zero, with its inverse: a point at which Laurent polynomials have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point<S> {
    pub value: S,
    pub inverse: S,
}

impl<S: Scalar> Point<S> {
    /// `None` for zero.
    pub fn new(value: S) -> Option<Self> {
        value.invert().map(|inverse| Self { value, inverse })
    }

    /// The product of two points.
    pub fn times(&self, other: &Self) -> Self {
        Self { value: self.value * other.value, inverse: self.inverse * other.inverse }
    }

    /// The power of any exponent.
    pub fn pow(&self, exponent: i64) -> S {
        let mut base = if exponent < 0 { self.inverse } else { self.value };
        let mut exponent = exponent.unsigned_abs();
        let mut power = S::one();
        while exponent > 0 {
            if exponent & 1 == 1 {
                power *= base;
            }
            base *= base;
            exponent >>= 1;
        }
        power
    }

    /// `count` powers from that of `first` on.
    pub fn powers(&self, first: i64, count: usize) -> Vec<S> {
        let mut powers = vec![S::one(); count];
        scale_by_powers(&mut powers, self.pow(first), self.value);
        powers
    }
}
