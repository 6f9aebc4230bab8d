//! Pairing equations, gathered and checked at once, and the false one found.

use std::{collections::BTreeMap, ops::Range};

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, PointForm, Scalar, ScalarOf, batch};
use rand_core::CryptoRng;

/// Equations `e(a, d) = e(b, c)`: `b` is to `a` as `d` is to `c`. Each has a label.
///
/// All are checked as one random linear combination with 128-bit weights: a false equation passes
/// with probability 2^−128. Pairings that share a point of G2 become one, and there is a single
/// final exponentiation. Points must be of the groups.
pub(crate) struct Equations<E: Engine, L> {
    equations: Vec<Equation<E, L>>,
}

struct Equation<E: Engine, L> {
    label: L,
    g1: [E::G1; 2],
    g2: [Affine<E::G2>; 2],
}

impl<E: Engine, L: Copy> Equations<E, L> {
    pub(crate) fn new() -> Self {
        Self { equations: Vec::new() }
    }

    /// Adds: the points of G1 have the same ratio as those of G2.
    pub(crate) fn same_ratio(
        &mut self,
        label: L,
        g1: [impl Into<E::G1>; 2],
        g2: [Affine<E::G2>; 2],
    ) {
        self.equations.push(Equation { label, g1: g1.map(Into::into), g2 });
    }

    /// Requires that all hold.
    ///
    /// # Errors
    /// The label of the first that does not.
    pub(crate) fn check(&self, rng: &mut (impl CryptoRng + ?Sized)) -> Result<(), L> {
        // Without equations nothing is wrong.
        let Some(last) = self.equations.last() else { return Ok(()) };
        let checked = batch::check(self.equations.len(), |range| self.hold(range, rng));
        checked.map_err(|index| self.equations.get(index).unwrap_or(last).label)
    }

    fn hold(&self, range: Range<usize>, rng: &mut (impl CryptoRng + ?Sized)) -> bool {
        // `check` asks for parts of all equations only, so that none is left out.
        let equations = self.equations.get(range).unwrap_or_default();
        // Of every equation: `a` times its weight to pair with `d`, `b` times the opposite with `c`.
        let g1: Vec<_> = equations.iter().flat_map(|equation| equation.g1).collect();
        let weights = random_weights(equations.len(), rng).into_iter();
        let weights = weights.map(<ScalarOf<E> as Scalar>::from_u128);
        let weights: Vec<_> = weights.flat_map(|weight| [weight, -weight]).collect();
        let mut weighted = E::G1::to_affine_all(&g1);
        E::G1::scale_each(&mut weighted, &weights);

        let mut terms = BTreeMap::<Vec<u8>, (Affine<E::G2>, E::G1)>::new();
        let partners = equations.iter().flat_map(|Equation { g2: [c, d], .. }| [d, c]);
        for (left, right) in weighted.iter().zip(partners) {
            let mut key = Vec::new();
            E::G2::write_form(&[*right], PointForm::Montgomery, &mut key);
            let (_, sum) = terms.entry(key).or_insert((*right, E::G1::identity()));
            *sum = sum.add_precomputed(left);
        }
        let pairs: Vec<_> = terms.into_values().map(|(g2, g1)| (g1, g2.into())).collect();
        E::is_neutral(&pairs)
    }
}

/// A weight of a random linear combination.
pub(crate) fn random_weight(rng: &mut (impl CryptoRng + ?Sized)) -> u128 {
    let mut bytes = [0; 16];
    rng.fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes)
}

/// Weights of a random linear combination.
pub(crate) fn random_weights(count: usize, rng: &mut (impl CryptoRng + ?Sized)) -> Vec<u128> {
    (0..count).map(|_| random_weight(rng)).collect()
}

/// Whether the two points of G1 have the ratio of the two of G2.
pub(crate) fn is_same_ratio<E: Engine>(g1: [E::G1; 2], g2: [E::G2; 2]) -> bool {
    let ([a, b], [c, d]) = (g1, g2);
    E::is_neutral(&[(a, d), (-b, c)])
}
