//! Additions in affine coordinates, many at a time: the slopes' denominators share one inversion
//! (Montgomery's trick), which leaves 5 multiplications and a squaring to an addition and one
//! squaring more to a doubling, against 10 to 14 in projective coordinates.

use ark_ec::{
    AffineRepr, CurveGroup,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field};

/// What a sum is made of.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// The line through two points.
    Chord,
    /// The tangent, for a doubling.
    Tangent,
    /// The right term is neutral.
    Left,
    /// The left term is neutral.
    Right,
    /// The terms cancel.
    Neutral,
}

/// Slopes of one batch. Their denominators are pushed, inverted together, then taken one by one.
pub(super) struct Slopes<F> {
    slopes: Vec<(Kind, F)>,
    products: Vec<F>,
}

impl<F: Field> Slopes<F> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { slopes: Vec::with_capacity(capacity), products: Vec::with_capacity(capacity) }
    }

    pub(super) fn clear(&mut self) {
        self.slopes.clear();
    }

    /// Prepares `left + right`.
    #[inline]
    pub(super) fn push_sum<P: SWCurveConfig<BaseField = F>>(
        &mut self,
        left: &Affine<P>,
        right: &Affine<P>,
    ) {
        let run = right.x - left.x;
        self.slopes.push(if right.is_zero() {
            (Kind::Left, F::ONE)
        } else if left.is_zero() {
            (Kind::Right, F::ONE)
        } else if !run.is_zero() {
            (Kind::Chord, run)
        } else if left.y == right.y && !left.y.is_zero() {
            (Kind::Tangent, left.y.double())
        } else {
            (Kind::Neutral, F::ONE)
        });
    }

    /// Prepares `point + point`.
    #[inline]
    pub(super) fn push_double<P: SWCurveConfig<BaseField = F>>(&mut self, point: &Affine<P>) {
        let run = point.y.double();
        // The neutral element has y = 0, as have points of order 2.
        let neutral = run.is_zero();
        self.slopes.push(if neutral { (Kind::Neutral, F::ONE) } else { (Kind::Tangent, run) });
    }

    /// Inverts the denominators: 3 multiplications each, and one inversion.
    pub(super) fn invert(&mut self) {
        if self.slopes.is_empty() {
            return;
        }
        self.products.clear();
        let mut product = F::ONE;
        for (_, denominator) in &self.slopes {
            self.products.push(product);
            product *= denominator;
        }
        let Some(mut inverse) = product.inverse() else { return };
        for ((_, denominator), before) in self.slopes.iter_mut().zip(&self.products).rev() {
            let next = inverse * *denominator;
            *denominator = inverse * before;
            inverse = next;
        }
    }

    /// The inverses of the denominators, in the order in which they were pushed.
    pub(super) fn inverses(&self) -> impl Iterator<Item = &F> {
        self.slopes.iter().map(|(_, inverse)| inverse)
    }

    /// The slopes in the order in which they were pushed, denominators inverted.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Kind, F)> {
        self.slopes.iter()
    }
}

/// `left + right`, from what [`Slopes::push_sum`] prepared.
#[inline]
pub(super) fn sum<P: SWCurveConfig>(
    &(kind, inverse): &(Kind, P::BaseField),
    left: &Affine<P>,
    right: &Affine<P>,
) -> Affine<P> {
    match kind {
        Kind::Chord => third_point(left, &right.x, (right.y - left.y) * inverse),
        Kind::Tangent => double(&(kind, inverse), left),
        Kind::Left => *left,
        Kind::Right => *right,
        Kind::Neutral => Affine::identity(),
    }
}

/// `left − right`, from what [`Slopes::push_sum`] prepared for `left + right`.
pub(super) fn difference<P: SWCurveConfig>(
    &(kind, inverse): &(Kind, P::BaseField),
    left: &Affine<P>,
    right: &Affine<P>,
) -> Affine<P> {
    match kind {
        Kind::Chord => third_point(left, &right.x, -(right.y + left.y) * inverse),
        Kind::Tangent => Affine::identity(),
        Kind::Left => *left,
        Kind::Right => -*right,
        // Opposite points, whose difference is a doubling: rare enough for an inversion.
        Kind::Neutral => left.into_group().double().into_affine(),
    }
}

/// `point + point`, from what [`Slopes::push_double`] prepared.
#[inline]
pub(super) fn double<P: SWCurveConfig>(
    &(kind, inverse): &(Kind, P::BaseField),
    point: &Affine<P>,
) -> Affine<P> {
    if matches!(kind, Kind::Neutral) {
        return Affine::identity();
    }
    // The curves of this crate have a = 0.
    let square = point.x.square();
    third_point(point, &point.x, (square.double() + square) * inverse)
}

/// The negative of the third point of the line through `left` with the given slope.
#[inline]
pub(super) fn third_point<P: SWCurveConfig>(
    left: &Affine<P>,
    right_x: &P::BaseField,
    slope: P::BaseField,
) -> Affine<P> {
    let x = slope.square() - left.x - right_x;
    Affine::new_unchecked(x, slope * (left.x - x) - left.y)
}

/// Adds `right[i]` to `left[i]` for every i.
pub(super) fn add_all<P: SWCurveConfig>(
    slopes: &mut Slopes<P::BaseField>,
    left: &mut [Affine<P>],
    right: &[Affine<P>],
) {
    slopes.clear();
    for (left, right) in left.iter().zip(right) {
        slopes.push_sum(left, right);
    }
    slopes.invert();
    for ((left, right), slope) in left.iter_mut().zip(right).zip(slopes.iter()) {
        *left = sum(slope, left, right);
    }
}

/// Doubles every point.
pub(super) fn double_all<P: SWCurveConfig>(
    slopes: &mut Slopes<P::BaseField>,
    points: &mut [Affine<P>],
) {
    slopes.clear();
    for point in &*points {
        slopes.push_double(point);
    }
    slopes.invert();
    for (point, slope) in points.iter_mut().zip(slopes.iter()) {
        *point = double(slope, point);
    }
}
