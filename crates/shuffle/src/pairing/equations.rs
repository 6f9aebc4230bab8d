//! What pairing equations are put together from.

use algebra::{AffineGroup, Group, Pairing};
use rayon::prelude::*;

/// `Σ e(left, right) = 0`, as its pairs.
pub(crate) type Pairs<E> = Vec<(<E as Pairing>::G1, <E as Pairing>::G2)>;

/// Pairs of two lists.
pub(crate) fn pairs<E: Pairing>(left: Vec<E::G1>, right: &[E::G2]) -> Pairs<E> {
    left.into_iter().zip(right.iter().copied()).collect()
}

/// `points_i + shift`.
pub(crate) fn shifted<G: Group>(points: &[G], shift: G) -> Vec<G> {
    points.par_iter().map(|&point| point + shift).collect()
}

/// `Σ_j weights_j · lists_j`, the first weight being one and not among `weights`.
pub(crate) fn fold<'a, G: AffineGroup>(
    mut lists: impl Iterator<Item = &'a [G]>,
    weights: &[G::Scalar],
) -> Vec<G> {
    // There is a list for the weight one.
    let mut folded = lists.next().unwrap_or_default().to_vec();
    for (list, weight) in lists.zip(weights) {
        let scaled = super::affine::scale_all(list, weight);
        folded.par_iter_mut().zip(scaled).for_each(|(sum, point)| *sum += point);
    }
    folded
}
