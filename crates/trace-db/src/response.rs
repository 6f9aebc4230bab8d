//! The responses of p_BB and p_BBS+: sealed to the querier, who adds them up.

use std::convert::Infallible;

use algebra::Scalar;
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::{SecretKey, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroize;

use super::{
    Challenge, Pass,
    bases::{F, G1},
    distributed::MAX_ENTRIES,
    relation::{Lists, Relation},
};
use trace::{Sealed, TraceError, parts::encode::require_all};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/response/v1";

impl Challenge {
    /// `z = ω − c·w` for all witnesses, sealed to the querier.
    pub(super) fn respond<L: Lists>(
        &self,
        pass: &Pass,
        (server, identity): (u16, &Identity),
        masks: &L,
        witnesses: &L,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedResponse, TraceError> {
        let mut scalars = Vec::new();
        for (masks, witnesses) in masks.as_ref().iter().zip(witnesses.as_ref()) {
            let pairs = masks.iter().zip(witnesses);
            scalars.extend(pairs.map(|(&mask, &w)| mask - self.scalar() * w));
        }
        let mut message =
            Response { server, announced: *self.digest(), scalars, signature: [0; 64] };
        message.signature = identity.sign(SIGNATURE_DOMAIN, message.signed());
        let context = self.seal_context(server);
        let sealed = Sealed::seal(&pass.request().key, &context, &message.to_bytes(), rng)?;
        Ok(SealedResponse { server, sealed })
    }

    fn seal_context(&self, server: u16) -> Vec<u8> {
        [b"trace/db/response".as_slice(), self.digest().as_bytes(), &server.to_le_bytes()].concat()
    }

    /// Opens the responses of all servers with the querier's key, and adds them up: for every
    /// witness (first index) and item.
    pub(super) fn open<R: Relation>(
        &self,
        relation: &R,
        key: &SecretKey<G1>,
        responses: &[SealedResponse],
    ) -> Result<R::Scalars, TraceError> {
        let pass = relation.pass();
        let authors = pass.outputs().session().rules().servers();
        require_all("responses", authors.len(), responses.len())?;
        let entries = R::WITNESSES * pass.opened().len();
        let mut sums = vec![F::zero(); entries];
        for (server, (author, sealed)) in (1..).zip(authors.iter().zip(responses)) {
            let response = self.open_one(server, author, key, sealed)?;
            if response.scalars.len() != entries {
                let reason = "it does not respond with one scalar a witness and item";
                return Err(TraceError::step("distributed proof", server, reason));
            }
            sums.iter_mut().zip(&response.scalars).for_each(|(sum, &z)| *sum += z);
        }
        let items = pass.opened().len();
        let Ok(lists) = Lists::make(|_| Ok::<_, Infallible>(sums.drain(..items).collect()));
        Ok(lists)
    }

    fn open_one(
        &self,
        server: u16,
        author: &AuthorId,
        key: &SecretKey<G1>,
        sealed: &SealedResponse,
    ) -> Result<Response, TraceError> {
        let unreadable = TraceError::UnreadableShare { server };
        let bytes =
            sealed.sealed.open(key, &self.seal_context(server)).ok_or(unreadable.clone())?;
        let response = Response::from_bytes(&bytes).map_err(|_| unreadable.clone())?;
        let signed = author.verify(SIGNATURE_DOMAIN, response.signed(), &response.signature);
        if !signed || (response.server, sealed.server) != (server, server) {
            return Err(unreadable);
        }
        match response.announced == *self.digest() {
            true => Ok(response),
            false => Err(TraceError::DisputedShare { server }),
        }
    }
}

/// A server's responses, signed, naming what they answer; only the querier reads them.
struct Response {
    server: u16,
    announced: Digest,
    scalars: Vec<F>,
    signature: [u8; 64],
}

impl Drop for Response {
    fn drop(&mut self) {
        self.scalars.zeroize();
    }
}

impl Response {
    fn signed(&self) -> Digest {
        let mut bytes = self.to_bytes();
        bytes.truncate(bytes.len().saturating_sub(64));
        Digest::of(SIGNATURE_DOMAIN, &bytes)
    }
}

/// A server's responses on their way to the querier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedResponse {
    pub(super) server: u16,
    pub(super) sealed: Sealed<G1>,
}

/// Server, digest, counted scalars, signature.
impl Encode for Response {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        self.announced.encode(out);
        (self.scalars.len() as u32).encode(out);
        out.extend(F::encode_all(&self.scalars));
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Response {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (server, announced) = (reader.u16()?, Digest::decode(reader)?);
        let count = reader.count("responses", MAX_ENTRIES)?;
        let scalars = encode::scalars::<G1>(reader, "response", count)?;
        Ok(Self { server, announced, scalars, signature: reader.array()? })
    }
}

/// Server, sealed message.
impl Encode for SealedResponse {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        self.sealed.encode(out);
    }
}

impl Decode for SealedResponse {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { server: reader.u16()?, sealed: Sealed::decode(reader)? })
    }
}
