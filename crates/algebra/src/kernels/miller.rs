//! Products of Miller loops that share their squarings over all pairs, hence one final
//! exponentiation.
//!
//! The second arguments walk in affine coordinates, all with one inversion a step. A line of slope
//! λ through (x, y), divided by the first argument's y (the final exponentiation removes factors
//! of subfields), has the coefficients 1, −λ·x_P/y_P and (λx − y)/y_P: a one spares 3 of the 13
//! multiplications in Fp2 by which a line enters the product. With the step itself a line costs
//! about 19 of them, and 11 for a prepared point, whose λ and λx − y are at hand.

use ark_ec::{
    AffineRepr, CurveGroup,
    pairing::{MillerLoopOutput, Pairing as Engine, PairingOutput},
    short_weierstrass::{Affine, Projective},
};
use ark_ff::{AdditiveGroup, Field, Fp2, Fp2Config, Fp6Config, Fp12, Fp12Config};
use rayon::prelude::*;

use super::batch_affine::{Slopes, third_point};
use crate::{
    FftScalar,
    weierstrass::{Coordinate, Curve},
};

/// Pairs that one thread takes, at the least.
const CHUNK_MIN: usize = 8;

type Config<C> = <<C as Fp12Config>::Fp6Config as Fp6Config>::Fp2Config;
type Fp2Of<E> = <<E as Engine>::G2Affine as AffineRepr>::BaseField;

/// What the loops of two pairings differ in.
pub trait MillerLoop:
    Engine<
        BaseField: Coordinate,
        ScalarField: FftScalar,
        G1Affine = Affine<Self::Left>,
        G2Affine = Affine<Self::Right>,
        G1 = Projective<Self::Left>,
        G2 = Projective<Self::Right>,
    >
{
    /// The curve of the first arguments.
    type Left: Curve<BaseField = Self::BaseField, ScalarField = Self::ScalarField>;
    /// The curve of the second arguments.
    type Right: Curve<ScalarField = Self::ScalarField>;

    /// From so many pairs on that are not prepared, affine steps are faster than
    /// [`MillerLoop::plain`], which needs no inversions.
    const AFFINE_MIN: usize = 8;

    /// The loop, after the first argument has been set to the second.
    fn steps() -> Vec<Step>;

    /// Multiplies by the value of a line at a first argument.
    fn mul_by_line(
        product: &mut Self::TargetField,
        line: &Line<Fp2Of<Self>>,
        at: &Evaluation<Self::BaseField>,
    );

    /// What remains to be done because the loop's length is negative.
    fn correct_sign(product: &mut Self::TargetField);

    /// The product of the pairs' Miller loops by a library, up to factors in subfields.
    fn plain(left: &[Self::G1Affine], right: &[Self::G2Affine]) -> Self::TargetField {
        Self::multi_miller_loop(left.iter().copied(), right.iter().copied()).0
    }

    /// The final exponentiation of a product, which is not zero.
    fn finish(product: Self::TargetField) -> PairingOutput<Self> {
        Self::final_exponentiation(MillerLoopOutput(product)).unwrap_or_default()
    }
}

/// A step of a Miller loop.
#[derive(Clone, Copy)]
pub enum Step {
    /// Squares the product and doubles the points.
    Double,
    /// Adds a multiple of the second argument, which this gives.
    Add(Multiple),
}

/// What a step adds, in terms of the second argument Q.
#[derive(Clone, Copy)]
pub enum Multiple {
    /// Q.
    One,
    /// −Q.
    MinusOne,
    /// ψ(Q).
    Psi,
    /// −ψ²(Q).
    MinusPsiSquared,
}

/// A line: its slope λ, and λx − y for a point (x, y) on it.
#[derive(Clone, Copy)]
pub struct Line<F> {
    slope: F,
    offset: F,
}

/// Where lines are evaluated: `−x/y` and `1/y` of a first argument.
#[derive(Clone, Copy)]
pub struct Evaluation<F> {
    minus_x_by_y: F,
    y_inverse: F,
}

/// The lines of a Miller loop for a second argument that takes part in many pairings.
#[derive(Clone)]
pub struct Prepared<F> {
    /// Empty for the neutral element.
    lines: Vec<Line<F>>,
}

/// Prepares second arguments.
pub(crate) fn prepare<E: MillerLoop>(points: &[E::G2]) -> Vec<Prepared<Fp2Of<E>>> {
    let points = E::G2::normalize_batch(points);
    let mut prepared = vec![Prepared { lines: Vec::new() }; points.len()];
    let (mut targets, points): (Vec<_>, Vec<_>) =
        prepared.iter_mut().zip(points).filter(|(_, point)| !point.is_zero()).unzip();
    let mut walk = Walk::new(points);
    for step in E::steps() {
        for (target, line) in targets.iter_mut().zip(walk.step(step)) {
            target.lines.push(*line);
        }
    }
    prepared
}

/// `Σ e(left, right)` over the pairs and those whose second arguments are prepared.
pub(crate) fn multi_pairing<E: MillerLoop>(
    pairs: &[(E::G1, E::G2)],
    prepared: &[(E::G1, &Prepared<Fp2Of<E>>)],
) -> PairingOutput<E> {
    if pairs.len() >= E::AFFINE_MIN {
        return E::finish(parallel::<E>(pairs, prepared));
    }
    let (left, right): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let mut product = E::plain(&E::G1::normalize_batch(&left), &E::G2::normalize_batch(&right));
    if !prepared.is_empty() {
        product *= parallel::<E>(&[], prepared);
    }
    E::finish(product)
}

/// Shares the pairs out to the threads, not too few to each.
fn parallel<E: MillerLoop>(
    pairs: &[(E::G1, E::G2)],
    prepared: &[(E::G1, &Prepared<Fp2Of<E>>)],
) -> E::TargetField {
    let threads = rayon::current_num_threads();
    let chunk = |len: usize| len.div_ceil(threads).max(CHUNK_MIN);
    let (few, few_prepared) = (chunk(pairs.len()), chunk(prepared.len()));
    let chunks = pairs.len().div_ceil(few).max(prepared.len().div_ceil(few_prepared));
    let products = (0..chunks).into_par_iter().map(|index| {
        miller_loop::<E>(part(pairs, index, few), part(prepared, index, few_prepared))
    });
    products.reduce(|| E::TargetField::ONE, |left, right| left * right)
}

/// The `index`-th part of `len` items, empty after the last.
fn part<T>(items: &[T], index: usize, len: usize) -> &[T] {
    items.chunks(len).nth(index).unwrap_or_default()
}

/// The product of the pairs' Miller loops.
fn miller_loop<E: MillerLoop>(
    pairs: &[(E::G1, E::G2)],
    prepared: &[(E::G1, &Prepared<Fp2Of<E>>)],
) -> E::TargetField {
    let left: Vec<_> =
        pairs.iter().map(|(left, _)| *left).chain(prepared.iter().map(|(left, _)| *left)).collect();
    let right: Vec<_> = pairs.iter().map(|(_, right)| *right).collect();
    let evaluations = evaluations(&E::G1::normalize_batch(&left));
    let (evaluations, of_prepared) = evaluations.split_at(pairs.len());
    // A neutral argument on either side leaves the product as it is.
    let (evaluations, points): (Vec<_>, Vec<_>) = evaluations
        .iter()
        .zip(E::G2::normalize_batch(&right))
        .filter_map(|(at, point)| at.filter(|_| !point.is_zero()).map(|at| (at, point)))
        .unzip();
    let prepared: Vec<_> = of_prepared
        .iter()
        .zip(prepared)
        .filter_map(|(at, (_, point))| at.filter(|_| !point.lines.is_empty()).map(|at| (at, point)))
        .collect();

    let mut walk = Walk::new(points);
    let mut product = E::TargetField::ONE;
    for (index, step) in E::steps().into_iter().enumerate() {
        if matches!(step, Step::Double) && index > 0 {
            product.square_in_place();
        }
        for (at, line) in evaluations.iter().zip(walk.step(step)) {
            E::mul_by_line(&mut product, line, at);
        }
        for (at, point) in &prepared {
            E::mul_by_line(&mut product, &point.lines[index], at);
        }
    }
    E::correct_sign(&mut product);
    product
}

/// `None` for the neutral element.
fn evaluations<P: Curve>(points: &[Affine<P>]) -> Vec<Option<Evaluation<P::BaseField>>> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.y).collect();
    ark_ff::batch_inversion(&mut inverses);
    let evaluate = |(point, y_inverse): (&Affine<P>, P::BaseField)| {
        let evaluation = Evaluation { minus_x_by_y: -point.x * y_inverse, y_inverse };
        (!point.is_zero()).then_some(evaluation)
    };
    points.iter().zip(inverses).map(evaluate).collect()
}

/// Second arguments on their way through a Miller loop.
struct Walk<P: Curve> {
    points: Vec<Affine<P>>,
    current: Vec<Affine<P>>,
    lines: Vec<Line<P::BaseField>>,
    slopes: Slopes<P::BaseField>,
}

impl<P: Curve> Walk<P> {
    fn new(points: Vec<Affine<P>>) -> Self {
        let (current, len) = (points.clone(), points.len());
        let lines = Vec::with_capacity(len);
        Self { points, current, lines, slopes: Slopes::with_capacity(len) }
    }

    /// Takes a step and returns its lines.
    fn step(&mut self, step: Step) -> &[Line<P::BaseField>] {
        let multiple = |point: &Affine<P>, multiple| match multiple {
            Multiple::One => *point,
            Multiple::MinusOne => -*point,
            Multiple::Psi => P::endomorphism(point),
            Multiple::MinusPsiSquared => -P::endomorphism(&P::endomorphism(point)),
        };
        let addends: Vec<_> = match step {
            Step::Double => self.current.clone(),
            Step::Add(m) => self.points.iter().map(|point| multiple(point, m)).collect(),
        };
        self.slopes.clear();
        for (current, addend) in self.current.iter().zip(&addends) {
            match step {
                Step::Double => self.slopes.push_double(current),
                Step::Add(_) => self.slopes.push_sum(current, addend),
            }
        }
        self.slopes.invert();
        self.lines.clear();
        let points = self.current.iter_mut().zip(&addends);
        for ((current, addend), inverse) in points.zip(self.slopes.inverses()) {
            let rise = match step {
                Step::Double => {
                    let square = current.x.square();
                    square.double() + square
                }
                Step::Add(_) => addend.y - current.y,
            };
            let slope = rise * inverse;
            self.lines.push(Line { slope, offset: slope * current.x - current.y });
            *current = third_point(current, &addend.x, slope);
        }
        &self.lines
    }
}

/// Multiplies by `1 + (a + bv)w`, with `w² = v`: the line of a curve with a D-twist.
pub(crate) fn mul_by_d_line<C: Fp12Config>(
    product: &mut Fp12<C>,
    line: &Line<Fp2<Config<C>>>,
    at: &Evaluation<<Config<C> as Fp2Config>::Fp>,
) {
    let (a, b) = scaled(line, at);
    let mut high = product.c1;
    high.mul_by_01(&a, &b);
    let mut both = product.c0 + product.c1;
    both.mul_by_01(&(a + Fp2::ONE), &b);
    product.c1 = both - product.c0 - high;
    C::mul_fp6_by_nonresidue_in_place(&mut high);
    product.c0 += high;
}

/// Multiplies by `b + av + vw`, with `w² = v`: the line of a curve with an M-twist.
pub(crate) fn mul_by_m_line<C: Fp12Config>(
    product: &mut Fp12<C>,
    line: &Line<Fp2<Config<C>>>,
    at: &Evaluation<<Config<C> as Fp2Config>::Fp>,
) {
    let (a, b) = scaled(line, at);
    let mut low = product.c0;
    low.mul_by_01(&b, &a);
    let mut high = product.c1;
    C::mul_fp6_by_nonresidue_in_place(&mut high);
    let mut both = product.c0 + product.c1;
    both.mul_by_01(&b, &(a + Fp2::ONE));
    product.c1 = both - low - high;
    C::mul_fp6_by_nonresidue_in_place(&mut high);
    product.c0 = low + high;
}

/// `−λ·x_P/y_P` and `(λx − y)/y_P`.
fn scaled<C: Fp2Config>(line: &Line<Fp2<C>>, at: &Evaluation<C::Fp>) -> (Fp2<C>, Fp2<C>) {
    let (mut a, mut b) = (line.slope, line.offset);
    a.mul_assign_by_fp(&at.minus_x_by_y);
    b.mul_assign_by_fp(&at.y_inverse);
    (a, b)
}
