//! The field of the MACs of bits.

use std::{
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::Zeroize;

use crate::kernel::clmul::{Clmul, Kernel, clmul, dispatch};

/// An element of F_{2^64} = F_2\[x\]/(x^64 + x^4 + x^3 + x + 1); bit i of the integer is the
/// coefficient of x^i. Arithmetic is constant time.
///
/// ```
/// use vole::Gf64;
///
/// let x_63 = Gf64::from(1 << 63);
/// assert_eq!(x_63 * Gf64::from(2), Gf64::from(0b11011));
/// assert_eq!(x_63 + x_63, Gf64::from(0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroize)]
pub struct Gf64(u64);

impl Gf64 {
    /// The integer whose bit i is the coefficient of x^i.
    #[inline]
    pub fn to_u64(self) -> u64 {
        self.0
    }
}

impl From<u64> for Gf64 {
    fn from(bits: u64) -> Self {
        Self(bits)
    }
}

impl Add for Gf64 {
    type Output = Self;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "addition without carries")]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for Gf64 {
    type Output = Self;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "the same as addition")]
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

impl Neg for Gf64 {
    type Output = Self;

    fn neg(self) -> Self {
        self
    }
}

impl AddAssign for Gf64 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Gf64 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        reduce_product(clmul(self.0, other.0))
    }
}

/// A product of two elements, or a sum of such products.
pub(crate) fn reduce_product(product: u128) -> Gf64 {
    let (low, high) = (product as u64, (product >> 64) as u64);
    let spread = |x: u64| x ^ x << 1 ^ x << 3 ^ x << 4;
    // What spreading shifts out at the top: at most four bits.
    let over = high >> 63 ^ high >> 61 ^ high >> 60;
    Gf64(low ^ spread(high) ^ spread(over))
}

/// `Σ a_i b_i`, reduced once.
pub(crate) fn inner_product(a: &[u64], b: &[Gf64]) -> Gf64 {
    struct InnerProduct<'a>(&'a [u64], &'a [Gf64]);

    impl Kernel for InnerProduct<'_> {
        type Output = u128;

        #[inline(always)]
        fn run<C: Clmul>(self, clmul: C) -> u128 {
            self.0.iter().zip(self.1).fold(0, |sum, (a, b)| sum ^ clmul.clmul(*a, b.0))
        }
    }

    reduce_product(dispatch(InnerProduct(a, b)))
}

/// As [`reduce_product`], inside a kernel: x^64 = x^4 + x^3 + x + 1, twice.
#[inline(always)]
pub(crate) fn reduce(clmul: impl Clmul, product: u128) -> u64 {
    const TAIL: u64 = 0b11011;
    let folded = clmul.clmul((product >> 64) as u64, TAIL);
    let over = clmul.clmul((folded >> 64) as u64, TAIL);
    (product ^ folded ^ over) as u64
}

impl Sum for Gf64 {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::default(), Add::add)
    }
}

impl Encode for Gf64 {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }
}

impl Decode for Gf64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.u64().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(mut a: u64, b: u64) -> u64 {
        let mut product = 0;
        for i in 0..64 {
            product ^= a * (b >> i & 1);
            a = (a << 1) ^ ((a >> 63) * 0b11011);
        }
        product
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(a: u64, b: u64) {
            prop_assert_eq!((Gf64(a) * Gf64(b)).0, by_definition(a, b));
        }
    }
}
