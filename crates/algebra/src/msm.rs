//! Variable-time multi-scalar multiplication on short Weierstrass curves.
//!
//! Ours rather than arkworks' because that one starts a thread pool of its own in every call,
//! spends 256-bit windows on 128-bit scalars, and has no method for a handful of points.

use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Bucket, Projective, SWCurveConfig},
};
use ark_ff::AdditiveGroup;
use rayon::prelude::*;

/// Up to this many points, tables of multiples beat buckets.
const STRAUS_MAX: usize = 16;
/// Window bits of the tables, and the multiples in one of them.
const STRAUS_WINDOW: usize = 4;
const STRAUS_TABLE: usize = 1 << (STRAUS_WINDOW - 1);
/// Below this, splitting tables of multiples over threads costs more than it gives.
const STRAUS_CHUNK_MIN: usize = 8;

/// Widest window of the buckets: 2^15 of them, some megabytes.
const BUCKET_WINDOW_MAX: usize = 16;
/// What emptying a bucket costs, in additions to a bucket.
const BUCKET_COST: usize = 2;
/// Windows that run in parallel, at the least: further threads get a part of the points each.
const BUCKET_WINDOWS_MIN: usize = 8;

/// `sum_i scalars_i · points_i` over the shorter of the two, for scalars of little-endian limbs
/// below `2^bits`.
pub(crate) fn msm<P: SWCurveConfig, S: AsRef<[u64]> + Sync>(
    scalars: &[S],
    points: &[Projective<P>],
    bits: usize,
) -> Projective<P> {
    let len = scalars.len().min(points.len());
    let (scalars, points) = (scalars.split_at(len).0, points.split_at(len).0);
    if len <= STRAUS_MAX {
        let chunk = len.div_ceil(rayon::current_num_threads()).max(STRAUS_CHUNK_MIN);
        let chunks = scalars.par_chunks(chunk).zip(points.par_chunks(chunk));
        chunks.map(|(scalars, points)| straus(scalars, points, bits)).sum()
    } else {
        let points = Projective::normalize_batch(points);
        let chunk = len.div_ceil(rayon::current_num_threads().div_ceil(BUCKET_WINDOWS_MIN));
        let chunks = scalars.par_chunks(chunk).zip(points.par_chunks(chunk));
        chunks.map(|(scalars, points)| pippenger(scalars, points, bits)).sum()
    }
}

/// Straus: the points share their doublings, each adds an entry of its table per window.
fn straus<P: SWCurveConfig, S: AsRef<[u64]>>(
    scalars: &[S],
    points: &[Projective<P>],
    bits: usize,
) -> Projective<P> {
    let multiples: Vec<_> = points
        .iter()
        .flat_map(|&point| {
            std::iter::successors(Some(point), move |&p| Some(p + point)).take(STRAUS_TABLE)
        })
        .collect();
    let multiples = Projective::normalize_batch(&multiples);
    let windows = window_count(bits, STRAUS_WINDOW);
    (0..windows).rev().fold(Projective::ZERO, |mut sum, window| {
        for _ in 0..STRAUS_WINDOW {
            sum.double_in_place();
        }
        for (scalar, table) in scalars.iter().zip(multiples.chunks_exact(STRAUS_TABLE)) {
            let digit = signed_digit(scalar.as_ref(), window, STRAUS_WINDOW);
            let entry = digit.unsigned_abs().checked_sub(1).and_then(|d| table.get(d));
            match entry {
                None => {}
                Some(entry) if digit > 0 => sum += entry,
                Some(entry) => sum -= entry,
            }
        }
        sum
    })
}

/// Pippenger: per window, one bucket for each digit; all windows in parallel.
fn pippenger<P: SWCurveConfig, S: AsRef<[u64]> + Sync>(
    scalars: &[S],
    points: &[Affine<P>],
    bits: usize,
) -> Projective<P> {
    let cost = |width: &usize| {
        window_count(bits, *width) * (points.len() + BUCKET_COST * bucket_count(*width))
    };
    let width = (1..=BUCKET_WINDOW_MAX).min_by_key(cost).unwrap_or(1);
    let windows = (0..window_count(bits, width)).into_par_iter();
    let sums: Vec<Projective<P>> =
        windows.map(|window| window_sum(scalars, points, window, width)).collect();
    sums.into_iter().rev().fold(Projective::ZERO, |mut sum, window| {
        for _ in 0..width {
            sum.double_in_place();
        }
        sum + window
    })
}

/// `sum_i digit_i · points_i` for the digits of one window.
fn window_sum<P: SWCurveConfig, S: AsRef<[u64]>>(
    scalars: &[S],
    points: &[Affine<P>],
    window: usize,
    width: usize,
) -> Projective<P> {
    let mut buckets = vec![Bucket::<P>::ZERO; bucket_count(width)];
    for (scalar, point) in scalars.iter().zip(points) {
        let digit = signed_digit(scalar.as_ref(), window, width);
        let bucket = digit.unsigned_abs().checked_sub(1).and_then(|d| buckets.get_mut(d));
        match bucket {
            None => {}
            Some(bucket) if digit > 0 => *bucket += point,
            Some(bucket) => *bucket -= point,
        }
    }
    // Bucket d counts d times because it is in the running sum d times.
    let mut running = Bucket::<P>::ZERO;
    let mut sum = Bucket::<P>::ZERO;
    for bucket in buckets.iter().rev() {
        running += bucket;
        sum += &running;
    }
    sum.into()
}

/// Digits in −2^(width−1)..=2^(width−1), hence buckets or table entries for their absolute values.
fn bucket_count(width: usize) -> usize {
    1 << (width - 1)
}

/// Windows of a scalar below `2^bits`: one bit more than it has, for the last digit's sign.
fn window_count(bits: usize, width: usize) -> usize {
    (bits + 1).div_ceil(width)
}

/// Booth's digit: the window's bits plus the bit below, minus 2^width if the window's top bit is
/// set (the next window adds that back).
fn signed_digit(limbs: &[u64], window: usize, width: usize) -> isize {
    let limb = |index: usize| u128::from(limbs.get(index).copied().unwrap_or(0));
    let bits = if window == 0 {
        limb(0) << 1
    } else {
        let start = window * width - 1;
        (limb(start / 64) | limb(start / 64 + 1) << 64) >> (start % 64)
    };
    let bits = (bits & ((2 << width) - 1)) as isize;
    let digit = (bits + 1) >> 1;
    if bits >> width == 0 { digit } else { digit - (1 << width) }
}

#[cfg(test)]
mod tests {
    use super::{signed_digit, window_count};

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
