//! Shares of an answer, from a server to the querier, and what the querier makes of them.

use std::collections::BTreeMap;

use algebra::Group;
use board::Identity;
use rand_core::CryptoRng;
use shuffle::{
    decrypt::{Decryption, PartialDecryption, VerifiedPartial},
    dkg::KeyShare,
    threshold_error::ThresholdError,
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    Agreed,
    pass::{Opening, classes_of},
};
use crate::{Answer, By, Direction, IndexSet, Sealed, TraceError};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/share/v1";

/// A server's shares of everything that one request opens, with one proof of two equations,
/// signed, and naming the digest that all servers signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareMessage<G: Group> {
    server: u16,
    query: Digest,
    agreed: Digest,
    request: u32,
    partial: PartialDecryption<G>,
    signature: [u8; 64],
}

impl<G: Group> ShareMessage<G> {
    /// Decrypts what a request opens, with the server's part of the key.
    pub(super) fn new(
        agreed: &Agreed<G>,
        request: usize,
        (server, identity): (u16, &Identity),
        share: &KeyShare<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        agreed.pass().request(request)?;
        let ciphertexts = agreed.opened(request);
        let context = agreed.share_context(request);
        let keys = agreed.pass().ground().keys();
        let partial = Decryption::new(keys, &ciphertexts, &context)
            .decrypt_partially(share, rng)
            .map_err(TraceError::Decryption)?;
        let mut message = Self {
            server,
            query: *agreed.pass().query().id(),
            agreed: *agreed.digest(),
            request: request as u32,
            partial: partial.message().clone(),
            signature: [0; 64],
        };
        message.signature = identity.sign(SIGNATURE_DOMAIN, message.signed());
        Ok(message)
    }

    /// Who sent it, counted from 1.
    pub fn server(&self) -> u16 {
        self.server
    }

    fn signed(&self) -> Digest {
        let mut bytes = self.to_bytes();
        bytes.truncate(bytes.len().saturating_sub(64));
        Digest::of(SIGNATURE_DOMAIN, &bytes)
    }

    /// Checks signature and digest, then the shares.
    fn verify(
        &self,
        agreed: &Agreed<G>,
        request: usize,
        decryption: &Decryption<'_, G>,
    ) -> Result<VerifiedPartial<G>, TraceError> {
        let server = self.server;
        let author = agreed.pass().ground().signer(server);
        let signed = author.is_some_and(|author| {
            author.id.verify(SIGNATURE_DOMAIN, self.signed(), &self.signature)
        });
        if !signed {
            return Err(TraceError::UnreadableShare { server });
        }
        let subject = (self.query, self.agreed, self.request as usize);
        if subject != (*agreed.pass().query().id(), *agreed.digest(), request) {
            return Err(TraceError::DisputedShare { server });
        }
        let failed = |error| TraceError::FalseShare { server, error };
        let trustee = self.partial.trustee();
        if author.and_then(|author| author.trustee) != Some(trustee) {
            return Err(failed(ThresholdError::UnknownTrustee { trustee }));
        }
        decryption.verify_partial(self.partial.clone()).map_err(failed)
    }
}

/// A share message, sealed to the querier with (query, server, agreed digest) as associated data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedShare<G: Group> {
    /// Whose share it says it is, counted from 1.
    pub server: u16,
    /// The sealed message.
    pub sealed: Sealed<G>,
}

/// What a share message of a server is sealed with.
pub(super) fn seal_context<G: Group>(agreed: &Agreed<G>, request: usize, server: u16) -> Vec<u8> {
    let mut context = agreed.share_context(request);
    context.extend_from_slice(b"/sealed");
    server.encode(&mut context);
    context
}

/// What shares amount to.
#[derive(Clone, Debug)]
pub struct Reading<G: Group> {
    /// The answer, from any t of the shares that hold.
    pub answer: Result<Answer, TraceError>,
    /// The shares that hold, one of each server. They make the answer convincing to others.
    pub shares: Vec<ShareMessage<G>>,
    /// The others, and why; each names its server.
    pub faults: Vec<TraceError>,
}

impl<G: Group> Agreed<G> {
    /// Verifies the shares of a request and puts the answer together. What is visible of this from
    /// outside, the faults, depends on proofs only and not on the answer.
    ///
    /// # Errors
    /// [`TraceError::Query`] if there is no such request.
    pub fn read(
        &self,
        request: usize,
        messages: &[ShareMessage<G>],
    ) -> Result<Reading<G>, TraceError> {
        self.pass().request(request)?;
        let ciphertexts = self.opened(request);
        let context = self.share_context(request);
        let keys = self.pass().ground().keys();
        let decryption = Decryption::new(keys, &ciphertexts, &context);
        let (mut verified, mut faults) = (BTreeMap::new(), Vec::new());
        for message in messages {
            match message.verify(self, request, &decryption) {
                Ok(partial) => {
                    verified.entry(message.server).or_insert((partial, message.clone()));
                }
                Err(fault) => faults.push(fault),
            }
        }
        let (partials, shares): (Vec<_>, Vec<_>) = verified.into_values().unzip();
        let opened = decryption.combine(&partials).map_err(TraceError::Decryption);
        let answer = opened.and_then(|points| self.decode_answer(request, &points));
        Ok(Reading { answer, shares, faults })
    }

    /// Judges one message as [`Agreed::read`] would.
    pub(super) fn check_share(
        &self,
        request: usize,
        message: &ShareMessage<G>,
    ) -> Result<(), TraceError> {
        let ciphertexts = self.opened(request);
        let context = self.share_context(request);
        let keys = self.pass().ground().keys();
        let decryption = Decryption::new(keys, &ciphertexts, &context);
        message.verify(self, request, &decryption).map(|_| ())
    }

    /// From opened markers to sets.
    fn decode_answer(&self, number: usize, points: &[G]) -> Result<Answer, TraceError> {
        let pass = self.pass();
        let request = pass.request(number)?;
        let openings = pass.openings(number);
        let marks = openings.iter().zip(points).enumerate();
        let bits: Vec<bool> = marks
            .map(|(index, (opening, point))| read_marker(opening, point, index))
            .collect::<Result<_, _>>()?;
        let first = pass.first_column(number);
        let mut yes = Vec::with_capacity(request.questions.len());
        for (column, question) in (first..).zip(&request.questions) {
            let own = openings.iter().zip(&bits).filter(|(opening, _)| opening.column() == column);
            let marked: Vec<bool> = own.map(|(_, bit)| *bit).collect();
            yes.push(match (request.direction, request.by) {
                (Direction::In, _) => select(question.inputs.iter(), &marked),
                (Direction::Out, By::Position) => select(question.outputs.iter(), &marked),
                (Direction::Out, By::Value) => {
                    let classes = classes_of(pass.ground(), question.outputs.iter());
                    let classes = select(classes.into_iter(), &marked);
                    let class_of = pass.ground().class_of();
                    let is_yes = |row: &u32| {
                        let class = class_of.get(*row as usize);
                        class.is_some_and(|&class| classes.contains(class))
                    };
                    IndexSet::from_sorted(question.outputs.iter().filter(is_yes).collect())
                }
            });
        }
        Ok(Answer { direction: request.direction, by: request.by, yes })
    }
}

/// A marker is G for yes and 0 for no; of a blinded sum, anything but 0 is a yes.
fn read_marker<G: Group>(opening: &Opening, point: &G, index: usize) -> Result<bool, TraceError> {
    match opening {
        _ if point.is_identity() => Ok(false),
        Opening::Sum { .. } => Ok(true),
        Opening::Row { .. } if *point == G::generator() => Ok(true),
        Opening::Row { .. } => Err(TraceError::Marker { opening: index }),
    }
}

/// The items whose mark is set.
fn select(items: impl Iterator<Item = u32>, marked: &[bool]) -> IndexSet {
    let chosen = items.zip(marked).filter(|(_, marked)| **marked);
    IndexSet::from_sorted(chosen.map(|(item, _)| item).collect())
}

/// Server, query, agreed digest, request, partial decryption, signature.
impl<G: Group> Encode for ShareMessage<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        self.query.encode(out);
        self.agreed.encode(out);
        self.request.encode(out);
        self.partial.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl<G: Group> Decode for ShareMessage<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            server: reader.u16()?,
            query: Digest::decode(reader)?,
            agreed: Digest::decode(reader)?,
            request: reader.u32()?,
            partial: PartialDecryption::decode(reader)?,
            signature: reader.array()?,
        })
    }
}

/// Server, sealed message.
impl<G: Group> Encode for SealedShare<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        self.sealed.encode(out);
    }
}

impl<G: Group> Decode for SealedShare<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { server: reader.u16()?, sealed: Sealed::decode(reader)? })
    }
}
