//! [`Lanes`] in an array: what the instructions are defined to do.

use super::{Apart, LIMB, Lanes, MASK};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Portable([u64; 8]);

impl Portable {
    fn with(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

fn product(left: u64, right: u64) -> u128 {
    u128::from(left & MASK) * u128::from(right & MASK)
}

fn mask(lanes: [bool; 8]) -> u8 {
    lanes.into_iter().rev().fold(0, |mask, lane| mask << 1 | u8::from(lane))
}

impl Lanes for Portable {
    fn splat(value: u64) -> Self {
        Self([value; 8])
    }

    fn load(lanes: &[u64; 8]) -> Self {
        Self(*lanes)
    }

    fn store(self) -> [u64; 8] {
        self.0
    }

    fn add(self, other: Self) -> Self {
        self.with(other, u64::wrapping_add)
    }

    fn sub(self, other: Self) -> Self {
        self.with(other, u64::wrapping_sub)
    }

    fn and(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    fn or(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    fn shl(self, bits: u32) -> Self {
        Self(self.0.map(|lane| lane << bits))
    }

    fn shr(self, bits: u32) -> Self {
        Self(self.0.map(|lane| lane >> bits))
    }

    fn carry(self) -> Self {
        Self(self.0.map(|lane| (lane.cast_signed() >> LIMB).cast_unsigned()))
    }

    fn madd_low(self, left: Self, right: Self) -> Self {
        self.add(left.with(right, |l, r| product(l, r) as u64 & MASK))
    }

    fn madd_high(self, left: Self, right: Self) -> Self {
        self.add(left.with(right, |l, r| (product(l, r) >> LIMB) as u64))
    }

    fn equal(self, other: Self) -> u8 {
        mask(std::array::from_fn(|lane| self.0[lane] == other.0[lane]))
    }

    fn negative(self) -> u8 {
        mask(self.0.map(|lane| lane >> 63 == 1))
    }

    fn select(mask: u8, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|lane| if mask >> lane & 1 == 1 { yes.0 } else { no.0 }[lane]))
    }

    fn pick(indices: Self, low: Self, high: Self) -> Self {
        Self(indices.0.map(|index| if index & 8 == 0 { low.0 } else { high.0 }[index as usize & 7]))
    }

    fn load_rows4(rows: [&[u64; 4]; 8]) -> [Self; 4] {
        std::array::from_fn(|word| Self(rows.map(|row| row[word])))
    }

    fn store_rows4(words: [Self; 4]) -> [[u64; 4]; 8] {
        std::array::from_fn(|lane| words.map(|word| word.0[lane]))
    }

    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        std::array::from_fn(|lane| Self(rows.map(|row| row.0[lane])))
    }

    fn prefetch<T>(_: &T) {}

    fn apart<W: Apart<Self>>(work: W) -> W::Output {
        work.run()
    }
}
