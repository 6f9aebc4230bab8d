//! The bulk work of `algebra`, in the words of this crate.

use std::ops::{Add, Sub};

use algebra::{Affine, CurveGroup, Engine, Scalar, ScalarOf};
use rayon::prelude::*;

use crate::Error;

/// A point in affine form.
pub(crate) fn to_affine<G: CurveGroup>(point: G) -> Affine<G> {
    G::precompute(&[point]).into_iter().next().unwrap_or_else(G::affine_identity)
}

/// `points_i = scalars_i · points_i`, in variable time.
pub(crate) fn scale_each<G: CurveGroup>(points: &mut [Affine<G>], scalars: &[G::Scalar]) {
    let products = points.par_iter().zip(scalars).map(|(&point, scalar)| {
        let point: G = point.into();
        point.mul(scalar)
    });
    let products = G::precompute(&products.collect::<Vec<_>>());
    points.iter_mut().zip(products).for_each(|(point, product)| *point = product);
}

/// `Σ scalars_i · points_i`, over the shorter of the two.
pub(crate) fn msm<G: CurveGroup>(scalars: &[G::Scalar], points: &[Affine<G>]) -> G {
    G::msm(scalars, &to_points::<G>(points))
}

/// [`msm`] with 128-bit scalars.
pub(crate) fn msm_short<G: CurveGroup>(scalars: &[u128], points: &[Affine<G>]) -> G {
    G::msm_short(scalars, &to_points::<G>(points))
}

/// From `[τ^i]` to `[L_i(τ)]`, for the roots of unity of snarkjs; as many points as a power of two.
pub(crate) fn lagrange<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>>(
    points: &[Affine<G>],
) -> Result<Vec<Affine<G>>, Error> {
    let mut values = to_points::<G>(points);
    inverse_fft::<E, G>(&mut values, |point, scalar| point.mul(scalar))?;
    Ok(G::precompute(&values))
}

/// The inverse Fourier transform of scalars, for the roots of unity of snarkjs.
pub(crate) fn scalar_ifft<E: Engine>(values: &mut [ScalarOf<E>]) -> Result<(), Error> {
    inverse_fft::<E, _>(values, |value, scalar| value * *scalar)
}

fn to_points<G: CurveGroup>(points: &[Affine<G>]) -> Vec<G> {
    points.par_iter().map(|&point| point.into()).collect()
}

/// Values to coefficients, both in natural order.
fn inverse_fft<E: Engine, T: Copy + Send + Sync + Add<Output = T> + Sub<Output = T>>(
    values: &mut [T],
    times: impl Fn(T, &ScalarOf<E>) -> T + Sync,
) -> Result<(), Error> {
    let log_size = values.len().trailing_zeros();
    let domain = Error::Domain { log_size };
    let size_inverse = ScalarOf::<E>::from_u64(values.len() as u64).invert();
    let size_inverse = size_inverse.filter(|_| values.len().is_power_of_two());
    let Some((largest, size_inverse)) = E::root_of_unity(log_size).zip(size_inverse) else {
        return Err(domain);
    };
    let root = largest.invert().unwrap_or_default();
    reverse_bits(values);
    for layer in 0..log_size {
        let half = 1 << layer;
        let root = (layer + 1..log_size).fold(root, |root, _| root * root);
        let powers = std::iter::successors(Some(ScalarOf::<E>::one()), |power| Some(*power * root));
        let twiddles: Vec<_> = powers.take(half).collect();
        values.par_chunks_mut(2 * half).for_each(|block| {
            let (left, right) = block.split_at_mut(half);
            let pairs = left.par_iter_mut().zip(right).zip(&twiddles);
            pairs.enumerate().with_min_len(16).for_each(|(index, ((left, right), twiddle))| {
                let product = if index == 0 { *right } else { times(*right, twiddle) };
                (*left, *right) = (*left + product, *left - product);
            });
        });
    }
    if log_size > 0 {
        values.par_iter_mut().for_each(|value| *value = times(*value, &size_inverse));
    }
    Ok(())
}

/// Moves every value to the place whose index has its bits in reverse.
fn reverse_bits<T>(values: &mut [T]) {
    let bits = values.len().trailing_zeros();
    for index in 1..values.len() {
        let reversed = index.reverse_bits() >> (usize::BITS - bits);
        if index < reversed {
            values.swap(index, reversed);
        }
    }
}
