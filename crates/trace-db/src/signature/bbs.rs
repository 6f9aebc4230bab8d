//! BBS+ signatures on committed values (1.2; Au, Susilo and Mu 2006).
//!
//! On a commitment `γ = v·G + r·H` the querier makes the quasi-signature
//! `S = (x + c)^{-1}·(F + r̂·H + γ)`; with the committer's r it is the signature `(S, c, r̂ + r)`
//! on v. The numbers c and r̂ are public and chosen by nobody: they are hashed from the key and
//! the item, so that they need not be sent and a querier cannot tag with them.

use std::ops::Range;

use algebra::{AffineGroup, Bls12381, Group, Pairing, Scalar};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::first_failing;
use crate::bases::{F, G1, G2, bases};

/// A querier's signing key x for one pass; erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct BbsKey {
    x: F,
}

/// The public numbers of one item's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BbsNumbers {
    pub(crate) c: F,
    pub(crate) r_hat: F,
}

/// The numbers of items 0..n under a key: hashes of context, key and item, made after the key, so
/// that `x + c ≠ 0` but with negligible probability.
pub(crate) fn numbers(context: &[u8], key: &G2, n: usize) -> Vec<BbsNumbers> {
    let mut transcript = Transcript::new(b"subrosa/trace/db/bbs/numbers/v1");
    transcript.absorb(b"context", context);
    transcript.absorb(b"y", &key.encode());
    let wides = transcript.challenge_wides(b"c, r", n.saturating_mul(2));
    let pair = |[c, r]: &[[u8; 64]; 2]| BbsNumbers { c: F::from_wide(c), r_hat: F::from_wide(r) };
    wides.as_chunks::<2>().0.iter().map(pair).collect()
}

impl BbsKey {
    /// Draws a key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        loop {
            let x = F::random(rng);
            if x != F::zero() {
                return Self { x };
            }
        }
    }

    /// `y = x·G2` and `Y = x·G`.
    pub fn public(&self) -> (G2, G1) {
        (G2::mul_generator(&self.x), G1::mul_generator(&self.x))
    }

    /// Quasi-signatures on commitments; `None` if `x + c = 0` for one of them. Variable time: the
    /// key lives for one pass.
    pub(crate) fn sign_all(&self, numbers: &[BbsNumbers], commitments: &[G1]) -> Option<Vec<G1>> {
        let mut inverses: Vec<F> = numbers.iter().map(|number| self.x + number.c).collect();
        if inverses.contains(&F::zero()) {
            return None;
        }
        F::batch_invert(&mut inverses);
        let mut points = G1::to_affine_all(&messages(numbers, commitments));
        G1::scale_each(&mut points, &inverses);
        inverses.zeroize();
        Some(points.iter().map(G1::from_affine).collect())
    }

    pub(crate) fn scalar(&self) -> &F {
        &self.x
    }
}

/// `F + r̂·H + γ` for every item.
fn messages(numbers: &[BbsNumbers], commitments: &[G1]) -> Vec<G1> {
    let mut messages: Vec<G1> = commitments.iter().map(|&gamma| bases().f + gamma).collect();
    let r_hat: Vec<F> = numbers.iter().map(|number| number.r_hat).collect();
    bases().h.add_mul_all(&mut messages, &r_hat);
    messages
}

/// A whole BBS+ signature on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BbsSignature {
    /// `S`.
    pub point: G1,
    /// `c`.
    pub c: F,
    /// `r`.
    pub r: F,
}

impl BbsSignature {
    /// Whether `e(S, y + c·G2) = e(F + v·G + r·H, G2)`.
    pub fn verify(&self, key: &G2, value: &F) -> bool {
        let message = bases().h.add_mul(bases().g.add_mul(bases().f, value), &self.r);
        let key = *key + G2::mul_generator(&self.c);
        Bls12381::is_neutral(&[(self.point, key), (-message, G2::generator())])
    }
}

/// Quasi-signatures with what they are on.
pub(crate) struct BbsStatement<'a> {
    /// What the weights are bound to beside the rest.
    pub(crate) context: &'a [u8],
    pub(crate) key: &'a G2,
    /// `Y`, which has to be `x·G` for the x of the key.
    pub(crate) image: &'a G1,
    pub(crate) numbers: &'a [BbsNumbers],
    pub(crate) commitments: &'a [G1],
    pub(crate) signatures: &'a [G1],
}

impl BbsStatement<'_> {
    /// Whether `e(Y, G2) = e(G, y)`: once a pass.
    pub(crate) fn image_holds(&self) -> bool {
        Bls12381::is_neutral(&[(*self.image, G2::generator()), (-G1::generator(), *self.key)])
    }

    /// The position of the first quasi-signature that is not valid; `None` if all are, and as many
    /// as there are commitments.
    /// `e(Σ δ_i S_i, y) · e(Σ δ_i (c_i S_i − F − r̂_i H − γ_i), G2) = 1`.
    pub(crate) fn first_invalid(&self) -> Option<usize> {
        let lengths = [self.numbers.len(), self.commitments.len(), self.signatures.len()];
        let [expected, ..] = lengths;
        if lengths.iter().any(|&length| length != expected) {
            // Of three lengths one is the least.
            return Some(lengths.into_iter().min().unwrap_or(0));
        }
        let mut transcript = Transcript::new(b"subrosa/trace/db/bbs/v1");
        transcript.absorb(b"context", self.context);
        transcript.absorb(b"y", &self.key.encode());
        let (c, r): (Vec<F>, Vec<F>) = self.numbers.iter().map(|n| (n.c, n.r_hat)).unzip();
        transcript.absorb(b"c", &F::encode_all(&c));
        transcript.absorb(b"r", &F::encode_all(&r));
        transcript.absorb(b"commitments", &G1::encode_all(self.commitments));
        transcript.absorb(b"signatures", &G1::encode_all(self.signatures));
        let weights = transcript.challenge_shorts(b"delta", expected);
        first_failing(0..expected, &|range| self.holds(&weights, range))
    }

    fn holds(&self, weights: &[u128], range: Range<usize>) -> bool {
        let parts = (
            weights.get(range.clone()),
            self.numbers.get(range.clone()),
            self.commitments.get(range.clone()),
            self.signatures.get(range),
        );
        // Of what is missing nothing holds: empty sums would be neutral.
        let (Some(weights), Some(numbers), Some(commitments), Some(signatures)) = parts else {
            return false;
        };
        let full: Vec<F> = weights.iter().map(|&weight| F::from_u128(weight)).collect();
        let weighted = |number: fn(&BbsNumbers) -> F| -> Vec<F> {
            full.iter().zip(numbers).map(|(&weight, n)| weight * number(n)).collect()
        };
        let left = G1::msm_short(weights, signatures);
        let right = G1::msm(&weighted(|n| n.c), signatures)
            - bases().f.mul(&full.iter().copied().sum())
            - bases().h.mul(&weighted(|n| n.r_hat).into_iter().sum())
            - G1::msm_short(weights, commitments);
        Bls12381::is_neutral(&[(left, *self.key), (right, G2::generator())])
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn quasi_signatures_become_signatures_and_bad_ones_are_named() {
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        let n = 5;
        let (values, blindings) = (F::random_many(n, &mut rng), F::random_many(n, &mut rng));
        let commitments: Vec<G1> = values
            .iter()
            .zip(&blindings)
            .map(|(v, r)| bases().h.add_mul(bases().g.mul(v), r))
            .collect();
        let key = BbsKey::generate(&mut rng);
        let (y, image) = key.public();
        let numbers = numbers(b"test", &y, n);
        let signatures = key.sign_all(&numbers, &commitments).unwrap();
        let check = |image: &G1, numbers: &[BbsNumbers], signatures: &[G1]| {
            let statement = BbsStatement {
                context: b"test",
                key: &y,
                image,
                numbers,
                commitments: &commitments,
                signatures,
            };
            (statement.image_holds(), statement.first_invalid())
        };
        assert_eq!(check(&image, &numbers, &signatures), (true, None));
        assert_eq!(check(&image.double(), &numbers, &signatures), (false, None));
        assert_eq!(check(&image, &numbers, &signatures[1..]).1, Some(n - 1));
        for bad in 0..n {
            let mut forged = signatures.clone();
            forged[bad] = forged[bad].double();
            assert_eq!(check(&image, &numbers, &forged).1, Some(bad));
            let mut other = numbers.clone();
            other[bad].r_hat += F::one();
            assert_eq!(check(&image, &other, &signatures).1, Some(bad));

            let BbsNumbers { c, r_hat } = numbers[bad];
            let signature = BbsSignature { point: signatures[bad], c, r: r_hat + blindings[bad] };
            assert!(signature.verify(&y, &values[bad]));
            assert!(!signature.verify(&y, &(values[bad] + F::one())));
            assert!(!BbsSignature { c: c + F::one(), ..signature }.verify(&y, &values[bad]));
            assert!(!BbsSignature { r: r_hat, ..signature }.verify(&y, &values[bad]));
        }
    }
}
