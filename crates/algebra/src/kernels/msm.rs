//! Variable-time multi-scalar multiplication on short Weierstrass curves: Straus' tables for a
//! handful of points, projective buckets for some, affine buckets for many.
//!
//! Ours rather than arkworks' because that one starts a thread pool of its own in every call,
//! spends 256-bit windows on 128-bit scalars, has no method for a handful of points, and adds in
//! projective coordinates.

use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Bucket, Projective},
};
use ark_ff::{AdditiveGroup, PrimeField};

use super::{
    buckets::{BucketMsm, bucket_count, signed_digit, window_count},
    limbs,
};
use crate::{parallel, weierstrass::Curve};

/// Up to this many points, tables of multiples beat buckets.
const STRAUS_MAX: usize = 16;
/// Window bits of the tables, and the multiples in one of them.
const STRAUS_WINDOW: usize = 4;
const STRAUS_TABLE: usize = 1 << (STRAUS_WINDOW - 1);
/// Below this, splitting tables of multiples over threads costs more than it gives.
const STRAUS_CHUNK_MIN: usize = 8;

/// From this many points on, affine buckets pay for their inversions.
const AFFINE_MIN: usize = 512;
/// Widest window of the projective buckets.
const BUCKET_WINDOW_MAX: usize = 10;
/// What emptying a projective bucket costs, in additions to a bucket.
const BUCKET_COST: usize = 2;
/// Windows that run in parallel, at the least: further threads get a part of the points each.
const WINDOWS_MIN: usize = 8;

/// `Σ scalars_i · points_i` over the shorter of the two.
pub(crate) fn msm<P: Curve>(scalars: &[P::ScalarField], points: &[Affine<P>]) -> Projective<P> {
    let (scalars, points) = shorter(scalars, points);
    if points.len() < AFFINE_MIN {
        let scalars: Vec<_> = scalars.iter().map(limbs).collect();
        return msm_few(&scalars, points, P::ScalarField::MODULUS_BIT_SIZE as usize);
    }
    let chunk = chunk_len(points.len());
    let sums = parallel::chunks(points, chunk, |index, points| {
        let mut buckets = BucketMsm::new(points.len());
        buckets.push(parallel::chunk(scalars, chunk, index), points);
        buckets.finish()
    });
    sums.into_iter().sum()
}

/// [`msm`] for scalars below 2^128.
pub(crate) fn msm_short<P: Curve>(scalars: &[u128], points: &[Affine<P>]) -> Projective<P> {
    let (scalars, points) = shorter(scalars, points);
    if points.len() < AFFINE_MIN {
        let limbs = |&scalar: &u128| [scalar as u64, (scalar >> 64) as u64];
        return msm_few(&scalars.iter().map(limbs).collect::<Vec<_>>(), points, 128);
    }
    let chunk = chunk_len(points.len());
    let sums = parallel::chunks(points, chunk, |index, points| {
        let mut buckets = BucketMsm::new_short(points.len());
        buckets.push_short(parallel::chunk(scalars, chunk, index), points);
        buckets.finish()
    });
    sums.into_iter().sum()
}

fn shorter<'a, S, T>(scalars: &'a [S], points: &'a [T]) -> (&'a [S], &'a [T]) {
    let len = scalars.len().min(points.len());
    (&scalars[..len], &points[..len])
}

/// Points that one thread group takes: all of them unless there are more threads than windows.
fn chunk_len(len: usize) -> usize {
    len.div_ceil(rayon::current_num_threads().div_ceil(WINDOWS_MIN))
}

/// For scalars of little-endian limbs below `2^bits`.
fn msm_few<P: Curve, const N: usize>(
    scalars: &[[u64; N]],
    points: &[Affine<P>],
    bits: usize,
) -> Projective<P> {
    if points.len() > STRAUS_MAX {
        return pippenger(scalars, points, bits);
    }
    let chunk = points.len().div_ceil(rayon::current_num_threads()).max(STRAUS_CHUNK_MIN);
    let sums = parallel::chunks(points, chunk, |index, points| {
        straus(parallel::chunk(scalars, chunk, index), points, bits)
    });
    sums.into_iter().sum()
}

/// Straus: the points share their doublings, each adds an entry of its table per window.
fn straus<P: Curve, const N: usize>(
    scalars: &[[u64; N]],
    points: &[Affine<P>],
    bits: usize,
) -> Projective<P> {
    let multiples: Vec<Projective<P>> = points
        .iter()
        .flat_map(|&point| {
            std::iter::successors(Some(point.into()), move |&p| Some(p + point)).take(STRAUS_TABLE)
        })
        .collect();
    let multiples = Projective::normalize_batch(&multiples);
    let windows = window_count(bits, STRAUS_WINDOW);
    (0..windows).rev().fold(Projective::ZERO, |mut sum, window| {
        for _ in 0..STRAUS_WINDOW {
            sum.double_in_place();
        }
        for (scalar, table) in scalars.iter().zip(multiples.chunks_exact(STRAUS_TABLE)) {
            let digit = signed_digit(scalar, window, STRAUS_WINDOW);
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
fn pippenger<P: Curve, const N: usize>(
    scalars: &[[u64; N]],
    points: &[Affine<P>],
    bits: usize,
) -> Projective<P> {
    let cost = |width: &usize| {
        window_count(bits, *width) * (points.len() + BUCKET_COST * bucket_count(*width))
    };
    let width = (1..=BUCKET_WINDOW_MAX).min_by_key(cost).unwrap_or(1);
    let sums = parallel::map(window_count(bits, width), |window| {
        window_sum(scalars, points, window, width)
    });
    sums.into_iter().rev().fold(Projective::<P>::ZERO, |mut sum, window| {
        for _ in 0..width {
            sum.double_in_place();
        }
        sum + window
    })
}

/// `Σ digit_i · points_i` for the digits of one window.
fn window_sum<P: Curve, const N: usize>(
    scalars: &[[u64; N]],
    points: &[Affine<P>],
    window: usize,
    width: usize,
) -> Projective<P> {
    let mut buckets = vec![Bucket::<P>::ZERO; bucket_count(width)];
    for (scalar, point) in scalars.iter().zip(points) {
        let digit = signed_digit(scalar, window, width);
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
