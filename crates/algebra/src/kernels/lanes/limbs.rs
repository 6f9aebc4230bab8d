//! Integers in limbs of 52 bits, modulo a prime.
//!
//! Between operations all limbs are below 2^52 and an element is below a known multiple of p. Within
//! one, a lane gathers at most `12 · 2 · 8 + 2 · 8` halves of products and a carry, which is below 2^60.

use super::{LIMB, Lanes, MASK, modulus::Prime};

/// A loop over the limbs `i < n`, of at most eight, written out: the compiler does so by itself only in programs that are
/// optimised across units, and elsewhere keeps a product's limbs in memory.
macro_rules! each_limb {
    ($i:ident < $n:ident, $body:block) => {
        each_limb!(@ 0 1 2 3 4 5 6 7, $i < $n, $body)
    };
    (@ $($index:literal)*, $i:ident < $n:ident, $body:block) => {
        $(
            if $index < $n {
                let $i = $index;
                $body
            }
        )*
    };
}

/// `factor · modulus`.
pub(super) const fn multiple<const N: usize>(modulus: &[u64; N], factor: u32) -> [u64; N] {
    let mut limbs = [0; N];
    let (mut carry, mut i) = (0_u128, 0);
    while i < N {
        let sum = modulus[i] as u128 * factor as u128 + carry;
        limbs[i] = sum as u64 & MASK;
        carry = sum >> LIMB;
        i += 1;
    }
    assert!(carry == 0, "a multiple beyond the limbs");
    limbs
}

/// A number's lowest bits, each times 2^51, and what is above them: `2^51 · modulus` is the sum of the
/// former, and of the latter one limb higher.
const fn halves<const N: usize>(modulus: &[u64; N]) -> ([u64; N], [u64; N]) {
    let (mut low, mut high) = ([0; N], [0; N]);
    let mut i = 0;
    while i < N {
        low[i] = (modulus[i] & 1) << (LIMB - 1);
        high[i] = modulus[i] >> 1;
        i += 1;
    }
    (low, high)
}

#[inline(always)]
pub(super) fn zero<L: Lanes, const N: usize>() -> [L; N] {
    [L::splat(0); N]
}

/// The same limbs in all lanes.
#[inline(always)]
pub(super) fn splat<L: Lanes, const N: usize>(limbs: &[u64; N]) -> [L; N] {
    let mut out = zero();
    for i in 0..N {
        out[i] = L::splat(limbs[i]);
    }
    out
}

/// Carries what limbs exceed 52 bits by, or lack, into the next ones.
#[inline(always)]
pub(super) fn carry<L: Lanes, const N: usize>(mut limbs: [L; N]) -> [L; N] {
    for i in 0..N - 1 {
        limbs[i + 1] = limbs[i + 1].add(limbs[i].carry());
        limbs[i] = limbs[i].and(L::splat(MASK));
    }
    limbs
}

#[inline(always)]
pub(super) fn add<L: Lanes, const N: usize>(left: &[L; N], right: &[L; N]) -> [L; N] {
    let mut sum = zero();
    for i in 0..N {
        sum[i] = left[i].add(right[i]);
    }
    carry(sum)
}

/// `left + B·p − right`, for `right` below `B·p`.
#[inline(always)]
pub(super) fn sub<L: Lanes, C: Prime<N>, const N: usize, const B: u32>(
    left: &[L; N],
    right: &[L; N],
) -> [L; N] {
    let offset = const { multiple(&C::MODULUS, B) };
    let mut difference = zero();
    for i in 0..N {
        difference[i] = left[i].add(L::splat(offset[i])).sub(right[i]);
    }
    carry(difference)
}

/// `left + B·p − middle − right`, for a sum of `middle` and `right` below `B·p`.
#[inline(always)]
pub(super) fn sub_both<L: Lanes, C: Prime<N>, const N: usize, const B: u32>(
    left: &[L; N],
    middle: &[L; N],
    right: &[L; N],
) -> [L; N] {
    let offset = const { multiple(&C::MODULUS, B) };
    let mut difference = zero();
    for i in 0..N {
        difference[i] = left[i].add(L::splat(offset[i])).sub(middle[i]).sub(right[i]);
    }
    carry(difference)
}

/// `factor · element + B·p − other`, for `other` below `B·p` and a factor of a few bits.
#[inline(always)]
pub(super) fn mul_small_sub<L: Lanes, C: Prime<N>, const N: usize, const B: u32>(
    element: &[L; N],
    factor: u32,
    other: &[L; N],
) -> [L; N] {
    let offset = const { multiple(&C::MODULUS, B) };
    let mut sum = mul_small(element, factor);
    for i in 0..N {
        sum[i] = sum[i].add(L::splat(offset[i])).sub(other[i]);
    }
    carry(sum)
}

/// `factor · element + other`, for a factor of a few bits.
#[inline(always)]
pub(super) fn mul_small_add<L: Lanes, const N: usize>(
    element: &[L; N],
    factor: u32,
    other: &[L; N],
) -> [L; N] {
    let mut sum = mul_small(element, factor);
    for i in 0..N {
        sum[i] = sum[i].add(other[i]);
    }
    carry(sum)
}

/// `factor · element` without the last carries.
#[inline(always)]
fn mul_small<L: Lanes, const N: usize>(element: &[L; N], factor: u32) -> [L; N] {
    let factor = L::splat(factor.into());
    let mut product = zero::<L, N>();
    for i in 0..N {
        product[i] = product[i].madd_low(element[i], factor);
        if i + 1 < N {
            product[i + 1] = product[i + 1].madd_high(element[i], factor);
        }
    }
    product
}

/// A product's limbs before reduction, more than 52 bits each.
pub(super) struct Product<L, const N: usize> {
    pub(super) low: [L; N],
    pub(super) high: [L; N],
}

impl<L: Lanes, const N: usize> Product<L, N> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self { low: zero(), high: zero() }
    }

    #[inline(always)]
    pub(super) fn of(left: &[L; N], right: &[L; N]) -> Self {
        let mut product = Self::zero();
        product.accumulate(left, right);
        product
    }

    #[inline(always)]
    fn limb(&mut self, index: usize) -> &mut L {
        if index < N { &mut self.low[index] } else { &mut self.high[index - N] }
    }

    #[inline(always)]
    fn row(&mut self, index: usize, factor: L, other: &[L; N]) {
        each_limb!(j < N, {
            let limb = self.limb(index + j);
            *limb = limb.madd_low(factor, other[j]);
            let limb = self.limb(index + j + 1);
            *limb = limb.madd_high(factor, other[j]);
        });
    }

    /// Adds `left · right`.
    #[inline(always)]
    pub(super) fn accumulate(&mut self, left: &[L; N], right: &[L; N]) {
        each_limb!(i < N, {
            self.row(i, left[i], right);
        });
    }

    /// `R/2 · p − self`, for a product below that.
    #[inline(always)]
    pub(super) fn negate<C: Prime<N>>(mut self) -> Self {
        let (low, high) = const { halves(&C::MODULUS) };
        for i in 0..2 * N {
            let limb = self.limb(i);
            *limb = L::splat(0).sub(*limb);
        }
        for i in 0..N {
            let limb = self.limb(N - 1 + i);
            *limb = limb.add(L::splat(low[i]));
            let limb = self.limb(N + i);
            *limb = limb.add(L::splat(high[i]));
        }
        self
    }

    /// `element²`: products of two different limbs once, doubled.
    #[inline(always)]
    pub(super) fn square(element: &[L; N]) -> Self {
        let mut product = Self::zero();
        each_limb!(i < N, {
            for j in i + 1..N {
                let limb = product.limb(i + j);
                *limb = limb.madd_low(element[i], element[j]);
                let limb = product.limb(i + j + 1);
                *limb = limb.madd_high(element[i], element[j]);
            }
        });
        for i in 0..2 * N {
            let limb = product.limb(i);
            *limb = limb.add(*limb);
        }
        each_limb!(i < N, {
            let limb = product.limb(2 * i);
            *limb = limb.madd_low(element[i], element[i]);
            let limb = product.limb(2 * i + 1);
            *limb = limb.madd_high(element[i], element[i]);
        });
        product
    }

    /// The product divided by R modulo p: below 2p if it was below `R · p`.
    #[inline(always)]
    pub(super) fn reduce<C: Prime<N>>(mut self) -> [L; N] {
        let inverse = L::splat(C::INVERSE);
        let modulus = splat(&C::MODULUS);
        each_limb!(i < N, {
            // Makes the lowest limb left a multiple of 2^52.
            let factor = L::splat(0).madd_low(*self.limb(i), inverse);
            self.row(i, factor, &modulus);
            let above = self.limb(i).carry();
            let limb = self.limb(i + 1);
            *limb = limb.add(above);
        });
        carry(self.high)
    }
}

#[inline(always)]
pub(super) fn mul<L: Lanes, C: Prime<N>, const N: usize>(l: &[L; N], r: &[L; N]) -> [L; N] {
    Product::of(l, r).reduce::<C>()
}

#[inline(always)]
pub(super) fn square<L: Lanes, C: Prime<N>, const N: usize>(element: &[L; N]) -> [L; N] {
    Product::square(element).reduce::<C>()
}

/// Less a multiple of p, which leaves less than 2p: the quotient is estimated from the highest limb,
/// and the estimate is right or one too small.
#[inline(always)]
pub(super) fn shrink<L: Lanes, C: Prime<N>, const N: usize>(element: &[L; N]) -> [L; N] {
    let above = const { C::BITS - 1 - LIMB * (N as u32 - 1) };
    let quotient = L::splat(0).madd_high(element[N - 1], L::splat(C::QUOTIENT)).shr(above);
    let mut multiple = zero::<L, N>();
    for i in 0..N {
        let limb = L::splat(C::MODULUS[i]);
        multiple[i] = multiple[i].madd_low(quotient, limb);
        if i + 1 < N {
            multiple[i + 1] = multiple[i + 1].madd_high(quotient, limb);
        }
    }
    let mut rest = zero();
    for i in 0..N {
        rest[i] = element[i].sub(multiple[i]);
    }
    carry(rest)
}

/// An element below 2p, reduced.
#[inline(always)]
pub(super) fn reduced<L: Lanes, C: Prime<N>, const N: usize>(element: &[L; N]) -> [L; N] {
    let mut difference = zero();
    for i in 0..N {
        difference[i] = element[i].sub(L::splat(C::MODULUS[i]));
    }
    let difference = carry(difference);
    select(difference[N - 1].negative(), element, &difference)
}

#[inline(always)]
pub(super) fn select<L: Lanes, const N: usize>(mask: u8, yes: &[L; N], no: &[L; N]) -> [L; N] {
    let mut out = zero();
    for i in 0..N {
        out[i] = L::select(mask, yes[i], no[i]);
    }
    out
}

/// Lane l is lane `indices[l]` of `low`, or from 8 on of `high`.
#[inline(always)]
pub(super) fn pick<L: Lanes, const N: usize>(indices: L, low: &[L; N], high: &[L; N]) -> [L; N] {
    let mut out = zero();
    for i in 0..N {
        out[i] = L::pick(indices, low[i], high[i]);
    }
    out
}

/// The lanes in which all limbs are zero.
#[inline(always)]
pub(super) fn is_blank<L: Lanes, const N: usize>(element: &[L; N]) -> u8 {
    let mut any = element[0];
    for i in 1..N {
        any = any.or(element[i]);
    }
    any.equal(L::splat(0))
}

/// The lanes that hold 0, p, … or (B − 1)p.
#[inline(always)]
pub(super) fn is_zero<L: Lanes, C: Prime<N>, const N: usize, const B: u32>(element: &[L; N]) -> u8 {
    let mut zeros = 0;
    for factor in 0..B {
        let low = C::MODULUS[0].wrapping_mul(factor.into()) & MASK;
        let mut equal = element[0].equal(L::splat(low));
        // Almost always the lowest limb tells.
        if equal != 0 {
            let multiple = multiple(&C::MODULUS, factor);
            for i in 1..N {
                equal &= element[i].equal(L::splat(multiple[i]));
            }
            zeros |= equal;
        }
    }
    zeros
}

/// Words of 64 bits, which hold integers below `2^(64 W)`, as limbs.
#[inline(always)]
pub(super) fn split<L: Lanes, const W: usize, const N: usize>(words: &[L; W]) -> [L; N] {
    let mut limbs = zero();
    for i in 0..N {
        let (word, offset) = (LIMB as usize * i / 64, LIMB * i as u32 % 64);
        let mut limb = words[word].shr(offset);
        if offset > 12 && word + 1 < W {
            limb = limb.or(words[word + 1].shl(64 - offset));
        }
        limbs[i] = limb.and(L::splat(MASK));
    }
    limbs
}

/// Limbs of integers below `2^(64 W)` as words of 64 bits.
#[inline(always)]
pub(super) fn join<L: Lanes, const W: usize, const N: usize>(limbs: &[L; N]) -> [L; W] {
    let mut words = zero();
    for i in 0..W {
        let (first, offset) = (64 * i / LIMB as usize, 64 * i as u32 % LIMB);
        let mut word = limbs[first].shr(offset);
        for further in 1..3 {
            let shift = LIMB * further as u32 - offset;
            if shift < 64 && first + further < N {
                word = word.or(limbs[first + further].shl(shift));
            }
        }
        words[i] = word;
    }
    words
}
