//! Single points, as proofs have them.

use algebra::{Affine, CurveGroup};

/// The affine form of one point.
pub(crate) fn to_affine<G: CurveGroup>(point: &G) -> Affine<G> {
    let affine = G::precompute(std::slice::from_ref(point));
    // One point has one affine form.
    affine.into_iter().next().unwrap_or_else(G::affine_identity)
}
