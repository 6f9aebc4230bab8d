//! Sums of committed bits that are shown, and what is claimed of their carries.
//!
//! The carry into place i of `x + r = c` is `x_i + r_i + c_i`, which is linear. There is none into
//! place 0, and those into places i and i + 1 differ by `(x_i + c_i) (r_i + c_i)`. As claims these
//! are three words for each bit: they are made when the challenge is there, some at a time, from the
//! addends, which are one.

use std::ops::Range;

use rayon::prelude::*;
use zeroize::Zeroize;

use crate::{field::Gf64, session::Session};

/// A claim `a b = c`.
type Product<S> = [<S as Session>::Linear<Gf64>; 3];

/// Additions of a random number each to numbers of a width, several to each number.
pub(crate) struct Additions<S: Session> {
    width: usize,
    /// Random numbers for each number.
    bucket: usize,
    /// Bits of the numbers, the lowest first.
    numbers: Vec<S::Linear<Gf64>>,
    /// Bits of the random numbers.
    random: Vec<S::Linear<Gf64>>,
    /// Which random number each addition takes: first all of the first number's.
    order: Vec<usize>,
    /// The sums modulo `2^width`, packed.
    shown: Vec<u8>,
    /// The carry out of the highest place of each.
    last: Vec<S::Linear<Gf64>>,
}

impl<S: Session> Additions<S> {
    /// Additions of which no sum is known yet.
    pub(crate) fn new(
        [width, bucket]: [usize; 2],
        numbers: Vec<S::Linear<Gf64>>,
        random: Vec<S::Linear<Gf64>>,
        order: Vec<usize>,
    ) -> Self {
        Self { width, bucket, numbers, random, order, shown: Vec::new(), last: Vec::new() }
    }

    /// Says what the sums are.
    pub(crate) fn show(&mut self, shown: Vec<u8>, last: Vec<S::Linear<Gf64>>) {
        (self.shown, self.last) = (shown, last);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Which number each addition is of, and which random number it takes.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.order.iter().enumerate().map(|(addition, random)| (addition / self.bucket, *random))
    }

    /// A number and the random number that hides it, as bits.
    pub(crate) fn addends(&self, addition: usize) -> [&[S::Linear<Gf64>]; 2] {
        let places = |number: usize| number * self.width..(number + 1) * self.width;
        // `order` has an entry for each addition, and each number its bits.
        let random = self.order.get(addition).copied().unwrap_or_default();
        [(&self.numbers, addition / self.bucket), (&self.random, random)]
            .map(|(bits, number)| bits.get(places(number)).unwrap_or_default())
    }

    /// The sum that was shown.
    pub(crate) fn sum(&self, addition: usize) -> u64 {
        unpack(&self.shown, self.width, addition)
    }

    /// The carries out of the highest places.
    pub(crate) fn carries(&self) -> &[S::Linear<Gf64>] {
        &self.last
    }

    /// Claims on each addition.
    pub(crate) fn claims_each(&self) -> usize {
        self.width + 1
    }

    /// All additions, some at a time.
    pub(crate) fn parts(&self) -> impl ParallelIterator<Item = Range<usize>> {
        let count = self.len();
        let starts = (0..count).into_par_iter().step_by(PART);
        starts.map(move |start| start..(start + PART).min(count))
    }

    /// What is claimed of some of them; `shift` adds a public bit to a committed one.
    pub(crate) fn claims(
        &self,
        additions: Range<usize>,
        shift: impl Fn(&S::Linear<Gf64>, bool) -> S::Linear<Gf64>,
    ) -> Vec<Product<S>> {
        let mut claims = Vec::with_capacity(additions.len() * self.claims_each());
        for addition in additions {
            let [number, random] = self.addends(addition);
            let shown = self.sum(addition);
            // No carry comes from below place 0.
            let mut factors = [S::Linear::default(); 2];
            let mut carry = S::Linear::default();
            for ((x, r), place) in number.iter().zip(random).zip(0..) {
                let c = shown >> place & 1 == 1;
                let next = shift(&S::plus::<Gf64>(x, r), c);
                let [a, b] = factors;
                claims.push([a, b, S::plus::<Gf64>(&next, &carry)]);
                (factors, carry) = ([x, r].map(|addend| shift(addend, c)), next);
            }
            // A carry was committed to for each addition.
            let last = self.last.get(addition).copied().unwrap_or_default();
            let [a, b] = factors;
            claims.push([a, b, S::plus::<Gf64>(&last, &carry)]);
        }
        claims
    }
}

impl<S: Session> Drop for Additions<S> {
    fn drop(&mut self) {
        self.numbers.zeroize();
        self.random.zeroize();
        self.last.zeroize();
    }
}

/// Additions whose claims are made at once.
const PART: usize = 64;

/// Numbers below `2^width`, one after the other.
pub(crate) fn pack(numbers: &[u64], width: usize) -> Vec<u8> {
    // Eight of them are whole bytes.
    let eight = |numbers: &[u64]| {
        let mut bytes = Vec::with_capacity(width);
        let (mut word, mut filled) = (0u128, 0);
        for number in numbers {
            word |= u128::from(*number) << filled;
            filled += width;
            while filled >= 8 {
                bytes.push(word as u8);
                (word, filled) = (word >> 8, filled - 8);
            }
        }
        if filled > 0 {
            bytes.push(word as u8);
        }
        bytes
    };
    numbers.par_chunks(8).flat_map_iter(eight).collect()
}

/// Number `index` of packed ones.
fn unpack(packed: &[u8], width: usize, index: usize) -> u64 {
    let start = index * width;
    // A number of up to 60 bits is within 9 bytes.
    let bytes = packed.iter().skip(start / 8).take(9);
    let word = bytes.rev().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
    (word >> (start % 8)) as u64 & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_come_back() {
        for width in [1, 7, 8, 31, 59, 60] {
            let mask = (1u64 << width) - 1;
            let numbers: Vec<_> =
                (1..30u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask).collect();
            let packed = pack(&numbers, width);
            assert_eq!(packed.len(), (29 * width).div_ceil(8));
            let found: Vec<_> = (0..29).map(|index| unpack(&packed, width, index)).collect();
            assert_eq!(found, numbers, "{width}");
        }
    }
}
