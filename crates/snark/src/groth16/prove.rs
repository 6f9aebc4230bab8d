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
        let public = witness.get(1..=self.public()).unwrap_or_default();
        verifier.verify(public, &proof).map_err(|_| Error::Unsatisfied)?;
        Ok(proof)
    }

    fn prove_unchecked(&self, z: &[ScalarOf<E>], rng: &mut impl CryptoRng) -> Proof<E> {
        let r = Zeroizing::new(ScalarOf::<E>::random(rng));
        let s = Zeroizing::new(ScalarOf::<E>::random(rng));
        let key = &self.verifying_key;
        let delta = E::G1::from_affine(&self.delta_g1);

        let a = delta.mul(&r).add_precomputed(&key.alpha_g1) + self.a.sum(z);
        let b = E::G2::from_affine(&key.delta_g2).mul(&s).add_precomputed(&key.beta_g2)
            + self.b_g2.sum(z);
        let b_g1 = delta.mul(&s).add_precomputed(&self.beta_g1) + self.b_g1.sum(z);

        let c = self.k.sum(z) + self.quotient(z) + a.mul(&s) + b_g1.mul(&r) - delta.mul(&(*r * *s));
        Proof { a: to_affine(&a), b: to_affine(&b), c: to_affine(&c) }
    }
}
