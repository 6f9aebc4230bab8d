//! 32-bit words, as hashes compute with them.

use algebra::Scalar;

use super::Bit;
use crate::synthesis::{Linear, Synthesizer};

/// Bits of a word.
const BITS: usize = 32;

/// A word of a circuit: 32 bits, the least significant first.
#[derive(Clone)]
pub struct UInt32<S> {
    bits: Vec<Bit<S>>,
}

impl<S: Scalar> UInt32<S> {
    /// A constant.
    pub fn constant(value: u32) -> Self {
        Self { bits: (0..BITS).map(|shift| Bit::constant(value >> shift & 1 == 1)).collect() }
    }

    /// The word of at most 32 bits, the least significant first; zeros stand for missing ones.
    pub fn from_bits(bits: &[Bit<S>]) -> Self {
        let padding = std::iter::repeat_with(|| Bit::constant(false));
        Self { bits: bits.iter().cloned().chain(padding).take(BITS).collect() }
    }

    /// The bits, the least significant first.
    pub fn bits(&self) -> &[Bit<S>] {
        &self.bits
    }

    /// The value.
    pub fn value(&self) -> u32 {
        self.bits.iter().rev().fold(0, |value, bit| value << 1 | u32::from(bit.value()))
    }

    /// The number that the word is.
    pub fn linear(&self) -> Linear<S> {
        Linear::from_bits(self.bits.iter().map(Bit::linear))
    }

    /// The bits rotated towards the less significant. No constraint.
    #[must_use]
    pub fn rotate_right(&self, by: usize) -> Self {
        let mut bits = self.bits.clone();
        bits.rotate_left(by);
        Self { bits }
    }

    /// The bits shifted towards the less significant, with zeros after them. No constraint.
    #[must_use]
    pub fn shift_right(&self, by: usize) -> Self {
        Self::from_bits(self.bits.get(by..).unwrap_or_default())
    }

    /// Bit by bit, 32 constraints.
    #[must_use]
    pub fn xor(&self, cs: &mut Synthesizer<S>, other: &Self) -> Self {
        let bits = self.bits.iter().zip(&other.bits);
        Self { bits: bits.map(|(left, right)| left.xor(cs, right)).collect() }
    }

    /// Bit by bit `yes` where this is one and `no` where not, 32 constraints.
    #[must_use]
    pub fn select(&self, cs: &mut Synthesizer<S>, yes: &Self, no: &Self) -> Self {
        let bits = self.bits.iter().zip(yes.bits.iter().zip(&no.bits));
        Self { bits: bits.map(|(bit, (yes, no))| bit.select(cs, yes, no)).collect() }
    }

    /// The sum modulo 2^32: one constraint a bit of the sum, carries included.
    ///
    /// The last bit is no wire of its own: it is what is left of the sum, and a bit.
    #[must_use]
    pub fn sum(cs: &mut Synthesizer<S>, terms: &[&Self]) -> Self {
        let value: u64 = terms.iter().map(|term| u64::from(term.value())).sum();
        let mut bits_of_terms = terms.iter().flat_map(|term| &term.bits);
        if bits_of_terms.all(|bit| bit.as_constant().is_some()) {
            return Self::constant(value as u32);
        }
        // The sum is below terms · 2^32, hence the carry below the number of terms.
        let carries = terms.len().saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
        let last = BITS as u32 - 1 + carries;
        let bit = |shift| value >> shift & 1 == 1;
        let mut bits: Vec<_> = (0..last).map(|shift| Bit::private(cs, bit(shift))).collect();
        let numbers: Vec<_> = terms.iter().map(|term| term.linear()).collect();
        let sum = Linear::sum(numbers.iter().map(|number| (S::one(), number)));
        let rest = &sum - &Linear::from_bits(bits.iter().map(Bit::linear));
        // A power of two is not zero in a field of odd characteristic.
        let scale = S::from_u64(1 << last).invert().unwrap_or_default();
        bits.push(Bit::require(cs, &rest * scale, bit(last)));
        Self::from_bits(&bits)
    }
}
