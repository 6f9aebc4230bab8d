//! Between the two forms of points.

use algebra::AffineGroup;
use rand_core::CryptoRng;
use rayon::prelude::*;

/// The affine forms of a group's points.
pub(crate) type AffineList<G> = Vec<<G as AffineGroup>::Affine>;

/// Any number of multiples of the generator.
pub(crate) fn multiples<G: AffineGroup>(scalars: &[G::Scalar]) -> AffineList<G> {
    let points: Vec<G> = scalars.par_iter().map(G::mul_generator).collect();
    G::to_affine_all(&points)
}

/// The projective forms.
pub(crate) fn points<G: AffineGroup>(affine: &[G::Affine]) -> Vec<G> {
    affine.iter().map(G::from_affine).collect()
}

/// The sum of affine points.
pub(crate) fn sum<G: AffineGroup>(affine: &[G::Affine]) -> G {
    affine.iter().map(G::from_affine).sum()
}

/// `Σ weights_i · points_i` for 128-bit weights.
pub(crate) fn sum_short<G: AffineGroup>(weights: &[u128], points: &[G]) -> G {
    G::msm_short_affine(weights, &G::to_affine_all(points))
}

/// `scalars_i · points_i`.
pub(crate) fn scale_each<G: AffineGroup>(points: &[G], scalars: &[G::Scalar]) -> Vec<G> {
    let mut affine = G::to_affine_all(points);
    G::scale_each(&mut affine, scalars);
    self::points(&affine)
}

/// `scalar · points_i`.
pub(crate) fn scale_all<G: AffineGroup>(points: &[G], scalar: &G::Scalar) -> Vec<G> {
    let mut affine = G::to_affine_all(points);
    G::scale_all(&mut affine, scalar);
    self::points(&affine)
}

/// 128-bit weights of a random linear combination.
pub(crate) fn random_shorts(count: usize, rng: &mut (impl CryptoRng + ?Sized)) -> Vec<u128> {
    let mut short = || {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        u128::from_le_bytes(bytes)
    };
    (0..count).map(|_| short()).collect()
}
