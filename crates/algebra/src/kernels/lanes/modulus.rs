//! Primes' constants.

use ark_ff::MontConfig;

use super::{LIMB, MASK};

/// A prime's constants, in N limbs.
pub trait Prime<const N: usize>: 'static {
    /// Bits of p.
    const BITS: u32;
    /// p.
    const MODULUS: [u64; N];
    /// `−1/p` modulo 2^52.
    const INVERSE: u64;
    /// What brings arkworks' form `x · 2^(64 W)` to `x · R`: `R² / 2^(64 W)` modulo p.
    const ENTER: [u64; N];
    /// What brings it back: `2^(64 W)` modulo p.
    const LEAVE: [u64; N];
    /// `2^(51 + BITS) / p`, rounded down: 52 bits.
    const QUOTIENT: u64;
}

macro_rules! prime {
    ($words:literal, $limbs:literal) => {
        impl<C: MontConfig<$words>> Prime<$limbs> for C {
            const BITS: u32 = bits(&C::MODULUS.0);
            const MODULUS: [u64; $limbs] = cut(&C::MODULUS.0);
            const INVERSE: u64 = C::INV & MASK;
            const ENTER: [u64; $limbs] =
                cut(&divide_power(2 * LIMB * $limbs - 64 * $words, &C::MODULUS.0).1);
            const LEAVE: [u64; $limbs] = cut(&C::R.0);
            const QUOTIENT: u64 = divide_power(51 + bits(&C::MODULUS.0), &C::MODULUS.0).0;
        }
    };
}

prime!(4, 5);
prime!(6, 8);

const fn bits<const W: usize>(words: &[u64; W]) -> u32 {
    64 * W as u32 - words[W - 1].leading_zeros()
}

/// Words of 64 bits as limbs.
const fn cut<const W: usize, const N: usize>(words: &[u64; W]) -> [u64; N] {
    let mut limbs = [0; N];
    let mut i = 0;
    while i < N {
        let (word, offset) = (LIMB as usize * i / 64, LIMB as usize * i % 64);
        if word < W {
            limbs[i] = words[word] >> offset;
            if offset > 12 && word + 1 < W {
                limbs[i] |= words[word + 1] << (64 - offset);
            }
            limbs[i] &= MASK;
        }
        i += 1;
    }
    limbs
}

/// The low word of the quotient `2^exponent / modulus`, and the remainder, for a modulus with a bit
/// to spare.
const fn divide_power<const W: usize>(exponent: u32, modulus: &[u64; W]) -> (u64, [u64; W]) {
    let mut remainder = [0_u64; W];
    remainder[0] = 1;
    let (mut quotient, mut step) = (0, 0);
    while step < exponent {
        let mut difference = [0; W];
        let (mut carry, mut borrow, mut i) = (0, false, 0);
        while i < W {
            let word = remainder[i] << 1 | carry;
            carry = remainder[i] >> 63;
            remainder[i] = word;
            let (first, under) = word.overflowing_sub(modulus[i]);
            let (second, under_again) = first.overflowing_sub(borrow as u64);
            difference[i] = second;
            borrow = under | under_again;
            i += 1;
        }
        quotient <<= 1;
        if !borrow {
            remainder = difference;
            quotient |= 1;
        }
        step += 1;
    }
    (quotient, remainder)
}
