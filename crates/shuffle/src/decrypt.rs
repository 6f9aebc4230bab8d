//! Threshold decryption: t trustees open a list of ciphertexts, each with one proof for the list.
//!
//! Trustee j publishes `D_i = x_j·c1_i` for every ciphertext and one [`EqualityProof`] that
//! `log_G X_j = log_A B` with `A = sum_i w_i·c1_i` and `B = sum_i w_i·D_i`. The 128-bit weights
//! `w_i` are squeezed after all `c1_i` and all `D_i`: one wrong `D_i` is found out except with
//! probability 2^-128 per hash query. Any t partial decryptions give
//! `M_i = c2_i − sum_j λ_j·D_{j,i}`, `λ_j = prod_{m ≠ j} m/(m − j)`.
//!
//! The transcript absorbs, in this order: the label `subrosa/shuffle/decrypt/v1`, the group's
//! name, the context, the digest of the key set, all `c1_i`; the trustee's index, `X_j`, all
//! `D_i`. `D_i` is computed in constant time on ristretto255.

use std::collections::BTreeMap;

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    PointList,
    dkg::{KeySet, KeyShare},
    elgamal::Ciphertext,
    encode,
    sigma::{EqualityProof, EqualityStatement},
    threshold_error::ThresholdError,
};

/// The largest number of ciphertexts in one partial decryption.
pub const MAX_CIPHERTEXTS: usize = 1 << 26;

/// A trustee's message: all `D_i` and the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialDecryption<G: Group> {
    trustee: u16,
    points: PointList<G>,
    proof: EqualityProof<G>,
}

impl<G: Group> PartialDecryption<G> {
    /// The author j.
    pub fn trustee(&self) -> u16 {
        self.trustee
    }
}

/// A partial decryption that was verified, or made here, for one [`Decryption`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPartial<G: Group> {
    message: PartialDecryption<G>,
    decryption: [u8; 64],
}

impl<G: Group> VerifiedPartial<G> {
    /// The message, to be published.
    pub fn message(&self) -> &PartialDecryption<G> {
        &self.message
    }
}

/// One list of ciphertexts, to be decrypted under one key set for one purpose.
pub struct Decryption<'a, G: Group> {
    keys: &'a KeySet<G>,
    ciphertexts: &'a [Ciphertext<G>],
    first_components: Vec<G>,
    transcript: Transcript,
    id: [u8; 64],
}

impl<'a, G: Group> Decryption<'a, G> {
    /// Sets out to decrypt `ciphertexts` (several columns follow one another). `context` names the
    /// study and what the list is.
    pub fn new(keys: &'a KeySet<G>, ciphertexts: &'a [Ciphertext<G>], context: &[u8]) -> Self {
        let first_components: Vec<G> = ciphertexts.iter().map(|c| c.c1).collect();
        let mut transcript = Transcript::new(b"subrosa/shuffle/decrypt/v1");
        transcript.absorb(b"group", G::NAME.as_bytes());
        transcript.absorb(b"context", context);
        let keys_digest = Digest::of("shuffle/keys", &keys.to_bytes());
        transcript.absorb(b"keys", keys_digest.as_bytes());
        transcript.absorb(b"c1", &G::encode_all(&first_components));
        let id = transcript.clone().challenge_wide(b"id");
        Self { keys, ciphertexts, first_components, transcript, id }
    }

    /// Computes all `D_i = x_j·c1_i` and the proof.
    ///
    /// # Errors
    /// [`ThresholdError::ForeignSecret`] if the share is not of this key set.
    pub fn decrypt_partially(
        &self,
        share: &KeyShare<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<VerifiedPartial<G>, ThresholdError> {
        share.check(self.keys)?;
        let (trustee, secret) = (share.trustee(), share.scalar());
        let points = PointList::new(G::mul_all(&self.first_components, secret));
        let (mut transcript, weights) = self.weigh(trustee, &points)?;
        let base = G::msm_short(&weights, &self.first_components);
        let public = *self.keys.verification_key(trustee)?;
        // x_j·A equals B, the weighted sum of the D_i, and is much cheaper.
        let statement = EqualityStatement { public, base, image: base.mul(secret) };
        let proof = EqualityProof::prove(&mut transcript, &statement, secret, rng);
        let message = PartialDecryption { trustee, points, proof };
        Ok(VerifiedPartial { message, decryption: self.id })
    }

    /// Verifies a trustee's message: one point per ciphertext, and the proof holds.
    ///
    /// # Errors
    /// [`ThresholdError::UnknownTrustee`], [`ThresholdError::PartialLength`] or
    /// [`ThresholdError::PartialProof`].
    pub fn verify_partial(
        &self,
        message: PartialDecryption<G>,
    ) -> Result<VerifiedPartial<G>, ThresholdError> {
        let trustee = message.trustee;
        let public = *self.keys.verification_key(trustee)?;
        let (expected, got) = (self.ciphertexts.len(), message.points.len());
        if got != expected {
            return Err(ThresholdError::PartialLength { trustee, expected, got });
        }
        let (mut transcript, weights) = self.weigh(trustee, &message.points)?;
        let base = G::msm_short(&weights, &self.first_components);
        let image = G::msm_short(&weights, message.points.points());
        let statement = EqualityStatement { public, base, image };
        if !message.proof.verify(&mut transcript, &statement) {
            return Err(ThresholdError::PartialProof { trustee });
        }
        Ok(VerifiedPartial { message, decryption: self.id })
    }

    /// The messages of all ciphertexts, from the partial decryptions of at least t trustees. Which
    /// trustees they are makes no difference.
    ///
    /// # Errors
    /// [`ThresholdError::ForeignPartial`], [`ThresholdError::RepeatedPartial`] or
    /// [`ThresholdError::TooFewPartials`].
    pub fn combine(&self, partials: &[VerifiedPartial<G>]) -> Result<Vec<G>, ThresholdError> {
        let mut points = BTreeMap::new();
        for VerifiedPartial { message, decryption } in partials {
            let trustee = message.trustee;
            if *decryption != self.id {
                return Err(ThresholdError::ForeignPartial { trustee });
            }
            if points.insert(trustee, message.points.points()).is_some() {
                return Err(ThresholdError::RepeatedPartial { trustee });
            }
        }
        let (needed, got) = (self.keys.threshold().into(), points.len());
        if got < needed {
            return Err(ThresholdError::TooFewPartials { needed, got });
        }
        let (trustees, lists): (Vec<u16>, Vec<&[G]>) = points.into_iter().take(needed).unzip();
        let coefficients = lagrange_at_zero::<G::Scalar>(&trustees);
        let small: Option<Vec<_>> = coefficients.iter().map(SmallInteger::of).collect();
        let message = |(i, ciphertext): (usize, &Ciphertext<G>)| {
            let row: Vec<G> = lists.iter().filter_map(|list| list.get(i).copied()).collect();
            let combined = match &small {
                Some(small) => SmallInteger::combine(small, &row),
                None => G::msm(&coefficients, &row),
            };
            ciphertext.c2 - combined
        };
        Ok(self.ciphertexts.par_iter().enumerate().map(message).collect())
    }

    /// The transcript after a trustee's points, and the weights it gives.
    fn weigh(
        &self,
        trustee: u16,
        points: &PointList<G>,
    ) -> Result<(Transcript, Vec<u128>), ThresholdError> {
        let mut transcript = self.transcript.clone();
        transcript.absorb_u64(b"trustee", trustee.into());
        transcript.absorb(b"X", &self.keys.verification_key(trustee)?.encode());
        transcript.absorb(b"D", points.encoding());
        let weights = transcript.challenge_shorts(b"w", points.len());
        Ok((transcript, weights))
    }
}

/// `λ_j = prod_{m ≠ j} m/(m − j)`, by which `f(0) = sum_j λ_j·f(j)`.
fn lagrange_at_zero<S: Scalar>(indices: &[u16]) -> Vec<S> {
    let scalars: Vec<S> = indices.iter().map(|&index| S::from_u64(index.into())).collect();
    let product = |j: S, factor: &dyn Fn(S) -> S| {
        let others = scalars.iter().filter(|&&m| m != j);
        others.fold(S::one(), |product, &m| product * factor(m))
    };
    let mut coefficients: Vec<S> = scalars.iter().map(|&j| product(j, &|m| m - j)).collect();
    S::batch_invert(&mut coefficients);
    let numerators = scalars.iter().map(|&j| product(j, &|m| m));
    coefficients.iter_mut().zip(numerators).for_each(|(c, numerator)| *c *= numerator);
    coefficients
}

/// A coefficient that is a small integer, as all are when trustees 1..=n decrypt together:
/// `λ_j = (−1)^{j−1}·C(n, j)`.
struct SmallInteger {
    negative: bool,
    magnitude: u64,
}

impl SmallInteger {
    fn of<S: Scalar>(coefficient: &S) -> Option<Self> {
        let magnitude = |scalar: S| {
            let bytes = scalar.encode();
            let (low, high) = bytes.split_first_chunk::<8>()?;
            high.iter().all(|&byte| byte == 0).then(|| u64::from_le_bytes(*low))
        };
        let positive = magnitude(*coefficient).map(|m| Self { negative: false, magnitude: m });
        positive.or_else(|| magnitude(-*coefficient).map(|m| Self { negative: true, magnitude: m }))
    }

    /// `sum_j λ_j·P_j`, by as many doublings as the longest coefficient has bits.
    fn combine<G: Group>(coefficients: &[Self], points: &[G]) -> G {
        let length = |coefficient: &Self| u64::BITS - coefficient.magnitude.leading_zeros();
        // Without coefficients the sum is neutral.
        let bits = coefficients.iter().map(length).max().unwrap_or(0);
        (0..bits).rev().fold(G::identity(), |sum, bit| {
            let terms = coefficients.iter().zip(points);
            let terms = terms.filter(|(coefficient, _)| coefficient.magnitude >> bit & 1 == 1);
            terms.fold(sum.double(), |sum, (coefficient, &point)| match coefficient.negative {
                true => sum - point,
                false => sum + point,
            })
        })
    }
}

/// Trustee, 32-bit count of points, the points, the proof.
impl<G: Group> Encode for PartialDecryption<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.trustee.encode(out);
        (self.points.len() as u32).encode(out);
        out.extend_from_slice(self.points.encoding());
        self.proof.encode(out);
    }
}

impl<G: Group> Decode for PartialDecryption<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let trustee = reader.u16()?;
        let count = reader.count("points of a partial decryption", MAX_CIPHERTEXTS)?;
        let points = encode::point_list(reader, "point of a partial decryption", count)?;
        Ok(Self { trustee, points, proof: EqualityProof::decode(reader)? })
    }
}
