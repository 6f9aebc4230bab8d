//! The field of 2^255 − 19 elements, without Montgomery's form: what is above 2^255 is folded, times 19.

use super::{
    LIMB, Lanes, MASK,
    limbs::{Product, carry, multiple, select, splat, zero},
};

/// p.
const MODULUS: [u64; 5] = [MASK - 18, MASK, MASK, MASK, TOP_MASK];
/// Bits of the highest limb below 2^255.
const TOP: u32 = 255 - 4 * LIMB;
const TOP_MASK: u64 = (1 << TOP) - 1;
/// 2^260 modulo p.
const FOLD: u64 = 19 << 5;

/// Eight elements below `B · 2^255`, B at most 32, with all limbs below 2^52.
#[derive(Clone, Copy)]
pub(super) struct Element<L, const B: u32>([L; 5]);

/// What products make, which is as good as reduced: below `2^255 + 2^220`.
pub(super) type Reduced<L> = Element<L, 2>;

/// The same element in all lanes.
#[inline(always)]
pub(super) fn constant<L: Lanes>(limbs: &[u64; 5]) -> Element<L, 1> {
    Element(splat(limbs))
}

impl<L: Lanes, const B: u32> Element<L, B> {
    /// Of limbs within the bounds.
    #[inline(always)]
    pub(super) fn new(limbs: [L; 5]) -> Self {
        const { assert!(B <= 32, "five limbs hold no more") };
        Self(limbs)
    }

    #[inline(always)]
    pub(super) fn limbs(&self) -> &[L; 5] {
        &self.0
    }

    /// The sum, below `C · 2^255`.
    #[inline(always)]
    pub(super) fn add<const A: u32, const C: u32>(&self, other: &Element<L, A>) -> Element<L, C> {
        const { assert!(A + B <= C && C <= 32, "the sum is beyond its bound") };
        Element(super::limbs::add(&self.0, &other.0))
    }

    /// The difference and `(A + 1) p`, below `C · 2^255`.
    #[inline(always)]
    pub(super) fn sub<const A: u32, const C: u32>(&self, other: &Element<L, A>) -> Element<L, C> {
        const { assert!(A + B < C && C <= 32, "the difference is beyond its bound") };
        let offset = const { multiple(&MODULUS, A + 1) };
        let mut difference = zero();
        for i in 0..5 {
            difference[i] = self.0[i].add(L::splat(offset[i])).sub(other.0[i]);
        }
        Element(carry(difference))
    }

    #[inline(always)]
    pub(super) fn mul<const A: u32>(&self, other: &Element<L, A>) -> Reduced<L> {
        fold(Product::of(&self.0, &other.0))
    }

    #[inline(always)]
    pub(super) fn square(&self) -> Reduced<L> {
        fold(Product::square(&self.0))
    }

    #[inline(always)]
    pub(super) fn shrink(&self) -> Reduced<L> {
        Element(fold_top(self.0))
    }

    /// Below p.
    #[inline(always)]
    pub(super) fn canonical(&self) -> Element<L, 1> {
        let rest = fold_top(self.0);
        let mut more = rest;
        more[0] = more[0].add(L::splat(19));
        more = carry(more);
        let below = more[4].shr(TOP).equal(L::splat(0));
        more[4] = more[4].and(L::splat(TOP_MASK));
        Element(select(below, &rest, &more))
    }

    /// The lanes whose canonical limbs are these.
    #[inline(always)]
    pub(super) fn equals(&self, limbs: &[L; 5]) -> u8 {
        let canonical = self.canonical();
        let mut equal = u8::MAX;
        for i in 0..5 {
            equal &= canonical.0[i].equal(limbs[i]);
        }
        equal
    }

    /// The lanes whose canonical integers are odd, which RFC 9496 calls negative.
    #[inline(always)]
    pub(super) fn odd(&self) -> u8 {
        self.canonical().0[0].and(L::splat(1)).equal(L::splat(1))
    }

    /// The negative in lanes of the mask.
    #[inline(always)]
    pub(super) fn negate_where<const C: u32>(&self, mask: u8) -> Element<L, C> {
        const { assert!(B < C, "the negative is beyond its bound") };
        // Zero adds nothing to the bound.
        let negative: Element<L, C> = Element::<L, 0>(zero()).sub(self);
        Element(select(mask, &negative.0, &self.0))
    }

    /// Lanes of `yes` where the mask has ones, of `no` elsewhere.
    #[inline(always)]
    pub(super) fn select(mask: u8, yes: &Self, no: &Self) -> Self {
        Self(select(mask, &yes.0, &no.0))
    }
}

/// What is above 2^255 comes back times 19, before the carries.
#[inline(always)]
fn fold_top<L: Lanes>(mut limbs: [L; 5]) -> [L; 5] {
    limbs[0] = limbs[0].madd_low(limbs[4].shr(TOP), L::splat(19));
    limbs[4] = limbs[4].and(L::splat(TOP_MASK));
    carry(limbs)
}

/// The five high limbs, the first four below 2^56, come back times 608. Multiplications take their low 52 bits;
/// what is above those belongs to the next limb, so that no high limb waits for another's carry.
#[inline(always)]
fn fold<L: Lanes>(product: Product<L, 5>) -> Reduced<L> {
    let factor = L::splat(FOLD);
    let Product { mut low, high } = product;
    for i in 0..4 {
        low[i] = low[i].madd_low(high[i], factor);
        low[i + 1] = low[i + 1].madd_high(high[i], factor).madd_low(high[i].carry(), factor);
    }
    low[4] = low[4].madd_low(high[4], factor);
    // The highest limb is the high half of one product, and has no carry.
    let above = L::splat(0).madd_high(high[4], factor);
    low[0] = low[0].madd_low(above, factor);
    Element(fold_top(low))
}

/// `element^(2^count)` of each.
#[inline(always)]
fn square_times<L: Lanes, const K: usize>(
    elements: &[Reduced<L>; K],
    count: usize,
) -> [Reduced<L>; K] {
    let mut powers = *elements;
    for _ in 0..count {
        for k in 0..K {
            powers[k] = powers[k].square();
        }
    }
    powers
}

#[inline(always)]
fn products<L: Lanes, const K: usize>(
    left: &[Reduced<L>; K],
    right: &[Reduced<L>; K],
) -> [Reduced<L>; K] {
    let mut products = *left;
    for k in 0..K {
        products[k] = left[k].mul(&right[k]);
    }
    products
}

/// `element^(2^252 − 3)` of K vectors side by side, because one alone waits for itself: by powers
/// `2^n − 1` of growing n.
#[inline(always)]
pub(super) fn root_powers<L: Lanes, const K: usize>(one: &[Reduced<L>; K]) -> [Reduced<L>; K] {
    let two = square_times(one, 1);
    let nine = products(&square_times(&two, 2), one);
    let eleven = products(&nine, &two);
    let bits5 = products(&square_times(&eleven, 1), &nine);
    let bits10 = products(&square_times(&bits5, 5), &bits5);
    let bits20 = products(&square_times(&bits10, 10), &bits10);
    let bits40 = products(&square_times(&bits20, 20), &bits20);
    let bits50 = products(&square_times(&bits40, 10), &bits10);
    let bits100 = products(&square_times(&bits50, 50), &bits50);
    let bits200 = products(&square_times(&bits100, 100), &bits100);
    let bits250 = products(&square_times(&bits200, 50), &bits50);
    products(&square_times(&bits250, 2), one)
}
