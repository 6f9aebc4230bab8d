//! Multi-pairings: a product of Miller loops in which all pairs share the squarings and the one final
//! exponentiation.
//!
//! The second arguments walk through the loop in affine coordinates, with one inversion a step for all of
//! them. At the first argument P = (x_P, y_P) the line of slope λ through (x, y) is y_P − y − λ(x_P − x).
//! Divided by y_P, which lies in a subfield and is therefore removed by the final exponentiation, it has the
//! coefficients 1, −λ·x_P/y_P and (λx − y)/y_P: the 1 saves 3 of the 13 multiplications in Fp2 by which a
//! line enters the product. Together with its step a line costs about 19 of them; for a prepared point, whose
//! λ and λx − y are at hand, 11.

use ark_ec::{
    AffineRepr, CurveGroup,
    pairing::{MillerLoopOutput, Pairing as Engine, PairingOutput},
    short_weierstrass::{Affine, Projective},
};
use ark_ff::{AdditiveGroup, Field, Fp2, Fp2Config, Fp6Config, Fp12, Fp12Config};
use rayon::prelude::*;

use super::{
    batch_affine::{Slopes, third_point},
    lanes::{self, Factors, LaneField, Lines, PointOf, Tower},
};
use crate::{
    FftScalar,
    weierstrass::{Coordinate, Curve},
};

/// The fewest pairs that one thread takes.
const CHUNK_MIN: usize = 8;
/// The most pairs that walk together in the vector kernels, sharing one inversion a step.
const LANES_CHUNK: usize = 512;
/// The most pairs whose lines the vector kernels evaluate at a time: a few megabytes.
const LINES_CHUNK: usize = 64;
/// The fewest unprepared pairs for which affine steps pay for their inversions in the vector kernels, and a
/// product in every lane for its squares.
const LANES_AFFINE_MIN: usize = 24;

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
    > + Tower<Element = Self::TargetField, Field: LaneField<Scalar = Fp2Of<Self>>>
{
    /// The curve of the first arguments.
    type Left: Curve<BaseField = Self::BaseField, ScalarField = Self::ScalarField>;
    /// The curve of the second arguments.
    type Right: Curve<
            BaseField: Field<BasePrimeField = Self::BaseField>
                           + Coordinate<Lanes = <Self as Tower>::Field>,
            ScalarField = Self::ScalarField,
        >;

    /// The fewest unprepared pairs for which affine steps are faster than [`MillerLoop::plain`], which
    /// needs no inversions.
    const AFFINE_MIN: usize = 8;

    /// The fewest unprepared pairs for which the vector kernels beat [`MillerLoop::plain`].
    const LANES_MIN: usize = 0;

    /// The steps of the loop. The running point starts as the second argument itself, so the leading digit
    /// of the loop's length has no step.
    fn steps() -> Vec<Step>;

    /// Multiplies by the value of a line at a first argument.
    fn mul_by_line(
        product: &mut Self::TargetField,
        line: &Line<Fp2Of<Self>>,
        at: &Evaluation<Self::BaseField>,
    );

    /// The lines by projective steps, without inversions: slope and offset, and besides them the constant
    /// coefficient, which is not 1 here. At a first argument (x, y) the slope is multiplied by x, the offset
    /// by 1 and the constant by y.
    fn lines(point: &Self::G2Affine) -> Vec<(Line<Fp2Of<Self>>, Fp2Of<Self>)>;

    /// What the vector kernels multiply slope and offset of a line by. They have the constant coefficient at
    /// w⁰: of an M-twist the line `b + av + vw` (v = w²) is divided by w³, and a/w and b/w³ are `a/w⁶` at w⁵
    /// and `b/w⁶` at w³. The factor is 1/w⁶ there, and 1 for a D-twist.
    fn turn() -> Fp2Of<Self>;

    /// Inverts the product, up to what the final exponentiation removes, if the loop's length is negative.
    fn correct_sign(product: &mut Self::TargetField);

    /// The product of the pairs' Miller loops by a library, up to factors in subfields.
    fn plain(left: &[Self::G1Affine], right: &[Self::G2Affine]) -> Self::TargetField {
        Self::multi_miller_loop(left.iter().copied(), right.iter().copied()).0
    }

    /// The final exponentiation of a product, which is not zero.
    fn finish(product: Self::TargetField) -> PairingOutput<Self> {
        // Only zero has none, and no line's value is zero. Zero stays zero, as in the other implementations: it is
        // in no group, so that what holds if a product is neutral is refused.
        let power = Self::final_exponentiation(MillerLoopOutput(product));
        power.unwrap_or(PairingOutput(Self::TargetField::ZERO))
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
    pub(super) slope: F,
    pub(super) offset: F,
}

impl<F> Line<F> {
    /// Of a slope and an offset, both perhaps multiplied by the same factor.
    pub(crate) fn new(slope: F, offset: F) -> Self {
        Self { slope, offset }
    }
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
    let (targets, points): (Vec<_>, Vec<_>) =
        prepared.iter_mut().zip(points).filter(|(_, point)| !point.is_zero()).unzip();
    for (target, lines) in targets.into_iter().zip(walk_all::<E>(points)) {
        target.lines = lines;
    }
    prepared
}

/// `Σ e(left, right)` over the pairs and those whose second arguments are prepared.
pub(crate) fn multi_pairing<E: MillerLoop>(
    pairs: &[(E::G1, E::G2)],
    prepared: &[(E::G1, &Prepared<Fp2Of<E>>)],
) -> PairingOutput<E> {
    let by_lanes = pairs.len() >= E::LANES_MIN && lanes::available();
    if pairs.is_empty() || pairs.len() >= E::AFFINE_MIN || by_lanes {
        return finish::<E>(parallel::<E>(pairs, prepared));
    }
    let (left, right): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let mut product = E::plain(&E::G1::normalize_batch(&left), &E::G2::normalize_batch(&right));
    if !prepared.is_empty() {
        product *= parallel::<E>(&[], prepared);
    }
    finish::<E>(product)
}

/// The final exponentiation of a product, which is not zero.
fn finish<E: MillerLoop>(product: E::TargetField) -> PairingOutput<E> {
    let power = lanes::final_exponentiation::<E>(&product);
    power.map_or_else(|| E::finish(product), PairingOutput)
}

/// Shares the pairs out to the threads, not too few to each.
fn parallel<E: MillerLoop>(
    pairs: &[(E::G1, E::G2)],
    prepared: &[(E::G1, &Prepared<Fp2Of<E>>)],
) -> E::TargetField {
    let threads = rayon::current_num_threads();
    let chunk_max = if lanes::available() { LANES_CHUNK } else { usize::MAX };
    let chunk_len = |len: usize| len.div_ceil(threads).clamp(CHUNK_MIN, chunk_max);
    let (pair_chunk, prepared_chunk) = (chunk_len(pairs.len()), chunk_len(prepared.len()));
    let chunks = pairs.len().div_ceil(pair_chunk).max(prepared.len().div_ceil(prepared_chunk));
    let products = (0..chunks).into_par_iter().map(|index| {
        miller_loop::<E>(part(pairs, index, pair_chunk), part(prepared, index, prepared_chunk))
    });
    products.reduce(|| E::TargetField::ONE, |left, right| left * right)
}

/// The `index`-th part of `len` items; empty after the last, where the other list still has parts.
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
    let left = E::G1::normalize_batch(&left);
    let (left, left_of_prepared) = left.split_at(pairs.len());
    // A neutral argument on either side leaves the product as it is.
    let pairs: Vec<_> = left
        .iter()
        .copied()
        .zip(E::G2::normalize_batch(&right))
        .filter(|(left, right)| !left.is_zero() && !right.is_zero())
        .collect();
    let prepared: Vec<_> = left_of_prepared
        .iter()
        .copied()
        .zip(prepared.iter().map(|(_, point)| point.lines.as_slice()))
        .filter(|(left, lines)| !left.is_zero() && !lines.is_empty())
        .collect();
    let mut product = match lanes::available() {
        true => in_lanes::<E>(&pairs, &prepared),
        false => None,
    }
    .unwrap_or_else(|| portable::<E>(&pairs, &prepared));
    E::correct_sign(&mut product);
    product
}

/// First arguments with the lines of the second.
type WithLines<'a, E> = (<E as Engine>::G1Affine, &'a [Line<Fp2Of<E>>]);

/// The product of the Miller loops of points, none of them neutral.
fn portable<E: MillerLoop>(
    pairs: &[(E::G1Affine, E::G2Affine)],
    prepared: &[WithLines<'_, E>],
) -> E::TargetField {
    let left = pairs.iter().map(|(left, _)| left).chain(prepared.iter().map(|(left, _)| left));
    let evaluations = evaluations(left);
    let (evaluations, of_prepared) = evaluations.split_at(pairs.len());
    let mut walk = Walk::new(pairs.iter().map(|(_, right)| *right).collect());
    let mut product = E::TargetField::ONE;
    for (index, step) in E::steps().into_iter().enumerate() {
        if matches!(step, Step::Double) && index > 0 {
            product.square_in_place();
        }
        for (at, line) in evaluations.iter().zip(walk.step(step)) {
            E::mul_by_line(&mut product, line, at);
        }
        for (at, (_, lines)) in of_prepared.iter().zip(prepared) {
            E::mul_by_line(&mut product, &lines[index], at);
        }
    }
    product
}

/// The same by the vector kernels, up to factors in subfields; `None` where these do not run.
fn in_lanes<E: MillerLoop>(
    pairs: &[(E::G1Affine, E::G2Affine)],
    prepared: &[WithLines<'_, E>],
) -> Option<E::TargetField> {
    if pairs.len() >= LANES_AFFINE_MIN {
        let product = in_columns::<E>(pairs)?;
        return match prepared.is_empty() {
            true => Some(product),
            false => Some(product * in_lanes::<E>(&[], prepared)?),
        };
    }
    let projective: Vec<(Vec<_>, Vec<_>)> =
        pairs.iter().map(|(_, right)| E::lines(right).into_iter().unzip()).collect();
    let turn = E::turn();
    let lift = Fp2Of::<E>::from_base_prime_field;
    let mut lines = Vec::with_capacity(pairs.len() + prepared.len());
    for ((left, _), (pair_lines, constants)) in pairs.iter().zip(&projective) {
        let slope = turn * lift(left.x);
        let at = Factors { constant: lift(left.y), slope, offset: turn };
        lines.push(Lines { lines: pair_lines, constants, at });
    }
    let factors = factors::<E>(prepared.iter().map(|(left, _)| left));
    for (at, (_, monic)) in factors.into_iter().zip(prepared) {
        lines.push(Lines { lines: monic, constants: &[], at });
    }
    let products = lines.chunks(LINES_CHUNK).map(|lines| lanes::miller_loop::<E>(lines.to_vec()));
    products.product()
}

/// The same for many pairs, none of them prepared.
fn in_columns<E: MillerLoop>(pairs: &[(E::G1Affine, E::G2Affine)]) -> Option<E::TargetField> {
    let right: Vec<_> = pairs.iter().map(|(_, right)| *right).collect();
    let [own, images, second] = multiples::<E>(&right)?;
    let walk = lanes::Walk { multiples: [&own, &images, &second], steps: &E::steps() };
    let at = factors::<E>(pairs.iter().map(|(left, _)| left));
    let products = lanes::miller_loops(lanes::Columns::<E> { walk, at: &at })?;
    Some(products.into_iter().product())
}

/// What slopes and offsets are multiplied by at first arguments.
pub(super) fn factors<'a, E: MillerLoop>(
    left: impl Iterator<Item = &'a E::G1Affine> + Clone,
) -> Vec<Factors<Fp2Of<E>>> {
    let turn = E::turn();
    let factor = |at| turn * Fp2Of::<E>::from_base_prime_field(at);
    let factors = |at: Evaluation<E::BaseField>| Factors {
        constant: Fp2Of::<E>::ONE,
        slope: factor(at.minus_x_by_y),
        offset: factor(at.y_inverse),
    };
    evaluations(left).into_iter().map(factors).collect()
}

/// Every point's lines.
fn walk_all<E: MillerLoop>(points: Vec<E::G2Affine>) -> Vec<Vec<Line<Fp2Of<E>>>> {
    if let Some(lines) = walk_in_lanes::<E>(&points) {
        return lines;
    }
    let mut all = vec![Vec::new(); points.len()];
    let mut walk = Walk::new(points);
    for step in E::steps() {
        for (lines, line) in all.iter_mut().zip(walk.step(step)) {
            lines.push(*line);
        }
    }
    all
}

/// The same by the vector kernels; `None` where these do not run.
fn walk_in_lanes<E: MillerLoop>(points: &[E::G2Affine]) -> Option<Vec<Vec<Line<Fp2Of<E>>>>> {
    let [own, images, second] = multiples::<E>(points)?;
    lanes::walk(lanes::Walk { multiples: [&own, &images, &second], steps: &E::steps() })
}

/// Q, ψ(Q) and ψ²(Q) of every point, in lanes' form; `None` where the kernels do not run.
pub(super) fn multiples<E: MillerLoop>(
    points: &[E::G2Affine],
) -> Option<[Vec<PointOf<E::Right>>; 3]> {
    let own = E::Right::pack(points)?;
    let images = E::Right::images(&own)?;
    let second = E::Right::images(&images)?;
    Some([own, images, second])
}

/// Where lines are evaluated at points that are not neutral: their order is an odd prime, so no y is 0.
fn evaluations<'a, P: Curve>(
    points: impl Iterator<Item = &'a Affine<P>> + Clone,
) -> Vec<Evaluation<P::BaseField>> {
    let mut inverses: Vec<_> = points.clone().map(|point| point.y).collect();
    ark_ff::batch_inversion(&mut inverses);
    points
        .zip(inverses)
        .map(|(point, y_inverse)| Evaluation { minus_x_by_y: -point.x * y_inverse, y_inverse })
        .collect()
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
        let multiple = |point: &Affine<P>, which| match which {
            Multiple::One => *point,
            Multiple::MinusOne => -*point,
            Multiple::Psi => P::endomorphism(point),
            Multiple::MinusPsiSquared => -P::endomorphism(&P::endomorphism(point)),
        };
        let addends: Vec<_> = match step {
            Step::Double => self.current.clone(),
            Step::Add(m) => self.points.iter().map(|point| multiple(point, m)).collect(),
        };
        // In the subgroup of prime order a loop adds no two points of the same x: every sum is a chord.
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
    // Karatsuba: with l = a + bv the odd half of (c0 + c1·w)(1 + l·w) is (c0 + c1)(1 + l) − c0 − c1·l.
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
    // Karatsuba: with l = b + av the odd half of (c0 + c1·w)(l + v·w) is (c0 + c1)(l + v) − c0·l − c1·v.
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

#[cfg(test)]
mod tests {
    use ark_bls12_381::Bls12_381;
    use ark_bn254::Bn254;

    use super::*;

    fn zero_is_not_neutral<E: MillerLoop>() {
        assert!(finish::<E>(E::TargetField::ZERO) != PairingOutput::default());
        assert!(finish::<E>(E::TargetField::ONE) == PairingOutput::default());
    }

    #[test]
    fn a_product_of_zero_is_not_neutral() {
        zero_is_not_neutral::<Bls12_381>();
        zero_is_not_neutral::<Bn254>();
    }
}
