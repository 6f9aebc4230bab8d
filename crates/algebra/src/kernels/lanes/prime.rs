//! Prime fields: Montgomery's arithmetic on limbs of 52 bits.
//!
//! Between operations all limbs are below 2^52 and an element is below a known multiple of p. Within
//! one, a lane gathers at most `2 · 2 · 8 + 2 · 8` halves of products and a carry, which is below 2^59.

use std::marker::PhantomData;

use ark_ff::{BigInt, Fp, MontBackend, MontConfig};
use zeroize::DefaultIsZeroes;

use super::{
    LIMB, LaneField, Lanes, MASK,
    eight::{FourierField, store_limbs},
};

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

/// A prime field in five limbs, kept in four words of 64 bits.
pub struct PrimeLanes<C>(PhantomData<C>);

/// A prime field in eight limbs, kept as it is.
pub struct WideLanes<C>(PhantomData<C>);

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

/// `factor · modulus`.
const fn multiple<const N: usize>(modulus: &[u64; N], factor: u32) -> [u64; N] {
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
fn carry<L: Lanes, const N: usize>(mut limbs: [L; N]) -> [L; N] {
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

/// A product's limbs before reduction, more than 52 bits each.
pub(super) struct Product<L, const N: usize> {
    low: [L; N],
    high: [L; N],
}

impl<L: Lanes, const N: usize> Product<L, N> {
    #[inline(always)]
    pub(super) fn of(left: &[L; N], right: &[L; N]) -> Self {
        let mut product = Self { low: zero(), high: zero() };
        product.accumulate(left, right);
        product
    }

    #[inline(always)]
    fn limb(&mut self, index: usize) -> &mut L {
        if index < N { &mut self.low[index] } else { &mut self.high[index - N] }
    }

    #[inline(always)]
    fn row(&mut self, index: usize, factor: L, other: &[L; N]) {
        for j in 0..N {
            let limb = self.limb(index + j);
            *limb = limb.madd_low(factor, other[j]);
            let limb = self.limb(index + j + 1);
            *limb = limb.madd_high(factor, other[j]);
        }
    }

    /// Adds `left · right`.
    #[inline(always)]
    pub(super) fn accumulate(&mut self, left: &[L; N], right: &[L; N]) {
        for i in 0..N {
            self.row(i, left[i], right);
        }
    }

    /// `element²`: products of two different limbs once, doubled.
    #[inline(always)]
    fn square(element: &[L; N]) -> Self {
        let mut product = Self { low: zero(), high: zero() };
        for i in 0..N {
            for j in i + 1..N {
                let limb = product.limb(i + j);
                *limb = limb.madd_low(element[i], element[j]);
                let limb = product.limb(i + j + 1);
                *limb = limb.madd_high(element[i], element[j]);
            }
        }
        for i in 0..2 * N {
            let limb = product.limb(i);
            *limb = limb.add(*limb);
        }
        for i in 0..N {
            let limb = product.limb(2 * i);
            *limb = limb.madd_low(element[i], element[i]);
            let limb = product.limb(2 * i + 1);
            *limb = limb.madd_high(element[i], element[i]);
        }
        product
    }

    /// The product divided by R modulo p: below 2p if it was below `R · p`.
    #[inline(always)]
    pub(super) fn reduce<C: Prime<N>>(mut self) -> [L; N] {
        let inverse = L::splat(C::INVERSE);
        let modulus = splat(&C::MODULUS);
        for i in 0..N {
            // Makes the lowest limb left a multiple of 2^52.
            let factor = L::splat(0).madd_low(*self.limb(i), inverse);
            self.row(i, factor, &modulus);
            let above = self.limb(i).carry();
            let limb = self.limb(i + 1);
            *limb = limb.add(above);
        }
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
fn reduced<L: Lanes, C: Prime<N>, const N: usize>(element: &[L; N]) -> [L; N] {
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

/// What both kinds of fields have in common.
macro_rules! prime_field {
    ($limbs:literal) => {
        type Limbs<L: Lanes> = [L; $limbs];
        const PRODUCTS: u64 = 1 << (LIMB * $limbs - <C as Prime<$limbs>>::BITS);

        #[inline(always)]
        fn zero<L: Lanes>() -> [L; $limbs] {
            zero()
        }

        #[inline(always)]
        fn one<L: Lanes>() -> [L; $limbs] {
            reduced::<L, C, $limbs>(&mul::<L, C, $limbs>(
                &splat(&<C as Prime<$limbs>>::LEAVE),
                &splat(&<C as Prime<$limbs>>::ENTER),
            ))
        }

        #[inline(always)]
        fn add<L: Lanes>(left: &[L; $limbs], right: &[L; $limbs]) -> [L; $limbs] {
            add(left, right)
        }

        #[inline(always)]
        fn sub<L: Lanes, const B: u32>(left: &[L; $limbs], right: &[L; $limbs]) -> [L; $limbs] {
            sub::<L, C, $limbs, B>(left, right)
        }

        #[inline(always)]
        fn sub_both<L: Lanes, const B: u32>(
            left: &[L; $limbs],
            middle: &[L; $limbs],
            right: &[L; $limbs],
        ) -> [L; $limbs] {
            sub_both::<L, C, $limbs, B>(left, middle, right)
        }

        #[inline(always)]
        fn mul<L: Lanes, const A: u32>(left: &[L; $limbs], right: &[L; $limbs]) -> [L; $limbs] {
            mul::<L, C, $limbs>(left, right)
        }

        #[inline(always)]
        fn square<L: Lanes, const A: u32>(element: &[L; $limbs]) -> [L; $limbs] {
            square::<L, C, $limbs>(element)
        }

        #[inline(always)]
        fn shrink<L: Lanes>(element: &[L; $limbs]) -> [L; $limbs] {
            shrink::<L, C, $limbs>(element)
        }

        #[inline(always)]
        fn conjugate<L: Lanes>(element: &[L; $limbs]) -> [L; $limbs] {
            *element
        }

        fn conjugate_scalar(scalar: Self::Scalar) -> Self::Scalar {
            scalar
        }

        #[inline(always)]
        fn select<L: Lanes>(mask: u8, yes: &[L; $limbs], no: &[L; $limbs]) -> [L; $limbs] {
            select(mask, yes, no)
        }

        #[inline(always)]
        fn is_blank<L: Lanes>(element: &[L; $limbs]) -> u8 {
            is_blank(element)
        }

        #[inline(always)]
        fn is_zero<L: Lanes, const B: u32>(element: &[L; $limbs]) -> u8 {
            is_zero::<L, C, $limbs, B>(element)
        }
    };
}

impl<C: MontConfig<4>> LaneField for PrimeLanes<C> {
    type Scalar = Fp<MontBackend<C, 4>, 4>;
    type Packed = [u64; 4];
    const BLANK: [u64; 4] = [0; 4];

    prime_field!(5);

    #[inline(always)]
    fn load<L: Lanes>(packed: [&[u64; 4]; 8]) -> [L; 5] {
        split(&L::load_rows4(packed))
    }

    #[inline(always)]
    fn store<L: Lanes>(element: &[L; 5]) -> [[u64; 4]; 8] {
        L::store_rows4(join(element))
    }

    #[inline(always)]
    fn enter<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 5] {
        let words = L::load_rows4(scalars.map(|scalar| &(scalar.0).0));
        mul::<L, C, 5>(&split(&words), &splat(&<C as Prime<5>>::ENTER))
    }

    #[inline(always)]
    fn leave<L: Lanes>(element: &[L; 5]) -> [Self::Scalar; 8] {
        let scalars = mul::<L, C, 5>(element, &splat(&<C as Prime<5>>::LEAVE));
        let words = L::store_rows4(join(&reduced::<L, C, 5>(&scalars)));
        words.map(|words| Fp::new_unchecked(BigInt(words)))
    }
}

/// A cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct Line([u64; 8]);

impl DefaultIsZeroes for Line {}

impl<C: MontConfig<4>> FourierField for PrimeLanes<C> {
    type Constant = [u64; 5];
    type Block = [Line; 5];
    const EMPTY: [Line; 5] = [Line([0; 8]); 5];

    #[inline(always)]
    fn splat<L: Lanes>(constant: &[u64; 5]) -> [L; 5] {
        splat(constant)
    }

    #[inline(always)]
    fn constants<L: Lanes>(element: &[L; 5]) -> [[u64; 5]; 8] {
        let limbs = store_limbs(*element);
        let mut constants = [[0; 5]; 8];
        for (lane, constant) in constants.iter_mut().enumerate() {
            for i in 0..5 {
                constant[i] = limbs[i][lane];
            }
        }
        constants
    }

    #[inline(always)]
    fn read<L: Lanes>(block: &[Line; 5]) -> [L; 5] {
        let mut limbs = zero();
        for i in 0..5 {
            limbs[i] = L::load(&block[i].0);
        }
        limbs
    }

    #[inline(always)]
    fn write<L: Lanes>(element: &[L; 5]) -> [Line; 5] {
        let mut block = Self::EMPTY;
        for i in 0..5 {
            block[i] = Line(element[i].store());
        }
        block
    }

    #[inline(always)]
    fn transpose<L: Lanes>(mut elements: [[L; 5]; 8]) -> [[L; 5]; 8] {
        for i in 0..5 {
            let mut limb = [elements[0][i]; 8];
            for vector in 1..8 {
                limb[vector] = elements[vector][i];
            }
            let limb = L::transpose(limb);
            for vector in 0..8 {
                elements[vector][i] = limb[vector];
            }
        }
        elements
    }

    #[inline(always)]
    fn enter_plain<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 5] {
        split(&L::load_rows4(scalars.map(|scalar| &(scalar.0).0)))
    }

    #[inline(always)]
    fn leave_plain<L: Lanes>(element: &[L; 5]) -> [Self::Scalar; 8] {
        let words = L::store_rows4(join(&reduced::<L, C, 5>(element)));
        words.map(|words| Fp::new_unchecked(BigInt(words)))
    }
}

impl<C: MontConfig<6>> LaneField for WideLanes<C> {
    type Scalar = Fp<MontBackend<C, 6>, 6>;
    type Packed = [u64; 8];
    const BLANK: [u64; 8] = [0; 8];

    prime_field!(8);

    #[inline(always)]
    fn load<L: Lanes>(packed: [&[u64; 8]; 8]) -> [L; 8] {
        let mut rows = zero();
        for lane in 0..8 {
            rows[lane] = L::load(packed[lane]);
        }
        L::transpose(rows)
    }

    #[inline(always)]
    fn store<L: Lanes>(element: &[L; 8]) -> [[u64; 8]; 8] {
        store_limbs(L::transpose(*element))
    }

    #[inline(always)]
    fn enter<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 8] {
        let mut rows = zero();
        for lane in 0..8 {
            let [w0, w1, w2, w3, w4, w5] = (scalars[lane].0).0;
            rows[lane] = L::load(&[w0, w1, w2, w3, w4, w5, 0, 0]);
        }
        let [w0, w1, w2, w3, w4, w5, ..] = L::transpose(rows);
        mul::<L, C, 8>(&split(&[w0, w1, w2, w3, w4, w5]), &splat(&<C as Prime<8>>::ENTER))
    }

    #[inline(always)]
    fn leave<L: Lanes>(element: &[L; 8]) -> [Self::Scalar; 8] {
        let scalars = mul::<L, C, 8>(element, &splat(&<C as Prime<8>>::LEAVE));
        let [w0, w1, w2, w3, w4, w5] = join(&reduced::<L, C, 8>(&scalars));
        let rows = store_limbs(L::transpose([w0, w1, w2, w3, w4, w5, L::splat(0), L::splat(0)]));
        rows.map(|[w0, w1, w2, w3, w4, w5, ..]| Fp::new_unchecked(BigInt([w0, w1, w2, w3, w4, w5])))
    }
}
