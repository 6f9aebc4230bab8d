//! Miller loops of many pairs. Every lane has the loop of its own pairs, and their product: lines are multiplied
//! into it where they are made, and never leave the lanes.

use super::{
    Eight, Kernel, Lanes,
    pairing::Factors,
    run,
    tower::{Coefficient, SQUARED, Tower, times_nonresidue},
    walk::{TakeLines, Walk},
};
use crate::kernels::miller::Step;

/// Pairs: second arguments on their way, and what the first ones multiply slopes and offsets by.
pub(crate) struct Columns<'a, T: Tower> {
    pub(crate) walk: Walk<'a, T::Field>,
    pub(crate) at: &'a [Factors<Coefficient<T>>],
}

/// The products of eight parts of the pairs' Miller loops, up to factors that final exponentiations remove;
/// `None` where kernels do not run.
pub(crate) fn miller_loops<T: Tower>(columns: Columns<'_, T>) -> Option<[T::Element; 8]> {
    run(columns).map(|products| products.map(T::from_coefficients))
}

/// An element of the tower in every lane, by the powers of w.
type Twelve<T, L> = [Eight<<T as Tower>::Field, L, 2>; 6];

/// The lines, multiplied.
struct Product<'a, T: Tower, L: Lanes> {
    product: Twelve<T, L>,
    /// What slopes and offsets of each group are multiplied by.
    at: Vec<[Eight<T::Field, L, 2>; 2]>,
    steps: &'a [Step],
}

impl<T: Tower, L: Lanes> TakeLines<T::Field, L> for Product<'_, T, L> {
    #[inline(always)]
    fn step(&mut self, index: usize) {
        // The first square would be that of 1.
        if matches!(self.steps[index], Step::Double) && index > 0 {
            self.product = square::<T, L>(&self.product);
        }
    }

    #[inline(always)]
    fn lines(
        &mut self,
        group: usize,
        slopes: Eight<T::Field, L, 2>,
        offsets: Eight<T::Field, L, 4>,
    ) {
        let [at_slope, at_offset] = self.at[group];
        let (slope, offset) = (slopes.mul(at_slope), offsets.mul(at_offset));
        self.product = multiply_by_line::<T, L>(&self.product, slope, offset);
    }
}

impl<T: Tower> Kernel for Columns<'_, T> {
    type Output = [[Coefficient<T>; 6]; 8];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut at = Vec::with_capacity(self.at.len().div_ceil(8));
        // Where a lane has no pair, the line is 1.
        let zero = <Coefficient<T> as ark_ff::AdditiveGroup>::ZERO;
        for factors in self.at.chunks(8) {
            let (mut slopes, mut offsets) = ([&zero; 8], [&zero; 8]);
            for (lane, factors) in factors.iter().enumerate() {
                (slopes[lane], offsets[lane]) = (&factors.slope, &factors.offset);
            }
            at.push([Eight::enter(slopes), Eight::enter(offsets)]);
        }
        let mut one = [Eight::zero(); 6];
        one[0] = Eight::one();
        let mut product = Product::<T, L> { product: one, at, steps: self.walk.steps };
        self.walk.take_steps::<L>(&mut product);
        let mut elements = [[zero; 6]; 8];
        for (k, coefficient) in product.product.into_iter().enumerate() {
            let lanes = coefficient.leave();
            for (element, coefficient) in elements.iter_mut().zip(lanes) {
                element[k] = coefficient;
            }
        }
        elements
    }
}

#[inline(always)]
fn square<T: Tower, L: Lanes>(element: &Twelve<T, L>) -> Twelve<T, L> {
    let mut doubled = [Eight::<T::Field, L, 4>::zero(); 6];
    let mut wrapped = *element;
    for k in 0..6 {
        doubled[k] = element[k].add(element[k]);
        wrapped[k] = times_nonresidue::<T, L>(element[k]);
    }
    let mut square = *element;
    for (j, square) in square.iter_mut().enumerate() {
        let (mut lefts, mut rights) = ([Eight::<T::Field, L, 4>::zero(); 4], [Eight::zero(); 4]);
        for (term, (left, right)) in SQUARED.iter().enumerate() {
            let (left, right) = (left[j] as usize, right[j] as usize);
            // The place 6 has no product.
            if left != 6 {
                lefts[term] = if left < 6 { element[left].widen() } else { doubled[left - 8] };
                rights[term] = if right < 6 { element[right] } else { wrapped[right - 8] };
            }
        }
        *square = Eight::dot(lefts, rights);
    }
    square
}

/// Multiplies by `1 + slope · w^SLOPE + offset · w³`.
#[inline(always)]
fn multiply_by_line<T: Tower, L: Lanes>(
    element: &Twelve<T, L>,
    slope: Eight<T::Field, L, 2>,
    offset: Eight<T::Field, L, 2>,
) -> Twelve<T, L> {
    // What comes by w⁶ is multiplied by ξ.
    let slopes = [slope, times_nonresidue::<T, L>(slope)];
    let offsets = [offset, times_nonresidue::<T, L>(offset)];
    let mut product = *element;
    for (j, product) in product.iter_mut().enumerate() {
        let factors = [slopes[usize::from(j < T::SLOPE)], offsets[usize::from(j < 3)]];
        let rest = Eight::dot(factors, [element[(j + 6 - T::SLOPE) % 6], element[(j + 3) % 6]]);
        *product = rest.add::<2, 4>(element[j]).shrink();
    }
    product
}
