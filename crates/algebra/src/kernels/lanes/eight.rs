//! Eight field elements with their bound.

use std::marker::PhantomData;

use ark_ff::Field;
use zeroize::Zeroize;

use super::{Apart, Lanes, RootField};

/// A field in lanes: what [`Eight`] does, on bare limbs, without the bounds.
pub trait LaneField: 'static {
    /// An element as arkworks has it.
    type Scalar: Field;
    /// An element below 4p as memory has it.
    type Packed: Copy + PartialEq + Send + Sync;
    /// Eight elements: limb i of all of them in one vector.
    type Limbs<L: Lanes>: Copy + Send + Sync;
    /// Zero bytes.
    const BLANK: Self::Packed;
    /// Factors below `A·p` and `B·p` may be multiplied if `A · B` is at most this.
    const PRODUCTS: u64;

    /// 0.
    fn zero<L: Lanes>() -> Self::Limbs<L>;
    /// 1, below p.
    fn one<L: Lanes>() -> Self::Limbs<L>;
    /// The sum.
    fn add<L: Lanes>(left: &Self::Limbs<L>, right: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// `left + B·p − right`.
    fn sub<L: Lanes, const B: u32>(left: &Self::Limbs<L>, right: &Self::Limbs<L>)
    -> Self::Limbs<L>;
    /// `left + B·p − middle − right`.
    fn sub_both<L: Lanes, const B: u32>(
        left: &Self::Limbs<L>,
        middle: &Self::Limbs<L>,
        right: &Self::Limbs<L>,
    ) -> Self::Limbs<L>;
    /// The product with `left` below `A·p`, below 2p.
    fn mul<L: Lanes, const A: u32>(left: &Self::Limbs<L>, right: &Self::Limbs<L>)
    -> Self::Limbs<L>;
    /// The square of an element below `A·p`, below 2p.
    fn square<L: Lanes, const A: u32>(element: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// The same element below 2p.
    fn shrink<L: Lanes>(element: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// The image of elements below 2p under Frobenius' map, below 3p.
    fn conjugate<L: Lanes>(element: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// The same of one element.
    fn conjugate_scalar(scalar: Self::Scalar) -> Self::Scalar;
    /// Lanes of `yes` where the mask has ones, of `no` elsewhere.
    fn select<L: Lanes>(mask: u8, yes: &Self::Limbs<L>, no: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// Lane l is lane `indices[l]` of `low`, or from 8 on of `high`.
    fn pick<L: Lanes>(indices: L, low: &Self::Limbs<L>, high: &Self::Limbs<L>) -> Self::Limbs<L>;
    /// The lanes whose limbs are zero.
    fn is_blank<L: Lanes>(element: &Self::Limbs<L>) -> u8;
    /// The lanes that are zero modulo p, of elements below `B·p`.
    fn is_zero<L: Lanes, const B: u32>(element: &Self::Limbs<L>) -> u8;
    /// From memory.
    fn load<L: Lanes>(packed: [&Self::Packed; 8]) -> Self::Limbs<L>;
    /// To memory.
    fn store<L: Lanes>(element: &Self::Limbs<L>) -> [Self::Packed; 8];
    /// From arkworks' form; below 2p.
    fn enter<L: Lanes>(scalars: [&Self::Scalar; 8]) -> Self::Limbs<L>;
    /// To arkworks' form, reduced.
    fn leave<L: Lanes>(element: &Self::Limbs<L>) -> [Self::Scalar; 8];
}

/// A field in lanes whose elements are transformed: in arkworks' form as they are, because a transform
/// is linear and only its constants are factors.
pub trait FourierField: LaneField {
    /// One element's limbs.
    type Constant: Copy + Send + Sync;
    /// Eight elements in memory, limb by limb.
    type Block: Copy + Send + Sync + Zeroize;
    /// Zeros.
    const EMPTY: Self::Block;

    /// The same element in all lanes.
    fn splat<L: Lanes>(constant: &Self::Constant) -> Self::Limbs<L>;
    /// The elements one by one.
    fn constants<L: Lanes>(element: &Self::Limbs<L>) -> [Self::Constant; 8];
    /// From memory.
    fn read<L: Lanes>(block: &Self::Block) -> Self::Limbs<L>;
    /// To memory.
    fn write<L: Lanes>(element: &Self::Limbs<L>) -> Self::Block;
    /// Lane l of vector v becomes lane v of vector l.
    fn transpose<L: Lanes>(elements: [Self::Limbs<L>; 8]) -> [Self::Limbs<L>; 8];
    /// What [`LaneField::enter`] takes, as it is.
    fn enter_plain<L: Lanes>(scalars: [&Self::Scalar; 8]) -> Self::Limbs<L>;
    /// What is below 2p, reduced, as it is.
    fn leave_plain<L: Lanes>(element: &Self::Limbs<L>) -> [Self::Scalar; 8];
}

/// A quadratic extension in lanes over which a tower is built, an element's coefficients side by side.
pub trait TowerField: LaneField {
    /// `Σ left_k · right_k`, below 2p if the sum of all pairs' bounds is within [`LaneField::PRODUCTS`].
    fn dot<L: Lanes, const K: usize>(
        left: &[Self::Limbs<L>; K],
        right: &[Self::Limbs<L>; K],
    ) -> Self::Limbs<L>;
    /// `(N + i) · element` of elements below 2p, below `(2N + 2)p`.
    fn mul_by_small<L: Lanes, const N: u32>(element: &Self::Limbs<L>) -> Self::Limbs<L>;
}

/// Eight elements, every coefficient of which is below `B·p`.
pub struct Eight<F: LaneField, L: Lanes, const B: u32> {
    limbs: F::Limbs<L>,
    field: PhantomData<F>,
}

impl<F: LaneField, L: Lanes, const B: u32> Clone for Eight<F, L, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: LaneField, L: Lanes, const B: u32> Copy for Eight<F, L, B> {}

impl<F: LaneField, L: Lanes, const B: u32> Eight<F, L, B> {
    /// Of limbs that are within the bound.
    #[inline(always)]
    pub(super) fn new(limbs: F::Limbs<L>) -> Self {
        Self { limbs, field: PhantomData }
    }

    /// The bare limbs.
    #[inline(always)]
    pub(super) fn limbs(&self) -> &F::Limbs<L> {
        &self.limbs
    }

    /// 0.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self::new(F::zero())
    }

    /// 1.
    #[inline(always)]
    pub(crate) fn one() -> Self {
        const { assert!(B >= 1) };
        Self::new(F::one())
    }

    /// The same with a wider bound.
    #[inline(always)]
    pub(crate) fn widen<const C: u32>(self) -> Eight<F, L, C> {
        const { assert!(B <= C && C as u64 <= F::PRODUCTS) };
        Eight::new(self.limbs)
    }

    #[inline(always)]
    pub(crate) fn add<const A: u32, const C: u32>(self, other: Eight<F, L, A>) -> Eight<F, L, C> {
        const { assert!(A + B <= C && C as u64 <= F::PRODUCTS) };
        Eight::new(F::add(&self.limbs, &other.limbs))
    }

    #[inline(always)]
    pub(crate) fn sub<const A: u32, const C: u32>(self, other: Eight<F, L, A>) -> Eight<F, L, C> {
        const { assert!(A + B <= C && C as u64 <= F::PRODUCTS) };
        Eight::new(F::sub::<L, A>(&self.limbs, &other.limbs))
    }

    /// `self − other − another`.
    #[inline(always)]
    pub(crate) fn sub_both<const A: u32, const C: u32>(
        self,
        other: Eight<F, L, A>,
        another: Eight<F, L, A>,
    ) -> Eight<F, L, C> {
        const { assert!(B + 4 <= C && A <= 2 && C as u64 <= F::PRODUCTS) };
        Eight::new(F::sub_both::<L, 4>(&self.limbs, &other.limbs, &another.limbs))
    }

    #[inline(always)]
    pub(crate) fn mul<const A: u32>(self, other: Eight<F, L, A>) -> Eight<F, L, 2> {
        const { assert!(A as u64 * B as u64 <= F::PRODUCTS) };
        Eight::new(F::mul::<L, B>(&self.limbs, &other.limbs))
    }

    #[inline(always)]
    pub(crate) fn square(self) -> Eight<F, L, 2> {
        const { assert!(B as u64 * B as u64 <= F::PRODUCTS) };
        Eight::new(F::square::<L, B>(&self.limbs))
    }

    /// The same elements below 2p.
    #[inline(always)]
    pub(crate) fn shrink(self) -> Eight<F, L, 2> {
        const { assert!(B as u64 <= F::PRODUCTS) };
        Eight::new(F::shrink(&self.limbs))
    }

    /// Lanes of `self` where the mask has ones, of `other` elsewhere.
    #[inline(always)]
    pub(crate) fn select(mask: u8, yes: Self, no: Self) -> Self {
        Self::new(F::select(mask, &yes.limbs, &no.limbs))
    }

    /// Lane l is lane `indices[l]` of `low`, or from 8 on of `high`.
    #[inline(always)]
    pub(super) fn pick<const A: u32, const C: u32>(
        indices: L,
        low: Self,
        high: Eight<F, L, A>,
    ) -> Eight<F, L, C> {
        const { assert!(A <= C && B <= C) };
        Eight::new(F::pick(indices, &low.limbs, &high.limbs))
    }

    /// Lane l is lane `l + by`, counted around.
    #[inline(always)]
    pub(super) fn rotate(self, by: u64) -> Self {
        let mut indices = [0; 8];
        for (lane, index) in (by..).zip(&mut indices) {
            *index = lane % 8;
        }
        Self::pick(L::load(&indices), self, self)
    }

    /// The lanes whose integers are zero, not only modulo p.
    #[inline(always)]
    pub(crate) fn is_blank(self) -> u8 {
        F::is_blank(&self.limbs)
    }

    /// The lanes that are zero.
    #[inline(always)]
    pub(crate) fn is_zero(self) -> u8 {
        F::is_zero::<L, B>(&self.limbs)
    }

    /// To memory.
    #[inline(always)]
    pub(crate) fn store(self) -> [F::Packed; 8] {
        const { assert!(B <= 4) };
        F::store(&self.limbs)
    }

    /// To arkworks' form.
    #[inline(always)]
    pub(crate) fn leave(self) -> [F::Scalar; 8] {
        const { assert!(B as u64 <= F::PRODUCTS) };
        L::apart(Leave::<F, L>(&self.limbs))
    }

    /// From memory that [`Eight::store`] wrote with the same bound.
    #[inline(always)]
    pub(crate) fn load(packed: [&F::Packed; 8]) -> Self {
        Self::new(F::load(packed))
    }
}

impl<F: LaneField, L: Lanes> Eight<F, L, 2> {
    /// The images under Frobenius' map.
    #[inline(always)]
    pub(crate) fn conjugate(self) -> Eight<F, L, 3> {
        Eight::new(F::conjugate(&self.limbs))
    }

    /// From arkworks' form.
    #[inline(always)]
    pub(crate) fn enter(scalars: [&F::Scalar; 8]) -> Self {
        Self::new(L::apart(Enter::<F>(scalars)))
    }
}

/// [`LaneField::enter`].
struct Enter<'a, F: LaneField>([&'a F::Scalar; 8]);

impl<F: LaneField, L: Lanes> Apart<L> for Enter<'_, F> {
    type Output = F::Limbs<L>;

    #[inline(always)]
    fn run(self) -> F::Limbs<L> {
        F::enter(self.0)
    }
}

/// [`LaneField::leave`].
struct Leave<'a, F: LaneField, L: Lanes>(&'a F::Limbs<L>);

impl<F: LaneField, L: Lanes> Apart<L> for Leave<'_, F, L> {
    type Output = [F::Scalar; 8];

    #[inline(always)]
    fn run(self) -> [F::Scalar; 8] {
        F::leave(self.0)
    }
}

impl<F: RootField, L: Lanes> Eight<F, L, 2> {
    /// [`RootField::root`].
    #[inline(always)]
    pub(super) fn root(self, half: Self) -> Self {
        Self::new(F::root(&self.limbs, &half.limbs))
    }
}

impl<F: TowerField, L: Lanes, const B: u32> Eight<F, L, B> {
    /// `Σ left_k · right_k`, reduced once.
    #[inline(always)]
    pub(super) fn dot<const A: u32, const K: usize>(
        left: [Self; K],
        right: [Eight<F, L, A>; K],
    ) -> Eight<F, L, 2> {
        const { assert!(K as u64 * A as u64 * B as u64 <= F::PRODUCTS) };
        let (mut lefts, mut rights) = ([F::zero(); K], [F::zero(); K]);
        for k in 0..K {
            (lefts[k], rights[k]) = (left[k].limbs, right[k].limbs);
        }
        Eight::new(F::dot(&lefts, &rights))
    }
}

impl<F: TowerField, L: Lanes> Eight<F, L, 2> {
    /// `(N + i) · self`.
    #[inline(always)]
    pub(super) fn mul_by_small<const N: u32>(self) -> Self {
        const { assert!(2 * N as u64 + 2 <= F::PRODUCTS) };
        Self::new(F::shrink(&F::mul_by_small::<L, N>(&self.limbs)))
    }
}

impl<F: FourierField, L: Lanes, const B: u32> Eight<F, L, B> {
    /// From memory that [`Eight::write`] wrote with the same bound.
    #[inline(always)]
    pub(super) fn read(block: &F::Block) -> Self {
        Self::new(F::read(block))
    }

    /// To memory.
    #[inline(always)]
    pub(super) fn write(self) -> F::Block {
        F::write(&self.limbs)
    }

    /// Lane l of vector v becomes lane v of vector l.
    #[inline(always)]
    pub(super) fn transpose(elements: [Self; 8]) -> [Self; 8] {
        let mut limbs = [elements[0].limbs; 8];
        for i in 1..8 {
            limbs[i] = elements[i].limbs;
        }
        let limbs = F::transpose(limbs);
        let mut transposed = elements;
        for i in 0..8 {
            transposed[i] = Self::new(limbs[i]);
        }
        transposed
    }
}

impl<F: FourierField, L: Lanes> Eight<F, L, 1> {
    /// Elements in arkworks' form, which stays.
    #[inline(always)]
    pub(super) fn enter_plain(scalars: [&F::Scalar; 8]) -> Self {
        Self::new(F::enter_plain(scalars))
    }
}

impl<F: FourierField, L: Lanes> Eight<F, L, 2> {
    /// The same element in all lanes.
    #[inline(always)]
    pub(super) fn splat(constant: &F::Constant) -> Self {
        Self::new(F::splat(constant))
    }

    /// The elements one by one.
    #[inline(always)]
    pub(super) fn constants(self) -> [F::Constant; 8] {
        F::constants(&self.limbs)
    }

    /// Elements in arkworks' form, in which they were.
    #[inline(always)]
    pub(super) fn leave_plain(self) -> [F::Scalar; 8] {
        F::leave_plain(&self.limbs)
    }
}

/// Vectors, lane by lane.
#[inline(always)]
pub(super) fn store_limbs<L: Lanes, const N: usize>(limbs: [L; N]) -> [[u64; 8]; N] {
    let mut out = [[0; 8]; N];
    for i in 0..N {
        out[i] = limbs[i].store();
    }
    out
}
