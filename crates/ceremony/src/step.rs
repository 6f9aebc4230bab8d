//! One secret of a contribution: the point that it multiplied, and the proof that its maker knows it.
//!
//! Schnorr's proof for `after = x·before`. The base is the point before, and `[x]` itself is never published. That
//! matters if nobody may have the generator times a secret (the `[α]₁` of Sonic).

use algebra::{Affine, CurveGroup, Scalar};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use crate::{Error, Relation, equations::random_weight, kernels};

/// `after = x·before`, with `T = k·before` and `z = k + c·x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step<G: CurveGroup> {
    pub after: Affine<G>,
    commitment: Affine<G>,
    response: G::Scalar,
}

impl<G: CurveGroup> Step<G> {
    /// Multiplies and proves. What the proof is to be bound to has been absorbed.
    pub fn prove(
        transcript: &mut Transcript,
        before: &Affine<G>,
        secret: &G::Scalar,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Self {
        let base: G = (*before).into();
        let after = kernels::to_affine(base.mul(secret));
        absorb_statement::<G>(transcript, before, &after);
        // The mask depends on the whole statement: a generator that is used again for another one
        // gives another mask.
        let keyed = Zeroizing::new(secret.encode());
        let mask = transcript.build_rng().rekey_with_witness_bytes(b"secret", keyed.as_ref());
        let mask = Zeroizing::new(G::Scalar::random(&mut mask.finalize(&mut &mut *rng)));
        let commitment = kernels::to_affine(base.mul(&mask));
        let challenge = challenge::<G>(transcript, &commitment);
        Self { after, commitment, response: *mask + challenge * *secret }
    }

    /// What the verifier has to check, alone or in a batch. The transcript is in the state that it had for the prover.
    pub fn claim(
        &self,
        transcript: &mut Transcript,
        before: &Affine<G>,
        index: usize,
        relation: Relation,
    ) -> Claim<G> {
        absorb_statement::<G>(transcript, before, &self.after);
        let challenge = challenge::<G>(transcript, &self.commitment);
        Claim {
            index,
            relation,
            scalars: [self.response, -challenge, -G::Scalar::one()],
            points: [*before, self.after, self.commitment],
        }
    }
}

fn absorb_statement<G: CurveGroup>(
    transcript: &mut Transcript,
    before: &Affine<G>,
    after: &Affine<G>,
) {
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"before", &Into::<G>::into(*before).encode());
    transcript.absorb(b"after", &Into::<G>::into(*after).encode());
}

fn challenge<G: CurveGroup>(transcript: &mut Transcript, commitment: &Affine<G>) -> G::Scalar {
    transcript.absorb(b"T", &Into::<G>::into(*commitment).encode());
    G::Scalar::from_wide(&transcript.challenge_wide(b"c"))
}

/// `z·before − c·after − T = 0`, and whose it is.
pub(crate) struct Claim<G: CurveGroup> {
    index: usize,
    relation: Relation,
    scalars: [G::Scalar; 3],
    points: [Affine<G>; 3],
}

/// Requires that all claims hold, as one sum with random weights of 128 bits, and that none is of a
/// secret 1.
///
/// # Errors
/// [`Error::Contribution`] or [`Error::Idle`], naming the first that does not.
pub(crate) fn check<G: CurveGroup>(
    claims: &[Claim<G>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    let points: Vec<_> = claims.iter().flat_map(|claim| claim.points).collect();
    let weighted = |claim: &Claim<G>| {
        let weight = G::Scalar::from_u128(random_weight(rng));
        claim.scalars.map(|scalar| scalar * weight)
    };
    let scalars: Vec<_> = claims.iter().flat_map(weighted).collect();
    if G::msm_affine(&scalars, &points).is_identity() {
        let idle = claims.iter().find(|Claim { points: [before, after, _], .. }| before == after);
        let idle =
            idle.map(|claim| Error::Idle { index: claim.index, secret: claim.relation.secret() });
        return idle.map_or(Ok(()), Err);
    }
    let wrong = |claim: &&Claim<G>| !G::msm_affine(&claim.scalars, &claim.points).is_identity();
    match claims.iter().find(wrong) {
        Some(&Claim { index, relation, .. }) => Err(Error::Contribution { index, relation }),
        None => Ok(()),
    }
}

impl<G: CurveGroup> Encode for Step<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(Into::<G>::into(self.after).encode());
        out.extend(Into::<G>::into(self.commitment).encode());
        out.extend(self.response.encode());
    }
}

impl<G: CurveGroup> Decode for Step<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let after = point::<G>(reader, "point")?;
        let commitment = point::<G>(reader, "commitment")?;
        let response = G::Scalar::decode(&reader.array()?);
        let response = response.map_err(|error| DecodeError::invalid("response", error))?;
        Ok(Self { after, commitment, response })
    }
}

/// A point of the group, not the neutral one.
pub(crate) fn point<G: CurveGroup>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Affine<G>, DecodeError> {
    let point = G::decode(reader.take(G::ENCODED_LEN)?);
    let point = point.map_err(|error| DecodeError::invalid(what, error))?;
    match point.is_identity() {
        true => Err(DecodeError::invalid(what, "the point at infinity is not allowed here")),
        false => Ok(kernels::to_affine(point)),
    }
}
