//! The kernels of `algebra` over the roots of unity of snarkjs.

use algebra::{Affine, CurveGroup, Domain, Engine, ScalarOf};

use crate::Error;

/// A point in affine form.
pub(crate) fn to_affine<G: CurveGroup>(point: G) -> Affine<G> {
    // One point has one affine form.
    G::precompute(&[point]).into_iter().next().unwrap_or_else(G::affine_identity)
}

/// `scalar · point`.
pub(crate) fn times<G: CurveGroup>(point: Affine<G>, scalar: &G::Scalar) -> Affine<G> {
    to_affine(G::from_affine(&point).mul(scalar))
}

/// From `[τ^i]` to `[L_i(τ)]`; as many points as a power of two.
pub(crate) fn lagrange<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>>(
    points: &[Affine<G>],
) -> Result<Vec<Affine<G>>, Error> {
    let mut points = points.to_vec();
    G::ifft(&domain::<E>(points.len())?, &mut points);
    Ok(points)
}

/// From coefficients to values, the reverse of [`lagrange`].
pub(crate) fn values<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>>(
    points: &mut [Affine<G>],
) -> Result<(), Error> {
    G::fft(&domain::<E>(points.len())?, points);
    Ok(())
}

/// The inverse Fourier transform of scalars.
pub(crate) fn scalar_ifft<E: Engine>(values: &mut [ScalarOf<E>]) -> Result<(), Error> {
    domain::<E>(values.len())?.ifft(values);
    Ok(())
}

fn domain<E: Engine>(size: usize) -> Result<Domain<ScalarOf<E>>, Error> {
    let log_size = size.trailing_zeros();
    let root = E::root_of_unity(log_size);
    // Whatever the reason is, there is no such domain.
    root.and_then(|root| Domain::with_root(size, root, log_size).ok())
        .ok_or(Error::Domain { log_size })
}
