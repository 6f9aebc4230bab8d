//! Pairing equations, gathered to be checked at once, and the false one named.

use algebra::{AffineGroup, Group, Pairing};
use rayon::prelude::*;

/// `Σ e(left, right) = 0`, as its pairs.
pub(crate) type Pairs<E> = Vec<(<E as Pairing>::G1, <E as Pairing>::G2)>;

/// Equations, each with a label and already multiplied by a random weight of its own.
pub(crate) struct Equations<E: Pairing, L> {
    equations: Vec<(L, Pairs<E>)>,
}

impl<E: Pairing, L> Equations<E, L> {
    pub(crate) fn new() -> Self {
        Self { equations: Vec::new() }
    }

    pub(crate) fn push(&mut self, label: L, pairs: impl Into<Pairs<E>>) {
        self.equations.push((label, pairs.into()));
    }

    /// Requires that all hold: one product of pairings with one final exponentiation, and each
    /// equation by itself only if that is false.
    ///
    /// # Errors
    /// The label of the first that does not.
    pub(crate) fn check(self) -> Result<(), L> {
        let all: Pairs<E> = self.equations.iter().flat_map(|(_, pairs)| pairs.clone()).collect();
        if E::is_neutral(&all) {
            return Ok(());
        }
        let mut equations = self.equations.into_iter();
        equations.find(|(_, pairs)| !E::is_neutral(pairs)).map_or(Ok(()), |(label, _)| Err(label))
    }
}

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
    let mut folded = lists.next().unwrap_or_default().to_vec();
    for (list, weight) in lists.zip(weights) {
        let scaled = super::affine::scale_all(list, weight);
        folded.par_iter_mut().zip(scaled).for_each(|(sum, point)| *sum += point);
    }
    folded
}
