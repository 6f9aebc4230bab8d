//! Pippenger's buckets in affine coordinates.
//!
//! Signed digits of `width` bits sort the points of a chunk into `2^(width − 1)` buckets a window.
//! Every bucket's points are summed pair by pair, all buckets of a window together, so that each
//! round shares one inversion: 6 M a point and window, against 10 M in projective coordinates, and
//! nothing degenerates if all scalars are equal. Full scalars are split by the endomorphism first,
//! which leaves as many additions and divides the windows, hence the buckets, by two or four.

use ark_ec::{
    AffineRepr,
    short_weierstrass::{Affine, Bucket, Projective},
};
use ark_ff::AdditiveGroup;

use super::{
    batch_affine::{self, Slopes},
    lanes::{self, Sums},
    limbs,
};
use crate::{parallel, weierstrass::Curve};

/// Widest window: 2^15 buckets, some megabytes.
const WIDTH_MAX: usize = 16;
/// What emptying a bucket costs, in affine additions to a bucket: of ours, and of those in lanes.
const BUCKET_COST: usize = 4;
const LANES_BUCKET_COST: usize = 3;
/// Points, after splitting, that are sorted into buckets at a time: few, because a core's cache should have
/// most of them, but some for each bucket. The crate's own tests take so few that short sums end before, at and
/// behind the end of a chunk.
const CHUNK: usize = if cfg!(test) { 12 } else { 1 << 15 };
const CHUNK_PER_BUCKET: usize = if cfg!(test) { 0 } else { 4 };
/// Scalars that one thread splits at a time, or points whose images it takes.
const PIECE: usize = 1 << 10;
/// Pairs that share an inversion.
const PAIRS: usize = 1024;

/// A multi-scalar multiplication that takes its points and scalars piece by piece, in memory that
/// does not grow with their number.
pub struct BucketMsm<P: Curve> {
    bits: usize,
    width: usize,
    chunk: usize,
    windows: Windows<P>,
}

/// The place d − 1 of window w is the sum of the points whose digit there is ±d.
enum Windows<P: Curve> {
    Portable(Vec<Vec<Affine<P>>>),
    Lanes(lanes::Buckets<P>),
}

/// Short scalars with their points: the points given, followed by their images under the
/// endomorphism, once for each further part, when they are needed.
struct Chunk<'a, P: Curve> {
    magnitudes: Vec<[u64; 2]>,
    negative: Vec<bool>,
    points: &'a [Affine<P>],
    images: Vec<Affine<P>>,
}

impl<P: Curve> BucketMsm<P> {
    /// For about `expected` full scalars, which chooses the width of the windows.
    pub(super) fn new(expected: usize) -> Self {
        Self::with_bits(expected.saturating_mul(P::LATTICE.basis.len()), P::LATTICE.bits)
    }

    /// For about `expected` scalars below 2^128.
    pub(super) fn new_short(expected: usize) -> Self {
        Self::with_bits(expected, 128)
    }

    fn with_bits(expected: usize, bits: usize) -> Self {
        let bucket_cost = if lanes::available() { LANES_BUCKET_COST } else { BUCKET_COST };
        let cost = |width: &usize| {
            let buckets = bucket_cost.saturating_mul(bucket_count(*width));
            window_count(bits, *width).saturating_mul(expected.saturating_add(buckets))
        };
        let width = (2..=WIDTH_MAX).min_by_key(cost).unwrap_or(WIDTH_MAX);
        let (windows, buckets) = (window_count(bits, width), bucket_count(width));
        let windows = match lanes::Buckets::new(windows, buckets) {
            Some(lanes) => Windows::Lanes(lanes),
            None => Windows::Portable(vec![vec![Affine::identity(); buckets]; windows]),
        };
        Self { bits, width, chunk: CHUNK.max(CHUNK_PER_BUCKET * buckets), windows }
    }

    /// Adds `scalars_i · points_i` over the shorter of the two.
    pub(super) fn push(&mut self, scalars: &[P::ScalarField], points: &[Affine<P>]) {
        debug_assert_eq!(self.bits, P::LATTICE.bits);
        let chunk = self.chunk / P::LATTICE.basis.len();
        for (scalars, points) in scalars.chunks(chunk).zip(points.chunks(chunk)) {
            let len = scalars.len().min(points.len());
            self.push_chunk(split(&scalars[..len], &points[..len]));
        }
    }

    /// Adds `scalars_i · points_i` over the shorter of the two, into buckets for short scalars.
    pub(super) fn push_short(&mut self, scalars: &[u128], points: &[Affine<P>]) {
        debug_assert_eq!(self.bits, 128);
        for (scalars, points) in scalars.chunks(self.chunk).zip(points.chunks(self.chunk)) {
            let len = scalars.len().min(points.len());
            let magnitudes = scalars[..len].iter().copied().map(to_limbs).collect();
            let negative = vec![false; len];
            self.push_chunk(Chunk {
                magnitudes,
                negative,
                points: &points[..len],
                images: Vec::new(),
            });
        }
    }

    fn push_chunk(&mut self, mut chunk: Chunk<'_, P>) {
        let width = self.width;
        match &mut self.windows {
            Windows::Lanes(buckets) => {
                buckets.push(width, &chunk.magnitudes, &chunk.negative, chunk.points);
            }
            Windows::Portable(windows) => {
                chunk.map_images();
                parallel::each_mut(windows, |window, buckets| {
                    Sorter::new(&chunk, window, width, buckets).sum_into(buckets);
                });
            }
        }
    }

    /// The sum of all that was pushed.
    pub(super) fn finish(&self) -> Projective<P> {
        let sums: Vec<_> = match &self.windows {
            Windows::Lanes(buckets) => buckets.window_sums(),
            Windows::Portable(windows) => {
                parallel::map(windows.len(), |window| window_sum(&windows[window]))
            }
        };
        sums.into_iter().rev().fold(Projective::ZERO, |mut sum, window| {
            for _ in 0..self.width {
                sum.double_in_place();
            }
            sum + window
        })
    }
}

/// Splits scalars by the lattice.
fn split<'a, P: Curve>(scalars: &[P::ScalarField], points: &'a [Affine<P>]) -> Chunk<'a, P> {
    let decompose = |_, scalars: &[P::ScalarField]| {
        scalars.iter().map(|scalar| P::LATTICE.decompose(limbs(scalar))).collect::<Vec<_>>()
    };
    let parts = parallel::chunks(scalars, PIECE, decompose).concat();
    let by_part =
        (0..P::LATTICE.basis.len()).flat_map(|part| parts.iter().map(move |parts| parts[part]));
    let (magnitudes, negative) =
        by_part.map(|part| (to_limbs(part.unsigned_abs()), part < 0)).unzip();
    Chunk { magnitudes, negative, points, images: Vec::new() }
}

impl<P: Curve> Chunk<'_, P> {
    /// Applies the endomorphism to the points as often as there are further parts.
    fn map_images(&mut self) {
        while self.points.len() + self.images.len() < self.magnitudes.len() {
            let previous = match self.images.len().checked_sub(self.points.len()) {
                None => self.points,
                Some(start) => &self.images[start..],
            };
            let image =
                |_, points: &[Affine<P>]| points.iter().map(P::endomorphism).collect::<Vec<_>>();
            let next = parallel::chunks(previous, PIECE, image);
            next.into_iter().for_each(|next| self.images.extend(next));
        }
    }
}

fn to_limbs(magnitude: u128) -> [u64; 2] {
    [magnitude as u64, (magnitude >> 64) as u64]
}

/// A chunk's points in the order of one window's buckets.
struct Sorter<P: Curve> {
    work: Vec<Affine<P>>,
    /// Where each bucket's points lie in `work`.
    starts: Vec<u32>,
}

impl<P: Curve> Sorter<P> {
    fn new(chunk: &Chunk<'_, P>, window: usize, width: usize, buckets: &[Affine<P>]) -> Self {
        let digit = |(limbs, &negative): (&[u64; 2], &bool)| {
            negate_if(negative, signed_digit(limbs, window, width) as i32)
        };
        let digits: Vec<i32> = chunk.magnitudes.iter().zip(&chunk.negative).map(digit).collect();
        // Counting sort, each bucket's sum so far before the chunk's points.
        let mut starts = vec![0_u32; buckets.len() + 1];
        for (count, bucket) in starts[1..].iter_mut().zip(buckets) {
            *count = u32::from(!bucket.is_zero());
        }
        for digit in digits.iter().filter(|&&digit| digit != 0) {
            starts[digit.unsigned_abs() as usize] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let total = starts[buckets.len()] as usize;
        let mut work = vec![Affine::identity(); total];
        let mut next = starts.clone();
        for (bucket, next) in buckets.iter().zip(&mut next).filter(|(b, _)| !b.is_zero()) {
            work[*next as usize] = *bucket;
            *next += 1;
        }
        let points = chunk.points.iter().chain(&chunk.images);
        for (digit, point) in digits.iter().zip(points).filter(|&(&digit, _)| digit != 0) {
            let next = &mut next[digit.unsigned_abs() as usize - 1];
            work[*next as usize] = if *digit < 0 { -*point } else { *point };
            *next += 1;
        }
        Self { work, starts }
    }

    /// Sums the points of every bucket.
    fn sum_into(mut self, buckets: &mut [Affine<P>]) {
        sum_segments(&mut self.work, &self.starts);
        for (bucket, ends) in buckets.iter_mut().zip(self.starts.windows(2)) {
            if ends[0] < ends[1] {
                *bucket = self.work[ends[0] as usize];
            }
        }
    }
}

/// Sums `work[starts[s]..starts[s + 1]]` for every segment s that is not empty, in place: the sum is
/// where the segment starts, and what follows it there is of no use any more.
pub(super) fn sum_segments<P: Curve>(work: &mut [Affine<P>], starts: &[u32]) {
    if let Some(sums) = sums_in_lanes(work, starts) {
        let ends = starts.windows(2).zip(sums).filter(|(ends, _)| ends[0] < ends[1]);
        return ends.for_each(|(ends, sum)| work[ends[0] as usize] = sum);
    }
    let mut slopes = Slopes::with_capacity(PAIRS);
    let mut segments: Vec<(u32, u32)> = starts
        .windows(2)
        .map(|ends| (ends[0], ends[1] - ends[0]))
        .filter(|&(_, len)| len > 1)
        .collect();
    let mut pairs = Vec::new();
    while !segments.is_empty() {
        pairs.clear();
        for &(start, len) in &segments {
            pairs.extend((0..len / 2).map(|i| (start + 2 * i, start + i)));
        }
        for pairs in pairs.chunks(PAIRS) {
            sum_pairs(&mut slopes, work, pairs);
        }
        for (start, len) in &mut segments {
            if *len % 2 == 1 {
                work[(*start + *len / 2) as usize] = work[(*start + *len - 1) as usize];
            }
            *len = len.div_ceil(2);
        }
        segments.retain(|&(_, len)| len > 1);
    }
}

/// The sums of all segments by the vector kernels; `None` where these do not run.
fn sums_in_lanes<P: Curve>(work: &[Affine<P>], starts: &[u32]) -> Option<Vec<Affine<P>>> {
    let points = P::pack(work)?;
    let terms: Vec<u32> = (0..work.len() as u32).collect();
    P::unpack(&P::sum_lists(Sums {
        first: &points,
        second: &[],
        terms: &terms,
        starts,
        secret: false,
    })?)
}

/// `work[to] = work[from] + work[from + 1]` for every pair `(from, to)`, in order. No sum lands on
/// a term of a later pair because `to ≤ from` and both only grow.
fn sum_pairs<P: Curve>(
    slopes: &mut Slopes<P::BaseField>,
    work: &mut [Affine<P>],
    pairs: &[(u32, u32)],
) {
    slopes.clear();
    for &(from, _) in pairs {
        slopes.push_sum(&work[from as usize], &work[from as usize + 1]);
    }
    slopes.invert();
    for (&(from, to), slope) in pairs.iter().zip(slopes.iter()) {
        work[to as usize] =
            batch_affine::sum(slope, &work[from as usize], &work[from as usize + 1]);
    }
}

/// `Σ d · bucket_d`: bucket d counts d times because it is in the running sum d times.
pub(super) fn window_sum<P: Curve>(buckets: &[Affine<P>]) -> Projective<P> {
    let mut running = Bucket::<P>::ZERO;
    let mut sum = Bucket::<P>::ZERO;
    for bucket in buckets.iter().rev() {
        running += bucket;
        sum += &running;
    }
    sum.into()
}

/// Digits in −2^(width−1)..=2^(width−1), hence buckets for their absolute values.
pub(super) fn bucket_count(width: usize) -> usize {
    1 << (width - 1)
}

/// Windows of a scalar below `2^bits`: one bit more than it has, for the last digit's sign.
pub(super) fn window_count(bits: usize, width: usize) -> usize {
    (bits + 1).div_ceil(width)
}

/// Booth's digit: the window's bits plus the bit below, minus 2^width if the window's top bit is
/// set (the next window adds that back).
#[inline]
pub(super) fn signed_digit(limbs: &[u64], window: usize, width: usize) -> isize {
    // A digit may reach beyond the limbs, where a scalar has zeros.
    let limb = |index: usize| limbs.get(index).copied().unwrap_or(0);
    let bits = if window == 0 {
        limb(0) << 1
    } else {
        let start = window * width - 1;
        let (index, offset) = (start / 64, start % 64);
        limb(index) >> offset | limb(index + 1) << 1 << (63 - offset)
    };
    let bits = (bits & ((2 << width) - 1)) as isize;
    // No branch, which would be mispredicted every other time.
    ((bits + 1) >> 1) - (bits >> width << width)
}

/// The number or its negative, without a branch.
#[inline]
pub(super) fn negate_if(negative: bool, number: i32) -> i32 {
    let sign = -i32::from(negative);
    (number ^ sign) - sign
}

#[cfg(test)]
mod tests {
    use ark_ec::{CurveGroup, PrimeGroup};
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::Scalar;

    /// A sum of several chunks goes on in the buckets of those before.
    fn chunks<P: Curve>() {
        let count = 2 * CHUNK + 1;
        let mut rng = ChaCha20Rng::from_seed([4; 32]);
        let factors = P::ScalarField::random_many(2 * count, &mut rng);
        let (factors, scalars) = factors.split_at(count);
        let points: Vec<_> =
            factors.iter().map(|factor| Projective::<P>::generator() * factor).collect();
        let points = Projective::normalize_batch(&points);
        let short: Vec<u128> = scalars.iter().map(|scalar| limbs(scalar)[0].into()).collect();
        let chunk = CHUNK / P::LATTICE.basis.len();
        for len in 0..=count.min(3 * chunk + 1) {
            let mut buckets = BucketMsm::<P>::new(len);
            buckets.push(scalars, &points[..len]);
            let expected: Projective<P> =
                points[..len].iter().zip(scalars).map(|(point, scalar)| *point * scalar).sum();
            assert!(buckets.finish() == expected, "{len}");
        }
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
            let mut buckets = BucketMsm::<P>::new_short(len);
            buckets.push_short(&short[..len], &points);
            let terms = points.iter().zip(&short[..len]);
            let expected: Projective<P> =
                terms.map(|(point, scalar)| *point * P::ScalarField::from_u128(*scalar)).sum();
            assert!(buckets.finish() == expected, "{len}");
        }
    }

    #[test]
    fn sums_of_several_chunks() {
        chunks::<ark_bls12_381::g1::Config>();
        chunks::<ark_bls12_381::g2::Config>();
        chunks::<ark_bn254::g1::Config>();
        chunks::<ark_bn254::g2::Config>();
    }

    #[test]
    fn digits_recompose_to_the_scalar() {
        let scalars = [0, 1, 0x7f, 0x80, u128::MAX, u128::MAX >> 1, 0x0123_4567_89ab_cdef << 53];
        for scalar in scalars {
            let limbs = [scalar as u64, (scalar >> 64) as u64];
            for width in 1..=16 {
                let sum = (0..window_count(128, width)).rev().fold(0_u128, |sum, window| {
                    let digit = signed_digit(&limbs, window, width);
                    assert!(digit.unsigned_abs() <= 1 << (width - 1));
                    (sum << width).wrapping_add_signed(digit as i128)
                });
                assert_eq!(sum, scalar);
            }
        }
    }
}
