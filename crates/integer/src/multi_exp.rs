//! Products of powers by Pippenger's buckets.

use std::borrow::Borrow;

use rayon::prelude::*;

use super::{Integer, Modulus, Order};

/// Widest window: 4095 buckets.
const WIDTH_MAX: u32 = 12;

impl Modulus {
    /// `prod_i bases_i^exponents_i` over the shorter of the two, on all threads of the current
    /// rayon pool. Bases with a negative exponent are inverted; the product is 0 if one of them
    /// has no inverse. Variable time.
    #[must_use]
    pub fn multi_exp<E: Borrow<Integer>>(&self, bases: &[Integer], exponents: &[E]) -> Integer {
        let pairs: Vec<(&Integer, &Integer)> =
            bases.iter().zip(exponents.iter().map(E::borrow)).collect();
        let negative = pairs.iter().filter(|(_, exponent)| exponent.is_negative());
        let mut inverses: Vec<Integer> = negative.map(|(base, _)| (*base).clone()).collect();
        if self.batch_invert(&mut inverses).is_err() {
            return Integer::new();
        }
        let mut inverses = inverses.iter();
        let positive = pairs.iter().filter_map(|&(base, exponent)| {
            if exponent.is_negative() { inverses.next() } else { Some(base) }
        });
        let positive: Vec<&Integer> = positive.collect();
        let digits = pairs.iter().map(|(_, exponent)| exponent.to_digits::<u64>(Order::Lsf));
        self.buckets(&positive, &digits.collect::<Vec<_>>())
    }

    /// [`Modulus::multi_exp`] with 128-bit exponents.
    #[must_use]
    pub fn multi_exp_short(&self, bases: &[Integer], exponents: &[u128]) -> Integer {
        let digits =
            exponents.iter().map(|&exponent| vec![exponent as u64, (exponent >> 64) as u64]);
        self.buckets(&bases.iter().collect::<Vec<_>>(), &digits.collect::<Vec<_>>())
    }

    /// Every window's product of buckets, put together by squarings.
    fn buckets(&self, bases: &[&Integer], exponents: &[Vec<u64>]) -> Integer {
        // Without exponents the product is 1.
        let bits = 64 * exponents.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let width = best_width(bits, bases.len().min(exponents.len()));
        let windows: Vec<Integer> = (0..bits.div_ceil(width))
            .into_par_iter()
            .map(|window| self.window(bases, exponents, window * width, width))
            .collect();
        let empty = Integer::from(1);
        windows.into_iter().rev().fold(empty, |mut product, window| {
            for _ in 0..width {
                product = self.mul(&product, &product);
            }
            self.mul(&product, &window)
        })
    }

    /// `prod_i bases_i^(digit_i)` for the digits that start at bit `start`.
    fn window(
        &self,
        bases: &[&Integer],
        exponents: &[Vec<u64>],
        start: u32,
        width: u32,
    ) -> Integer {
        let mut buckets: Vec<Option<Integer>> = vec![None; (1 << width) - 1];
        for (base, exponent) in bases.iter().zip(exponents) {
            let slot = digit(exponent, start, width).checked_sub(1);
            let Some(bucket) = slot.and_then(|slot| buckets.get_mut(slot)) else { continue };
            *bucket = Some(match bucket.take() {
                Some(product) => self.mul(&product, base),
                None => (*base).clone(),
            });
        }
        // Bucket d counts d times because it is in the running product d times.
        let (mut running, mut product) = (Integer::from(1), Integer::from(1));
        for bucket in buckets.iter().rev() {
            if let Some(bucket) = bucket {
                running = self.mul(&running, bucket);
            }
            product = self.mul(&product, &running);
        }
        product
    }
}

/// The window that takes the fewest multiplications: emptying a bucket takes two, of which the first base in
/// it has saved one.
fn best_width(bits: u32, count: usize) -> u32 {
    let cost = |width: &u32| bits.div_ceil(*width) as usize * (count + (1 << *width));
    (1..=WIDTH_MAX).min_by_key(cost).unwrap_or(WIDTH_MAX)
}

/// `width` bits of an integer from bit `start` on.
fn digit(limbs: &[u64], start: u32, width: u32) -> usize {
    // Beyond its limbs an integer has zeros.
    let limb = |index: u32| u128::from(limbs.get(index as usize).copied().unwrap_or(0));
    let pair = limb(start / 64) | limb(start / 64 + 1) << 64;
    (pair >> (start % 64)) as usize & ((1 << width) - 1)
}
