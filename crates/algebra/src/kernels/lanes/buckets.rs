//! Pippenger's buckets for [`BucketMsm`](super::super::buckets::BucketMsm): sorting only makes lists of
//! terms, whose sums the lanes make.

use ark_ec::short_weierstrass::{Affine, Projective};

use super::{
    LaneField,
    additions::{NEGATIVE, SECOND, Sums},
    available,
    points::{Point, PointOf},
};
use crate::{
    kernels::buckets::{negate_if, signed_digit, window_sum},
    parallel,
    weierstrass::Curve,
};

/// All windows' buckets.
pub(crate) struct Buckets<P: Curve> {
    windows: Vec<Vec<PointOf<P>>>,
}

impl<P: Curve> Buckets<P> {
    /// Neutral ones; `None` where the kernels do not run.
    pub(crate) fn new(windows: usize, buckets: usize) -> Option<Self> {
        available().then(|| Self { windows: vec![vec![Point::NEUTRAL; buckets]; windows] })
    }

    /// Adds short scalars, which are magnitudes with signs, times points and, if there are more
    /// scalars, times the points' images under the endomorphism's powers.
    pub(crate) fn push(
        &mut self,
        width: usize,
        magnitudes: &[[u64; 2]],
        negative: &[bool],
        points: &[Affine<P>],
    ) {
        let parts = magnitudes.len() / points.len().max(1);
        let mut all = vec![Point::NEUTRAL; magnitudes.len()];
        let (packed, mut images) = all.split_at_mut(points.len());
        // There are buckets only where kernels run (`new`): that changes in measurements only, and between them.
        parallel::chunks_mut(packed, PACKED, |index, out| {
            P::pack_into(parallel::chunk(points, PACKED, index), out);
        });
        let mut previous = &*packed;
        for _ in 1..parts {
            let (next, rest) = images.split_at_mut(points.len());
            parallel::chunks_mut(next, PACKED, |index, out| {
                P::map_into(parallel::chunk(previous, PACKED, index), out);
            });
            (previous, images) = (next, rest);
        }
        parallel::each_mut(&mut self.windows, |window, buckets| {
            let digits = magnitudes.iter().zip(negative).map(|(limbs, &negative)| {
                negate_if(negative, signed_digit(limbs, window, width) as i32)
            });
            let (terms, starts) = sort(&digits.collect::<Vec<_>>(), buckets);
            let sums = Sums {
                first: &all,
                second: buckets,
                terms: &terms,
                starts: &starts,
                secret: false,
            };
            let sums = P::sum_lists(sums).unwrap_or_default();
            for ((bucket, sum), ends) in buckets.iter_mut().zip(sums).zip(starts.windows(2)) {
                if ends[0] < ends[1] {
                    *bucket = sum;
                }
            }
        });
    }

    /// `Σ_w 2^{w · width} Σ_d d · bucket_{w, d}`, by windows.
    pub(crate) fn window_sums(&self) -> Vec<Projective<P>> {
        parallel::map(self.windows.len(), |window| weighted_sum::<P>(&self.windows[window]))
    }
}

/// Points that one thread brings to lanes' form at a time.
const PACKED: usize = 1 << 12;

/// The terms of every bucket that gets any: the points with its digit, and its sum so far.
fn sort<F: LaneField>(digits: &[i32], buckets: &[Point<F>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; buckets.len() + 1];
    for digit in digits.iter().filter(|&&digit| digit != 0) {
        starts[digit.unsigned_abs() as usize] += 1;
    }
    let mut total = 0;
    for (count, bucket) in starts[1..].iter_mut().zip(buckets) {
        if *count > 0 && !bucket.is_neutral() {
            *count += 1;
        }
    }
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut next = starts.clone();
    let mut terms = vec![0; total as usize];
    for (index, &digit) in digits.iter().enumerate().filter(|&(_, &digit)| digit != 0) {
        let next = &mut next[digit.unsigned_abs() as usize - 1];
        terms[*next as usize] = index as u32 | if digit < 0 { NEGATIVE } else { 0 };
        *next += 1;
    }
    // Where a place is left, it is for the sum so far.
    for (index, (&next, &end)) in next.iter().zip(&starts[1..]).enumerate() {
        if next < end {
            terms[next as usize] = SECOND | index as u32;
        }
    }
    (terms, starts)
}

/// `Σ (e + 1) · bucket_e`. In a square of buckets with `e = row · columns + column`, it is the sum of
/// all columns, the c-th taken c + 1 times, and of all rows, the r-th taken `r · columns` times.
fn weighted_sum<P: Curve>(buckets: &[PointOf<P>]) -> Projective<P> {
    let log = buckets.len().trailing_zeros().div_ceil(2);
    let columns = 1 << log;
    let (mut terms, mut starts) = (Vec::with_capacity(2 * buckets.len()), vec![0]);
    let mut list = |indices: &mut dyn Iterator<Item = usize>| {
        terms.extend(
            indices.filter(|&index| !buckets[index].is_neutral()).map(|index| index as u32),
        );
        starts.push(terms.len() as u32);
    };
    for column in 0..columns {
        list(&mut (column..buckets.len()).step_by(columns));
    }
    for row in (0..buckets.len()).step_by(columns) {
        list(&mut (row..row + columns));
    }
    let sums = P::sum_lists(Sums {
        first: buckets,
        second: &[],
        terms: &terms,
        starts: &starts,
        secret: false,
    });
    // As in `push`: kernels run, or there would be no buckets.
    let sums: Vec<Affine<P>> = sums.and_then(|sums| P::unpack(&sums)).unwrap_or_default();
    let (by_column, by_row) = sums.split_at(columns.min(sums.len()));
    // With as many sums as lists there is at least one row; a single row is not taken by its number.
    let mut sum = by_row.get(1..).map(window_sum).unwrap_or_default();
    for _ in 0..log {
        ark_ff::AdditiveGroup::double_in_place(&mut sum);
    }
    sum + window_sum(by_column)
}
