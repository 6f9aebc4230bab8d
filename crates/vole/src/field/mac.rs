//! What commitments need of a field.

use std::{
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

use wire::{ChannelError, Decode, Encode, Reader};
use zeroize::Zeroize;

use super::{Authenticated, Fp, Gf64};
use crate::{error::VoleError, message, prg::Prg};

mod sealed {
    // The one circle of this crate: a field finds its own among what a session has of every field, and a
    // session is generic over the field of each call.
    use crate::{
        field::{Deltas, PerField},
        session::{
            Session,
            stock::{Stock, Stocks},
        },
    };

    /// What is picked by field.
    pub trait Sealed: Sized {
        fn stock<S: Session>(stocks: &mut Stocks<S>) -> &mut Stock<S, Self>
        where
            Self: super::MacField;

        fn delta(deltas: &Deltas) -> Self;

        /// The values of this field among those of both.
        fn shown(values: &PerField<Vec<bool>, Vec<super::Fp>>) -> &[Self::Value]
        where
            Self: super::MacField;

        /// The bits, of `count` correlations of this field.
        fn bits(count: usize) -> usize;

        /// The values in F_p, of `count` correlations of this field.
        fn values(count: usize) -> usize;

        /// An element from 128 uniform bits.
        fn from_block(block: u128) -> Self;
    }

    impl Sealed for super::Gf64 {
        fn stock<S: Session>(stocks: &mut Stocks<S>) -> &mut Stock<S, Self> {
            &mut stocks.bits
        }

        fn delta(deltas: &Deltas) -> Self {
            deltas.bits
        }

        fn shown(values: &PerField<Vec<bool>, Vec<super::Fp>>) -> &[bool] {
            &values.bits
        }

        fn bits(count: usize) -> usize {
            count
        }

        fn values(_: usize) -> usize {
            0
        }

        fn from_block(block: u128) -> Self {
            Self::from(block as u64)
        }
    }

    impl Sealed for super::Fp {
        fn stock<S: Session>(stocks: &mut Stocks<S>) -> &mut Stock<S, Self> {
            &mut stocks.values
        }

        fn delta(deltas: &Deltas) -> Self {
            deltas.values
        }

        fn shown(values: &PerField<Vec<bool>, Vec<super::Fp>>) -> &[super::Fp] {
            &values.values
        }

        fn bits(_: usize) -> usize {
            0
        }

        fn values(count: usize) -> usize {
            count
        }

        fn from_block(block: u128) -> Self {
            Self::from_u128(block)
        }
    }
}

/// A field of MACs, with the subfield of the values that they authenticate: [`Gf64`] for bits
/// ([`crate::Bit`]), [`Fp`] for integers modulo 2^61 - 1 ([`crate::Field`]).
pub trait MacField:
    sealed::Sealed
    + Copy
    + Default
    + PartialEq
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Sum
    + Encode
    + Decode
    + Zeroize
    + Send
    + Sync
{
    /// A committed value.
    type Value: Copy + Default + PartialEq + Zeroize + Send + Sync;

    /// Values that make a uniform element of the whole field: its degree over the subfield.
    const DEGREE: usize;
    /// Names the field where randomness is derived.
    const LABEL: &'static str;

    /// A value with its MAC: over F_2 in one word, with the value as the lowest bit of the MAC.
    type Proven: Copy + Default + Zeroize + Send + Sync;

    /// Puts a value and its MAC together.
    fn prove(value: Self::Value, mac: Self) -> Self::Proven;

    /// The value.
    fn value(proven: Self::Proven) -> Self::Value;

    /// The MAC: `mac = key + value Δ`.
    fn mac(proven: Self::Proven) -> Self;

    /// The sum of two values.
    fn add_proven(a: Self::Proven, b: Self::Proven) -> Self::Proven;

    /// The value times a public one.
    fn scale_proven(proven: Self::Proven, factor: Self::Value) -> Self::Proven;

    /// An element of the whole field times a value.
    fn times(self, value: Self::Value) -> Self;

    /// The value plus a public one.
    fn shift_proven(proven: Self::Proven, by: Self::Value) -> Self::Proven;

    /// The key of a value plus a public one.
    fn shift_key(key: Self, by: Self::Value, delta: Self) -> Self;

    /// The value as an element of the whole field.
    fn embed(value: Self::Value) -> Self;

    /// The inverse of [`MacField::embed`] on the subfield.
    fn project(self) -> Self::Value;

    /// 1.
    fn unit() -> Self::Value;

    /// 1, of the whole field.
    fn unit_element() -> Self {
        Self::embed(Self::unit())
    }

    /// `-a`.
    fn opposite(a: Self::Value) -> Self::Value;

    /// `a - b`.
    fn difference(a: Self::Value, b: Self::Value) -> Self::Value;

    /// `Σ x^i a_i` over [`MacField::DEGREE`] elements, x being the generator of the field over its
    /// subfield.
    fn combine(parts: &[Self]) -> Self;

    /// Bytes of so many values in a message.
    fn values_len(count: usize) -> usize;

    /// Values as a message carries them: bits packed, the lowest first.
    fn put_values(values: &[Self::Value]) -> Vec<u8>;

    /// Reads exactly `count` values.
    ///
    /// # Errors
    /// [`VoleError::Channel`] if the bytes are no canonical encoding.
    fn read_values(bytes: &[u8], count: usize) -> Result<Vec<Self::Value>, VoleError>;
}

/// Uniform elements `first..first + count` of a generator: 128 bits for each.
pub(crate) fn coefficients<F: MacField>(prg: &Prg, first: u64, count: usize) -> Vec<F> {
    let mut blocks = vec![0; count];
    prg.fill(first, &mut blocks);
    blocks.into_iter().map(F::from_block).collect()
}

impl MacField for Gf64 {
    type Value = bool;

    const DEGREE: usize = 64;
    const LABEL: &'static str = "bits";

    type Proven = Self;

    #[inline]
    fn prove(value: bool, mac: Self) -> Self {
        Self::from(mac.to_u64() & !1 | u64::from(value))
    }

    #[inline]
    fn value(proven: Self) -> bool {
        proven.project()
    }

    #[inline]
    fn mac(proven: Self) -> Self {
        proven
    }

    #[inline]
    fn add_proven(a: Self, b: Self) -> Self {
        a + b
    }

    #[inline]
    fn scale_proven(proven: Self, factor: bool) -> Self {
        Self::from(proven.to_u64() & u64::from(factor).wrapping_neg())
    }

    #[inline]
    fn times(self, value: bool) -> Self {
        Self::scale_proven(self, value)
    }

    #[inline]
    fn shift_proven(proven: Self, by: bool) -> Self {
        proven + Self::embed(by)
    }

    /// The lowest bit of Δ is one and that of a key is zero: the MAC's changes with the value.
    #[inline]
    fn shift_key(key: Self, by: bool, delta: Self) -> Self {
        Self::from(key.to_u64() ^ delta.to_u64() & !1 & u64::from(by).wrapping_neg())
    }

    fn embed(bit: bool) -> Self {
        Self::from(u64::from(bit))
    }

    fn project(self) -> bool {
        self.to_u64() & 1 == 1
    }

    fn unit() -> bool {
        true
    }

    fn opposite(a: bool) -> bool {
        a
    }

    fn difference(a: bool, b: bool) -> bool {
        a ^ b
    }

    fn combine(parts: &[Self]) -> Self {
        parts.iter().rev().fold(Self::default(), |sum, part| sum * Self::from(2) + *part)
    }

    fn values_len(count: usize) -> usize {
        count.div_ceil(8)
    }

    fn put_values(bits: &[bool]) -> Vec<u8> {
        let byte =
            |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks(8).map(byte).collect()
    }

    fn read_values(bytes: &[u8], count: usize) -> Result<Vec<bool>, VoleError> {
        message::no_padding(bytes, count)?;
        let bits = bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1));
        Ok(bits.take(count).collect())
    }
}

impl MacField for Fp {
    type Value = Self;

    const DEGREE: usize = 1;
    const LABEL: &'static str = "values";

    type Proven = Authenticated;

    #[inline]
    fn prove(value: Self, mac: Self) -> Authenticated {
        Authenticated { value, mac }
    }

    #[inline]
    fn value(proven: Authenticated) -> Self {
        proven.value
    }

    #[inline]
    fn mac(proven: Authenticated) -> Self {
        proven.mac
    }

    #[inline]
    fn add_proven(a: Authenticated, b: Authenticated) -> Authenticated {
        Authenticated { value: a.value + b.value, mac: a.mac + b.mac }
    }

    #[inline]
    fn scale_proven(proven: Authenticated, factor: Self) -> Authenticated {
        Authenticated { value: proven.value * factor, mac: proven.mac * factor }
    }

    #[inline]
    fn times(self, value: Self) -> Self {
        self * value
    }

    #[inline]
    fn shift_proven(proven: Authenticated, by: Self) -> Authenticated {
        Authenticated { value: proven.value + by, mac: proven.mac }
    }

    #[inline]
    fn shift_key(key: Self, by: Self, delta: Self) -> Self {
        key - by * delta
    }

    fn embed(value: Self) -> Self {
        value
    }

    fn project(self) -> Self {
        self
    }

    fn unit() -> Self {
        Self::from(1)
    }

    fn opposite(a: Self) -> Self {
        -a
    }

    fn difference(a: Self, b: Self) -> Self {
        a - b
    }

    fn combine(parts: &[Self]) -> Self {
        parts.iter().copied().sum()
    }

    fn values_len(count: usize) -> usize {
        Self::BYTES * count
    }

    fn put_values(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_u64().to_le_bytes()).collect()
    }

    fn read_values(bytes: &[u8], count: usize) -> Result<Vec<Self>, VoleError> {
        let mut reader = Reader::new(bytes);
        let values: Result<_, _> = (0..count).map(|_| Self::decode(&mut reader)).collect();
        Ok(values.map_err(ChannelError::Decode)?)
    }
}
