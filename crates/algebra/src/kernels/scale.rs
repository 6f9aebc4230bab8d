//! Many points times many scalars, or times one.
//!
//! Blocks of points advance together through the wNAFs of their scalars' parts, every point at its
//! own pace; each step is one doubling or addition a point, all in affine coordinates with one
//! inversion. Per point and scalar, with M a multiplication in the curve's field:
//!
//! | group | doublings (7 M) | additions (6 M) | tables | sum |
//! |---|---|---|---|---|
//! | G1, 2 parts, width 5 | 127 | 43 | 57 M | about 1,200 M |
//! | G2, 4 parts, width 4 | 64 | 53 | 49 M | about 820 M |

use ark_ec::{AffineRepr, CurveGroup, short_weierstrass::Affine};
use rayon::prelude::*;
use zeroize::Zeroize;

use super::{
    batch_affine::{self, Slopes, add_all, double_all},
    endomorphism::{PARTS_MAX, recode},
    lanes::{Steps, Sums},
    limbs,
};
use crate::weierstrass::Curve;

/// Bytes of tables that a block may have, so that it stays in a core's cache.
const BLOCK_BYTES: usize = 1 << 20;
/// Fewer points than this do not pay for the inversions of a block.
const BATCH_MIN: usize = 16;
/// Digits of the longest wNAF.
const DIGITS_MAX: usize = 129;

/// Codes of a program's steps: this one doubles, `1 + 2e` adds table entry e, `2 + 2e` subtracts.
const DOUBLE: u8 = 0;

/// How a curve's tables are laid out.
struct Layout {
    parts: usize,
    width: u32,
    /// Odd multiples of one part's base.
    odd: usize,
}

impl Layout {
    fn of<P: Curve>() -> Self {
        let parts = P::LATTICE.basis.len();
        let width = if parts > 2 { 4 } else { 5 };
        Self { parts, width, odd: 1 << (width - 2) }
    }

    /// Table entries of a point.
    fn entries(&self) -> usize {
        self.parts * self.odd
    }
}

/// The doublings and additions that multiply a point by a scalar, for many scalars one after the
/// other. They are the scalars in another form: a ceremony's secrets, perhaps. Erased when dropped.
struct Programs {
    layout: Layout,
    steps: Vec<u8>,
    digits: [[i8; DIGITS_MAX]; PARTS_MAX],
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.steps.zeroize();
        self.digits.zeroize();
    }
}

impl Programs {
    /// With room for all steps of so many scalars: growing would leave a copy behind.
    fn new<P: Curve>(scalars: usize) -> Self {
        let layout = Layout::of::<P>();
        let additions = layout.parts * DIGITS_MAX.div_ceil(layout.width as usize);
        let steps = Vec::with_capacity(scalars * (DIGITS_MAX + additions));
        Self { layout, steps, digits: [[0; DIGITS_MAX]; PARTS_MAX] }
    }

    /// Appends the program of `scalar` and returns where it is; an empty range for zero.
    fn push<P: Curve>(&mut self, scalar: &P::ScalarField) -> (usize, usize) {
        let Self { layout, steps, digits } = self;
        let start = steps.len();
        let mut integer = limbs(scalar);
        let mut parts = P::LATTICE.decompose(integer);
        integer.zeroize();
        let mut used = 0;
        for (part, digits) in parts.iter().zip(&mut *digits).take(layout.parts) {
            used = used.max(recode(part.unsigned_abs(), layout.width, digits));
        }
        for position in (0..used).rev() {
            if steps.len() > start {
                steps.push(DOUBLE);
            }
            for (index, part) in parts.iter().enumerate().take(layout.parts) {
                let digit = digits[index][position];
                if digit != 0 {
                    let entry = index * layout.odd + usize::from(digit.unsigned_abs() >> 1);
                    steps.push(1 + 2 * entry as u8 + u8::from((digit < 0) != (*part < 0)));
                }
            }
        }
        parts.zeroize();
        (start, steps.len())
    }
}

/// A point on its way through its program.
struct Lane {
    point: usize,
    table: usize,
    next: usize,
    end: usize,
}

/// `points_i = scalars_i · points_i` over the shorter of the two.
pub(crate) fn scale_each<P: Curve>(points: &mut [Affine<P>], scalars: &[P::ScalarField]) {
    let len = points.len().min(scalars.len());
    let points = &mut points[..len];
    if len < BATCH_MIN {
        for (point, scalar) in points.iter_mut().zip(scalars) {
            *point = (*point * scalar).into_affine();
        }
        return;
    }
    let block = block_len::<P>(len);
    points.par_chunks_mut(block).zip(scalars.par_chunks(block)).for_each(|(points, scalars)| {
        let mut programs = Programs::new::<P>(scalars.len());
        let ranges: Vec<_> = scalars.iter().map(|scalar| programs.push::<P>(scalar)).collect();
        scale_block(points, &programs, |index| ranges[index]);
    });
}

/// `points_i = scalar · points_i`.
pub(crate) fn scale_all<P: Curve>(points: &mut [Affine<P>], scalar: &P::ScalarField) {
    if points.len() < BATCH_MIN {
        points.iter_mut().for_each(|point| *point = (*point * scalar).into_affine());
        return;
    }
    let mut programs = Programs::new::<P>(1);
    let range = programs.push::<P>(scalar);
    let block = block_len::<P>(points.len());
    points.par_chunks_mut(block).for_each(|points| scale_block(points, &programs, |_| range));
}

/// Points of a block: what fits the cache, or less if there are threads to be fed.
fn block_len<P: Curve>(len: usize) -> usize {
    let fitting = BLOCK_BYTES / (Layout::of::<P>().entries() * size_of::<Affine<P>>());
    len.div_ceil(rayon::current_num_threads()).clamp(BATCH_MIN, fitting)
}

/// Multiplies a block's points by the scalars of the programs at `range(index)`.
fn scale_block<P: Curve>(
    points: &mut [Affine<P>],
    programs: &Programs,
    range: impl Fn(usize) -> (usize, usize),
) {
    if let Some(scaled) = scale_in_lanes(points, programs, &range) {
        return points.copy_from_slice(&scaled);
    }
    let mut slopes = Slopes::with_capacity(points.len());
    let entries = programs.layout.entries();
    let tables = tables(points, &programs.layout, &mut slopes);
    let lane = |point| {
        let (next, end) = range(point);
        Lane { point, table: point * entries, next, end }
    };
    let mut lanes: Vec<_> = (0..points.len()).map(lane).collect();
    for (lane, point) in lanes.iter_mut().zip(&mut *points) {
        if point.is_zero() {
            lane.next = lane.end;
        }
        *point = Affine::identity();
    }
    let entry = |lane: &Lane, step: u8| -> Affine<P> {
        let entry = tables[lane.table + usize::from((step - 1) >> 1)];
        if step & 1 == 1 { entry } else { -entry }
    };
    loop {
        lanes.retain(|lane| lane.next < lane.end);
        if lanes.is_empty() {
            return;
        }
        slopes.clear();
        for lane in &lanes {
            match programs.steps[lane.next] {
                DOUBLE => slopes.push_double(&points[lane.point]),
                step => slopes.push_sum(&points[lane.point], &entry(lane, step)),
            }
        }
        slopes.invert();
        for (lane, slope) in lanes.iter_mut().zip(slopes.iter()) {
            let point = &mut points[lane.point];
            *point = match programs.steps[lane.next] {
                DOUBLE => batch_affine::double(slope, point),
                step => batch_affine::sum(slope, point, &entry(lane, step)),
            };
            lane.next += 1;
        }
    }
}

/// The same by the vector kernels; `None` where these do not run.
fn scale_in_lanes<P: Curve>(
    points: &[Affine<P>],
    programs: &Programs,
    range: impl Fn(usize) -> (usize, usize),
) -> Option<Vec<Affine<P>>> {
    let Layout { parts, odd, .. } = programs.layout;
    let count = points.len() as u32;
    let lists: Vec<u32> = (0..=count).map(|index| 2 * index).collect();
    let add = |left: &[_], right: &[_], distance| {
        let terms: Vec<u32> = (0..count).flat_map(|index| [index, index + distance]).collect();
        P::sum_lists(Sums { first: left, second: right, terms: &terms, starts: &lists })
    };
    // The odd multiples of all points, one after the other, then their images.
    let mut tables = P::pack(points)?;
    let doubled = add(&tables, &[], 0)?;
    for _ in 1..odd {
        let next = add(&tables[tables.len() - points.len()..], &doubled, count)?;
        tables.extend(next);
    }
    for part in 1..parts {
        let next = P::images(&tables[(part - 1) * odd * points.len()..])?;
        tables.extend(next);
    }
    let ranges: Vec<_> = (0..points.len()).map(range).collect();
    P::unpack(&P::step(Steps { tables: &tables, steps: &programs.steps, ranges: &ranges })?)
}

/// Per point, the odd multiples of it and of its images under the endomorphism's powers.
fn tables<P: Curve>(
    points: &[Affine<P>],
    layout: &Layout,
    slopes: &mut Slopes<P::BaseField>,
) -> Vec<Affine<P>> {
    let entries = layout.entries();
    let mut tables = vec![Affine::identity(); points.len() * entries];
    let mut doubled = points.to_vec();
    double_all(slopes, &mut doubled);
    let mut multiple = points.to_vec();
    for odd in 0..layout.odd {
        if odd > 0 {
            add_all(slopes, &mut multiple, &doubled);
        }
        for (table, point) in tables.chunks_exact_mut(entries).zip(&multiple) {
            let mut image = *point;
            for part in 0..layout.parts {
                table[part * layout.odd + odd] = image;
                if part + 1 < layout.parts {
                    image = P::endomorphism(&image);
                }
            }
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::Scalar;

    /// What is erased is all that there was.
    fn programs_stay_where_they_are<P: Curve>() {
        let one = <P::ScalarField as Scalar>::one();
        let mut scalars = vec![-one; 200];
        scalars.extend(P::ScalarField::random_many(400, &mut ChaCha20Rng::from_seed([3; 32])));
        let mut programs = Programs::new::<P>(scalars.len());
        let capacity = programs.steps.capacity();
        let ranges: Vec<_> = scalars.iter().map(|scalar| programs.push::<P>(scalar)).collect();
        assert_eq!(programs.steps.capacity(), capacity);
        assert!(ranges.iter().all(|(start, end)| end > start));
    }

    #[test]
    fn programs_of_secrets_leave_no_copies() {
        programs_stay_where_they_are::<ark_bn254::g1::Config>();
        programs_stay_where_they_are::<ark_bn254::g2::Config>();
        programs_stay_where_they_are::<ark_bls12_381::g1::Config>();
        programs_stay_where_they_are::<ark_bls12_381::g2::Config>();
    }
}
