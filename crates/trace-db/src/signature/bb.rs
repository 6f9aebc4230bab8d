//! Boneh-Boyen signatures: `σ = (x + v)^{-1}·G`, `y = x·G2` (1.2; Boneh and Boyen 2004).

use std::ops::Range;

use algebra::{Bls12381, Group, Pairing, Scalar};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::first_failing;
use crate::bases::{F, G1, G2, bases};

/// A querier's signing key x for one pass; erased when dropped. With one key for two passes the
/// servers would hold valid signatures on both sets.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct BbKey {
    x: F,
}

impl BbKey {
    /// Draws a key that can sign all of `values`.
    pub fn generate(values: &[F], rng: &mut impl CryptoRng) -> Self {
        loop {
            let x = F::random(rng);
            if x != F::zero() && values.iter().all(|&v| x + v != F::zero()) {
                return Self { x };
            }
        }
    }

    /// `y = x·G2`.
    pub fn public(&self) -> G2 {
        G2::mul_generator(&self.x)
    }

    /// `σ_j = (x + v_j)^{-1}·G` for every value; one inversion for all. Variable time: the key
    /// lives for one pass.
    pub fn sign_all(&self, values: &[F]) -> Vec<G1> {
        let mut inverses: Vec<F> = values.iter().map(|&v| self.x + v).collect();
        F::batch_invert(&mut inverses);
        let signatures = bases().g.mul_all(&inverses);
        inverses.zeroize();
        signatures
    }

    pub(crate) fn scalar(&self) -> &F {
        &self.x
    }
}

/// Signatures with what they are on.
pub(crate) struct BbStatement<'a> {
    /// What the weights are bound to beside the rest.
    pub(crate) context: &'a [u8],
    pub(crate) key: &'a G2,
    pub(crate) values: &'a [F],
    pub(crate) signatures: &'a [G1],
}

impl BbStatement<'_> {
    /// The position of the first signature that is not valid; `None` if all are, and as many as
    /// there are values. `e(Σ δ_j σ_j, y) · e(Σ δ_j (v_j σ_j − G), G2) = 1`.
    pub(crate) fn first_invalid(&self) -> Option<usize> {
        if self.values.len() != self.signatures.len() {
            return Some(self.values.len().min(self.signatures.len()));
        }
        let mut transcript = Transcript::new(b"subrosa/trace/db/bb/v1");
        transcript.absorb(b"context", self.context);
        transcript.absorb(b"y", &self.key.encode());
        transcript.absorb(b"values", &F::encode_all(self.values));
        transcript.absorb(b"signatures", &G1::encode_all(self.signatures));
        let weights = transcript.challenge_shorts(b"delta", self.signatures.len());
        first_failing(0..weights.len(), &|range| self.holds(&weights, range))
    }

    fn holds(&self, weights: &[u128], range: Range<usize>) -> bool {
        let parts = (
            weights.get(range.clone()),
            self.values.get(range.clone()),
            self.signatures.get(range),
        );
        // Of what is missing nothing holds: empty sums would be neutral.
        let (Some(weights), Some(values), Some(signatures)) = parts else { return false };
        let full: Vec<F> = weights.iter().map(|&weight| F::from_u128(weight)).collect();
        let weighted: Vec<F> = full.iter().zip(values).map(|(&w, &v)| w * v).collect();
        let left = G1::msm_short(weights, signatures);
        let right = G1::msm(&weighted, signatures) - bases().g.mul(&full.into_iter().sum());
        Bls12381::is_neutral(&[(left, *self.key), (right, G2::generator())])
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn a_batch_holds_and_names_the_signature_that_does_not() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        for n in [0, 1, 2, 7] {
            let values = F::random_many(n, &mut rng);
            let key = BbKey::generate(&values, &mut rng);
            let (y, signatures) = (key.public(), key.sign_all(&values));
            let check = |key: &G2, values: &[F], signatures: &[G1]| {
                BbStatement { context: b"test", key, values, signatures }.first_invalid()
            };
            assert_eq!(check(&y, &values, &signatures), None);
            for bad in 0..n {
                let mut forged = signatures.clone();
                forged[bad] += G1::generator();
                assert_eq!(check(&y, &values, &forged), Some(bad));
                let mut other = values.clone();
                other[bad] += F::one();
                assert_eq!(check(&y, &other, &signatures), Some(bad));
            }
            if n > 0 {
                assert_eq!(check(&y.double(), &values, &signatures), Some(0));
                assert_eq!(check(&y, &values, &signatures[1..]), Some(n - 1));
            }
        }
    }
}
