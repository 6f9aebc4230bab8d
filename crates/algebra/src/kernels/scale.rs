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
//!
//! The vector kernels take eight points in lockstep instead ([`Ladders`]): more multiplications, about
//! 1,650 M and 1,300 M, without anything between them.

use ark_ec::{AffineRepr, CurveGroup, short_weierstrass::Affine};
use zeroize::{Zeroize, Zeroizing};

use super::{
    batch_affine::{self, Slopes, add_all, double_all},
    endomorphism::{PARTS_MAX, recode},
    lanes::{Ladders, PointOf, SECOND, Sums},
    limbs,
};
use crate::{parallel, weierstrass::Curve};

/// Bytes of tables that a block may have, so that it stays in a core's cache.
const BLOCK_BYTES: usize = 1 << 20;
/// Fewer points than this do not pay for the inversions of a block.
const BATCH_MIN: usize = 16;
/// Digits of the longest wNAF.
const DIGITS_MAX: usize = 129;

/// Bits of a digit of the vector kernels', and the multiples of a point that such digits ask for: 1, 3, 5, …
const WIDTH: u32 = 4;
const ODD: usize = 1 << (WIDTH - 1);

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
    parallel::chunks_mut(points, block, |index, points| {
        let scalars = parallel::chunk(scalars, block, index);
        if scale_in_lanes(points, scalars) {
            return;
        }
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
    parallel::chunks_mut(points, block, |_, points| {
        if !scale_in_lanes(points, std::slice::from_ref(scalar)) {
            scale_block(points, &programs, |_| range);
        }
    });
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

/// Multiplies points by scalars, each its own or all the same, by the vector kernels; `false` where these
/// do not run.
fn scale_in_lanes<P: Curve>(points: &mut [Affine<P>], scalars: &[P::ScalarField]) -> bool {
    let Some(tables) = tables_in_lanes(points) else { return false };
    let parts = P::LATTICE.basis.len();
    let (digits, windows) = odd_digits::<P>(scalars);
    let ladders = Ladders {
        tables: &tables,
        points: points.len(),
        parts,
        width: WIDTH,
        digits: &digits,
        windows,
    };
    let Some((scaled, missing)) = P::scale(ladders) else { return false };
    let Some(scaled) = P::unpack(&scaled) else { return false };
    for (index, (point, scaled)) in points.iter_mut().zip(scaled).enumerate() {
        let is_missing = missing[index / 8] >> (index % 8) & 1 == 1;
        let scalar = &scalars[index % scalars.len()];
        *point = if is_missing { (*point * scalar).into_affine() } else { scaled };
    }
    true
}

/// The odd multiples of all points, one after the other, then their images.
fn tables_in_lanes<P: Curve>(points: &[Affine<P>]) -> Option<Vec<PointOf<P>>> {
    let count = points.len() as u32;
    let lists: Vec<u32> = (0..=count).map(|index| 2 * index).collect();
    let add = |left: &[_], right: &[_], mark| {
        let terms: Vec<u32> = (0..count).flat_map(|index| [index, index | mark]).collect();
        P::sum_lists(Sums {
            first: left,
            second: right,
            terms: &terms,
            starts: &lists,
            secret: false,
        })
    };
    let mut tables = P::pack(points)?;
    let doubled = add(&tables, &[], 0)?;
    for _ in 1..ODD {
        let next = add(&tables[tables.len() - points.len()..], &doubled, SECOND)?;
        tables.extend(next);
    }
    for part in 1..P::LATTICE.basis.len() {
        let next = P::images(&tables[(part - 1) * ODD * points.len()..])?;
        tables.extend(next);
    }
    Some(tables)
}

/// The digits of all scalars' parts as [`Ladders`] has them, and how many a part has. Where a part is even,
/// the digits are those of the next number.
fn odd_digits<P: Curve>(scalars: &[P::ScalarField]) -> (Zeroizing<Vec<i8>>, usize) {
    let parts = P::LATTICE.basis.len();
    let decompose = |scalar| {
        let integer = Zeroizing::new(limbs(scalar));
        P::LATTICE.decompose(*integer)
    };
    let all: Zeroizing<Vec<_>> = Zeroizing::new(scalars.iter().map(decompose).collect());
    let largest = all.iter().flatten().fold(0, |bits, part| bits | part.unsigned_abs());
    let windows = (128 - largest.leading_zeros()).div_ceil(WIDTH).max(1) as usize;
    let len = parts * (windows + 1);
    let mut digits = Zeroizing::new(vec![0; scalars.len() * len]);
    for (parts_of_scalar, digits) in all.iter().zip(digits.chunks_exact_mut(len)) {
        for (index, part) in parts_of_scalar.iter().enumerate().take(parts) {
            let sign = if *part < 0 { -1 } else { 1 };
            let mut magnitude = part.unsigned_abs() | 1;
            for window in (0..windows).rev() {
                // The highest is what is left.
                let digit = match window {
                    0 => magnitude as i8,
                    _ => (magnitude & ((2 << WIDTH) - 1)) as i8 - (1 << WIDTH),
                };
                digits[window * parts + index] = sign * digit;
                magnitude = magnitude >> WIDTH | 1;
            }
            digits[windows * parts + index] = if part & 1 == 0 { -sign } else { 0 };
        }
    }
    (digits, windows)
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

    /// Scalars with parts that are even, odd, zero, negative; sums that need another formula.
    fn edges<P: Curve>() {
        let (one, eigenvalue) = (<P::ScalarField as Scalar>::one(), P::eigenvalue());
        let mut scalars = vec![P::ScalarField::zero(), one, -one, eigenvalue, -eigenvalue];
        let small: Vec<_> = (2..40_u64).map(P::ScalarField::from_u64).collect();
        scalars.extend(small.iter().flat_map(|&s| [s, -s, s + eigenvalue, s - s * eigenvalue]));
        scalars.extend(P::ScalarField::random_many(100, &mut ChaCha20Rng::from_seed([5; 32])));
        let count = scalars.len();
        let mut points: Vec<Affine<P>> = vec![P::GENERATOR; count];
        for index in (0..count).step_by(7) {
            points[index] = (P::GENERATOR * scalars[count - 1 - index]).into_affine();
        }
        let expected: Vec<_> =
            points.iter().zip(&scalars).map(|(p, s)| (*p * s).into_affine()).collect();
        let mut scaled = points.clone();
        scale_each(&mut scaled, &scalars);
        assert!(scaled == expected);
        for scalar in scalars.iter().take(20) {
            let mut scaled = points[..19].to_vec();
            scale_all(&mut scaled, scalar);
            let expected: Vec<_> =
                points[..19].iter().map(|p| (*p * scalar).into_affine()).collect();
            assert!(scaled == expected);
        }
        for scalar in &scalars {
            digits_recompose::<P>(std::slice::from_ref(scalar));
        }
        digits_recompose::<P>(&scalars);
        let mut rng = ChaCha20Rng::from_seed([6; 32]);
        digits_recompose::<P>(&crate::kernels::random_weights::<P>(20, &mut rng));
    }

    fn digits_recompose<P: Curve>(scalars: &[P::ScalarField]) {
        let count = P::LATTICE.basis.len();
        let (digits, windows) = odd_digits::<P>(scalars);
        for (scalar, digits) in scalars.iter().zip(digits.chunks(count * (windows + 1))) {
            let parts = P::LATTICE.decompose(limbs(scalar));
            for (index, part) in parts.iter().enumerate().take(count) {
                let digit = |window: usize| i128::from(digits[window * count + index]);
                assert!((0..windows).all(|w| digit(w) & 1 == 1 && digit(w).abs() < 16));
                let sum = (0..windows).fold(0_i128, |sum, window| (sum << WIDTH) + digit(window));
                assert_eq!(sum + digit(windows), *part);
            }
        }
    }

    #[test]
    fn scalars_at_the_edges() {
        edges::<ark_bn254::g1::Config>();
        edges::<ark_bn254::g2::Config>();
        edges::<ark_bls12_381::g1::Config>();
        edges::<ark_bls12_381::g2::Config>();
    }

    #[test]
    fn programs_of_secrets_leave_no_copies() {
        programs_stay_where_they_are::<ark_bn254::g1::Config>();
        programs_stay_where_they_are::<ark_bn254::g2::Config>();
        programs_stay_where_they_are::<ark_bls12_381::g1::Config>();
        programs_stay_where_they_are::<ark_bls12_381::g2::Config>();
    }
}
