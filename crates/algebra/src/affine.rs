//! Groups whose points have affine coordinates, and the kernels on slices of them.

use std::fmt::Debug;

use rand_core::CryptoRng;
use zeroize::Zeroize;

use crate::{Domain, FftScalar, Group, PointError};

/// A [`Group`] whose points have an affine form in which files hold them and bulk work is done.
///
/// Every function here takes variable time: for public values, and for secrets that are used once
/// (a ceremony's contribution, a prover's masks), whose timing nobody can observe twice. They run
/// on all threads of the current rayon pool and assume points of the prime-order subgroup; other
/// points of the curve give unspecified results.
pub trait AffineGroup: Group<Scalar: FftScalar> {
    /// A point in affine form.
    type Affine: Copy + Debug + Eq + Send + Sync + Zeroize + 'static;

    /// A multi-scalar multiplication that takes its terms piece by piece.
    type Msm: MsmStream<Self>;

    /// The affine forms, with one inversion for many points.
    fn to_affine_all(points: &[Self]) -> Vec<Self::Affine>;

    /// The point of an affine form.
    fn from_affine(point: &Self::Affine) -> Self;

    /// [`Group::msm`] without the detour over projective points.
    fn msm_affine(scalars: &[Self::Scalar], points: &[Self::Affine]) -> Self;

    /// [`Group::msm_short`] without the detour over projective points.
    fn msm_short_affine(scalars: &[u128], points: &[Self::Affine]) -> Self;

    /// `points_i = scalars_i · points_i`, over the shorter of the two.
    fn scale_each(points: &mut [Self::Affine], scalars: &[Self::Scalar]);

    /// `points_i = scalar · points_i`.
    fn scale_all(points: &mut [Self::Affine], scalar: &Self::Scalar);

    /// `count` independent scalars, each uniform in a set of 2^128: the weights of a random linear
    /// combination. They are the sums of a few short parts times what this group's endomorphism
    /// multiplies by, so that [`AffineGroup::scale_each`] and [`AffineGroup::scale_all`] take half
    /// the time with them, or less.
    fn random_weights(count: usize, rng: &mut (impl CryptoRng + ?Sized)) -> Vec<Self::Scalar>;

    /// Coefficients to values, both in natural order: `Σ_j ω^{ij} · points_j` for every i.
    ///
    /// # Panics
    /// If there are not as many points as the domain has elements.
    fn fft(domain: &Domain<Self::Scalar>, points: &mut [Self::Affine]);

    /// Values to coefficients, both in natural order: turns powers `[τ^i]` into Lagrange's basis
    /// `[L_i(τ)]`.
    ///
    /// # Panics
    /// If there are not as many points as the domain has elements.
    fn ifft(domain: &Domain<Self::Scalar>, points: &mut [Self::Affine]);

    /// Whether all points, which must lie on the curve, lie in the prime-order subgroup.
    ///
    /// # Errors
    /// [`PointError::Subgroup`] with the lowest index that does not.
    fn check_subgroup_all(points: &[Self::Affine]) -> Result<(), PointError>;

    /// [`AffineGroup::check_subgroup_all`] of random sums of the points, a fraction of its price for
    /// many. It errs with probability below 2^-128, if `rng` was not known to whoever chose the
    /// points: draw from the system, after they are fixed.
    ///
    /// # Errors
    /// [`PointError::Subgroup`] with the lowest index outside, which is looked for one by one.
    fn check_subgroup_batch(
        points: &[Self::Affine],
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), PointError>;
}

/// `Σ scalars_i · points_i` for terms that arrive piece by piece, in memory bounded by the buckets
/// (at most some tens of megabytes), whatever their number.
///
/// ```
/// use algebra::{AffineGroup, Bn254G1 as G, Group, MsmStream, Scalar};
/// # let scalars = [2_u64, 3, 5].map(<G as Group>::Scalar::from_u64);
/// # let points = G::to_affine_all(&[b"a", b"b", b"c"].map(|label| G::hash_to_group(label)));
///
/// let mut sum = <G as AffineGroup>::Msm::new(1 << 20);
/// for (scalars, points) in scalars.chunks(2).zip(points.chunks(2)) {
///     sum.push(scalars, points);
/// }
/// assert_eq!(sum.finish(), G::msm_affine(&scalars, &points));
/// ```
pub trait MsmStream<G: AffineGroup>: Sized + Send {
    /// For about `expected` terms in all; their number decides the width of the windows and need
    /// not be exact.
    fn new(expected: usize) -> Self;

    /// Adds terms, over the shorter of the two. Best in pieces of 2^14 or more.
    fn push(&mut self, scalars: &[G::Scalar], points: &[G::Affine]);

    /// Adds terms with 128-bit scalars at half the price, over the shorter of the two.
    fn push_short(&mut self, scalars: &[u128], points: &[G::Affine]);

    /// The sum of all terms.
    fn finish(self) -> G;
}
