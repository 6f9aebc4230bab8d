//! Fourier transforms of points: scalars' transforms in the exponent.
//!
//! Of the `n/2 · log n` butterflies all but n − 1 multiply a point by a root of unity, which is
//! where the time goes; each layer does it by [`scale_each`], or by [`scale_all`] where enough
//! points share a root. The sum and the difference of a butterfly share their slope's denominator.

use ark_ec::short_weierstrass::Affine;

use super::{
    batch_affine::{Slopes, difference, sum},
    lanes::{NEGATIVE, Sums},
    scale::{scale_all, scale_each},
};
use crate::{Domain, domain::reverse_bits, parallel, weierstrass::Curve};

/// Butterflies that share an inversion.
const BATCH: usize = 1024;
/// So many points must share a root for a scaling of their own.
const SAME_ROOT_MIN: usize = 256;

/// Coefficients to values.
pub(crate) fn group_fft<P: Curve>(domain: &Domain<P::ScalarField>, points: &mut [Affine<P>]) {
    assert_eq!(points.len(), domain.len(), "a transform of another length");
    reverse_bits(points);
    let mut half = 1;
    while half < points.len() {
        twist(points, domain.twiddles(half));
        butterflies(points, half);
        half *= 2;
    }
}

/// Values to coefficients.
pub(crate) fn group_ifft<P: Curve>(domain: &Domain<P::ScalarField>, points: &mut [Affine<P>]) {
    group_fft(domain, points);
    // The inverse takes ω^{−1}, hence the values backwards.
    points[1..].reverse();
    scale_all(points, &domain.size_inverse());
}

/// In every block of two halves as long as `twiddles`, multiplies the second half by them.
fn twist<P: Curve>(points: &mut [Affine<P>], twiddles: &[P::ScalarField]) {
    let half = twiddles.len();
    let blocks = points.len() / (2 * half);
    if blocks >= SAME_ROOT_MIN {
        for (index, twiddle) in twiddles.iter().enumerate().skip(1) {
            let column = points.iter_mut().skip(half + index).step_by(2 * half);
            let mut scaled: Vec<_> = column.map(|point| *point).collect();
            scale_all(&mut scaled, twiddle);
            let column = points.iter_mut().skip(half + index).step_by(2 * half);
            column.zip(scaled).for_each(|(point, scaled)| *point = scaled);
        }
    } else if half > 1 {
        let mut scaled: Vec<_> = seconds(points, half).map(|point| *point).collect();
        scale_each(&mut scaled, &twiddles[1..].repeat(blocks));
        seconds(points, half).zip(scaled).for_each(|(point, scaled)| *point = scaled);
    }
}

/// The second halves of the blocks, without their first points.
fn seconds<T>(points: &mut [T], half: usize) -> impl Iterator<Item = &mut T> {
    points.chunks_exact_mut(2 * half).flat_map(move |block| &mut block[half + 1..])
}

/// `(l, r) ↦ (l + r, l − r)` for the halves of every block of `2 · half` points.
fn butterflies<P: Curve>(points: &mut [Affine<P>], half: usize) {
    if half < BATCH {
        // Several short blocks make a batch.
        parallel::chunks_mut(points, 2 * BATCH, |_, points| {
            let halves = points.chunks_exact_mut(2 * half).map(|block| block.split_at_mut(half));
            batch(halves.flat_map(|(left, right)| left.iter_mut().zip(right)).collect());
        });
    } else {
        let batches = points.chunks_exact_mut(2 * half).flat_map(|block| {
            let (left, right) = block.split_at_mut(half);
            left.chunks_mut(BATCH).zip(right.chunks_mut(BATCH))
        });
        parallel::each_mut(&mut batches.collect::<Vec<_>>(), |_, (left, right)| {
            batch(left.iter_mut().zip(right.iter_mut()).collect());
        });
    }
}

fn batch<P: Curve>(pairs: Vec<(&mut Affine<P>, &mut Affine<P>)>) {
    if let Some(sums) = batch_in_lanes(&pairs) {
        for ((left, right), sums) in pairs.into_iter().zip(sums.chunks_exact(2)) {
            (*left, *right) = (sums[0], sums[1]);
        }
        return;
    }
    let mut slopes = Slopes::with_capacity(pairs.len());
    for (left, right) in &pairs {
        slopes.push_sum(left, right);
    }
    slopes.invert();
    for ((left, right), slope) in pairs.into_iter().zip(slopes.iter()) {
        (*left, *right) = (sum(slope, left, right), difference(slope, left, right));
    }
}

/// The pairs' sums and differences by the vector kernels; `None` where these do not run.
fn batch_in_lanes<P: Curve>(pairs: &[(&mut Affine<P>, &mut Affine<P>)]) -> Option<Vec<Affine<P>>> {
    let (left, right) = (pairs.iter().map(|(left, _)| **left), pairs.iter().map(|(_, r)| **r));
    let points = P::pack(&left.chain(right).collect::<Vec<_>>())?;
    let count = pairs.len() as u32;
    let terms: Vec<u32> =
        (0..count).flat_map(|i| [i, count + i, i, (count + i) | NEGATIVE]).collect();
    let starts: Vec<u32> = (0..=2 * count).map(|list| 2 * list).collect();
    let sums = Sums { first: &points, second: &[], terms: &terms, starts: &starts, secret: false };
    P::unpack(&P::sum_lists(sums)?)
}
