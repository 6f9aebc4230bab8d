//! Sigma proofs about discrete logarithms, made non-interactive by the transcript.
//!
//! | proof | shows |
//! |---|---|
//! | [`KnowledgeProof`] (Schnorr) | knowledge of `x_1..x_L` with `X_l = x_l·G` |
//! | [`EqualityProof`] (Chaum-Pedersen) | one `x` with `X = x·G` and `Y = x·B` |
//! | [`ExponentProof`] (Chaum-Pedersen) | one `x` with `Y_i = x·B_i` for N bases |
//!
//! A proof holds its announcements, such as `ω·G` for a random mask ω, and its response `z = ω − c·x`; the
//! challenge c is 64 bytes reduced modulo the group order. The transcript comes bound to the caller's
//! context. It absorbs the kind of proof, the group's name, bases and points, then the announcements.
//!
//! Masks are *hedged*: they come from a generator keyed by the transcript, the secret and the caller's randomness
//! together. So a caller that replays a seed gets the same proof of the same statement, but never the same mask under
//! two challenges, which would reveal the secret.
//!
//! Proving is constant time on ristretto255; verification is variable time.

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use crate::encode;

/// Schnorr's proof of knowledge of `x_1..x_L` with `X_l = x_l·G`, two elements whatever L is.
///
/// With `T = ω·G` and `z = ω − sum_l c^l·x_l` the equation is `T = z·G + sum_l c^l·X_l` (batch
/// Schnorr of Gennaro, Leigh, Sundaram and Yerazunis). L + 1 accepting challenges for one
/// announcement give every `x_l` through a Vandermonde matrix; the knowledge error is L/q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnowledgeProof<G: Group> {
    announcement: G,
    response: G::Scalar,
}

impl<G: Group> KnowledgeProof<G> {
    /// Bytes of an encoded proof.
    pub const ENCODED_LEN: usize = G::ENCODED_LEN + G::Scalar::ENCODED_LEN;

    /// Proves knowledge of the `secrets`, the logarithms of `points`.
    pub fn prove(
        transcript: &mut Transcript,
        points: &[G],
        secrets: &[G::Scalar],
        rng: &mut impl CryptoRng,
    ) -> Self {
        Self::absorb_statement(transcript, &encode_points(points));
        let mask = draw_mask::<G>(transcript, secrets, rng);
        Self::respond(transcript, secrets, &mask)
    }

    /// The same with a given mask, which must never serve another statement: two challenges to one mask give
    /// the secrets away.
    pub(crate) fn prove_masked(
        transcript: &mut Transcript,
        points: &[G],
        secrets: &[G::Scalar],
        mask: &G::Scalar,
    ) -> Self {
        Self::absorb_statement(transcript, &encode_points(points));
        Self::respond(transcript, secrets, mask)
    }

    fn respond(transcript: &mut Transcript, secrets: &[G::Scalar], mask: &G::Scalar) -> Self {
        let announcement = G::mul_generator(mask);
        let challenge = challenge(transcript, &[announcement]);
        // Σ c^l·x_l, l from 1 to L, by Horner's rule.
        let combined = Zeroizing::new(
            secrets.iter().rev().fold(G::Scalar::zero(), |sum, &secret| (sum + secret) * challenge),
        );
        Self { announcement, response: *mask - *combined }
    }

    /// Whether `T = z·G + sum_l c^l·X_l`.
    #[must_use]
    pub fn verify(&self, transcript: &mut Transcript, points: &[G]) -> bool {
        let mut coefficients = powers(self.challenge(transcript, points), points.len());
        coefficients.push(self.response);
        let bases: Vec<G> = points.iter().copied().chain([G::generator()]).collect();
        G::msm(&coefficients, &bases) == self.announcement
    }

    /// Whether many proofs of one logarithm each hold: the sum of their equations, with weights of 128 bits
    /// that are hashed from all of them. Every claim has the transcript with which its proof began.
    #[must_use]
    pub fn verify_all(claims: impl IntoIterator<Item = (Transcript, G, Self)>) -> bool {
        let mut weighing = Transcript::new(b"subrosa/sigma/knowledge/batch/v1");
        let (mut challenges, mut points, mut announcements) = (Vec::new(), Vec::new(), Vec::new());
        let mut responses = Vec::new();
        for (mut transcript, point, proof) in claims {
            challenges.push(proof.challenge(&mut transcript, &[point]));
            transcript.absorb(b"response", proof.response.encode().as_ref());
            weighing.absorb(b"claim", &transcript.challenge_wide(b"digest"));
            points.push(point);
            announcements.push(proof.announcement);
            responses.push(proof.response);
        }
        let weights = weighing.challenge_shorts(b"w", points.len());
        let mut basepoint = G::Scalar::zero();
        for ((challenge, response), &weight) in challenges.iter_mut().zip(responses).zip(&weights) {
            let weight = G::Scalar::from_u128(weight);
            *challenge *= weight;
            basepoint += response * weight;
        }
        let left = G::msm(&challenges, &points) + G::generator().mul(&basepoint);
        left == G::msm_short(&weights, &announcements)
    }

    /// The challenge that the transcript gives for `points` and this proof's announcement.
    fn challenge(&self, transcript: &mut Transcript, points: &[G]) -> G::Scalar {
        Self::challenge_of(transcript, &encode_points(points), &self.announcement.encode())
    }

    /// The challenge that the transcript gives for points and an announcement that are encoded already.
    pub(crate) fn challenge_of(
        transcript: &mut Transcript,
        points: &[u8],
        announcement: &[u8],
    ) -> G::Scalar {
        Self::absorb_statement(transcript, points);
        challenge_of(transcript, announcement)
    }

    pub(crate) fn new(announcement: G, response: G::Scalar) -> Self {
        Self { announcement, response }
    }

    pub(crate) fn announcement(&self) -> G {
        self.announcement
    }

    pub(crate) fn response(&self) -> G::Scalar {
        self.response
    }

    fn absorb_statement(transcript: &mut Transcript, points: &[u8]) {
        absorb_header::<G>(transcript, b"knowledge/v1");
        transcript.absorb(b"points", points);
    }
}

/// `X = x·G` and `Y = x·B`: two points with the same logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualityStatement<G: Group> {
    /// `X = x·G`.
    pub public: G,
    /// `B`.
    pub base: G,
    /// `Y = x·B`.
    pub image: G,
}

/// Chaum and Pedersen's proof that `log_G X = log_B Y`.
///
/// With `T_1 = ω·G`, `T_2 = ω·B` and `z = ω − c·x` the equations are `T_1 = c·X + z·G` and
/// `T_2 = c·Y + z·B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualityProof<G: Group> {
    announcements: [G; 2],
    response: G::Scalar,
}

impl<G: Group> EqualityProof<G> {
    /// Bytes of an encoded proof.
    pub const ENCODED_LEN: usize = 2 * G::ENCODED_LEN + G::Scalar::ENCODED_LEN;

    /// Proves a statement whose logarithm is `secret`.
    pub fn prove(
        transcript: &mut Transcript,
        statement: &EqualityStatement<G>,
        secret: &G::Scalar,
        rng: &mut impl CryptoRng,
    ) -> Self {
        Self::absorb_statement(transcript, statement);
        let mask = draw_mask::<G>(transcript, &[*secret], rng);
        let announcements = [G::mul_generator(&mask), statement.base.mul(&mask)];
        let challenge: G::Scalar = challenge(transcript, &announcements);
        Self { announcements, response: *mask - challenge * *secret }
    }

    /// Whether `T_1 = c·X + z·G` and `T_2 = c·Y + z·B`.
    #[must_use]
    pub fn verify(&self, transcript: &mut Transcript, statement: &EqualityStatement<G>) -> bool {
        Self::absorb_statement(transcript, statement);
        let coefficients = [challenge(transcript, &self.announcements), self.response];
        let EqualityStatement { public, base, image } = *statement;
        let [first, second] = self.announcements;
        G::msm(&coefficients, &[public, G::generator()]) == first
            && G::msm(&coefficients, &[image, base]) == second
    }

    fn absorb_statement(transcript: &mut Transcript, statement: &EqualityStatement<G>) {
        absorb_header::<G>(transcript, b"equality/v1");
        transcript.absorb(b"base", &statement.base.encode());
        transcript.absorb(b"points", &encode_points(&[statement.public, statement.image]));
    }
}

/// `Y_i = x·B_i`: N points with one logarithm, each to a base of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExponentStatement<G: Group, const N: usize> {
    /// `B_1..B_N`. The first must not be the neutral element, or the statement says nothing of x.
    pub bases: [G; N],
    /// `Y_1..Y_N`.
    pub images: [G; N],
}

/// Chaum and Pedersen's proof that N points have one logarithm, which the prover knows.
///
/// With `T_i = ω·B_i` and `z = ω − c·x` the equations are `T_i = c·Y_i + z·B_i`. The prover never folds them
/// into one: for a single pair of points some x with `Y = x·B` always exists, so that nothing would be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExponentProof<G: Group, const N: usize> {
    announcements: [G; N],
    response: G::Scalar,
}

impl<G: Group, const N: usize> ExponentProof<G, N> {
    /// Bytes of an encoded proof.
    pub const ENCODED_LEN: usize = N * G::ENCODED_LEN + G::Scalar::ENCODED_LEN;

    /// Proves a statement whose logarithm is `secret`.
    pub fn prove(
        transcript: &mut Transcript,
        statement: &ExponentStatement<G, N>,
        secret: &G::Scalar,
        rng: &mut impl CryptoRng,
    ) -> Self {
        Self::absorb_statement(transcript, statement);
        let mask = draw_mask::<G>(transcript, &[*secret], rng);
        let announcements = statement.bases.map(|base| base.mul(&mask));
        let challenge: G::Scalar = challenge(transcript, &announcements);
        Self { announcements, response: *mask - challenge * *secret }
    }

    /// Whether `T_i = c·Y_i + z·B_i` for every i.
    #[must_use]
    pub fn verify(&self, transcript: &mut Transcript, statement: &ExponentStatement<G, N>) -> bool {
        Self::absorb_statement(transcript, statement);
        let coefficients = [challenge(transcript, &self.announcements), self.response];
        let rows = statement.images.iter().zip(&statement.bases).zip(&self.announcements);
        let mut rows = rows.map(|((&image, &base), &t)| G::msm(&coefficients, &[image, base]) == t);
        rows.all(|holds| holds)
    }

    /// Verifies many proofs as one multi-scalar multiplication, each with its own statement and
    /// its own transcript, which is bound to the caller's context. Every equation has a 128-bit
    /// weight that depends on all the proofs: they are fixed by then, so that this folding, unlike one
    /// before the challenge, hides nothing. `false` does not say which proof fails.
    #[must_use]
    pub fn verify_all(
        claims: impl IntoIterator<Item = (Transcript, ExponentStatement<G, N>, Self)>,
    ) -> bool {
        let mut weights = Transcript::new(b"subrosa/shuffle/exponent/batch/v1");
        let mut rows = Vec::new();
        for (mut transcript, statement, proof) in claims {
            Self::absorb_statement(&mut transcript, &statement);
            let c: G::Scalar = challenge(&mut transcript, &proof.announcements);
            // The challenge is a hash of the whole statement and the announcements.
            weights.absorb(b"challenge", &c.encode());
            weights.absorb(b"response", &proof.response.encode());
            rows.push((c, statement, proof));
        }
        let weights = weights.challenge_shorts(b"weights", rows.len() * N);
        let (mut scalars, mut points, mut announcements) = (vec![], vec![], vec![]);
        // `chunks` panics on 0; with N = 0 there are no weights and nothing to add up.
        for ((c, statement, proof), weights) in rows.iter().zip(weights.chunks(N.max(1))) {
            let bases = statement.images.iter().zip(&statement.bases).zip(weights);
            for ((&image, &base), &weight) in bases {
                let weight = G::Scalar::from_u128(weight);
                scalars.extend([weight * *c, weight * proof.response]);
                points.extend([image, base]);
            }
            announcements.extend(proof.announcements);
        }
        G::msm(&scalars, &points) == G::msm_short(&weights, &announcements)
    }

    fn absorb_statement(transcript: &mut Transcript, statement: &ExponentStatement<G, N>) {
        absorb_header::<G>(transcript, b"exponent/v1");
        transcript.absorb(b"bases", &encode_points(&statement.bases));
        transcript.absorb(b"points", &encode_points(&statement.images));
    }
}

impl<G: Group> Encode for KnowledgeProof<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.announcement.encode());
        out.extend_from_slice(&self.response.encode());
    }
}

impl<G: Group> Decode for KnowledgeProof<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let announcement = encode::point(reader, "announcement of a proof of knowledge")?;
        let response = encode::scalar::<G>(reader, "response of a proof of knowledge")?;
        Ok(Self { announcement, response })
    }
}

impl<G: Group> Encode for EqualityProof<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&encode_points(&self.announcements));
        out.extend_from_slice(&self.response.encode());
    }
}

impl<G: Group> Decode for EqualityProof<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut announcement = || encode::point(reader, "announcement of a proof of equality");
        let announcements = [announcement()?, announcement()?];
        let response = encode::scalar::<G>(reader, "response of a proof of equality")?;
        Ok(Self { announcements, response })
    }
}

impl<G: Group, const N: usize> Encode for ExponentProof<G, N> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&encode_points(&self.announcements));
        out.extend_from_slice(&self.response.encode());
    }
}

impl<G: Group, const N: usize> Decode for ExponentProof<G, N> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut announcements = [G::identity(); N];
        for announcement in &mut announcements {
            *announcement = encode::point(reader, "announcement of a proof of one exponent")?;
        }
        let response = encode::scalar::<G>(reader, "response of a proof of one exponent")?;
        Ok(Self { announcements, response })
    }
}

/// `c, c^2, .., c^count`.
pub(crate) fn powers<S: Scalar>(c: S, count: usize) -> Vec<S> {
    std::iter::successors(Some(c), |&power| Some(power * c)).take(count).collect()
}

/// The encodings of a few points; long lists go through [`Group::encode_all`].
pub(crate) fn encode_points<G: Group>(points: &[G]) -> Vec<u8> {
    points.iter().flat_map(Group::encode).collect()
}

fn absorb_header<G: Group>(transcript: &mut Transcript, kind: &[u8]) {
    transcript.absorb(b"sigma", kind);
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"generator", &G::encoded_generator());
}

fn challenge<G: Group>(transcript: &mut Transcript, announcements: &[G]) -> G::Scalar {
    challenge_of(transcript, &encode_points(announcements))
}

fn challenge_of<S: Scalar>(transcript: &mut Transcript, announcements: &[u8]) -> S {
    transcript.absorb(b"announcements", announcements);
    S::from_wide(&transcript.challenge_wide(b"c"))
}

/// A hedged mask, from the transcript as it is after the statement.
fn draw_mask<G: Group>(
    transcript: &Transcript,
    secrets: &[G::Scalar],
    rng: &mut impl CryptoRng,
) -> Zeroizing<G::Scalar> {
    let keyed = secrets.iter().fold(transcript.build_rng(), |builder, secret| {
        builder.rekey_with_witness_bytes(b"secret", Zeroizing::new(secret.encode()).as_ref())
    });
    Zeroizing::new(G::Scalar::random(&mut keyed.finalize(rng)))
}
