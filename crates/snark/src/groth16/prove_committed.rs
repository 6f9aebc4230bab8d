//! Proofs whose public inputs stay in a commitment: the prover's part.

use algebra::{AffineGroup, Engine, Group, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{CommittedProof, CommittingKey, Error, Proof, ProvingKey, to_affine};

impl<E: Engine> ProvingKey<E> {
    /// The verification key with `[δ]₁`.
    pub fn committing_key(&self) -> CommittingKey<E> {
        CommittingKey { verifying_key: self.verifying_key.clone(), delta_g1: self.delta_g1 }
    }

    /// [`ProvingKey::prove`] with the public inputs in a commitment, and its blinding `v`.
    ///
    /// # Errors
    /// Those of [`ProvingKey::prove`] and of [`CommittingKey::prepare`].
    pub fn prove_committed(
        &self,
        witness: &[ScalarOf<E>],
        rng: &mut impl CryptoRng,
    ) -> Result<(CommittedProof<E>, Zeroizing<ScalarOf<E>>), Error> {
        let key = self.committing_key();
        key.prepare()?;
        let Proof { a, b, c } = self.prove(witness, rng)?;
        let blinding = Zeroizing::new(ScalarOf::<E>::random(rng));
        // `prove` has verified a proof with these inputs, so that they are there.
        let mut opening =
            Zeroizing::new(witness.get(1..=self.public()).unwrap_or_default().to_vec());
        opening.push(*blinding);
        let commitment = E::G1::msm(&opening, &key.bases());
        let c = E::G1::from_affine(&c) - E::G1::mul_generator(&blinding);
        let proof = Proof { a, b, c: to_affine(&c) };
        Ok((CommittedProof { commitment, proof }, blinding))
    }
}
