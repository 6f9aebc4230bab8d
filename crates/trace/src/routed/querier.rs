//! The querier: asks, opens its shares, complains about false ones.

use algebra::Group;
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::SecretKey;
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Agreed, Ground, Reading, SealedShare, ShareMessage, share::seal_context};
use crate::{By, Direction, Question, Request, Revealed, SignedRequest, TraceError};

/// A querier with its keys: one to sign requests, one to open answers.
pub struct Querier<G: Group> {
    identity: Identity,
    key: SecretKey<G>,
}

impl<G: Group> Querier<G> {
    /// Takes a querier's keys.
    pub fn new(identity: Identity, key: SecretKey<G>) -> Self {
        Self { identity, key }
    }

    /// The name under which the querier asks.
    pub fn id(&self) -> AuthorId {
        self.identity.id()
    }

    /// Signs a request to a session.
    pub fn request(
        &self,
        ground: &Ground<G>,
        direction: Direction,
        by: By,
        questions: Vec<Question>,
        rng: &mut impl CryptoRng,
    ) -> SignedRequest<G> {
        let request = Request {
            session: *ground.id(),
            direction,
            by,
            questions,
            key: self.key.public_key(),
            querier: self.identity.id(),
            nonce: [0; 32],
        };
        SignedRequest::sign(request, &self.identity, rng)
    }

    /// Opens, verifies and combines the shares of a request. Shares that do not open count as
    /// missing: their servers send the same message again.
    ///
    /// # Errors
    /// [`TraceError::Query`] if there is no such request.
    pub fn read(
        &self,
        agreed: &Agreed<G>,
        request: usize,
        shares: &[SealedShare<G>],
    ) -> Result<Reading<G>, TraceError> {
        let (mut messages, mut faults) = (Vec::new(), Vec::new());
        for share in shares {
            match self.open(agreed, request, share) {
                Ok(message) => messages.push(message),
                Err(fault) => faults.push(fault),
            }
        }
        let mut reading = agreed.read(request, &messages)?;
        faults.append(&mut reading.faults);
        Ok(Reading { faults, ..reading })
    }

    /// Makes a complaint about one message. It opens that message to everybody, hence only if it
    /// opens as sent by its server, carries the server's signature and the digest that everybody
    /// agreed on, and is then false.
    ///
    /// # Errors
    /// What is wrong with the message if it is none of this, [`TraceError::Complaint`] if nothing
    /// is.
    pub fn complain(
        &self,
        agreed: &Agreed<G>,
        request: usize,
        share: &SealedShare<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Complaint<G>, TraceError> {
        let message = self.open(agreed, request, share)?;
        let server = share.server;
        match agreed.check_share(request, &message) {
            Err(TraceError::FalseShare { .. }) => {
                let context = seal_context(agreed, request, server);
                let revealed = share.sealed.reveal(&self.key, &context, rng);
                Ok(Complaint { request: request as u32, share: share.clone(), revealed })
            }
            Err(other) => Err(other),
            Ok(()) => Err(TraceError::Complaint { server, reason: "its share holds" }),
        }
    }

    fn open(
        &self,
        agreed: &Agreed<G>,
        request: usize,
        share: &SealedShare<G>,
    ) -> Result<ShareMessage<G>, TraceError> {
        let server = share.server;
        let context = seal_context(agreed, request, server);
        let bytes = share.sealed.open(&self.key, &context);
        // What does not decode is unreadable, for whatever reason.
        let message = bytes.and_then(|bytes| ShareMessage::from_bytes(&bytes).ok());
        let own = message.filter(|message| message.server() == server);
        own.ok_or(TraceError::UnreadableShare { server })
    }
}

/// A querier's complaint: one sealed message, opened for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<G: Group> {
    request: u32,
    share: SealedShare<G>,
    revealed: Revealed<G>,
}

impl<G: Group> Complaint<G> {
    /// Which request of the query the message answers.
    pub fn request(&self) -> u32 {
        self.request
    }

    /// The message complained about, as its server sent it.
    pub fn share(&self) -> &SealedShare<G> {
        &self.share
    }

    /// Judges the complaint, as everybody does who has the board; returns what the accused server
    /// did.
    ///
    /// # Errors
    /// [`TraceError::Complaint`] if the complaint shows nothing.
    pub fn judge(&self, agreed: &Agreed<G>) -> Result<TraceError, TraceError> {
        let (server, request) = (self.share.server, self.request as usize);
        let nothing = |reason| TraceError::Complaint { server, reason };
        let key = agreed.pass().request(request)?.key;
        let context = seal_context(agreed, request, server);
        let opened = self.share.sealed.open_revealed(&key, &context, &self.revealed);
        let bytes = opened.ok_or(nothing("the message does not open as the server's"))?;
        let message = ShareMessage::<G>::from_bytes(&bytes)
            .ok()
            .filter(|message| message.server() == server)
            .ok_or(nothing("the message is none of the server's"))?;
        match agreed.check_share(request, &message) {
            Err(fault @ TraceError::FalseShare { .. }) => Ok(fault),
            Err(TraceError::DisputedShare { .. }) => Err(nothing("it is about another digest")),
            Err(_) => Err(nothing("the server did not sign it")),
            Ok(()) => Err(nothing("its share holds")),
        }
    }
}

/// Request, sealed share, what opens it.
impl<G: Group> Encode for Complaint<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.request.encode(out);
        self.share.encode(out);
        self.revealed.encode(out);
    }
}

impl<G: Group> Decode for Complaint<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (request, share) = (reader.u32()?, SealedShare::decode(reader)?);
        Ok(Self { request, share, revealed: Revealed::decode(reader)? })
    }
}
