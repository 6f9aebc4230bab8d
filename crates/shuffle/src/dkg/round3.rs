//! Round 3: every participant confirms its shares or complains, and everybody judges alike.

use std::collections::BTreeSet;

use algebra::Group;
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    KeySet, MAX_TRUSTEES, Round2Board, RoundMessage, TrusteeSecrets, enough_dealers, sort_by_author,
};
use crate::{
    encode,
    sigma::{EqualityProof, EqualityStatement},
    threshold_error::ThresholdError,
};

/// A complaint of trustee j about dealer i: `K` with a proof that `log_G T_j = log_E K`, by which
/// anybody opens the share from i to j, and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<G: Group> {
    dealer: u16,
    shared: G,
    proof: EqualityProof<G>,
}

/// The message of round 3: the digest of rounds 1 and 2 and the complaints, in increasing order of
/// dealers. Without complaints it confirms that the trustee holds its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round3Message<G: Group> {
    trustee: u16,
    seen: Digest,
    complaints: Vec<Complaint<G>>,
}

/// Opens and checks all shares of a participant; complains about the bad ones.
///
/// # Errors
/// [`ThresholdError::UnknownTrustee`] or [`ThresholdError::ForeignSecret`] if the board does not
/// have the trustee's own message of round 1.
pub fn respond<G: Group>(
    board: &Round2Board<G>,
    secrets: &TrusteeSecrets<G>,
    rng: &mut impl CryptoRng,
) -> Result<Round3Message<G>, ThresholdError> {
    board.round1().check_secrets(secrets)?;
    let trustee = secrets.trustee();
    let mut complaints = Vec::new();
    for dealer in board.dealers() {
        let Some(route) = board.route(dealer, trustee) else { continue };
        let shared = Zeroizing::new(route.ephemeral.mul(secrets.transport().scalar()));
        if board.open(dealer, trustee, &shared).is_err() {
            let (public, base) = (route.transport_key, route.ephemeral);
            let statement = EqualityStatement { public, base, image: *shared };
            let mut transcript = bind(board, trustee, dealer);
            let secret = secrets.transport().scalar();
            let proof = EqualityProof::prove(&mut transcript, &statement, secret, rng);
            complaints.push(Complaint { dealer, shared: *shared, proof });
        }
    }
    Ok(Round3Message { trustee, seen: *board.digest(), complaints })
}

impl<G: Group> Round3Message<G> {
    /// The author j.
    pub fn trustee(&self) -> u16 {
        self.trustee
    }

    /// The accused dealers.
    pub fn accused(&self) -> impl Iterator<Item = u16> {
        self.complaints.iter().map(|complaint| complaint.dealer)
    }
}

/// What a key generation comes to, the same for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<G: Group> {
    /// The public part of the key.
    pub keys: KeySet<G>,
    /// Disqualified dealers, false accusers and silent trustees of round 3.
    pub faults: Vec<ThresholdError>,
}

/// Judges all complaints and computes the keys from the commitments of the qualified dealers.
/// Depends on nothing but the board: everybody who runs it gets the same.
///
/// # Errors
/// [`ThresholdError::TooFewTrustees`] if fewer than t participants answered,
/// [`ThresholdError::TooFewDealers`] if fewer than t dealers stay qualified and
/// [`ThresholdError::IdentityKey`] if their contributions cancel.
pub fn conclude<G: Group>(
    board: &Round2Board<G>,
    messages: Vec<Round3Message<G>>,
) -> Result<Outcome<G>, ThresholdError> {
    let params = board.round1().params();
    let mut faults = Vec::new();
    let mut messages = sort_by_author(messages, &board.round1().participants(), &mut faults);
    messages.retain(|&trustee, message| {
        let same = message.seen == *board.digest();
        if !same {
            faults.push(ThresholdError::ViewMismatch { trustee });
        }
        same
    });
    let (needed, got) = (params.threshold().into(), messages.len());
    if got < needed {
        return Err(ThresholdError::TooFewTrustees { needed, got });
    }
    let mut qualified: BTreeSet<u16> = board.dealers().into_iter().collect();
    for (&accuser, message) in &messages {
        for complaint in &message.complaints {
            let verdict = judge(board, accuser, complaint);
            if let ThresholdError::BadShare { dealer, .. } = verdict {
                qualified.remove(&dealer);
            }
            faults.push(verdict);
        }
    }
    enough_dealers(params, qualified.len())?;
    let keys = KeySet::compute(board.round1(), qualified.into_iter().collect())?;
    Ok(Outcome { keys, faults })
}

/// Whose fault a complaint shows: [`ThresholdError::BadShare`] the dealer's, anything else the
/// accuser's.
fn judge<G: Group>(
    board: &Round2Board<G>,
    accuser: u16,
    complaint: &Complaint<G>,
) -> ThresholdError {
    let Complaint { dealer, shared, proof } = *complaint;
    let Some(route) = board.route(dealer, accuser) else {
        return ThresholdError::ComplaintTarget { accuser, dealer };
    };
    let (public, base) = (route.transport_key, route.ephemeral);
    let statement = EqualityStatement { public, base, image: shared };
    if !proof.verify(&mut bind(board, accuser, dealer), &statement) {
        return ThresholdError::ComplaintProof { accuser, dealer };
    }
    let opened = board.open(dealer, accuser, &shared);
    // A share that opens was no reason to complain.
    opened.err().unwrap_or(ThresholdError::FalseAccusation { accuser, dealer })
}

fn bind<G: Group>(board: &Round2Board<G>, accuser: u16, dealer: u16) -> Transcript {
    let params = board.round1().params();
    let mut transcript = params.transcript::<G>(b"subrosa/dkg/round3/v1", accuser);
    transcript.absorb(b"seen", board.digest().as_bytes());
    transcript.absorb_u64(b"dealer", dealer.into());
    transcript
}

impl<G: Group> RoundMessage for Round3Message<G> {
    const ROUND: u8 = 3;

    fn author(&self) -> u16 {
        self.trustee
    }
}

/// Trustee, digest, 32-bit count of complaints, the complaints (dealer, K, proof).
impl<G: Group> Encode for Round3Message<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.trustee.encode(out);
        self.seen.encode(out);
        (self.complaints.len() as u32).encode(out);
        for complaint in &self.complaints {
            complaint.dealer.encode(out);
            out.extend_from_slice(&complaint.shared.encode());
            complaint.proof.encode(out);
        }
    }
}

impl<G: Group> Decode for Round3Message<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (trustee, seen) = (reader.u16()?, Digest::decode(reader)?);
        let count = reader.count("complaints of a trustee", MAX_TRUSTEES.into())?;
        let mut complaint = || {
            Ok(Complaint {
                dealer: reader.u16()?,
                shared: encode::point(reader, "shared key of a complaint")?,
                proof: EqualityProof::decode(reader)?,
            })
        };
        let complaints: Vec<Complaint<G>> =
            (0..count).map(|_| complaint()).collect::<Result<_, DecodeError>>()?;
        if !complaints.is_sorted_by(|a, b| a.dealer < b.dealer) {
            return Err(DecodeError::invalid("complaints of a trustee", "not in order of dealers"));
        }
        Ok(Self { trustee, seen, complaints })
    }
}
