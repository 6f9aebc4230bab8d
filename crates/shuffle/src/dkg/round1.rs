//! Round 1: every trustee commits to a polynomial and publishes a transport key.

use std::collections::BTreeMap;

use algebra::{Group, Scalar};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{DkgParams, MAX_TRUSTEES, RoundMessage, enough_dealers, keep_valid, sort_by_author};
use crate::{
    elgamal::SecretKey,
    encode,
    sigma::{KnowledgeProof, encode_points},
    threshold_error::ThresholdError,
};

/// What a trustee keeps to itself: the polynomial `f_i` and the transport key's logarithm, erased
/// when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct TrusteeSecrets<G: Group> {
    trustee: u16,
    coefficients: Vec<G::Scalar>,
    transport: SecretKey<G>,
}

impl<G: Group> TrusteeSecrets<G> {
    /// Whose secrets these are.
    pub fn trustee(&self) -> u16 {
        self.trustee
    }

    /// `f_i(j)`.
    pub(super) fn share_for(&self, recipient: u16) -> Zeroizing<G::Scalar> {
        let x = G::Scalar::from_u64(recipient.into());
        let horner = |sum: G::Scalar, &coefficient| sum * x + coefficient;
        Zeroizing::new(self.coefficients.iter().rev().fold(G::Scalar::zero(), horner))
    }

    pub(super) fn transport(&self) -> &SecretKey<G> {
        &self.transport
    }
}

/// The message of round 1: `C_{i,0..t−1}`, `T_i` and a proof of knowledge for `C_{i,0}` and `T_i`
/// each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round1Message<G: Group> {
    trustee: u16,
    commitments: Vec<G>,
    transport_key: G,
    contribution_proof: KnowledgeProof<G>,
    transport_proof: KnowledgeProof<G>,
}

/// Draws the polynomial and the transport key of a trustee and commits to them. All are drawn from
/// a generator keyed by `rng` and bound to the parameters and the trustee: a seed that is used
/// again under other parameters gives another, unrelated polynomial.
///
/// # Errors
/// [`ThresholdError::UnknownTrustee`] for an index outside 1..=n.
pub fn commit<G: Group>(
    params: &DkgParams,
    trustee: u16,
    rng: &mut impl CryptoRng,
) -> Result<(TrusteeSecrets<G>, Round1Message<G>), ThresholdError> {
    params.check_trustee(trustee)?;
    let drawing = params.transcript::<G>(b"subrosa/dkg/secrets/v1", trustee);
    let mut drawn = drawing.build_rng().finalize(rng);
    // C_{i,0} must not be the neutral element, hence the constant term is drawn like a key.
    let constant = SecretKey::<G>::generate(&mut drawn);
    let mut coefficients = Vec::with_capacity(params.threshold.into());
    coefficients.push(*constant.scalar());
    coefficients.extend((1..params.threshold).map(|_| G::Scalar::random(&mut drawn)));
    let transport = SecretKey::generate(&mut drawn);

    let commitments: Vec<G> = coefficients.iter().map(G::mul_generator).collect();
    let transport_key = transport.public_key().point();
    let mut transcript = bind(params, trustee, &commitments, &transport_key);
    let contribution = [constant.public_key().point()];
    let contribution_proof =
        KnowledgeProof::prove(&mut transcript, &contribution, &[*constant.scalar()], rng);
    let transport_proof =
        KnowledgeProof::prove(&mut transcript, &[transport_key], &[*transport.scalar()], rng);
    let message =
        Round1Message { trustee, commitments, transport_key, contribution_proof, transport_proof };
    Ok((TrusteeSecrets { trustee, coefficients, transport }, message))
}

impl<G: Group> Round1Message<G> {
    /// Verifies the message: t commitments, neither `C_{i,0}` nor `T_i` the neutral element, both
    /// proofs bound to these parameters and this trustee.
    ///
    /// # Errors
    /// [`ThresholdError`] naming the trustee and what is wrong.
    pub fn verify(&self, params: &DkgParams) -> Result<(), ThresholdError> {
        let (dealer, trustee) = (self.trustee, self.trustee);
        params.check_trustee(trustee)?;
        let (expected, got) = (params.threshold.into(), self.commitments.len());
        if got != expected {
            return Err(ThresholdError::CommitmentCount { dealer, expected, got });
        }
        let contribution = self.commitments.first().filter(|point| !point.is_identity());
        let contribution = contribution.ok_or(ThresholdError::IdentityCommitment { dealer })?;
        if self.transport_key.is_identity() {
            return Err(ThresholdError::IdentityTransportKey { trustee });
        }
        let mut transcript = bind(params, trustee, &self.commitments, &self.transport_key);
        if !self.contribution_proof.verify(&mut transcript, &[*contribution]) {
            return Err(ThresholdError::ContributionProof { dealer });
        }
        let proven = self.transport_proof.verify(&mut transcript, &[self.transport_key]);
        proven.then_some(()).ok_or(ThresholdError::TransportProof { trustee })
    }

    /// The author i.
    pub fn trustee(&self) -> u16 {
        self.trustee
    }

    /// `C_{i,0..t−1}`.
    pub fn commitments(&self) -> &[G] {
        &self.commitments
    }

    /// `T_i`.
    pub fn transport_key(&self) -> G {
        self.transport_key
    }

    /// `f_i(j)·G = sum_k j^k·C_{i,k}`.
    pub(super) fn share_commitment(&self, recipient: u16) -> G {
        evaluate(&self.commitments, recipient)
    }
}

/// `sum_k j^k·points_k`.
pub(super) fn evaluate<G: Group>(points: &[G], at: u16) -> G {
    let x = G::Scalar::from_u64(at.into());
    let powers = std::iter::successors(Some(G::Scalar::one()), |&power| Some(power * x));
    G::msm(&powers.take(points.len()).collect::<Vec<_>>(), points)
}

fn bind<G: Group>(
    params: &DkgParams,
    trustee: u16,
    commitments: &[G],
    transport_key: &G,
) -> Transcript {
    let mut transcript = params.transcript::<G>(b"subrosa/dkg/round1/v1", trustee);
    transcript.absorb(b"commitments", &encode_points(commitments));
    transcript.absorb(b"transport key", &transport_key.encode());
    transcript
}

impl<G: Group> RoundMessage for Round1Message<G> {
    const ROUND: u8 = 1;

    fn author(&self) -> u16 {
        self.trustee
    }
}

/// Trustee, 32-bit count of commitments, commitments, transport key, the two proofs.
impl<G: Group> Encode for Round1Message<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.trustee.encode(out);
        (self.commitments.len() as u32).encode(out);
        out.extend_from_slice(&encode_points(&self.commitments));
        out.extend_from_slice(&self.transport_key.encode());
        self.contribution_proof.encode(out);
        self.transport_proof.encode(out);
    }
}

impl<G: Group> Decode for Round1Message<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let trustee = reader.u16()?;
        let count = reader.count("commitments of a dealer", MAX_TRUSTEES.into())?;
        let commitments = (0..count)
            .map(|_| encode::point(reader, "commitment of a dealer"))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            trustee,
            commitments,
            transport_key: encode::point(reader, "transport key")?,
            contribution_proof: KnowledgeProof::decode(reader)?,
            transport_proof: KnowledgeProof::decode(reader)?,
        })
    }
}

/// The valid messages of round 1, as everybody sees them. Their authors are the participants.
#[derive(Clone, Debug)]
pub struct Round1Board<G: Group> {
    params: DkgParams,
    messages: BTreeMap<u16, Round1Message<G>>,
    faults: Vec<ThresholdError>,
    digest: Digest,
}

impl<G: Group> Round1Board<G> {
    /// Verifies everything that was posted in round 1, in any order. Trustees with a bad message,
    /// contradictory ones or none are left out; [`Round1Board::faults`] names them.
    ///
    /// # Errors
    /// [`ThresholdError::TooFewDealers`] if fewer than t participants are left.
    pub fn new(params: DkgParams, messages: Vec<Round1Message<G>>) -> Result<Self, ThresholdError> {
        let mut faults = Vec::new();
        let trustees: Vec<u16> = (1..=params.trustees).collect();
        let messages = sort_by_author(messages, &trustees, &mut faults);
        let messages = keep_valid(messages, |message| message.verify(&params), &mut faults);
        enough_dealers(&params, messages.len())?;

        let mut writer = DigestWriter::new("shuffle/dkg/round1");
        writer.update(G::NAME.as_bytes());
        writer.update(&params.to_bytes());
        messages.values().for_each(|message| writer.update(&message.to_bytes()));
        Ok(Self { params, messages, faults, digest: writer.finish() })
    }

    /// The parameters of the key generation.
    pub fn params(&self) -> &DkgParams {
        &self.params
    }

    /// The trustees whose message is valid, in increasing order.
    pub fn participants(&self) -> Vec<u16> {
        self.messages.keys().copied().collect()
    }

    /// Who was left out and why.
    pub fn faults(&self) -> &[ThresholdError] {
        &self.faults
    }

    /// The digest of parameters and valid messages, which binds the rounds that follow.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The valid message of a participant.
    ///
    /// # Errors
    /// [`ThresholdError::UnknownTrustee`] if there is none.
    pub fn message(&self, trustee: u16) -> Result<&Round1Message<G>, ThresholdError> {
        self.messages.get(&trustee).ok_or(ThresholdError::UnknownTrustee { trustee })
    }

    /// Requires that `secrets` made the message that this board has from its trustee.
    pub(super) fn check_secrets(&self, secrets: &TrusteeSecrets<G>) -> Result<(), ThresholdError> {
        let trustee = secrets.trustee;
        let own = self.message(trustee)?;
        let same = own.commitments.len() == secrets.coefficients.len()
            && own.transport_key == secrets.transport.public_key().point();
        same.then_some(()).ok_or(ThresholdError::ForeignSecret { trustee })
    }
}
