//! One proof that every ciphertext of a list was multiplied by an exponent that the prover knows.
//!
//! The paper proves `PK{(r, b): eb = b·E + r·(G, pk)}` item by item. Here a server proves it for
//! the whole list, in the way of the commitment-consistent proof of shuffle: it commits to all
//! exponents as one vector, `B = s·H + Σ b_i·H_i`, *then* weights δ_i are hashed, and it proves
//!
//! `PK{(s, b, t): B = s·H + Σ b_i·H_i, Σ δ_i·eb_i = Σ b_i·(δ_i·E_i) + t·(G, pk)}`.
//!
//! Extraction gives one vector b whatever the weights, or a relation among hashed generators; so
//! every `eb_i − b_i·E_i` is an encryption of 0, except with probability 2^-128 per hash query.
//! Three announcements and one response an item, where item-wise proofs need four of each.

use algebra::{FixedBaseTable, Group, Scalar, inner_product};
use rand_core::CryptoRng;
use shuffle::{Ciphertext, Column, PublicKey, ReEncryptor, encode, tw::Generators};
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use super::bases::{F, G1};

/// The proof: `B`, announcements `T_B, T_1, T_2`, responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExponentsProof {
    commitment: G1,
    announcements: [G1; 3],
    opening: F,
    randomness: F,
    exponents: Vec<F>,
}

/// One server's images with their proof, and a transcript bound to pass and server.
pub(super) struct ExponentsClaim<'a> {
    pub(super) transcript: Transcript,
    pub(super) images: &'a Column<G1>,
    pub(super) proof: &'a ExponentsProof,
}

/// What all servers multiply, each with its own exponents.
#[derive(Clone, Copy)]
pub(super) struct Multiplicand<'a> {
    pub(super) key: &'a PublicKey<G1>,
    pub(super) generators: &'a Generators<G1>,
    /// `E_1..E_n`.
    pub(super) list: &'a Column<G1>,
}

impl Multiplicand<'_> {
    /// `b_i·E_i + r_i·(G, pk)` for every i, with the proof. The transcript is bound to pass and
    /// server.
    pub(super) fn multiply(
        &self,
        transcript: &mut Transcript,
        exponents: &[F],
        rng: &mut impl CryptoRng,
    ) -> (Column<G1>, ExponentsProof) {
        let n = self.list.len();
        let fresh = Zeroizing::new(F::random_many(n, rng));
        let re_encryptor = ReEncryptor::new(self.key);
        let [c1, c2] = self.list.components().map(|list| scaled(list.points(), exponents));
        let pairs = c1.into_iter().zip(c2);
        let mut multiplied: Vec<_> = pairs.map(|(c1, c2)| Ciphertext { c1, c2 }).collect();
        re_encryptor.re_encrypt_all(&mut multiplied, &fresh);
        let images = Column::new(&multiplied);

        let opening = Zeroizing::new(F::random(rng));
        let commit = |scalars: &[F], blinding: &F| -> G1 {
            let sum = G1::msm(scalars, self.generators.list(n));
            self.generators.blinding().add_mul(sum, blinding)
        };
        let commitment = commit(exponents, &opening);
        let weights = self.weigh(transcript, &images, &commitment);
        let masks = Zeroizing::new(F::random_many(n, rng));
        let (opening_mask, randomness_mask) = (F::random(rng), F::random(rng));
        let weighted: Vec<F> = masks
            .iter()
            .zip(&weights)
            .map(|(&mask, &weight)| mask * F::from_u128(weight))
            .collect();
        let [c1, c2] = self.list.components().map(|list| G1::msm(&weighted, list.points()));
        let announcements = [
            commit(&masks, &opening_mask),
            c1 + G1::mul_generator(&randomness_mask),
            c2 + self.key.point().mul(&randomness_mask),
        ];
        let c = challenge(transcript, &announcements);
        let weights: Vec<F> = weights.into_iter().map(F::from_u128).collect();
        let respond = |(&mask, &b): (&F, &F)| mask - c * b;
        let proof = ExponentsProof {
            commitment,
            announcements,
            opening: opening_mask - c * *opening,
            randomness: randomness_mask - c * inner_product(&fresh, &weights),
            exponents: masks.iter().zip(exponents).map(respond).collect(),
        };
        (images, proof)
    }

    /// The position of the first claim whose images are not multiples with exponents that their
    /// author knows. Equations of all claims are merged, with weights that depend on all proofs:
    /// the list and the generators are the same for all. If the sum fails, claims are checked one
    /// by one.
    pub(super) fn first_false(&self, claims: &[ExponentsClaim<'_>]) -> Option<usize> {
        let n = self.list.len();
        let fits = |claim: &ExponentsClaim<'_>| {
            claim.images.len() == n && claim.proof.exponents.len() == n
        };
        if let Some(position) = claims.iter().position(|claim| !fits(claim)) {
            return Some(position);
        }
        if self.hold(claims) {
            return None;
        }
        claims.iter().position(|claim| !self.hold(std::slice::from_ref(claim)))
    }

    fn hold(&self, claims: &[ExponentsClaim<'_>]) -> bool {
        let n = self.list.len();
        let mut weighing = Transcript::new(b"subrosa/trace/db/exponents/batch/v1");
        let mut rows = Vec::new();
        for ExponentsClaim { transcript, images, proof } in claims {
            let mut transcript = transcript.clone();
            let weights = self.weigh(&mut transcript, images, &proof.commitment);
            let c = challenge(&mut transcript, &proof.announcements);
            transcript.absorb(b"responses", &proof.response_bytes());
            weighing.absorb(b"claim", &transcript.challenge_wide(b"digest"));
            rows.push((weights, c));
        }
        let mut sum = G1::identity();
        let (mut generators, mut first, mut second) =
            (vec![F::zero(); n], vec![F::zero(); n], vec![F::zero(); n]);
        let (mut blinding, mut basepoint, mut key) = (F::zero(), F::zero(), F::zero());
        for (ExponentsClaim { images, proof, .. }, (weights, c)) in claims.iter().zip(rows) {
            let y: [F; 3] = std::array::from_fn(|_| F::from_u128(weighing.challenge_short(b"y")));
            let [y_b, y_1, y_2] = y;
            for ((&z, &weight), ((g, e1), e2)) in proof
                .exponents
                .iter()
                .zip(&weights)
                .zip(generators.iter_mut().zip(&mut first).zip(&mut second))
            {
                let weighted = z * F::from_u128(weight);
                *g += y_b * z;
                *e1 += y_1 * weighted;
                *e2 += y_2 * weighted;
            }
            blinding += y_b * proof.opening;
            basepoint += y_1 * proof.randomness;
            key += y_2 * proof.randomness;
            let [i1, i2] = images.components().map(|list| G1::msm_short(&weights, list.points()));
            let [t_b, t_1, t_2] = proof.announcements;
            sum += G1::msm(
                &[y_b * c, y_1 * c, y_2 * c, -y_b, -y_1, -y_2],
                &[proof.commitment, i1, i2, t_b, t_1, t_2],
            );
        }
        let [e1, e2] = self.list.components().map(|list| list.points());
        sum += G1::msm(&generators, self.generators.list(n))
            + G1::msm(&first, e1)
            + G1::msm(&second, e2)
            + self.generators.blinding().mul(&blinding)
            + self.generators.basepoint().mul(&basepoint)
            + self.key.point().mul(&key);
        sum.is_identity()
    }

    /// Absorbs the statement, then gives δ.
    fn weigh(
        &self,
        transcript: &mut Transcript,
        images: &Column<G1>,
        commitment: &G1,
    ) -> Vec<u128> {
        transcript.absorb(b"proof", b"exponents/v1");
        transcript.absorb(b"group", G1::NAME.as_bytes());
        transcript.absorb(b"generators", Generators::<G1>::LABEL);
        transcript.absorb(b"pk", &self.key.point().encode());
        for list in self.list.components().into_iter().chain(images.components()) {
            transcript.absorb(b"list", list.encoding());
        }
        transcript.absorb(b"B", &commitment.encode());
        transcript.challenge_shorts(b"delta", self.list.len())
    }
}

fn challenge(transcript: &mut Transcript, announcements: &[G1; 3]) -> F {
    transcript.absorb(b"announcements", &G1::encode_all(announcements));
    F::from_wide(&transcript.challenge_wide(b"c"))
}

/// `scalars_i · points_i`, in bulk and variable time: for one-time scalars.
pub(super) fn scaled(points: &[G1], scalars: &[F]) -> Vec<G1> {
    use algebra::AffineGroup;
    let mut points = G1::to_affine_all(points);
    G1::scale_each(&mut points, scalars);
    points.iter().map(G1::from_affine).collect()
}

/// `scalars_i · base` added to `start_i`.
pub(super) fn add_multiples(
    mut start: Vec<G1>,
    base: &FixedBaseTable<G1>,
    scalars: &[F],
) -> Vec<G1> {
    base.add_mul_all(&mut start, scalars);
    start
}

impl ExponentsProof {
    fn response_bytes(&self) -> Vec<u8> {
        let mut bytes = F::encode_all(&[self.opening, self.randomness]);
        bytes.extend(F::encode_all(&self.exponents));
        bytes
    }

    /// Reads a proof about n items.
    pub(super) fn decode(reader: &mut Reader<'_>, n: usize) -> Result<Self, DecodeError> {
        let mut point = |what| encode::point(reader, what);
        let commitment = point("B")?;
        let announcements = [point("T_B")?, point("T_1")?, point("T_2")?];
        let mut scalar = |what| encode::scalar::<G1>(reader, what);
        let (opening, randomness) = (scalar("z_s")?, scalar("z_t")?);
        let exponents = encode::scalars::<G1>(reader, "z_b", n)?;
        Ok(Self { commitment, announcements, opening, randomness, exponents })
    }
}

/// `B, T_B, T_1, T_2, z_s, z_t, (z_b)`; the number of items is written outside.
impl Encode for ExponentsProof {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.commitment.encode());
        out.extend(G1::encode_all(&self.announcements));
        out.extend(self.response_bytes());
    }
}
