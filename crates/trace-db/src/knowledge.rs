//! One proof for many points over the same bases: Schnorr's proof of representations, batched.

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use shuffle::encode;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Encode, Reader};

use super::bases::{F, G1};

/// That the prover knows, for every l, scalars `s_{l,1}..s_{l,W}` with
/// `P_{l,e} = Σ_w s_{l,w}·B_{e,w}` in all E equations. Its size does not depend on how many l
/// there are.
///
/// With `T_e = Σ_w ω_w·B_{e,w}` and `z_w = ω_w − Σ_l c^l·s_{l,w}` the equations are
/// `T_e = Σ_w z_w·B_{e,w} + Σ_l c^l·P_{l,e}` (batch Schnorr of Gennaro, Leigh, Sundaram and
/// Yerazunis). L + 1 accepting challenges give all scalars through a Vandermonde matrix; the
/// knowledge error is L/q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepresentationProof<const E: usize, const W: usize> {
    announcements: [G1; E],
    responses: [F; W],
}

/// `B_{e,w}` and all `P_{·,e}`.
#[derive(Clone, Copy)]
pub(super) struct Representations<'a, const E: usize, const W: usize> {
    pub(super) bases: [[G1; W]; E],
    pub(super) points: [&'a [G1]; E],
}

impl<const E: usize, const W: usize> RepresentationProof<E, W> {
    /// Proves a statement; `secrets` holds `s_{·,w}` for every w. The transcript is bound to the
    /// caller's context.
    pub(super) fn prove(
        transcript: &mut Transcript,
        statement: &Representations<'_, E, W>,
        secrets: [&[F]; W],
        rng: &mut impl CryptoRng,
    ) -> Self {
        statement.absorb(transcript);
        let masks: [F; W] = std::array::from_fn(|_| F::random(rng));
        let announcements = statement.bases.map(|bases| G1::msm(&masks, &bases));
        let c = challenge(transcript, &announcements);
        let mut responses = masks;
        for (response, secrets) in responses.iter_mut().zip(secrets) {
            *response -= secrets.iter().rev().fold(F::zero(), |sum, &secret| (sum + secret) * c);
        }
        Self { announcements, responses }
    }

    /// Whether all equations hold.
    #[must_use]
    pub(super) fn verify(
        &self,
        transcript: &mut Transcript,
        statement: &Representations<'_, E, W>,
    ) -> bool {
        let count = statement.points.first().map_or(0, |points| points.len());
        if statement.points.iter().any(|points| points.len() != count) {
            return false;
        }
        statement.absorb(transcript);
        let c = challenge(transcript, &self.announcements);
        let powers: Vec<F> =
            std::iter::successors(Some(c), |&power| Some(power * c)).take(count).collect();
        let rows = statement.bases.iter().zip(statement.points).zip(&self.announcements);
        let mut rows = rows.map(|((bases, points), announcement)| {
            G1::msm(&self.responses, bases) + G1::msm(&powers, points) == *announcement
        });
        rows.all(|holds| holds)
    }
}

impl<const E: usize, const W: usize> Representations<'_, E, W> {
    fn absorb(&self, transcript: &mut Transcript) {
        transcript.absorb(b"proof", b"representations/v1");
        transcript.absorb(b"group", G1::NAME.as_bytes());
        transcript.absorb(b"bases", &G1::encode_all(self.bases.as_flattened()));
        for points in self.points {
            transcript.absorb(b"points", &G1::encode_all(points));
        }
    }
}

fn challenge(transcript: &mut Transcript, announcements: &[G1]) -> F {
    transcript.absorb(b"announcements", &G1::encode_all(announcements));
    F::from_wide(&transcript.challenge_wide(b"c"))
}

/// Announcements, then responses.
impl<const E: usize, const W: usize> Encode for RepresentationProof<E, W> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&G1::encode_all(&self.announcements));
        out.extend_from_slice(&F::encode_all(&self.responses));
    }
}

impl<const E: usize, const W: usize> Decode for RepresentationProof<E, W> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (mut announcements, mut responses) = ([G1::identity(); E], [F::zero(); W]);
        for announcement in &mut announcements {
            *announcement = encode::point(reader, "announcement of a representation")?;
        }
        for response in &mut responses {
            *response = encode::scalar::<G1>(reader, "response of a representation")?;
        }
        Ok(Self { announcements, responses })
    }
}
