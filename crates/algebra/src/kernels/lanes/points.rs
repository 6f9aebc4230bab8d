//! Points of a curve in lanes' form.

use std::marker::PhantomData;

use ark_ec::{
    AffineRepr, CurveConfig,
    short_weierstrass::{Affine, SWCurveConfig},
};
use zeroize::DefaultIsZeroes;

use super::{Eight, Kernel, LaneField, Lanes, run};
use crate::weierstrass::{Coordinate, Curve};

/// A curve's coordinates in lanes.
pub type LanesOf<P> = <<P as CurveConfig>::BaseField as Coordinate>::Lanes;

/// A curve's points in lanes' form.
pub type PointOf<P> = Point<LanesOf<P>>;

/// A point in affine coordinates as memory has it, both below 2p. Blank coordinates, which no
/// curve of this crate contains, are the neutral element.
#[repr(align(64))]
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

impl<F: LaneField> Default for Point<F> {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

impl<F: LaneField> DefaultIsZeroes for Point<F> {}

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
    (load_x(points), load_y(points))
}

#[inline(always)]
pub(super) fn load_x<F: LaneField, L: Lanes>(points: [&Point<F>; 8]) -> Eight<F, L, 2> {
    let mut x = [&points[0].x; 8];
    for lane in 1..8 {
        x[lane] = &points[lane].x;
    }
    Eight::load(x)
}

#[inline(always)]
pub(super) fn load_y<F: LaneField, L: Lanes>(points: [&Point<F>; 8]) -> Eight<F, L, 2> {
    let mut y = [&points[0].y; 8];
    for lane in 1..8 {
        y[lane] = &points[lane].y;
    }
    Eight::load(y)
}

/// Brings points to lanes' form.
struct Pack<'a, F: LaneField, P: SWCurveConfig> {
    points: &'a [Affine<P>],
    out: &'a mut [Point<F>],
}

impl<F: LaneField<Scalar = P::BaseField>, P: SWCurveConfig> Kernel for Pack<'_, F, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let neutral = Affine::identity();
        for (points, out) in self.points.chunks(8).zip(self.out.chunks_mut(8)) {
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
    }
}

/// Points' images under the endomorphism: conjugates times constants.
struct Images<'a, F: LaneField> {
    points: &'a [Point<F>],
    factors: [F::Scalar; 2],
    out: &'a mut [Point<F>],
}

impl<F: LaneField> Kernel for Images<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { points, factors: [x_factor, y_factor], out } = self;
        let x_factor = Eight::<F, L, 2>::enter([&x_factor; 8]);
        let y_factor = Eight::<F, L, 2>::enter([&y_factor; 8]);
        let neutral = Point::NEUTRAL;
        for (points, out) in points.chunks(8).zip(out.chunks_mut(8)) {
            let mut eight = [&neutral; 8];
            for (lane, point) in points.iter().enumerate() {
                eight[lane] = point;
            }
            let (x, y) = load::<F, L>(eight);
            let (blank, zero) = (x.is_blank() & y.is_blank(), Eight::zero());
            let (x, y) = (x.conjugate().mul(x_factor), y.conjugate().mul(y_factor));
            store((Eight::select(blank, zero, x), Eight::select(blank, zero, y)), out);
        }
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

/// Brings points to lanes' form: as many as there is room for.
pub(crate) fn pack_into<P: Curve>(points: &[Affine<P>], out: &mut [PointOf<P>]) -> Option<()> {
    run(Pack { points, out })
}

/// Points of lanes' form.
pub(crate) fn unpack<P: Curve>(points: &[PointOf<P>]) -> Option<Vec<Affine<P>>> {
    run(Unpack(points, PhantomData))
}

/// [`Curve::endomorphism`] of every point there is room for.
pub(crate) fn map_into<P: Curve>(points: &[PointOf<P>], out: &mut [PointOf<P>]) -> Option<()> {
    // It conjugates coordinates and multiplies them by constants, which the generator's image tells.
    let (point, image) = (P::GENERATOR, P::endomorphism(&P::GENERATOR));
    let factor = |from: P::BaseField, to: P::BaseField| to / LanesOf::<P>::conjugate_scalar(from);
    run(Images { points, factors: [factor(point.x, image.x), factor(point.y, image.y)], out })
}
