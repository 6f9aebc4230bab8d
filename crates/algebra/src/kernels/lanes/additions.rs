//! Sums of lists of points, eight additions at a time.
//!
//! As in [`batch_affine`](super::super::batch_affine), an addition takes the inverse of its slope's denominator from
//! one inversion that many share. A denominator of zero or a neutral term shows the lanes in which the formula of the
//! chord does not apply. These take the tangent, or are set to their sum directly, before the product of all
//! denominators could become zero.

use std::marker::PhantomData;

use ark_ec::{
    AffineRepr, CurveConfig,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::Field;
use zeroize::Zeroizing;

use super::{
    Eight, Kernel, LaneField, Lanes, run,
    scaling::{Ladders, Scaled},
};
use crate::weierstrass::{Coordinate, Curve};

/// A curve's coordinates in lanes.
pub type LanesOf<P> = <<P as CurveConfig>::BaseField as Coordinate>::Lanes;

/// A curve's points in lanes' form.
pub type PointOf<P> = Point<LanesOf<P>>;

/// A point in affine coordinates as memory has it, both below 2p. Blank coordinates, which no
/// curve of this crate contains, are the neutral element.
pub struct Point<F: LaneField> {
    x: F::Packed,
    y: F::Packed,
}

impl<F: LaneField> Clone for Point<F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: LaneField> Copy for Point<F> {}

impl<F: LaneField> Point<F> {
    /// The neutral element.
    pub(crate) const NEUTRAL: Self = Self { x: F::BLANK, y: F::BLANK };

    /// Whether it is.
    pub(crate) fn is_neutral(&self) -> bool {
        self.x == F::BLANK && self.y == F::BLANK
    }
}

/// Coordinates of eight points.
pub(super) type Coordinates<F, L> = (Eight<F, L, 2>, Eight<F, L, 2>);

#[inline(always)]
pub(super) fn store<F: LaneField, L: Lanes>((x, y): Coordinates<F, L>, out: &mut [Point<F>]) {
    let (x, y) = (x.store(), y.store());
    for (lane, point) in out.iter_mut().enumerate().take(8) {
        *point = Point { x: x[lane], y: y[lane] };
    }
}

#[inline(always)]
pub(super) fn load<F: LaneField, L: Lanes>(points: [&Point<F>; 8]) -> Coordinates<F, L> {
    let (mut x, mut y) = ([&points[0].x; 8], [&points[0].y; 8]);
    for lane in 1..8 {
        (x[lane], y[lane]) = (&points[lane].x, &points[lane].y);
    }
    (Eight::load(x), Eight::load(y))
}

/// Pairs that share an inversion.
const PAIRS: usize = 2048;
/// Products of denominators that grow side by side, because one alone waits for itself.
pub(super) const CHAINS: usize = 4;
/// Terms of the lists that are summed together, in a core's cache.
const BLOCK: usize = 1 << 14;

/// A term is the index of a point, below 2^29, with this bit if the point is to be subtracted.
pub(crate) const NEGATIVE: u32 = 1 << 31;
/// What the index of a point in [`Sums::second`] is marked with.
pub(crate) const SECOND: u32 = 1 << PLACE;
/// The same for points that sums made.
const SUM: u32 = 2 << PLACE;
/// The term of a lane without one: the first sum is kept neutral.
const BLANK: u32 = SUM;
/// The bits of an index; the place of its point stands above them.
const PLACE: u32 = 29;

/// Sums of lists of terms.
pub struct Sums<'a, F: LaneField> {
    /// The points without a mark.
    pub(crate) first: &'a [Point<F>],
    /// The points with the mark [`SECOND`].
    pub(crate) second: &'a [Point<F>],
    /// All lists' terms, one list after the other.
    pub(crate) terms: &'a [u32],
    /// Where each list starts, and the last ends.
    pub(crate) starts: &'a [u32],
}

/// Where terms are, by their marks: in a table, because a branch would be mispredicted too often.
struct Source<'a, F: LaneField>([&'a [Point<F>]; 4]);

impl<F: LaneField> Clone for Source<'_, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: LaneField> Copy for Source<'_, F> {}

impl<'a, F: LaneField> Source<'a, F> {
    #[inline(always)]
    fn get(&self, term: u32) -> &'a Point<F> {
        let place = (term & !NEGATIVE) >> PLACE;
        &self.0[place as usize][(term % SECOND) as usize]
    }

    #[inline(always)]
    fn load_x<L: Lanes>(&self, terms: &[u32; 8]) -> Eight<F, L, 2> {
        let mut packed = [&self.get(terms[0]).x; 8];
        for lane in 1..8 {
            packed[lane] = &self.get(terms[lane]).x;
        }
        Eight::load(packed)
    }

    #[inline(always)]
    fn load_y<L: Lanes>(&self, terms: &[u32; 8]) -> Eight<F, L, 2> {
        let mut packed = [&self.get(terms[0]).y; 8];
        let mut negative = 0;
        for lane in 0..8 {
            packed[lane] = &self.get(terms[lane]).y;
            negative |= ((terms[lane] >> 31) as u8) << lane;
        }
        let y = Eight::load(packed);
        if negative == 0 {
            return y;
        }
        // Neutral points stay blank.
        let minus = Eight::<F, L, 0>::zero().sub(y);
        Eight::select(negative & !y.is_blank(), minus, y)
    }
}

/// The lanes of eight additions that are no chords, by what they are instead.
#[derive(Clone, Copy, Default)]
struct Exceptions {
    /// Doublings.
    tangent: u8,
    /// The right term is neutral.
    left: u8,
    /// The left term is neutral.
    right: u8,
    /// The terms cancel.
    neutral: u8,
}

impl Exceptions {
    #[inline(always)]
    fn any(self) -> bool {
        self.tangent | self.left | self.right | self.neutral != 0
    }
}

/// What a batch of additions remembers from its first pass to its second.
struct Batch<F: LaneField, L: Lanes> {
    denominators: Vec<Eight<F, L, 4>>,
    /// Products of the denominators before, in the same chain.
    products: Vec<Eight<F, L, 2>>,
    exceptions: Vec<Exceptions>,
}

impl<F: LaneField, L: Lanes> Batch<F, L> {
    /// For so many additions at a time.
    #[inline(always)]
    fn new(pairs: usize) -> Self {
        let groups = pairs.div_ceil(8);
        Self {
            denominators: Vec::with_capacity(groups),
            products: Vec::with_capacity(groups),
            exceptions: Vec::with_capacity(groups),
        }
    }
}

impl<F: LaneField> Kernel for Sums<'_, F> {
    type Output = Vec<Point<F>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Point<F>> {
        let Self { first, second, terms, starts } = self;
        let lists = starts.len() - 1;
        let mut sums = Vec::with_capacity(lists.next_multiple_of(8));
        let mut batch = Batch::<F, L>::new(PAIRS);
        // The first is blank, for lanes without a term.
        let mut work = vec![Point::NEUTRAL];
        // Terms may be a secret's digits: they stay where they are, to be erased.
        let mut longest = BLOCK;
        for list in starts.windows(2) {
            longest = longest.max((list[1] - list[0]) as usize);
        }
        longest = longest.min(terms.len());
        let mut pairs = Zeroizing::new(Vec::with_capacity(longest / 2));
        let mut remaining = Zeroizing::new(Vec::with_capacity(longest));
        let mut next = Zeroizing::new(Vec::with_capacity(longest));
        let mut lengths = Vec::new();
        let mut list = 0;
        while list < lists {
            let begin = starts[list] as usize;
            lengths.clear();
            while list < lists && (starts[list + 1] as usize - begin <= BLOCK || lengths.is_empty())
            {
                lengths.push(starts[list + 1] - starts[list]);
                list += 1;
            }
            remaining.clear();
            remaining.extend_from_slice(&terms[begin..starts[list] as usize]);
            let mut used = 1;
            loop {
                pair(&mut lengths, &remaining, SUM | used as u32, &mut pairs, &mut next);
                if pairs.is_empty() {
                    break;
                }
                for pairs in pairs.chunks(PAIRS) {
                    let end = used + pairs.len().next_multiple_of(8);
                    if work.len() < end {
                        work.resize(end, Point::NEUTRAL);
                    }
                    let (sums, new) = work.split_at_mut(used);
                    add_pairs(&mut batch, Source([first, second, sums, &[]]), pairs, new);
                    used += pairs.len();
                }
                std::mem::swap(&mut remaining, &mut next);
            }
            // One term is left of every list that had any.
            let source = Source([first, second, &work, &[]]);
            let mut left = remaining.iter();
            for lengths in lengths.chunks(8) {
                let mut terms = [BLANK; 8];
                for (term, &length) in terms.iter_mut().zip(lengths) {
                    if length > 0 {
                        *term = left.next().copied().unwrap_or(BLANK);
                    }
                }
                let negative = terms.iter().fold(0, |any, term| any | term) & NEGATIVE != 0;
                let begin = sums.len();
                sums.extend(terms[..lengths.len()].iter().map(|&term| *source.get(term)));
                // Sums are added, not subtracted: this is for lists with a single term.
                if negative {
                    let points = (source.load_x::<L>(&terms), source.load_y(&terms));
                    store(points, &mut sums[begin..]);
                }
            }
        }
        sums
    }
}

/// Takes every list's terms in pairs, whose sums will have the indices from `index` on; `next` has
/// the sums' terms and those that were left over.
fn pair(
    lengths: &mut [u32],
    terms: &[u32],
    index: u32,
    pairs: &mut Vec<[u32; 2]>,
    next: &mut Vec<u32>,
) {
    pairs.clear();
    next.clear();
    let mut begin = 0;
    for length in lengths {
        let end = begin + *length as usize;
        let (in_pairs, rest) = terms[begin..end].as_chunks::<2>();
        let sum = index + pairs.len() as u32;
        // Most lists are too short for copies of whole slices.
        for (sum, &pair) in (sum..).zip(in_pairs) {
            pairs.push(pair);
            next.push(sum);
        }
        next.extend(rest.first());
        *length = length.div_ceil(2);
        begin = end;
    }
}

/// Writes the sums of pairs to `out`, of which the last may be followed by blank points.
#[inline(always)]
fn add_pairs<F: LaneField, L: Lanes>(
    batch: &mut Batch<F, L>,
    source: Source<'_, F>,
    pairs: &[[u32; 2]],
    out: &mut [Point<F>],
) {
    batch.denominators.clear();
    batch.products.clear();
    batch.exceptions.clear();
    let mut products = [Eight::<F, L, 2>::one(); CHAINS];
    for (group, pairs) in pairs.chunks(8).enumerate() {
        let (left, right) = terms(pairs);
        let (denominator, exceptions) = if pairs.iter().all(|[left, right]| left == right) {
            doublings(source, &left)
        } else {
            let (x1, x2) = (source.load_x::<L>(&left), source.load_x::<L>(&right));
            let denominator: Eight<F, L, 4> = x2.sub(x1);
            if denominator.is_zero() | x1.is_blank() | x2.is_blank() == 0 {
                (denominator, Exceptions::default())
            } else {
                except(source, &left, &right, denominator)
            }
        };
        let product = &mut products[group % CHAINS];
        batch.products.push(*product);
        *product = product.mul(denominator);
        batch.denominators.push(denominator);
        batch.exceptions.push(exceptions);
    }
    let mut inverses = invert(products);
    let groups = pairs.chunks(8).zip(out.chunks_mut(8)).enumerate();
    for (group, (pairs, out)) in groups.rev() {
        let (left, right) = terms(pairs);
        let inverse = &mut inverses[group % CHAINS];
        let denominator_inverse = inverse.mul(batch.products[group]);
        *inverse = inverse.mul(batch.denominators[group]);
        let left = (source.load_x::<L>(&left), source.load_y::<L>(&left));
        let right = (source.load_x::<L>(&right), source.load_y::<L>(&right));
        let exceptions = batch.exceptions[group];
        let mut rise: Eight<F, L, 6> = right.1.sub::<2, 4>(left.1).widen();
        if exceptions.tangent != 0 {
            // The curves of this crate have a = 0.
            let square = left.0.square();
            let triple = square.add::<2, 4>(square).add(square);
            rise = Eight::select(exceptions.tangent, triple, rise);
        }
        let slope = rise.mul(denominator_inverse);
        let x = slope.square().sub_both::<2, 6>(left.0, right.0).shrink();
        let run: Eight<F, L, 4> = left.0.sub(x);
        let y = slope.mul(run).sub::<2, 4>(left.1).shrink();
        let mut sum = (x, y);
        if exceptions.any() {
            let select = [(exceptions.left, left), (exceptions.right, right)];
            for (mask, (x, y)) in select {
                sum = (Eight::select(mask, x, sum.0), Eight::select(mask, y, sum.1));
            }
            let (mask, zero) = (exceptions.neutral, Eight::<F, L, 2>::zero());
            sum = (Eight::select(mask, zero, sum.0), Eight::select(mask, zero, sum.1));
        }
        store(sum, out);
    }
}

/// The terms of up to eight pairs, lefts and rights.
#[inline(always)]
fn terms(pairs: &[[u32; 2]]) -> ([u32; 8], [u32; 8]) {
    let (mut left, mut right) = ([BLANK; 8], [BLANK; 8]);
    for (lane, pair) in pairs.iter().enumerate().take(8) {
        (left[lane], right[lane]) = (pair[0], pair[1]);
    }
    (left, right)
}

/// The denominators of eight points' tangents.
#[inline(always)]
fn doublings<F: LaneField, L: Lanes>(
    source: Source<'_, F>,
    terms: &[u32; 8],
) -> (Eight<F, L, 4>, Exceptions) {
    let y = source.load_y::<L>(terms);
    // Neutral points have y = 0, too.
    let neutral = y.is_zero();
    let denominator = Eight::select(neutral, Eight::<F, L, 2>::one().widen(), y.add(y));
    (denominator, Exceptions { tangent: !neutral, neutral, ..Exceptions::default() })
}

/// Which of eight additions are no chords, and denominators with which none is zero.
#[inline(always)]
fn except<F: LaneField, L: Lanes>(
    source: Source<'_, F>,
    left: &[u32; 8],
    right: &[u32; 8],
    denominator: Eight<F, L, 4>,
) -> (Eight<F, L, 4>, Exceptions) {
    let (x1, y1) = (source.load_x::<L>(left), source.load_y::<L>(left));
    let (x2, y2) = (source.load_x::<L>(right), source.load_y::<L>(right));
    let (left_neutral, right_neutral) =
        (x1.is_blank() & y1.is_blank(), x2.is_blank() & y2.is_blank());
    let same_x = denominator.is_zero() & !left_neutral & !right_neutral;
    let rise: Eight<F, L, 4> = y2.sub(y1);
    // Twice a point with y = 0 is neutral.
    let tangent = same_x & rise.is_zero() & !y1.is_zero();
    let exceptions = Exceptions {
        tangent,
        left: right_neutral,
        right: left_neutral & !right_neutral,
        neutral: same_x & !tangent,
    };
    let others = exceptions.left | exceptions.right | exceptions.neutral;
    let denominator = Eight::select(others, Eight::<F, L, 2>::one().widen(), denominator);
    (Eight::select(tangent, y1.add(y1), denominator), exceptions)
}

/// The inverses of products that have no zero, by one inversion of an element.
#[inline(always)]
pub(super) fn invert<F: LaneField, L: Lanes>(
    products: [Eight<F, L, 2>; CHAINS],
) -> [Eight<F, L, 2>; CHAINS] {
    let mut before = [products[0]; CHAINS];
    let mut product = products[0];
    for chain in 1..CHAINS {
        before[chain] = product;
        product = product.mul(products[chain]);
    }
    let mut scalars = product.leave();
    invert_all(&mut scalars);
    let mut inverse = Eight::enter(scalars.each_ref());
    let mut inverses = products;
    for chain in (1..CHAINS).rev() {
        inverses[chain] = inverse.mul(before[chain]);
        inverse = inverse.mul(products[chain]);
    }
    inverses[0] = inverse;
    inverses
}

/// Inverts elements that are not zero by one inversion.
fn invert_all<S: Field>(scalars: &mut [S; 8]) {
    let mut before = [S::ONE; 8];
    let mut product = S::ONE;
    for (before, scalar) in before.iter_mut().zip(&*scalars) {
        *before = product;
        product *= scalar;
    }
    let mut inverse = product.inverse().unwrap_or(S::ZERO);
    for (scalar, before) in scalars.iter_mut().zip(before).rev() {
        let next = inverse * *scalar;
        *scalar = inverse * before;
        inverse = next;
    }
}

/// Points in lanes' form.
struct Pack<'a, F, P: SWCurveConfig>(&'a [Affine<P>], PhantomData<F>);

impl<F: LaneField<Scalar = P::BaseField>, P: SWCurveConfig> Kernel for Pack<'_, F, P> {
    type Output = Vec<Point<F>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Point<F>> {
        let points = self.0;
        let mut packed = vec![Point::NEUTRAL; points.len().next_multiple_of(8)];
        let neutral = Affine::identity();
        for (points, out) in points.chunks(8).zip(packed.chunks_mut(8)) {
            let mut eight = [&neutral; 8];
            let mut blank = 0xff;
            for (lane, point) in points.iter().enumerate() {
                eight[lane] = point;
                blank &= !(u8::from(!point.is_zero()) << lane);
            }
            let (mut x, mut y) = ([&neutral.x; 8], [&neutral.y; 8]);
            for lane in 0..8 {
                (x[lane], y[lane]) = (&eight[lane].x, &eight[lane].y);
            }
            let (x, y) = (Eight::<F, L, 2>::enter(x), Eight::<F, L, 2>::enter(y));
            let zero = Eight::zero();
            store((Eight::select(blank, zero, x), Eight::select(blank, zero, y)), out);
        }
        packed.truncate(points.len());
        packed
    }
}

/// Points' images under the endomorphism: conjugates times constants.
struct Images<'a, F: LaneField> {
    points: &'a [Point<F>],
    factors: [F::Scalar; 2],
}

impl<F: LaneField> Kernel for Images<'_, F> {
    type Output = Vec<Point<F>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Point<F>> {
        let Self { points, factors: [x_factor, y_factor] } = self;
        let x_factor = Eight::<F, L, 2>::enter([&x_factor; 8]);
        let y_factor = Eight::<F, L, 2>::enter([&y_factor; 8]);
        let mut images = vec![Point::NEUTRAL; points.len().next_multiple_of(8)];
        let neutral = Point::NEUTRAL;
        for (points, out) in points.chunks(8).zip(images.chunks_mut(8)) {
            let mut eight = [&neutral; 8];
            for (lane, point) in points.iter().enumerate() {
                eight[lane] = point;
            }
            let (x, y) = load::<F, L>(eight);
            let (blank, zero) = (x.is_blank() & y.is_blank(), Eight::zero());
            let (x, y) = (x.conjugate().mul(x_factor), y.conjugate().mul(y_factor));
            store((Eight::select(blank, zero, x), Eight::select(blank, zero, y)), out);
        }
        images.truncate(points.len());
        images
    }
}

/// Points in arkworks' form.
struct Unpack<'a, F: LaneField, P>(&'a [Point<F>], PhantomData<P>);

impl<F: LaneField<Scalar = P::BaseField>, P: SWCurveConfig> Kernel for Unpack<'_, F, P> {
    type Output = Vec<Affine<P>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Affine<P>> {
        let mut points = Vec::with_capacity(self.0.len().next_multiple_of(8));
        let neutral = Point::NEUTRAL;
        for packed in self.0.chunks(8) {
            let mut eight = [&neutral; 8];
            for (lane, point) in packed.iter().enumerate() {
                eight[lane] = point;
            }
            let (x, y) = load::<F, L>(eight);
            let blank = x.is_blank() & y.is_blank();
            let (x, y) = (x.leave(), y.leave());
            for lane in 0..packed.len() {
                points.push(match blank >> lane & 1 {
                    1 => Affine::identity(),
                    _ => Affine::new_unchecked(x[lane], y[lane]),
                });
            }
        }
        points
    }
}

/// [`Sums`], where kernels run.
pub(crate) fn sum_lists<F: LaneField>(sums: Sums<'_, F>) -> Option<Vec<Point<F>>> {
    run(sums)
}

/// [`Ladders`], where kernels run.
pub(crate) fn scale<F: LaneField>(ladders: Ladders<'_, F>) -> Option<Scaled<F>> {
    run(ladders)
}

/// Points in lanes' form.
pub(crate) fn pack<P: Curve>(points: &[Affine<P>]) -> Option<Vec<PointOf<P>>> {
    run(Pack(points, PhantomData::<LanesOf<P>>))
}

/// Points of lanes' form.
pub(crate) fn unpack<P: Curve>(points: &[PointOf<P>]) -> Option<Vec<Affine<P>>> {
    run(Unpack(points, PhantomData))
}

/// [`Curve::endomorphism`] of every point.
pub(crate) fn images<P: Curve>(points: &[PointOf<P>]) -> Option<Vec<PointOf<P>>> {
    // It conjugates coordinates and multiplies them by constants, which the generator's image tells.
    let (point, image) = (P::GENERATOR, P::endomorphism(&P::GENERATOR));
    let factor = |from: P::BaseField, to: P::BaseField| to / LanesOf::<P>::conjugate_scalar(from);
    run(Images { points, factors: [factor(point.x, image.x), factor(point.y, image.y)] })
}
