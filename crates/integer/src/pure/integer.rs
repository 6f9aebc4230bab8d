//! The integer, and what is computed with it but for operators.

use std::{fmt, str::FromStr};

use dashu_int::{
    IBig, Sign, UBig,
    fast_div::ConstDivisor,
    monty::MontgomeryRepr,
    ops::{DivRem, Gcd, RemEuclid, UnsignedAbs},
};
use num_modular::{ModularPow as _, ModularSymbols};
use zeroize::Zeroize as _;

use super::small_primes;

/// An integer of any size. Not erased when dropped: secrets are
/// [`SecretInteger`](crate::SecretInteger)s.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(pub(super) IBig);

/// The result of an operation on borrowed integers, for [`Integer::from`].
///
/// GMP's results wait for a place; these are there at once, and have a type of their own only so that
/// nothing compiles with one of the two and not with the other.
#[derive(Clone, Debug)]
pub struct Incomplete(pub(super) Integer);

/// Where a result gets its place.
pub(crate) trait Complete {
    /// The result.
    fn complete(self) -> Integer;
}

impl Complete for Incomplete {
    fn complete(self) -> Integer {
        self.0
    }
}

impl From<Incomplete> for Integer {
    fn from(result: Incomplete) -> Self {
        result.0
    }
}

impl From<&Integer> for Integer {
    fn from(integer: &Integer) -> Self {
        integer.clone()
    }
}

/// How digits lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The least significant first.
    Lsf,
    /// The most significant first.
    Msf,
}

/// A digit of an integer: a number of bytes.
pub trait Digit: Copy + Default {
    /// Its bytes, the least significant first, at the end of a list.
    fn append(self, bytes: &mut Vec<u8>);
    /// The digit of as many bytes as it has, or fewer.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! digits {
    ($($digit:ty)*) => {$(
        impl Digit for $digit {
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                let mut whole = [0; size_of::<$digit>()];
                whole.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                Self::from_le_bytes(whole)
            }
        }
    )*};
}

digits!(u8 u64);

impl Integer {
    /// Zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The absolute value.
    pub(super) fn magnitude(&self) -> UBig {
        (&self.0).unsigned_abs()
    }

    /// The integer of an absolute value.
    pub(super) fn of(magnitude: UBig) -> Self {
        Self(magnitude.into())
    }

    /// The integer of digits.
    pub fn from_digits<T: Digit>(digits: &[T], order: Order) -> Self {
        let mut bytes = Vec::with_capacity(size_of_val(digits));
        match order {
            Order::Lsf => digits.iter().for_each(|digit| digit.append(&mut bytes)),
            Order::Msf => digits.iter().rev().for_each(|digit| digit.append(&mut bytes)),
        }
        let integer = Self::of(UBig::from_le_bytes(&bytes));
        bytes.zeroize();
        integer
    }

    /// The digits of the absolute value, as few as it takes: none for zero.
    pub fn to_digits<T: Digit>(&self, order: Order) -> Vec<T> {
        let mut bytes = self.magnitude().to_le_bytes();
        let len = self.significant_bits().div_ceil(8) as usize;
        // The magnitude has as many bytes as its bits take.
        let chunks = bytes.get(..len).unwrap_or_default().chunks(size_of::<T>());
        let mut digits: Vec<T> = chunks.map(T::from_bytes).collect();
        bytes.zeroize();
        if order == Order::Msf {
            digits.reverse();
        }
        digits
    }

    /// Writes the digits of the absolute value, and zeros beyond them. What does not fit is cut.
    pub fn write_digits<T: Digit>(&self, digits: &mut [T], order: Order) {
        let own = self.to_digits::<T>(Order::Lsf);
        let own = own.into_iter().chain(std::iter::repeat(T::default()));
        match order {
            Order::Lsf => digits.iter_mut().zip(own).for_each(|(to, from)| *to = from),
            Order::Msf => digits.iter_mut().rev().zip(own).for_each(|(to, from)| *to = from),
        }
    }

    /// Bits of the absolute value.
    pub fn significant_bits(&self) -> u32 {
        use dashu_int::ops::BitTest as _;
        self.magnitude().bit_len() as u32
    }

    /// Digits of the absolute value.
    pub fn significant_digits<T: Digit>(&self) -> usize {
        (self.significant_bits() as usize).div_ceil(8 * size_of::<T>())
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        !self.0.is_zero() && self.0.sign() == Sign::Negative
    }

    /// Whether it is odd.
    pub fn is_odd(&self) -> bool {
        self.get_bit(0)
    }

    /// A bit, of a negative integer in two's complement.
    pub fn get_bit(&self, bit: u32) -> bool {
        use dashu_int::ops::BitTest as _;
        self.0.bit(bit as usize)
    }

    /// Sets or clears a bit of an integer that is not negative.
    pub fn set_bit(&mut self, bit: u32, value: bool) -> &mut Self {
        let mut magnitude = self.magnitude();
        match value {
            true => magnitude.set_bit(bit as usize),
            false => magnitude.clear_bit(bit as usize),
        }
        *self = Self::of(magnitude);
        self
    }

    /// Its residue modulo `2^bits`.
    pub fn keep_bits_ref(&self, bits: u32) -> Incomplete {
        let power = IBig::from(UBig::ONE << bits as usize);
        Incomplete(Self((&self.0).rem_euclid(&power).into()))
    }

    /// Puts its residue modulo `2^bits` in its place.
    pub fn keep_bits_mut(&mut self, bits: u32) {
        *self = self.keep_bits_ref(bits).complete();
    }

    /// The integer, if it is one of 32 bits.
    pub fn to_u32(&self) -> Option<u32> {
        u32::try_from(&self.0).ok()
    }

    /// The absolute value.
    pub fn abs_ref(&self) -> Incomplete {
        Incomplete(Self::of(self.magnitude()))
    }

    /// The square.
    pub fn square_ref(&self) -> Incomplete {
        Incomplete(Self::of(self.magnitude().sqr()))
    }

    /// The residue modulo a positive integer, which is not negative.
    pub fn modulo_ref(&self, modulus: &Self) -> Incomplete {
        Incomplete(Self((&self.0).rem_euclid(&modulus.0).into()))
    }

    /// As [`Integer::modulo_ref`].
    #[must_use]
    pub fn modulo(self, modulus: &Self) -> Self {
        self.modulo_ref(modulus).complete()
    }

    /// The residue modulo a small positive integer.
    pub fn mod_u(&self, modulus: u32) -> u32 {
        let residue = (&self.0).rem_euclid(&IBig::from(modulus));
        // The residue is below a modulus of 32 bits, and not negative.
        u32::try_from(residue).unwrap_or_default()
    }

    /// Quotient, towards 0, and remainder.
    #[must_use]
    pub fn div_rem(self, divisor: Self) -> (Self, Self) {
        let (quotient, remainder) = self.0.div_rem(divisor.0);
        (Self(quotient), Self(remainder))
    }

    /// The quotient of a division that leaves no remainder.
    #[must_use]
    pub fn div_exact(self, divisor: &Self) -> Self {
        Self(self.0 / &divisor.0)
    }

    /// The greatest common divisor; that of two zeros is 0.
    pub fn gcd_ref(&self, other: &Self) -> Incomplete {
        Incomplete(match (self.is_zero(), other.is_zero()) {
            (true, _) => Self::of(other.magnitude()),
            (_, true) => Self::of(self.magnitude()),
            _ => Self::of((&self.0).gcd(&other.0)),
        })
    }

    /// As [`Integer::gcd_ref`].
    #[must_use]
    pub fn gcd(self, other: &Self) -> Self {
        self.gcd_ref(other).complete()
    }

    /// The inverse modulo an integer above 1, if there is one.
    pub fn invert_ref(&self, modulus: &Self) -> Option<Incomplete> {
        let divisor = ConstDivisor::new(modulus.magnitude());
        Some(Incomplete(Self::of(divisor.reduce(self.0.clone()).inv()?.residue())))
    }

    /// As [`Integer::invert_ref`].
    ///
    /// # Errors
    /// The integer, if it has no inverse.
    pub fn invert(self, modulus: &Self) -> Result<Self, Self> {
        self.invert_ref(modulus).map(Complete::complete).ok_or(self)
    }

    /// `self^exponent` modulo an integer above 1, by the inverse if the exponent is negative.
    ///
    /// # Errors
    /// The base, if it has no inverse.
    pub fn pow_mod(self, exponent: &Self, modulus: &Self) -> Result<Self, Self> {
        let base = match exponent.is_negative() {
            true => self.invert(modulus)?,
            false => self,
        };
        let (modulus, exponent) = (modulus.magnitude(), exponent.magnitude());
        Ok(Self::of(match Self::of(modulus.clone()).is_odd() {
            true => MontgomeryRepr::new(modulus).reduce(base.0).pow(&exponent).residue(),
            false => ConstDivisor::new(modulus).reduce(base.0).pow(&exponent).residue(),
        }))
    }

    /// The Jacobi symbol over an odd positive integer; 0 if there is none.
    pub fn jacobi(&self, modulus: &Self) -> i32 {
        let residue = self.modulo_ref(modulus).complete().magnitude();
        residue.checked_jacobi(&modulus.magnitude()).unwrap_or_default().into()
    }

    /// Whether it is a square, a cube or another power of an integer; 0 and 1 are.
    pub fn is_perfect_power(&self) -> bool {
        let magnitude = self.magnitude();
        let moduli = small_primes::primes(1 << 16);
        let is_power = |k: &u32| {
            // A root takes long, and is taken of what is a k-th power modulo primes to which few numbers are.
            let mut moduli = moduli.iter().filter(|prime| *prime % k == 1).take(4);
            moduli.all(|prime| may_be_power(&magnitude, *k, *prime))
                && magnitude.nth_root(*k as usize).pow(*k as usize) == magnitude
        };
        // Every exponent has a prime factor, and a negative number is no square. What has no small
        // factor is no high power.
        let root_bits = small_primes::bits_of_least_factor(&magnitude);
        let exponents = small_primes::primes(self.significant_bits() / root_bits + 1);
        let first = usize::from(self.is_negative());
        // Where there is no exponent to try, it is no power.
        magnitude <= UBig::ONE || exponents.get(first..).unwrap_or_default().iter().any(is_power)
    }

    /// `1·2·…·n`.
    pub fn factorial(n: u32) -> Incomplete {
        Incomplete((1..=n).map(Self::from).product())
    }

    /// The product of the primes up to `n`.
    pub fn primorial(n: u32) -> Incomplete {
        fn product(factors: &[u32]) -> Integer {
            match factors {
                [] => Integer::from(1),
                [factor] => Integer::from(*factor),
                _ => {
                    let (left, right) = factors.split_at(factors.len() / 2);
                    product(left) * product(right)
                }
            }
        }
        Incomplete(product(&small_primes::primes(n)))
    }
}

/// Whether it is a k-th power modulo a prime that is 1 modulo k: one in k is.
fn may_be_power(magnitude: &UBig, k: u32, prime: u32) -> bool {
    let residue = magnitude % u64::from(prime);
    residue == 0 || residue.powm(u64::from((prime - 1) / k), &u64::from(prime)) == 1
}

/// Overwrites the limbs, and leaves 0.
pub(crate) fn erase(integer: &mut Integer) {
    integer.0.zeroize();
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text is not a decimal integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal integer")]
pub struct ParseIntegerError;

impl FromStr for Integer {
    type Err = ParseIntegerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        IBig::from_str_radix(text, 10).map(Self).map_err(|_| ParseIntegerError)
    }
}
