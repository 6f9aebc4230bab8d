//! The prover.

use std::iter::repeat;

use algebra::{Engine, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{
    super::{
        error::Error,
        field::Point,
        laurent::Laurent,
        prove::{as_read, blind, constraint_polynomial},
    },
    key::{VerifyingKey, exponents},
    permutation::Permutation,
    product::Product,
    proof::{Multiplying, Openings, Permuting, Proof, Rounds, Values, weighted},
    rewrite::DEGREE,
    srs::Srs,
    system::{PermutedSystem, from_power_1, in_x, shape},
    verify::{Statement, verify},
};

/// Proves that a witness (the values of all wires of the rank-1 constraint system, one first, then
/// the public ones) satisfies the circuit. Everything about the witness is erased afterwards.
///
/// Multi-scalar multiplications of some `65n` terms in all for `n` gates of the rewritten circuit, in
/// variable time.
///
/// The proof is verified as its bytes will be read before it is handed out: under a malformed reference
/// string it would tell small wires.
///
/// # Errors
/// [`Error::Unsatisfied`] if it does not; [`Error::WitnessLength`]; [`Error::Circuit`] if the key is
/// not of this circuit and this reference string; [`Error::Malformed`].
pub fn prove<E: Engine>(
    srs: &Srs<E>,
    system: &PermutedSystem<ScalarOf<E>>,
    key: &VerifyingKey<E>,
    witness: &[ScalarOf<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Proof<E>, Error> {
    key.check(srs, system)?;
    let r = blind(shape(system.gates()), &system.assign(witness)?, rng);
    // The public wires are among those of the witness, whose number `assign` has checked.
    let inputs = witness.get(1..=system.public()).unwrap_or_default();
    let (commit, bound) = (|f: &Laurent<_>| srs.base().commit(f), |f: &Laurent<_>| srs.bound(f));
    let prover = Prover { srs, system, key, commit, bound };
    let proof = prover.prove(inputs, &r, |y| system.signatures(y))?;
    as_read(&proof, |proof| verify(key, Statement { inputs, proof }, rng))
}

/// A prover and what it goes by.
pub(super) struct Prover<'a, E: Engine, C, B> {
    pub srs: &'a Srs<E>,
    pub system: &'a PermutedSystem<ScalarOf<E>>,
    pub key: &'a VerifyingKey<E>,
    /// How to commit to what must not have a constant term: an honest prover refuses if it has.
    pub commit: C,
    /// How to show that there are no powers but those from 0 to `N`.
    pub bound: B,
}

impl<E: Engine, C, B> Prover<'_, E, C, B>
where
    C: Fn(&Laurent<ScalarOf<E>>) -> Result<E::G1, Error>,
    B: Fn(&Laurent<ScalarOf<E>>) -> Result<[E::G1; 2], Error>,
{
    /// Proves about `r(X, 1)`, with the parts of `s_1(X, y)`.
    pub fn prove(
        &self,
        inputs: &[ScalarOf<E>],
        r: &Laurent<ScalarOf<E>>,
        signatures: impl FnOnce(&Point<ScalarOf<E>>) -> [Laurent<ScalarOf<E>>; DEGREE],
    ) -> Result<Proof<E>, Error> {
        let base = self.srs.base();
        let gates = self.system.gates();
        let mut rounds = Rounds::new(self.key.statement(inputs));

        let r_commitment = base.commit_bounded(r)?;
        let y = rounds.after_r::<E>(&r_commitment)?;

        let parts = signatures(&y);
        let signatures = self.commit_all(&parts)?;
        let s = in_x(gates, &parts, &y);
        let k = self.system.constants(&y, inputs);
        let mut t = constraint_polynomial(r, &y, &s, k)?;
        let t_commitment = (self.commit)(&t)?;
        let permuting = rounds.after_signatures::<E>(&signatures, &t_commitment)?;

        let products = self.products(&parts, &y, &permuting)?;
        let quotients = products.each_ref().map(Product::quotient);
        let quotient_commitments = self.commit_all(&quotients)?;
        let bounds = (self.bound)(&combine(weighted(permuting.delta, &parts)))?;
        let multiplying = rounds.after_quotients::<E>(&quotient_commitments, &bounds)?;

        let argument = self.argument(&products, &multiplying)?;
        let product = (self.commit)(&argument)?;
        let zeta = rounds.after_product::<E>(&product)?;

        // Values, and openings at all points.
        let Permuting { z, beta, .. } = permuting;
        let Multiplying { w, rho } = multiplying;
        let permutations = self.system.permutations();
        let numerators = each(&parts, permutations, |part, permutation| {
            combine([(Scalar::one(), part), (beta, &from_power_1(exponents(permutation)))])
        });
        let denominators = permutations
            .each_ref()
            .map(|permutation| from_power_1(permutation.factors.iter().copied()));
        let kappas = products.each_ref().map(|product| product.difference(&w).evaluate(&zeta));
        let quotients = weighted(rho, quotients.iter().zip(kappas));
        let quotients = quotients.map(|(power, (quotient, kappa))| (power * kappa, quotient));
        let quotient = combine(quotients);
        let sum = combine(weighted(Scalar::one(), &parts));
        let (zy, w_zeta) = (z.times(&y), w.times(&zeta));
        let yw_zeta = w_zeta.times(&y);
        let zeta_inverse = Point { value: zeta.inverse, inverse: zeta.value };
        let (b, at_zy) = base.open(r, &zy)?;
        let (quotients, at_zeta_inverse) = base.open(&quotient, &zeta_inverse)?;
        let values = Values {
            a: r.evaluate(&z),
            b,
            s1: sum.evaluate(&z),
            numerators: numerators.each_ref().map(|f| f.evaluate(&w_zeta)),
            denominators: denominators.each_ref().map(|f| f.evaluate(&yw_zeta)),
            quotients,
        };
        let mu = rounds.after_values(&values)?;
        // t(X, y) ends at X^{3n}, s_1(X, y) at X^{3n+1}.
        t = t.extended(sum.high());
        t.add_scaled(r, mu);
        t.add_scaled(&sum, mu * mu);
        let open = |f: &Laurent<_>, at| base.open(f, at).map(|(_, opening)| opening);
        let openings = Openings {
            at_z: open(&t, &z)?,
            at_zy,
            at_w_zeta: open(&combine(weighted(mu, &numerators)), &w_zeta)?,
            at_yw_zeta: open(&combine(weighted(mu, &denominators)), &yw_zeta)?,
            at_zeta_inverse,
            at_zeta: open(&argument, &zeta)?,
        };
        Ok(Proof {
            r: r_commitment,
            signatures,
            t: t_commitment,
            quotients: quotient_commitments,
            bounds,
            product,
            values,
            openings,
        })
    }

    fn commit_all(&self, all: &[Laurent<ScalarOf<E>>; DEGREE]) -> Result<[E::G1; DEGREE], Error> {
        let [one, two, three] = all.each_ref().map(|f| self.srs.base().commit(f));
        Ok([one?, two?, three?])
    }

    /// `Π (S_{j,i} + βσ_j(i) + γ)` over `Π (ψ_{j,i} y^i + βi + γ)`.
    fn products(
        &self,
        parts: &[Laurent<ScalarOf<E>>; DEGREE],
        y: &Point<ScalarOf<E>>,
        permuting: &Permuting<ScalarOf<E>>,
    ) -> Result<[Product<ScalarOf<E>>; DEGREE], Error> {
        let Permuting { beta, gamma, .. } = permuting;
        let powers = y.powers(1, self.system.size());
        let product = |part: &Laurent<_>, permutation: &Permutation<_>| {
            let tags = exponents(permutation).map(|exponent| *beta * exponent + *gamma);
            let coefficients = part.coefficients().iter().skip(1);
            let numerators = coefficients.zip(tags.chain(repeat(Scalar::zero())));
            let numerators = numerators.map(|(&s, tag)| s + tag);
            let terms = permutation.factors.iter().zip(&powers).zip(1..);
            let denominators = terms.map(|((&factor, &power), index)| {
                factor * power + *beta * Scalar::from_u64(index) + *gamma
            });
            Product::new(numerators.collect(), denominators.collect())
        };
        let [one, two, three] = each(parts, self.system.permutations(), product);
        Ok([one?, two?, three?])
    }

    fn argument(
        &self,
        products: &[Product<ScalarOf<E>>; DEGREE],
        multiplying: &Multiplying<ScalarOf<E>>,
    ) -> Result<Laurent<ScalarOf<E>>, Error> {
        let [one, two, three] = products.each_ref().map(|product| product.argument(&multiplying.w));
        Ok(combine(weighted(multiplying.rho, &[one?, two?, three?])))
    }
}

fn each<A, B, T>(left: &[A; DEGREE], right: &[B; DEGREE], f: impl Fn(&A, &B) -> T) -> [T; DEGREE] {
    let ([a, b, c], [d, e, g]) = (left, right);
    [f(a, d), f(b, e), f(c, g)]
}

/// `Σ weight · f`.
fn combine<'a, S: Scalar>(terms: impl IntoIterator<Item = (S, &'a Laurent<S>)>) -> Laurent<S> {
    let mut terms = terms.into_iter();
    let Some((weight, first)) = terms.next() else { return Laurent::new(0, Vec::new()) };
    let mut sum = Laurent::new(first.low(), vec![S::zero(); first.coefficients().len()]);
    sum.add_scaled(first, weight);
    terms.for_each(|(weight, f)| sum.add_scaled(f, weight));
    sum
}
