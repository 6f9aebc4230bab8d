//! Variable-time multi-scalar multiplication on ristretto255: by vectors of eight windows where there are vector
//! kernels and more than a few points, by the library otherwise.

use curve25519_dalek::{ristretto::RistrettoPoint, scalar::Scalar, traits::VartimeMultiscalarMul};
use rayon::prelude::*;

use super::{
    buckets::{bucket_count, window_count},
    dalek,
    lanes::WINDOWS,
};

/// Fewer points are the library's: its tables of multiples cost less than buckets. Sums of 256 gain
/// nothing.
const LANES_MIN: usize = 512;
/// Points that share buckets, at most: what is kept of them for the windows is some megabytes.
const CHUNK_MAX: usize = 1 << 15;
/// Widths of windows that are worth it: more than 2^12 buckets a window leave the caches.
const WIDTHS: std::ops::RangeInclusive<usize> = 4..=13;
/// What emptying a bucket costs, in additions to a bucket.
const BUCKET_COST: usize = 2;
/// Points that the library's threads take at a time, at the least.
const LIBRARY_CHUNK_MIN: usize = 256;

/// Bits of a scalar, which is reduced.
const BITS: usize = 253;

/// `Σ scalars_i · points_i` over the shorter of the two.
pub(crate) fn msm(scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
    let len = scalars.len().min(points.len());
    let (scalars, points) = (&scalars[..len], &points[..len]);
    let limbs = || scalars.iter().map(limbs).collect::<Vec<_>>();
    let sum = (len >= LANES_MIN && dalek::agrees()).then(|| in_lanes(&limbs(), BITS, points));
    sum.flatten().unwrap_or_else(|| by_library(scalars, points))
}

/// [`msm`] for scalars below 2^128.
pub(crate) fn msm_short(scalars: &[u128], points: &[RistrettoPoint]) -> RistrettoPoint {
    let len = scalars.len().min(points.len());
    let (scalars, points) = (&scalars[..len], &points[..len]);
    let limbs = || scalars.iter().map(|&s| [s as u64, (s >> 64) as u64, 0, 0]).collect::<Vec<_>>();
    let sum = (len >= LANES_MIN && dalek::agrees()).then(|| in_lanes(&limbs(), 128, points));
    let full = || scalars.iter().map(|&s| s.into()).collect::<Vec<Scalar>>();
    sum.flatten().unwrap_or_else(|| by_library(&full(), points))
}

fn by_library(scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
    let chunk = points.len().div_ceil(rayon::current_num_threads()).max(LIBRARY_CHUNK_MIN);
    let chunks = scalars.par_chunks(chunk).zip(points.par_chunks(chunk));
    chunks.map(|(s, p)| RistrettoPoint::vartime_multiscalar_mul(s, p)).sum()
}

/// For as many scalars below `2^bits` as points.
fn in_lanes(
    scalars: &[[u64; 4]],
    bits: usize,
    points: &[RistrettoPoint],
) -> Option<RistrettoPoint> {
    let chunk = points.len().div_ceil(rayon::current_num_threads()).clamp(1, CHUNK_MAX);
    let vectors = |width: usize| window_count(bits, width).div_ceil(WINDOWS);
    let cost = |width: &usize| vectors(*width) * (chunk + BUCKET_COST * bucket_count(*width));
    let width = WIDTHS.min_by_key(cost)?;
    let chunks = scalars.par_chunks(chunk).zip(points.par_chunks(chunk));
    let parts = chunks.map(|(scalars, points)| {
        let addends = dalek::addends(points)?;
        let vectors = (0..vectors(width)).into_par_iter();
        let sums = vectors.map(|k| dalek::window_sums(&addends, scalars, k * WINDOWS, width));
        Some(sums.collect::<Option<Vec<_>>>()?.into_flattened())
    });
    let parts = parts.collect::<Option<Vec<Vec<_>>>>()?;
    let windows = 0..window_count(bits, width);
    let sum = |window: usize| parts.iter().map(|part| part[window]).sum::<RistrettoPoint>();
    let weights = windows.clone().map(|window| power_of_two(window * width));
    Some(RistrettoPoint::vartime_multiscalar_mul(weights, windows.map(sum)))
}

/// `2^exponent`, of an exponent below 256.
fn power_of_two(exponent: usize) -> Scalar {
    let mut bytes = [0; 32];
    bytes[exponent / 8] = 1 << (exponent % 8);
    Scalar::from_bytes_mod_order(bytes)
}

fn limbs(scalar: &Scalar) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(scalar.as_bytes().as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}
