//! Verifying many proofs at once.

use algebra::{Affine, AffineGroup, CurveGroup, Engine, PointError, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{Error, PreparedVerifyingKey, Proof};

/// Public inputs and their proof.
type Statement<'a, E> = (&'a [ScalarOf<E>], Proof<E>);

impl<E: Engine> PreparedVerifyingKey<E> {
    /// Whether every proof is of its public inputs. With random 128-bit `ρ_j`, drawn here, one
    /// equation of `k + 2` Miller loops and one final exponentiation stands for all:
    ///
    /// `Σ_j e(ρ_j A_j, B_j) − e(Σ_j ρ_j IC(x_j), γ) − e(Σ_j ρ_j C_j, δ) = Σ_j ρ_j · e(α, β)`.
    ///
    /// A false statement passes with probability 2^−128. If the equation does not hold, halves are
    /// tried until the first wrong proof is found.
    ///
    /// # Errors
    /// [`Error::Batch`], naming the first proof that is refused.
    pub fn verify_batch(
        &self,
        statements: &[Statement<'_, E>],
        rng: &mut impl CryptoRng,
    ) -> Result<(), Error> {
        let unsound = self.first_unsound(statements);
        let sound = unsound.as_ref().map_or(statements.len(), |(index, _)| *index);
        // `sound` is the place of a statement or the number of all, so that this is a part of them.
        if let Some(index) = self.first_invalid(statements.get(..sound).unwrap_or_default(), rng) {
            return Err(Error::Batch { index, reason: Box::new(Error::Invalid) });
        }
        match unsound {
            Some((index, reason)) => Err(Error::Batch { index, reason: Box::new(reason) }),
            None => Ok(()),
        }
    }

    /// The first statement with too few or too many inputs, or a point that proofs do not have.
    fn first_unsound(&self, statements: &[Statement<'_, E>]) -> Option<(usize, Error)> {
        let checked = statements.iter().map(|(public, _)| self.check_len(public)).enumerate();
        let len = checked.filter_map(|(index, checked)| Some((index, checked.err()?))).next();
        let proofs = || statements.iter().map(|(_, proof)| proof);
        let a = first_wrong::<E::G1>("A", &proofs().map(|proof| proof.a).collect::<Vec<_>>());
        let b = first_wrong::<E::G2>("B", &proofs().map(|proof| proof.b).collect::<Vec<_>>());
        let c = first_wrong::<E::G1>("C", &proofs().map(|proof| proof.c).collect::<Vec<_>>());
        [len, a, b, c].into_iter().flatten().min_by_key(|(index, _)| *index)
    }

    /// The first statement that is not true.
    fn first_invalid(
        &self,
        statements: &[Statement<'_, E>],
        rng: &mut impl CryptoRng,
    ) -> Option<usize> {
        if statements.is_empty() || self.all_hold(statements, rng) {
            return None;
        }
        let (mut start, mut end) = (0, statements.len());
        // Everything before `start` holds, and something before `end` does not.
        while end - start > 1 {
            let middle = start.midpoint(end);
            // In range, or all would hold of no statements: `start` is at most `middle`, and that before `end`.
            match self.all_hold(statements.get(start..middle).unwrap_or_default(), rng) {
                true => start = middle,
                false => end = middle,
            }
        }
        Some(start)
    }

    fn all_hold(&self, statements: &[Statement<'_, E>], rng: &mut impl CryptoRng) -> bool {
        let weights: Vec<u128> = statements.iter().map(|_| nonzero_short(rng)).collect();
        let scalars: Vec<_> = weights.iter().map(|&rho| ScalarOf::<E>::from_u128(rho)).collect();

        let mut a: Vec<Affine<E::G1>> = statements.iter().map(|(_, proof)| proof.a).collect();
        E::G1::scale_each(&mut a, &scalars);
        let pairs = a.into_iter().zip(statements).map(|(a, (_, proof))| (a.into(), proof.b.into()));

        // The weights of IC: Σ ρ_j for the constant wire, Σ ρ_j x_{j,i} for the others.
        let total: ScalarOf<E> = scalars.iter().copied().sum();
        let mut factors = vec![total; self.key.ic.len()];
        for (index, factor) in factors.iter_mut().skip(1).enumerate() {
            let inputs = statements.iter().zip(&scalars);
            let weighted = inputs.filter_map(|((public, _), &rho)| Some(rho * *public.get(index)?));
            *factor = weighted.sum();
        }
        let inputs = E::G1::msm_affine(&factors, &self.key.ic);

        let c: Vec<Affine<E::G1>> = statements.iter().map(|(_, proof)| proof.c).collect();
        let c = E::G1::msm_short_affine(&weights, &c);
        self.left_side(&pairs.collect::<Vec<_>>(), inputs, c) == self.alpha_beta * total
    }
}

/// The first point that is neutral or outside the subgroup.
fn first_wrong<G: CurveGroup>(name: &'static str, points: &[Affine<G>]) -> Option<(usize, Error)> {
    let outside = G::check_subgroup(points).err().map(PointError::index);
    let neutral = points.iter().position(G::is_affine_identity);
    let index = outside.into_iter().chain(neutral).min()?;
    Some((index, Error::ProofPoint { point: name }))
}

fn nonzero_short(rng: &mut impl CryptoRng) -> u128 {
    let mut bytes = [0; 16];
    rng.fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes).max(1)
}
