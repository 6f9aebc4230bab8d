//! Proving.

use algebra::{AffineGroup, Engine, Group, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{Error, PreparedVerifyingKey, Proof, ProvingKey, to_affine};

impl<E: Engine> ProvingKey<E> {
    /// A proof that the prover knows the private wires of `witness`, all wires in their order; the
    /// public ones are the statement.
    ///
    /// The proof is verified before it is handed out.
    ///
    /// # Errors
    /// [`Error::WitnessLen`], [`Error::WireOne`]; [`Error::Unsatisfied`] if the witness does not
    /// satisfy the circuit; those of [`PreparedVerifyingKey::new`].
    pub fn prove(
        &self,
        witness: &[ScalarOf<E>],
        rng: &mut impl CryptoRng,
    ) -> Result<Proof<E>, Error> {
        if witness.len() != self.wires {
            return Err(Error::WitnessLen { expected: self.wires, got: witness.len() });
        }
        if witness.first() != Some(&ScalarOf::<E>::one()) {
            return Err(Error::WireOne);
        }
        let verifier = PreparedVerifyingKey::new(&self.verifying_key)?;
        let proof = self.prove_unchecked(witness, rng);
        // The witness has all wires of the key; with too few inputs `verify` would refuse.
        let public = witness.get(1..=self.public()).unwrap_or_default();
        verifier.verify(public, &proof).map_err(|_| Error::Unsatisfied)?;
        Ok(proof)
    }

    fn prove_unchecked(&self, z: &[ScalarOf<E>], rng: &mut impl CryptoRng) -> Proof<E> {
        let r = Zeroizing::new(ScalarOf::<E>::random(rng));
        let s = Zeroizing::new(ScalarOf::<E>::random(rng));
        self.prove_with(z, &r, &s)
    }

    /// The proof with these blindings.
    pub(crate) fn prove_with(
        &self,
        z: &[ScalarOf<E>],
        r: &ScalarOf<E>,
        s: &ScalarOf<E>,
    ) -> Proof<E> {
        let (a, b, b_g1) = self.blinded_sums(z, r, s, true);
        let c = self.private_sum(z) + self.quotient(z) + a.mul(s) + b_g1.mul(r)
            - self.delta_times(&(*r * *s));
        Proof { a: to_affine(&a), b: to_affine(&b), c: to_affine(&c) }
    }

    /// `A = α + u(τ) + rδ`, `B = β + v(τ) + sδ`, and B's counterpart in G1. Without α and β they are
    /// linear in the wires and the blindings.
    pub(crate) fn blinded_sums(
        &self,
        z: &[ScalarOf<E>],
        r: &ScalarOf<E>,
        s: &ScalarOf<E>,
        with_constants: bool,
    ) -> (E::G1, E::G2, E::G1) {
        let key = &self.verifying_key;
        let a = self.delta_times(r) + self.a.sum(z);
        let b = E::G2::from_affine(&key.delta_g2).mul(s) + self.b_g2.sum(z);
        let b_g1 = self.delta_times(s) + self.b_g1.sum(z);
        match with_constants {
            true => (
                a.add_precomputed(&key.alpha_g1),
                b.add_precomputed(&key.beta_g2),
                b_g1.add_precomputed(&self.beta_g1),
            ),
            false => (a, b, b_g1),
        }
    }

    /// `Σ z_i [(βu_i + αv_i + w_i)(τ)/δ]₁` over the private wires.
    pub(crate) fn private_sum(&self, z: &[ScalarOf<E>]) -> E::G1 {
        self.k.sum(z)
    }

    /// `factor·[δ]₁`.
    pub(crate) fn delta_times(&self, factor: &ScalarOf<E>) -> E::G1 {
        E::G1::from_affine(&self.delta_g1).mul(factor)
    }
}
