//! Points times scalars, each its own or all the same, eight in lockstep.
//!
//! All points of a vector take the same steps: the digits of all scalars are odd, or all are zero at the same
//! place. Points for which a sum would have needed another formula are named, for others to compute.

use super::{
    Eight, Kernel, LaneField, Lanes,
    jacobian::{Jacobian, to_affine},
    points::{Coordinates, Point, load},
    run,
};

/// Points and the digits of their scalars' parts, which are odd numbers or 0.
pub struct Ladders<'a, F: LaneField> {
    /// The multiple `2o + 1` of what part p of point i multiplies, at `(p · odd + o) · points + i`, where
    /// `odd` is `2^(width − 1)`. If one is neutral, all of the point's are.
    pub(crate) tables: &'a [Point<F>],
    /// How many points there are.
    pub(crate) points: usize,
    /// Parts of a scalar.
    pub(crate) parts: usize,
    /// Bits of a digit: it is below `2^width` in absolute value.
    pub(crate) width: u32,
    /// Of every scalar, or of the one for all points: the digits of all parts, highest first, of which the
    /// very first is not 0, then what is to be added at the end, −1, 0 or 1 by parts.
    pub(crate) digits: &'a [i8],
    /// Digits of a part.
    pub(crate) windows: usize,
}

/// [`Ladders`], where kernels run.
pub(crate) fn scale<F: LaneField>(ladders: Ladders<'_, F>) -> Option<Scaled<F>> {
    run(ladders)
}

/// The products, and where there is none: bit l of the mask g is for the point 8g + l.
pub type Scaled<F> = (Vec<Point<F>>, Vec<u8>);

impl<F: LaneField> Ladders<'_, F> {
    /// A point's digits.
    #[inline(always)]
    fn digits_of(&self, point: usize) -> &[i8] {
        let len = self.parts * (self.windows + 1);
        let start = if self.digits.len() == len { 0 } else { point * len };
        &self.digits[start..start + len]
    }

    /// The entries that eight points' digits ask for; and the lanes whose digit is not 0.
    #[inline(always)]
    fn entries<L: Lanes>(&self, points: &[usize; 8], place: usize) -> (Coordinates<F, L>, u8) {
        let part = (place % self.parts) << (self.width - 1);
        let mut eight = [&self.tables[0]; 8];
        let (mut negative, mut used) = (0, 0);
        for lane in 0..8 {
            let digit = self.digits_of(points[lane])[place];
            let entry = part + usize::from(digit.unsigned_abs() >> 1);
            eight[lane] = &self.tables[entry * self.points + points[lane]];
            negative |= u8::from(digit < 0) << lane;
            used |= u8::from(digit != 0) << lane;
        }
        let (x, y) = load::<F, L>(eight);
        // Of a blank point's y, 2p, which is zero all the same.
        let minus = Eight::<F, L, 0>::zero().sub(y);
        ((x, Eight::select(negative, minus, y)), used)
    }

    /// Eight points' products.
    #[inline(always)]
    fn ladder<L: Lanes>(&self, points: &[usize; 8]) -> Jacobian<F, L> {
        let (first, _) = self.entries::<L>(points, 0);
        let mut sum = Jacobian::new(first);
        for place in 1..self.parts * (self.windows + 1) {
            if place % self.parts == 0 && place < self.parts * self.windows {
                for _ in 0..self.width {
                    sum = sum.double();
                }
            }
            let (entries, used) = self.entries(points, place);
            if used != 0 {
                sum = Jacobian::select(used, sum.add(entries), sum);
            }
        }
        sum
    }
}

impl<F: LaneField> Kernel for Ladders<'_, F> {
    type Output = Scaled<F>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Scaled<F> {
        let groups = self.points.div_ceil(8);
        let mut sums = Vec::with_capacity(groups);
        for group in 0..groups {
            let mut points = [0; 8];
            for lane in 0..8 {
                points[lane] = (8 * group + lane).min(self.points - 1);
            }
            sums.push(self.ladder::<L>(&points));
        }
        let (mut products, missing) = to_affine(&mut sums);
        products.truncate(self.points);
        (products, missing)
    }
}
