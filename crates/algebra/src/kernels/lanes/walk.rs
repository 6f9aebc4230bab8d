//! Second arguments of pairings on their way through a Miller loop, eight in lockstep and in affine
//! coordinates: the steps of all points share an inversion.

use super::{
    Eight, Kernel, LaneField, Lanes,
    inversion::{CHAINS, invert},
    points::{Coordinates, Point, load},
    run,
};
use crate::kernels::miller::{Line, Multiple, Step};

/// Points, none of them neutral, and their way.
pub(crate) struct Walk<'a, F: LaneField> {
    /// Q, ψ(Q) and ψ²(Q) of every point.
    pub(crate) multiples: [&'a [Point<F>]; 3],
    pub(crate) steps: &'a [Step],
}

/// Every point's lines; `None` where kernels do not run.
pub(crate) fn walk<F: LaneField>(walk: Walk<'_, F>) -> Option<Vec<Vec<Line<F::Scalar>>>> {
    run(walk)
}

impl<F: LaneField> Walk<'_, F> {
    /// Eight points' addends, those of the last point in lanes without one.
    #[inline(always)]
    fn addends<L: Lanes>(&self, group: usize, multiple: Multiple) -> Coordinates<F, L> {
        let (points, negative) = match multiple {
            Multiple::One => (self.multiples[0], false),
            Multiple::MinusOne => (self.multiples[0], true),
            Multiple::Psi => (self.multiples[1], false),
            Multiple::MinusPsiSquared => (self.multiples[2], true),
        };
        let mut eight = [&points[points.len() - 1]; 8];
        for (lane, point) in points[8 * group..].iter().enumerate().take(8) {
            eight[lane] = point;
        }
        let (x, y) = load::<F, L>(eight);
        (x, if negative { Eight::<F, L, 0>::zero().sub(y) } else { y })
    }
}

/// What becomes of the lines of a walk.
pub(super) trait TakeLines<F: LaneField, L: Lanes> {
    /// The lines of a step come next.
    fn step(&mut self, index: usize);
    /// Eight points' lines: slopes, and offsets `λx − y`.
    fn lines(&mut self, group: usize, slopes: Eight<F, L, 2>, offsets: Eight<F, L, 4>);
}

impl<F: LaneField> Walk<'_, F> {
    /// Takes all steps.
    #[inline(always)]
    pub(super) fn take_steps<L: Lanes>(&self, lines: &mut impl TakeLines<F, L>) {
        let groups = self.multiples[0].len().div_ceil(8);
        let mut current: Vec<Coordinates<F, L>> = Vec::with_capacity(groups);
        for group in 0..groups {
            current.push(self.addends(group, Multiple::One));
        }
        let mut denominators: Vec<Eight<F, L, 4>> = Vec::with_capacity(groups);
        let mut before = Vec::with_capacity(groups);
        for (index, step) in self.steps.iter().enumerate() {
            lines.step(index);
            denominators.clear();
            before.clear();
            let mut products = [Eight::<F, L, 2>::one(); CHAINS];
            for group in 0..groups {
                let (x, y) = current[group];
                let denominator: Eight<F, L, 4> = match step {
                    Step::Double => y.add(y),
                    Step::Add(multiple) => self.addends::<L>(group, *multiple).0.sub(x),
                };
                // Only points outside the subgroup come here, which have no pairings.
                let one = Eight::<F, L, 2>::one().widen();
                let denominator = Eight::select(denominator.is_zero(), one, denominator);
                let product = &mut products[group % CHAINS];
                before.push(*product);
                *product = product.mul(denominator);
                denominators.push(denominator);
            }
            let mut inverses = invert(products);
            for group in (0..groups).rev() {
                let inverse = &mut inverses[group % CHAINS];
                let denominator_inverse = inverse.mul(before[group]);
                *inverse = inverse.mul(denominators[group]);
                let (x, y) = current[group];
                let ((other_x, _), rise): (_, Eight<F, L, 6>) = match step {
                    Step::Double => {
                        let square = x.square();
                        ((x, y), square.add::<2, 4>(square).add(square))
                    }
                    Step::Add(multiple) => {
                        let addend = self.addends::<L>(group, *multiple);
                        (addend, addend.1.sub::<2, 4>(y).widen())
                    }
                };
                let slope = rise.mul(denominator_inverse);
                lines.lines(group, slope, slope.mul(x).sub(y));
                let new_x = slope.square().sub_both::<2, 6>(x, other_x).shrink();
                let run: Eight<F, L, 4> = x.sub(new_x);
                current[group] = (new_x, slope.mul(run).sub::<2, 4>(y).shrink());
            }
        }
    }
}

/// Lines in arkworks' form, one list for each point.
struct Listed<S>(Vec<Vec<Line<S>>>);

impl<F: LaneField, L: Lanes> TakeLines<F, L> for Listed<F::Scalar> {
    #[inline(always)]
    fn step(&mut self, _: usize) {}

    #[inline(always)]
    fn lines(&mut self, group: usize, slopes: Eight<F, L, 2>, offsets: Eight<F, L, 4>) {
        let (slopes, offsets) = (slopes.leave(), offsets.leave());
        for (lane, lines) in self.0[8 * group..].iter_mut().enumerate().take(8) {
            lines.push(Line::new(slopes[lane], offsets[lane]));
        }
    }
}

impl<F: LaneField> Kernel for Walk<'_, F> {
    type Output = Vec<Vec<Line<F::Scalar>>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut lines = Listed(Vec::with_capacity(self.multiples[0].len()));
        for _ in self.multiples[0] {
            lines.0.push(Vec::with_capacity(self.steps.len()));
        }
        self.take_steps::<L>(&mut lines);
        lines.0
    }
}
