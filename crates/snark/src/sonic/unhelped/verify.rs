//! The verifier: field operations for each public input, a fixed number of group operations, six
//! Miller loops.

use algebra::{Engine, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{
    super::{
        accumulator::{Base, Equation, Opening, check},
        error::{Claim, Error},
        field::Point,
    },
    key::VerifyingKey,
    proof::{Multiplying, Permuting, Proof, Rounds, weighted},
    srs::BoundedSrs,
    system::{evaluate, sums},
};
use crate::sonic::system::public_constants;

/// A proof about the circuit of a key.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a, E: Engine> {
    /// The public inputs, outputs first, without the constant one.
    pub inputs: &'a [ScalarOf<E>],
    /// The proof.
    pub proof: &'a Proof<E>,
}

/// Checks a proof. `rng` draws the weights under which its equations are checked together.
///
/// # Errors
/// [`Error::False`] if it does not hold, [`Error::Inputs`], [`Error::Challenge`].
pub fn verify<E: Engine>(
    key: &VerifyingKey<E>,
    statement: Statement<'_, E>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    verify_batch(key, &[statement], rng)
}

/// Checks many proofs about one circuit, with six Miller loops in all.
///
/// # Errors
/// As [`verify`], naming the first proof that does not hold.
pub fn verify_batch<E: Engine>(
    key: &VerifyingKey<E>,
    statements: &[Statement<'_, E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    let mut equations = Vec::with_capacity(8 * statements.len());
    for (index, statement) in statements.iter().enumerate() {
        let (expected, got) = (key.public(), statement.inputs.len());
        if expected != got {
            return Err(Error::Inputs { index, expected, got });
        }
        let checker = Checker::new(key, index, *statement)?;
        equations.extend(checker.constraint_system()?.map(|opening| opening.equation()));
        equations.extend(checker.products()?.map(|opening| opening.equation()));
        equations.extend(checker.bounds());
    }
    check(&key.srs.bases(), &equations, rng)
}

/// A proof with all its challenges.
struct Checker<'a, E: Engine> {
    key: &'a VerifyingKey<E>,
    index: usize,
    statement: Statement<'a, E>,
    y: Point<ScalarOf<E>>,
    permuting: Permuting<ScalarOf<E>>,
    multiplying: Multiplying<ScalarOf<E>>,
    zeta: Point<ScalarOf<E>>,
    mu: ScalarOf<E>,
}

impl<'a, E: Engine> Checker<'a, E> {
    fn new(
        key: &'a VerifyingKey<E>,
        index: usize,
        statement: Statement<'a, E>,
    ) -> Result<Self, Error> {
        let proof = statement.proof;
        let mut rounds = Rounds::new(key.statement(statement.inputs));
        Ok(Self {
            key,
            index,
            statement,
            y: rounds.after_r::<E>(&proof.r)?,
            permuting: rounds.after_signatures::<E>(&proof.signatures, &proof.t)?,
            multiplying: rounds.after_quotients::<E>(&proof.quotients, &proof.bounds)?,
            zeta: rounds.after_product::<E>(&proof.product)?,
            mu: rounds.after_values(&proof.values)?,
        })
    }

    /// `T`, `R` and `Σ S_j` at `z`, `R` at `zy`: gates and linear constraints hold, if the `S_j` are
    /// the circuit's.
    fn constraint_system(&self) -> Result<[Opening<E>; 2], Error> {
        let proof = self.statement.proof;
        let (values, y, z) = (&proof.values, &self.y, &self.permuting.z);
        let gates = self.key.gates as usize;
        let s = evaluate(gates, values.s1, z, y)?;
        let t = values.a * (values.b + s) - public_constants(gates, y, self.statement.inputs);
        let (one, mu, claim) = (ScalarOf::<E>::one(), self.mu, Claim::Proof { index: self.index });
        let mut commitments =
            vec![(one, proof.t, Base::ONE), (mu, proof.r, BoundedSrs::<E>::SHIFT)];
        commitments.extend(proof.signatures.map(|s| (mu * mu, s, Base::ONE)));
        let at_z = Opening {
            claim,
            witness: proof.openings.at_z,
            point: z.value,
            value: t + mu * values.a + mu * mu * values.s1,
            other: None,
            commitments,
        };
        let at_zy = Opening {
            claim,
            witness: proof.openings.at_zy,
            point: z.value * y.value,
            value: values.b,
            other: None,
            commitments: vec![(one, proof.r, BoundedSrs::<E>::SHIFT)],
        };
        Ok([at_z, at_zy])
    }

    /// The `S_j` have the coefficients of the key's `P_2` at `yX`, in the order of its `P_4`.
    fn products(&self) -> Result<[Opening<E>; 4], Error> {
        let proof = self.statement.proof;
        let (values, openings) = (&proof.values, &proof.openings);
        let (zeta, mu) = (&self.zeta, self.mu);
        let Permuting { beta, gamma, .. } = self.permuting;
        let Multiplying { w, rho } = self.multiplying;
        let size = self.key.size();
        let w_zeta = w.times(zeta);

        // A_j(wζ), B_j(wζ), and from them κ_j.
        let (ones, indices) = sums(&w_zeta, size)?;
        let last = w.pow(size + 1);
        let sides = values.numerators.iter().zip(&values.denominators);
        let kappas: Vec<_> = sides
            .map(|(&numerator, &denominator)| {
                let numerator = numerator + gamma * ones;
                let denominator = denominator + beta * indices + gamma * ones;
                denominator - zeta.inverse * numerator + last * zeta.pow(size)
            })
            .collect();
        // Σ ρ^j ((1 + C_j(ζ^{−1})) κ_j − w^{N+1}).
        let constant: ScalarOf<E> =
            weighted(rho, &kappas).map(|(power, &kappa)| power * (kappa - last)).sum();

        let claim = Claim::Permutation { index: self.index };
        let opening = |witness, point, value, commitments: Vec<_>| {
            let whole = |(factor, commitment)| (factor, commitment, Base::ONE);
            let commitments = commitments.into_iter().map(whole).collect();
            Opening { claim, witness, point, value, other: None, commitments }
        };
        let combined = |list: &[ScalarOf<E>]| -> ScalarOf<E> {
            weighted(mu, list).map(|(power, &value)| power * value).sum()
        };
        let permuted = weighted(mu, proof.signatures.iter().zip(&self.key.permutations));
        let permuted = permuted.flat_map(|(power, (&signature, permutation))| {
            [(power, signature), (power * beta, permutation.rows)]
        });
        let factors = weighted(mu, &self.key.permutations);
        let factors = factors.map(|(power, permutation)| (power, permutation.factors));
        let quotients = weighted(rho, proof.quotients.iter().zip(&kappas));
        let quotients = quotients.map(|(power, (&quotient, &kappa))| (power * kappa, quotient));
        Ok([
            opening(
                openings.at_w_zeta,
                w_zeta.value,
                combined(&values.numerators),
                permuted.collect(),
            ),
            opening(
                openings.at_yw_zeta,
                w_zeta.value * self.y.value,
                combined(&values.denominators),
                factors.collect(),
            ),
            opening(openings.at_zeta_inverse, zeta.inverse, values.quotients, quotients.collect()),
            opening(
                openings.at_zeta,
                zeta.value,
                values.quotients + constant,
                vec![(ScalarOf::<E>::one(), proof.product)],
            ),
        ])
    }

    /// The `S_j` have no powers but those from 1 to `N`: `e(F, [1]₂) = e(L, [αx^d]₂)` for
    /// `L = [x^{−d} f(x)]₁`, and `e(F, [1]₂) = e(H, [αx^{N−d}]₂)` for `H = [x^{d−N} f(x)]₁`.
    fn bounds(&self) -> [Equation<E>; 2] {
        let proof = self.statement.proof;
        let [low, high] = proof.bounds;
        [(BoundedSrs::<E>::HIGHEST, low), (BoundedSrs::<E>::LOWEST, high)].map(|(base, point)| {
            let signatures = weighted(self.permuting.delta, proof.signatures);
            let mut terms = vec![(base, ScalarOf::<E>::one(), point)];
            terms.extend(signatures.map(|(power, signature)| (Base::ONE, -power, signature)));
            let claim = Claim::Powers { index: self.index };
            Equation { claim, terms, generator: ScalarOf::<E>::zero() }
        })
    }
}
