//! The verifier: all equations of all mixers of a chain in one product of pairings.
//!
//! With random weights y, y', ω, w, a random α, and pk the key:
//!
//! * unit vectors, `Σ_i e(y_i(A_i + α + P_0), B_i − α + P_0) = e(Σ y_i C_i, ρ) + (1 − α²) Σ y_i`;
//! * same message, `e(Σ y'_i D_i, 1) = e(Σ y'_i A_i, β) + e(Σ y'_i Â_i, β̂)`;
//! * consistency, for every column and component folded by ω:
//!   `Σ_i e(P̂_i, M'_i) − Σ_i e(Â_i, M_i) = e(t, (1, pk)) − e(ρ̂, N)`.
//!
//! The first equation is checked for a random α, and not for an α in the reference string. Its coefficients of α and 1
//! say `A_i = B_i` and `(A_i + P_0)² = 1 + C_i ρ`.
//!
//! The outputs of a mixer are the inputs of the next. Both pair them, so these pairings are merged, with the mixers'
//! weights w in G1. A chain of m mixers takes `(2m + 1)n` pairings, not `3mn`, for any number of columns.

use algebra::{AffineGroup, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use rayon::prelude::*;

use super::{
    Crs, ShuffleProof,
    affine::{points, random_shorts, scale_all, scale_each, sum_short},
    equations::{Pairs, fold, pairs, shifted},
};
use crate::{Column, Equation, PublicKey, ShuffleError};

/// One mixer's turn, all lengths checked.
pub(crate) struct Turn<'a, E: Pairing> {
    pub(crate) mixer: u32,
    pub(crate) proof: &'a ShuffleProof<E>,
    pub(crate) before: &'a [Column<E::G2>],
    pub(crate) after: &'a [Column<E::G2>],
}

/// Checks the turns of a chain, each taking what the one before gave.
pub(crate) fn verify_turns<E: Pairing>(
    crs: &Crs<E>,
    key: &PublicKey<E::G2>,
    turns: &[Turn<'_, E>],
    rng: &mut impl CryptoRng,
) -> Result<(), ShuffleError> {
    let n = turns.first().and_then(|turn| turn.before.first()).map_or(0, Column::len);
    let alpha = ScalarOf::<E>::random(rng);
    let turns: Vec<_> = turns.iter().map(|turn| Rows::complete(crs, key, turn, n, alpha)).collect();
    if E::is_neutral(&merged(&turns, rng)) {
        return Ok(());
    }
    for turn in &turns {
        turn.check_each(rng)?;
    }
    Ok(())
}

/// The equations of all turns, each with its weights.
fn merged<E: Pairing>(turns: &[Rows<'_, E>], rng: &mut impl CryptoRng) -> Pairs<E> {
    let mut all = Pairs::<E>::new();
    let Some(first) = turns.first() else { return all };
    let columns = first.turn.before.len();
    let component_weights = E::G2::random_weights((2 * columns).saturating_sub(1), rng);
    let folded = |list: &[Column<E::G2>]| fold(components(list), &component_weights);
    let turn_weights = E::G1::random_weights(turns.len().saturating_sub(1), rng);
    let turn_weights = std::iter::once(ScalarOf::<E>::one()).chain(turn_weights);

    let n = first.a_hat.len();
    let mut list = folded(first.turn.before);
    let mut left = vec![E::G1::identity(); n];
    for (turn, weight) in turns.iter().zip(turn_weights) {
        let weighted = |points: &[E::G1]| match weight == ScalarOf::<E>::one() {
            true => points.to_vec(),
            false => scale_all(points, &weight),
        };
        left.iter_mut().zip(weighted(&turn.a_hat)).for_each(|(left, a_hat)| *left -= a_hat);
        all.extend(pairs::<E>(std::mem::take(&mut left), &list));
        list = folded(turn.turn.after);
        left = weighted(&turn.p_hat());
        all.extend(turn.unit_vectors(&E::G1::random_weights(n, rng)));
        all.extend(turn.same_message(&random_shorts(n, rng)));
        let accounts = turn.accounts(&component_weights);
        all.extend(accounts.into_iter().map(|(left, right)| (left.mul(&weight), right)));
    }
    all.extend(pairs::<E>(left, &list));
    all
}

/// A turn with all its rows.
struct Rows<'a, E: Pairing> {
    crs: &'a Crs<E>,
    key: PublicKey<E::G2>,
    turn: &'a Turn<'a, E>,
    alpha: ScalarOf<E>,
    a: Vec<E::G1>,
    b: Vec<E::G2>,
    a_hat: Vec<E::G1>,
}

impl<'a, E: Pairing> Rows<'a, E> {
    /// Adds the rows that are not sent: all rows sum to those of the identity.
    fn complete(
        crs: &'a Crs<E>,
        key: &PublicKey<E::G2>,
        turn: &'a Turn<'a, E>,
        n: usize,
        alpha: ScalarOf<E>,
    ) -> Self {
        let ShuffleProof { a, b, a_hat, .. } = turn.proof;
        let (sum_p1, sum_p2, sum_p_hat) = crs.prefix_sums(n);
        let a = complete(a.points(), sum_p1, n);
        let b = complete(b.points(), sum_p2, n);
        let a_hat = complete(a_hat.points(), sum_p_hat, n);
        Self { crs, key: *key, turn, alpha, a, b, a_hat }
    }

    fn p_hat(&self) -> Vec<E::G1> {
        // Whoever calls has held the length against the CRS (`Crs::require`).
        points::<E::G1>(self.crs.g1.p_hat.get(..self.a_hat.len()).unwrap_or_default())
    }

    /// `A_i + α + P_0` and `B_i − α + P_0`.
    fn unit_factors(&self) -> (Vec<E::G1>, Vec<E::G2>) {
        let Crs { g1, g2, .. } = self.crs;
        let left = shifted(&self.a, g1.p0 + E::G1::mul_generator(&self.alpha));
        (left, shifted(&self.b, g2.p0 - E::G2::mul_generator(&self.alpha)))
    }

    /// The right side of the unit vectors' equation, negated, from `Σ y_i C_i` and `Σ y_i`.
    fn unit_constants(&self, c: E::G1, y: ScalarOf<E>) -> [(E::G1, E::G2); 2] {
        let one_minus_square = ScalarOf::<E>::one() - self.alpha * self.alpha;
        let constant = E::G1::mul_generator(&(one_minus_square * y));
        [(-c, self.crs.g2.rho), (-constant, E::G2::generator())]
    }

    fn unit_vectors(&self, weights: &[ScalarOf<E>]) -> Pairs<E> {
        let (left, right) = self.unit_factors();
        let c = E::G1::msm(weights, self.turn.proof.unit.points());
        let constants = self.unit_constants(c, weights.iter().copied().sum());
        let mut all = pairs::<E>(scale_each(&left, weights), &right);
        all.extend(constants);
        all
    }

    fn same_message(&self, weights: &[u128]) -> Pairs<E> {
        let sum = |points: &[E::G1]| sum_short::<E::G1>(weights, points);
        let same = sum(self.turn.proof.same.points());
        self.same_pairs(same, sum(&self.a), sum(&self.a_hat)).into()
    }

    fn same_pairs(&self, same: E::G1, a: E::G1, a_hat: E::G1) -> [(E::G1, E::G2); 3] {
        let g2 = &self.crs.g2;
        [(-same, E::G2::generator()), (a, g2.beta), (a_hat, g2.beta_hat)]
    }

    /// The right side of the consistency equation, negated, components folded by the weights, of
    /// which the first is one and left out.
    fn accounts(&self, weights: &[ScalarOf<E>]) -> Pairs<E> {
        let ShuffleProof { t, n, .. } = self.turn.proof;
        let weights: Vec<_> =
            std::iter::once(ScalarOf::<E>::one()).chain(weights.iter().copied()).collect();
        let [mut t1, mut t2] = [E::G1::identity(); 2];
        let mut folded = E::G2::identity();
        let accounts = t.points().iter().zip(n.ciphertexts());
        for ((t, n), weights) in accounts.zip(weights.chunks_exact(2)) {
            if let &[first, second] = weights {
                t1 += t.mul(&first);
                t2 += t.mul(&second);
                folded += n.c1.mul(&first) + n.c2.mul(&second);
            }
        }
        let g2 = E::G2::generator();
        vec![(-t1, g2), (-t2, self.key.point()), (self.crs.g1.rho_hat, folded)]
    }

    /// Checks the equations one by one, to say which is wrong; a batch first, then its rows.
    fn check_each(&self, rng: &mut impl CryptoRng) -> Result<(), ShuffleError> {
        let fails = |equation| Err(ShuffleError::Equation { mixer: self.turn.mixer, equation });
        let n = self.a.len();
        if !E::is_neutral(&self.unit_vectors(&E::G1::random_weights(n, rng)))
            && let Some(index) = self.failing_unit_vector()
        {
            return fails(Equation::UnitVector { index });
        }
        if !E::is_neutral(&self.same_message(&random_shorts(n, rng)))
            && let Some(index) = self.failing_same_message()
        {
            return fails(Equation::SameMessage { index });
        }
        match self.failing_component() {
            Some((column, component)) => fails(Equation::Consistency { column, component }),
            None => Ok(()),
        }
    }

    fn failing_unit_vector(&self) -> Option<usize> {
        let (left, right) = self.unit_factors();
        let rows = left.par_iter().zip(&right).zip(self.turn.proof.unit.points());
        rows.position_first(|((&left, &right), &c)| {
            let [first, second] = self.unit_constants(c, ScalarOf::<E>::one());
            !E::is_neutral(&[(left, right), first, second])
        })
    }

    fn failing_same_message(&self) -> Option<usize> {
        let rows = self.turn.proof.same.points().par_iter().zip(&self.a).zip(&self.a_hat);
        rows.position_first(|((&same, &a), &a_hat)| {
            !E::is_neutral(&self.same_pairs(same, a, a_hat))
        })
    }

    /// The first column and component (1 or 2) of which the outputs are not the permuted inputs.
    fn failing_component(&self) -> Option<(usize, usize)> {
        let ShuffleProof { t, n, .. } = self.turn.proof;
        let p_hat = self.p_hat();
        let minus_a_hat: Vec<E::G1> = self.a_hat.iter().map(|&point| -point).collect();
        let bases = [E::G2::generator(), self.key.point()];
        let columns = self.turn.before.iter().zip(self.turn.after);
        let mut columns = columns.zip(t.points().iter().zip(n.ciphertexts())).enumerate();
        columns.find_map(|(column, ((before, after), (&t, n)))| {
            let components = before.components().into_iter().zip(after.components());
            let mut components = components.zip(bases.into_iter().zip([n.c1, n.c2]));
            let component = components.position(|((before, after), (base, n))| {
                let mut all = pairs::<E>(p_hat.clone(), after.points());
                all.extend(pairs::<E>(minus_a_hat.clone(), before.points()));
                all.extend([(-t, base), (self.crs.g1.rho_hat, n)]);
                !E::is_neutral(&all)
            })?;
            Some((column, component + 1))
        })
    }
}

/// First and second components of every column, in turn.
fn components<G: Group>(columns: &[Column<G>]) -> impl Iterator<Item = &[G]> {
    columns.iter().flat_map(|column| column.components().map(|list| list.points()))
}

/// Appends what is missing from `sum`, if a row is.
fn complete<G: Group>(sent: &[G], sum: G, n: usize) -> Vec<G> {
    let mut rows = sent.to_vec();
    if rows.len() < n {
        rows.push(sum - sent.iter().copied().sum());
    }
    rows
}
