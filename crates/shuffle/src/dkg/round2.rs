//! Round 2: every dealer sends every other participant a sealed share.

use std::collections::BTreeMap;

use algebra::Group;
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    MAX_TRUSTEES, Round1Board, RoundMessage, TrusteeSecrets, enough_dealers, keep_valid,
    seal::{Route, SEALED_LEN},
    sort_by_author,
};
use crate::{elgamal::SecretKey, encode, sigma::KnowledgeProof, threshold_error::ThresholdError};

/// `f_i(j)` for trustee j: `E = e·G` and the share sealed under `K = e·T_j`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedShare<G: Group> {
    recipient: u16,
    ephemeral: G,
    sealed: [u8; SEALED_LEN],
}

/// The message of round 2: a share for every other participant, in increasing order, and one proof
/// of knowledge of all ephemeral logarithms e.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round2Message<G: Group> {
    dealer: u16,
    shares: Vec<EncryptedShare<G>>,
    proof: KnowledgeProof<G>,
}

/// Seals a dealer's shares for the other participants.
///
/// # Errors
/// [`ThresholdError::UnknownTrustee`] or [`ThresholdError::ForeignSecret`] if the board does not
/// have the dealer's own message of round 1.
pub fn deal<G: Group>(
    board: &Round1Board<G>,
    secrets: &TrusteeSecrets<G>,
    rng: &mut impl CryptoRng,
) -> Result<Round2Message<G>, ThresholdError> {
    board.check_secrets(secrets)?;
    let dealer = secrets.trustee();
    let recipients = other_participants(board, dealer);
    let mut exponents = Zeroizing::new(Vec::with_capacity(recipients.len()));
    let mut shares = Vec::with_capacity(recipients.len());
    for recipient in recipients {
        let key = SecretKey::<G>::generate(rng);
        let transport_key = board.message(recipient)?.transport_key();
        let ephemeral = key.public_key().point();
        let session = board.digest();
        let route = Route { session, dealer, recipient, ephemeral, transport_key };
        let shared = Zeroizing::new(transport_key.mul(key.scalar()));
        let sealed = route.seal(&shared, &secrets.share_for(recipient));
        let sealed = sealed.ok_or(ThresholdError::BadShare { dealer, recipient })?;
        exponents.push(*key.scalar());
        shares.push(EncryptedShare { recipient, ephemeral, sealed });
    }
    let mut transcript = bind(board, dealer, &shares);
    let proof = KnowledgeProof::prove(&mut transcript, &ephemeral_keys(&shares), &exponents, rng);
    Ok(Round2Message { dealer, shares, proof })
}

impl<G: Group> Round2Message<G> {
    /// Verifies what is public about the message: exactly the other participants receive a share,
    /// no E is the neutral element, and the dealer knows every e.
    ///
    /// # Errors
    /// [`ThresholdError`] naming the dealer and what is wrong.
    pub fn verify(&self, board: &Round1Board<G>) -> Result<(), ThresholdError> {
        let dealer = self.dealer;
        board.message(dealer)?;
        let recipients = self.shares.iter().map(|share| share.recipient);
        if !recipients.eq(other_participants(board, dealer)) {
            return Err(ThresholdError::Recipients { dealer });
        }
        if let Some(share) = self.shares.iter().find(|share| share.ephemeral.is_identity()) {
            let recipient = share.recipient;
            return Err(ThresholdError::IdentityEphemeralKey { dealer, recipient });
        }
        let mut transcript = bind(board, dealer, &self.shares);
        let proven = self.proof.verify(&mut transcript, &ephemeral_keys(&self.shares));
        proven.then_some(()).ok_or(ThresholdError::EphemeralProof { dealer })
    }

    /// The author i.
    pub fn dealer(&self) -> u16 {
        self.dealer
    }

    fn share_for(&self, recipient: u16) -> Option<&EncryptedShare<G>> {
        self.shares.iter().find(|share| share.recipient == recipient)
    }
}

fn other_participants<G: Group>(board: &Round1Board<G>, dealer: u16) -> Vec<u16> {
    let mut others = board.participants();
    others.retain(|&trustee| trustee != dealer);
    others
}

fn ephemeral_keys<G: Group>(shares: &[EncryptedShare<G>]) -> Vec<G> {
    shares.iter().map(|share| share.ephemeral).collect()
}

fn bind<G: Group>(board: &Round1Board<G>, dealer: u16, shares: &[EncryptedShare<G>]) -> Transcript {
    let mut transcript = board.params().transcript::<G>(b"subrosa/dkg/round2/v1", dealer);
    transcript.absorb(b"session", board.digest().as_bytes());
    for share in shares {
        transcript.absorb_u64(b"recipient", share.recipient.into());
        transcript.absorb(b"sealed", &share.sealed);
    }
    transcript
}

impl<G: Group> RoundMessage for Round2Message<G> {
    const ROUND: u8 = 2;

    fn author(&self) -> u16 {
        self.dealer
    }
}

/// Dealer, 32-bit count of shares, the shares (recipient, E, 48 sealed bytes), the proof.
impl<G: Group> Encode for Round2Message<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.dealer.encode(out);
        (self.shares.len() as u32).encode(out);
        for share in &self.shares {
            share.recipient.encode(out);
            out.extend_from_slice(&share.ephemeral.encode());
            out.extend_from_slice(&share.sealed);
        }
        self.proof.encode(out);
    }
}

impl<G: Group> Decode for Round2Message<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let dealer = reader.u16()?;
        let count = reader.count("shares of a dealer", MAX_TRUSTEES.into())?;
        let mut share = || {
            Ok(EncryptedShare {
                recipient: reader.u16()?,
                ephemeral: encode::point(reader, "ephemeral key")?,
                sealed: reader.array()?,
            })
        };
        let shares = (0..count).map(|_| share()).collect::<Result<_, DecodeError>>()?;
        Ok(Self { dealer, shares, proof: KnowledgeProof::decode(reader)? })
    }
}

/// The valid messages of rounds 1 and 2. The authors of the latter are the dealers.
#[derive(Clone, Debug)]
pub struct Round2Board<G: Group> {
    round1: Round1Board<G>,
    messages: BTreeMap<u16, Round2Message<G>>,
    faults: Vec<ThresholdError>,
    digest: Digest,
}

impl<G: Group> Round2Board<G> {
    /// Verifies everything that was posted in round 2, in any order. Participants with a bad
    /// message, contradictory ones or none are no dealers; [`Round2Board::faults`] names them.
    ///
    /// # Errors
    /// [`ThresholdError::TooFewDealers`] if fewer than t dealers are left.
    pub fn new(
        round1: Round1Board<G>,
        messages: Vec<Round2Message<G>>,
    ) -> Result<Self, ThresholdError> {
        let mut faults = Vec::new();
        let messages = sort_by_author(messages, &round1.participants(), &mut faults);
        let messages = keep_valid(messages, |message| message.verify(&round1), &mut faults);
        enough_dealers(round1.params(), messages.len())?;

        let mut writer = DigestWriter::new("shuffle/dkg/round2");
        writer.update(round1.digest().as_bytes());
        messages.values().for_each(|message| writer.update(&message.to_bytes()));
        Ok(Self { round1, messages, faults, digest: writer.finish() })
    }

    /// The board of round 1.
    pub fn round1(&self) -> &Round1Board<G> {
        &self.round1
    }

    /// The dealers whose message is valid, in increasing order.
    pub fn dealers(&self) -> Vec<u16> {
        self.messages.keys().copied().collect()
    }

    /// Which participants are no dealers and why.
    pub fn faults(&self) -> &[ThresholdError] {
        &self.faults
    }

    /// The digest of the valid messages of rounds 1 and 2, which round 3 confirms.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The route of the share from `dealer` to `recipient`, if there is such a share.
    pub(super) fn route(&self, dealer: u16, recipient: u16) -> Option<Route<'_, G>> {
        let ephemeral = self.messages.get(&dealer)?.share_for(recipient)?.ephemeral;
        let transport_key = self.round1.message(recipient).ok()?.transport_key();
        let session = self.round1.digest();
        Some(Route { session, dealer, recipient, ephemeral, transport_key })
    }

    /// Opens the share from `dealer` to `recipient` with their shared key `K` and checks that
    /// `f_i(j)·G = sum_k j^k·C_{i,k}`.
    ///
    /// # Errors
    /// [`ThresholdError::BadShare`] if it does not decrypt, is not canonical or does not match.
    pub(super) fn open(
        &self,
        dealer: u16,
        recipient: u16,
        shared: &G,
    ) -> Result<Zeroizing<G::Scalar>, ThresholdError> {
        let opened = self.route(dealer, recipient).and_then(|route| {
            let sealed = &self.messages.get(&dealer)?.share_for(recipient)?.sealed;
            let share = route.open(shared, sealed)?;
            // Messages of this round are of participants of the first.
            let committed = self.round1.message(dealer).ok()?.share_commitment(recipient);
            (G::mul_generator(&share) == committed).then_some(share)
        });
        opened.ok_or(ThresholdError::BadShare { dealer, recipient })
    }
}
