//! Points in Jacobian coordinates, eight in lockstep: `x = X/Z²`, `y = Y/Z³`.
//!
//! Nothing is inverted until the end. The formula does not hold for sums of equal or opposite points. Such a sum has Z
//! = 0, and so has everything that is computed from it. These lanes are named at the end.

use super::{
    Eight, LaneField, Lanes,
    inversion::{CHAINS, invert},
    points::{Coordinates, Point, store},
};

/// Eight points.
pub(super) struct Jacobian<F: LaneField, L: Lanes> {
    x: Eight<F, L, 2>,
    y: Eight<F, L, 2>,
    z: Eight<F, L, 2>,
}

impl<F: LaneField, L: Lanes> Jacobian<F, L> {
    /// Points with Z = 1; blank ones, which are neutral, with Z = 0.
    #[inline(always)]
    pub(super) fn new((x, y): Coordinates<F, L>) -> Self {
        let blank = x.is_blank() & y.is_zero();
        Self { x, y, z: Eight::select(blank, Eight::zero(), Eight::one()) }
    }

    /// The doubles, on curves with a = 0: 7 M.
    #[inline(always)]
    pub(super) fn double(&self) -> Self {
        let Self { x, y, z } = *self;
        let square = x.square();
        let slope = square.add::<2, 4>(square).add::<2, 6>(square).shrink();
        let y_square = y.square();
        let twice: Eight<F, L, 4> = y_square.add(y_square);
        let product = x.add::<2, 4>(x).mul(twice);
        let fourth = twice.square();
        let new_x = slope.square().sub_both::<2, 6>(product, product).shrink();
        let run: Eight<F, L, 4> = product.sub(new_x);
        let new_y = slope.mul(run).sub_both::<2, 6>(fourth, fourth).shrink();
        Self { x: new_x, y: new_y, z: y.add::<2, 4>(y).mul(z) }
    }

    /// The sums with points in affine coordinates: 11 M.
    #[inline(always)]
    pub(super) fn add(&self, (other_x, other_y): Coordinates<F, L>) -> Self {
        let Self { x, y, z } = *self;
        let z_square = z.square();
        let run: Eight<F, L, 4> = other_x.mul(z_square).sub(x);
        let rise: Eight<F, L, 4> = other_y.mul(z.mul(z_square)).sub(y);
        let square = run.square();
        let cube = run.mul(square);
        let product = x.mul(square);
        let new_x = rise.square().sub_both::<2, 6>(product, product).sub::<2, 8>(cube).shrink();
        let back: Eight<F, L, 4> = product.sub(new_x);
        let new_y = rise.mul(back).sub::<2, 4>(y.mul(cube)).shrink();
        Self { x: new_x, y: new_y, z: z.mul(run) }
    }

    /// Lanes of `yes` where the mask has ones, of `no` elsewhere.
    #[inline(always)]
    pub(super) fn select(mask: u8, yes: Self, no: Self) -> Self {
        Self {
            x: Eight::select(mask, yes.x, no.x),
            y: Eight::select(mask, yes.y, no.y),
            z: Eight::select(mask, yes.z, no.z),
        }
    }
}

/// Eight by eight, points in affine coordinates, and the lanes with Z = 0, whose coordinates mean nothing.
#[inline(always)]
pub(super) fn to_affine<F: LaneField, L: Lanes>(
    points: &mut [Jacobian<F, L>],
) -> (Vec<Point<F>>, Vec<u8>) {
    let (mut before, mut masks) =
        (Vec::with_capacity(points.len()), Vec::with_capacity(points.len()));
    let mut products = [Eight::<F, L, 2>::one(); CHAINS];
    for (group, point) in points.iter_mut().enumerate() {
        let missing = point.z.is_zero();
        point.z = Eight::select(missing, Eight::one(), point.z);
        let product = &mut products[group % CHAINS];
        before.push(*product);
        *product = product.mul(point.z);
        masks.push(missing);
    }
    let mut inverses = invert(products);
    let mut out = vec![Point::NEUTRAL; 8 * points.len()];
    for (group, &Jacobian { x, y, z }) in points.iter().enumerate().rev() {
        let inverse = &mut inverses[group % CHAINS];
        let z_inverse = inverse.mul(before[group]);
        *inverse = inverse.mul(z);
        let square = z_inverse.square();
        store((x.mul(square), y.mul(square.mul(z_inverse))), &mut out[8 * group..]);
    }
    (out, masks)
}
