//! The prime field of p = 2^61 - 1.

use std::{
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::Zeroize;

/// An element of F_p, p = 2^61 - 1, always reduced. Arithmetic is constant time.
///
/// ```
/// use vole::Fp;
///
/// let minus_one = Fp::from(Fp::MODULUS - 1);
/// assert_eq!(minus_one * minus_one, Fp::from(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroize)]
pub struct Fp(u64);

impl Fp {
    /// p.
    pub const MODULUS: u64 = (1 << 61) - 1;
    /// Bytes of an encoding.
    pub(crate) const BYTES: usize = 8;

    /// Any integer, reduced. 128 uniform bits give an element that is 2^-67 from uniform.
    #[inline]
    pub(crate) fn from_u128(value: u128) -> Self {
        let low = value as u64 & Self::MODULUS;
        let middle = (value >> 61) as u64 & Self::MODULUS;
        let high = (value >> 122) as u64;
        Self(reduce_once(reduce_once(low + middle) + high))
    }

    /// An integer of either sign. Constant time.
    #[inline]
    pub(crate) fn from_signed(value: i64) -> Self {
        let negative = (value >> 63) as u64;
        let magnitude = Self::from(value.unsigned_abs());
        magnitude - (magnitude + magnitude).masked(negative)
    }

    /// `x^-1`, and zero for zero. Constant time.
    pub(crate) fn inverse(self) -> Self {
        // x^(p-2): p - 2 has all bits but bit 1.
        let mut power = self;
        for bit in (0..60).rev() {
            power = power * power;
            if bit != 1 {
                power = power * self;
            }
        }
        power
    }

    /// Itself for a mask of ones, zero for a mask of zeros.
    #[inline]
    pub(crate) fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }

    /// The integer in `0..p`.
    #[inline]
    pub fn to_u64(self) -> u64 {
        self.0
    }
}

/// Of a number below 2p.
#[inline]
fn reduce_once(value: u64) -> u64 {
    let difference = value.wrapping_sub(Fp::MODULUS);
    let borrow = (difference >> 63).wrapping_neg();
    difference.wrapping_add(borrow & Fp::MODULUS)
}

impl From<u64> for Fp {
    fn from(value: u64) -> Self {
        Self::from_u128(value.into())
    }
}

impl Add for Fp {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(reduce_once(self.0 + other.0))
    }
}

impl AddAssign for Fp {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Fp {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(reduce_once(self.0 + (Self::MODULUS - other.0)))
    }
}

impl Neg for Fp {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::default() - self
    }
}

impl Mul for Fp {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        let (low, high) = (product as u64 & Self::MODULUS, (product >> 61) as u64);
        Self(reduce_once(low + high))
    }
}

impl Sum for Fp {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::default(), Add::add)
    }
}

impl Encode for Fp {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }
}

impl Decode for Fp {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u64()? {
            value if value < Self::MODULUS => Ok(Self(value)),
            _ => Err(DecodeError::invalid("field element", "not below 2^61 - 1")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const P: u128 = Fp::MODULUS as u128;

    #[test]
    fn extremes() {
        for value in [0, 1, P - 1, P, P + 1, 2 * P, P * P, u128::MAX - 1, u128::MAX] {
            assert_eq!(u128::from(Fp::from_u128(value).0), value % P);
        }
        assert_eq!(-Fp::default(), Fp::default());
        assert!(Fp::from_bytes(&Fp::MODULUS.to_le_bytes()).is_err());
        assert!(Fp::from_bytes(&(Fp::MODULUS - 1).to_le_bytes()).is_ok());
    }

    #[test]
    fn inverses_and_signs() {
        for value in [1, 2, 3, 26_880, Fp::MODULUS - 1] {
            assert_eq!(Fp::from(value) * Fp::from(value).inverse(), Fp::from(1));
        }
        assert_eq!(Fp::from_signed(-7) + Fp::from(7), Fp::default());
        assert_eq!(Fp::from_signed(7), Fp::from(7));
    }

    proptest! {
        #[test]
        fn agrees_with_integers(a in 0..P, b in 0..P, wide: u128) {
            let (x, y) = (Fp(a as u64), Fp(b as u64));
            prop_assert_eq!(u128::from((x + y).0), (a + b) % P);
            prop_assert_eq!(u128::from((x - y).0), (a + P - b) % P);
            prop_assert_eq!(u128::from((x * y).0), a * b % P);
            prop_assert_eq!(u128::from(Fp::from_u128(wide).0), wide % P);
        }
    }
}
