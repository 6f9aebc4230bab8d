//! An extension of degree twelve over a quadratic one: one element in one vector of lanes.
//!
//! With `w⁶ = ξ` the element `Σ a_k w^k` has a_k in lane k. Coefficient j of a product is the sum of all `a_k b_{j−k}`,
//! times ξ where j − k is negative. So for each k, a vector that has a_k in all lanes is multiplied by b turned by k
//! lanes. That is six products of vectors, which are reduced once; a scalar tower takes 18 products. Lanes 6 and 7 are
//! zero modulo p.

use ark_ff::{AdditiveGroup, Field};

use super::{Eight, LaneField, Lanes, TowerField, script::Plan};

/// A tower of fields, and what a pairing does in it.
pub trait Tower: Sized + 'static {
    /// The quadratic extension in lanes.
    type Field: TowerField;
    /// An element, as arkworks has it.
    type Element: Field;
    /// ξ.
    const NONRESIDUE: Nonresidue;
    /// The power of w that a line's slope is the coefficient of, once its constant coefficient is 1.
    const SLOPE: usize;
    /// The pairing's computations.
    fn plan() -> &'static Plan<Coefficient<Self>>;
    /// The coefficients of w's powers.
    fn coefficients(element: &Self::Element) -> [Coefficient<Self>; 6];
    /// The element with these coefficients.
    fn from_coefficients(coefficients: [Coefficient<Self>; 6]) -> Self::Element;
}

/// What the twelfth root is a root of.
pub enum Nonresidue {
    /// `1 + i`.
    OneAndI,
    /// `9 + i`.
    NineAndI,
}

/// An element of the quadratic extension, as arkworks has it.
pub type Coefficient<T> = <<T as Tower>::Field as LaneField>::Scalar;

/// An element of the tower.
pub(super) struct Twelve<T: Tower, L: Lanes>(pub(super) Eight<T::Field, L, 2>);

impl<T: Tower, L: Lanes> Clone for Twelve<T, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Tower, L: Lanes> Copy for Twelve<T, L> {}

#[inline(always)]
pub(super) fn enter<T: Tower, L: Lanes>(coefficients: &[Coefficient<T>; 6]) -> Twelve<T, L> {
    let zero = Coefficient::<T>::ZERO;
    let [a, b, c, d, e, f] = coefficients;
    Twelve(Eight::enter([a, b, c, d, e, f, &zero, &zero]))
}

/// The lanes of `Σ a_k w^k`, moved up by so many; from 8 on, those that are multiplied by ξ.
const TURNED: [[u64; 8]; 6] = {
    let mut turned = [[6; 8]; 6];
    let mut k = 0;
    while k < 6 {
        let mut j = 0;
        while j < 6 {
            turned[k][j] = if j < k { 8 + (j + 6 - k) as u64 } else { (j - k) as u64 };
            j += 1;
        }
        k += 1;
    }
    turned
};

#[inline(always)]
pub(super) fn multiply<T: Tower, L: Lanes>(
    left: Twelve<T, L>,
    right: Twelve<T, L>,
) -> Twelve<T, L> {
    let wrapped = times_nonresidue::<T, L>(right.0);
    let (mut lefts, mut rights) = ([left.0; 6], [right.0; 6]);
    for k in 0..6 {
        lefts[k] = Eight::pick(L::splat(k as u64), left.0, left.0);
        rights[k] = Eight::pick(L::load(&TURNED[k]), right.0, wrapped);
    }
    Twelve(Eight::dot(lefts, rights))
}

/// `ξ · element`.
#[inline(always)]
pub(super) fn times_nonresidue<T: Tower, L: Lanes>(
    element: Eight<T::Field, L, 2>,
) -> Eight<T::Field, L, 2> {
    match T::NONRESIDUE {
        Nonresidue::OneAndI => element.mul_by_small::<1>(),
        Nonresidue::NineAndI => element.mul_by_small::<9>(),
    }
}

/// The products of a square, four for each of its coefficients: lanes of the left factor, which is
/// doubled from 8 on, and of the right, which is multiplied by ξ from 8 on. Lane 6 is zero.
pub(super) const SQUARED: [([u64; 8], [u64; 8]); 4] = {
    let mut squared = [([6; 8], [6; 8]); 4];
    let mut j = 0;
    while j < 6 {
        let (mut term, mut left) = (0, 0);
        while left < 6 {
            let right = (j + 6 - left) % 6;
            if left <= right {
                squared[term].0[j] = (left + if left < right { 8 } else { 0 }) as u64;
                squared[term].1[j] = (right + if left + right >= 6 { 8 } else { 0 }) as u64;
                term += 1;
            }
            left += 1;
        }
        j += 1;
    }
    squared
};

#[inline(always)]
pub(super) fn square<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    Twelve(products(element, &SQUARED))
}

/// Granger and Scott's square (2010), in `Fp4[w]` with `w³ = s`: three times the squares of the
/// coefficients `a_0 + a_3 s`, `a_1 + a_4 s`, `a_2 + a_5 s`, and twice their conjugates. The products as
/// in [`SQUARED`].
const CYCLOTOMIC: [([u64; 8], [u64; 8]); 2] = [
    ([0, 8 + 2, 1, 8, 2, 8 + 1, 6, 6], [0, 8 + 5, 1, 3, 2, 4, 6, 6]),
    ([3, 6, 4, 6, 5, 6, 6, 6], [8 + 3, 6, 8 + 4, 6, 8 + 5, 6, 6, 6]),
];

#[inline(always)]
pub(super) fn cyclotomic_square<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    let squares = products(element, &CYCLOTOMIC);
    let minus: Eight<T::Field, L, 3> = Eight::<_, _, 1>::zero().sub(element.0);
    let conjugate = Eight::select(0b01_0101, minus, element.0.widen());
    let squares: Eight<T::Field, L, 6> = squares.add::<2, 4>(squares).add(squares);
    Twelve(squares.add::<3, 9>(conjugate).add::<3, 12>(conjugate).shrink())
}

/// Sums of products of the lanes of an element.
#[inline(always)]
fn products<T: Tower, L: Lanes, const K: usize>(
    element: Twelve<T, L>,
    lanes: &[([u64; 8], [u64; 8]); K],
) -> Eight<T::Field, L, 2> {
    let wrapped = times_nonresidue::<T, L>(element.0);
    let doubled: Eight<T::Field, L, 4> = element.0.add(element.0);
    let (mut lefts, mut rights) = ([doubled; K], [wrapped; K]);
    for k in 0..K {
        lefts[k] = Eight::pick(L::load(&lanes[k].0), element.0, doubled);
        rights[k] = Eight::pick(L::load(&lanes[k].1), element.0, wrapped);
    }
    Eight::dot(lefts, rights)
}

/// Negates the odd coefficients.
#[inline(always)]
pub(super) fn conjugate<T: Tower, L: Lanes>(element: Twelve<T, L>) -> Twelve<T, L> {
    let minus: Eight<T::Field, L, 3> = Eight::<_, _, 1>::zero().sub(element.0);
    Twelve(Eight::select(0b10_1010, minus, element.0.widen()).shrink())
}

/// Frobenius' map to a power, whose constants these are.
#[inline(always)]
pub(super) fn map<T: Tower, L: Lanes>(
    element: Twelve<T, L>,
    power: usize,
    constants: Twelve<T, L>,
) -> Twelve<T, L> {
    let conjugate = if power % 2 == 1 { element.0.conjugate() } else { element.0.widen() };
    Twelve(conjugate.mul(constants.0))
}

/// Eight coefficients, and ξ times each.
pub(super) type WithMultiples<F, L> = [Eight<F, L, 2>; 2];

/// A line at a first argument: coefficients in one of the lanes of each.
pub(super) struct LineAt<'a, F: TowerField, L: Lanes> {
    pub(super) lane: u64,
    /// 1 if there is none.
    pub(super) constant: Option<&'a WithMultiples<F, L>>,
    pub(super) slope: &'a WithMultiples<F, L>,
    pub(super) offset: &'a WithMultiples<F, L>,
}

/// Multiplies by a line.
#[inline(always)]
pub(super) fn multiply_by_line<T: Tower, L: Lanes>(
    element: Twelve<T, L>,
    line: LineAt<'_, T::Field, L>,
) -> Twelve<T, L> {
    let slope = factor(line.slope, line.lane, T::SLOPE);
    let offset = factor(line.offset, line.lane, 3);
    let (by_slope, by_offset) = (turned(element, T::SLOPE), turned(element, 3));
    match line.constant {
        // It is 1.
        None => {
            let rest = Eight::dot([slope, offset], [by_slope, by_offset]);
            Twelve(rest.add::<2, 4>(element.0).shrink())
        }
        Some(constant) => {
            let constant = factor(constant, line.lane, 0);
            Twelve(Eight::dot([slope, offset, constant], [by_slope, by_offset, element.0]))
        }
    }
}

/// A line's coefficient of a power of w, in all lanes, times ξ in those to which it comes by `w⁶`. (No
/// closure: it would be compiled without the instructions.)
#[inline(always)]
fn factor<F: TowerField, L: Lanes>(
    coefficient: &WithMultiples<F, L>,
    lane: u64,
    power: usize,
) -> Eight<F, L, 2> {
    let wrapped = L::load(&TURNED[power]).and(L::splat(8));
    Eight::pick(L::splat(lane).or(wrapped), coefficient[0], coefficient[1])
}

/// The lanes moved up by so many.
#[inline(always)]
fn turned<T: Tower, L: Lanes>(element: Twelve<T, L>, power: usize) -> Eight<T::Field, L, 2> {
    Eight::pick(L::load(&TURNED[power]), element.0, element.0)
}
