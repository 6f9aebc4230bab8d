//! The distributed proofs of knowledge p_BB and p_BBS+ (1.6, 1.7): all servers together prove to
//! the querier that they hold a signature, each with additive shares of the witness.
//!
//! Both statements are linear relations between points of G1 and secret scalars, so that no server
//! computes a pairing (4.2). Every server announces `R^(k)`, its masks put through the relation:
//! first a hash of all its announcements, and only when all hashes are in, the announcements. One
//! challenge c is hashed from the whole pass and the sums R; the responses `z = ω − c·w` go to the
//! querier alone, who adds them up: servers could run its check and learn the answer.

use algebra::{Group, Scalar};
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::{PointList, SecretKey, encode};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroize;

use super::{
    Pass,
    bases::{F, G1, G2},
};
use crate::{
    Sealed, TraceError,
    encode::{digest_of, require_all},
};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/response/v1";
/// The most points or scalars of one message: six for each row.
const MAX_ENTRIES: usize = 6 * shuffle::MAX_ROWS;

/// A statement that is linear in its witness, for every item of a pass. Its first equation holds
/// for the items of the answer only, and has x in it; the others hold always.
pub trait Relation {
    /// The querier's secret key.
    type Key;
    /// Equations for each item.
    const EQUATIONS: usize;
    /// Secret scalars for each item.
    const WITNESSES: usize;

    /// The pass.
    fn pass(&self) -> &Pass;

    /// The digest of everything that was said in the pass before.
    fn digest(&self) -> &Digest;

    /// The right sides `Σ_w s_w·B_w` of every equation (first index) and item (second), for
    /// scalars of every kind of witness (first index) and item. Variable time, for masks that
    /// serve once, and public responses.
    fn apply(&self, scalars: &[Vec<F>]) -> Vec<Vec<G1>>;

    /// y.
    fn key(&self) -> &G2;

    /// x, if it is that of y.
    fn secret<'k>(&self, key: &'k Self::Key) -> Option<&'k F>;

    /// The points that are multiplied by x in the first equation.
    fn signatures(&self) -> &[G1];

    /// What the first equation must announce for the responses z and the challenge c, with x; for
    /// x = 0 it is what has to be added to `c·x·S`.
    fn expected(&self, z: &[Vec<F>], c: &F, x: &F) -> Vec<G1>;

    /// For every item, whether one of the other equations fails; checked as one sum first, with
    /// weights from `rng`.
    fn inconsistent(
        &self,
        z: &[Vec<F>],
        announced: &Announced,
        rng: &mut dyn CryptoRng,
    ) -> Vec<bool>;
}

/// One server's announcements: `R^(k)` of every equation and item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    points: PointList<G1>,
}

impl Announcement {
    /// Puts masks through the relation.
    pub(super) fn new<R: Relation>(relation: &R, masks: &[Vec<F>]) -> Self {
        Self { points: PointList::new(relation.apply(masks).concat()) }
    }

    /// What the server sends first.
    pub(super) fn commitment(&self, relation: &Digest, server: u16) -> Digest {
        let server = server.to_le_bytes();
        let parts: [&[u8]; 3] = [relation.as_bytes(), &server, self.points.encoding()];
        digest_of("trace/db/announcement", &parts)
    }
}

/// All announcements added up, and the one challenge that they give.
#[derive(Clone, Debug)]
pub struct Announced {
    /// R of every equation and item, equation by equation.
    sums: PointList<G1>,
    challenge: F,
    digest: Digest,
}

impl Announced {
    /// What servers do: requires that every server announced what it had committed to, and adds
    /// up.
    pub(super) fn verify<R: Relation>(
        relation: &R,
        commitments: &[Digest],
        announcements: &[Announcement],
    ) -> Result<Self, TraceError> {
        let servers = relation.pass().outputs().session().servers();
        require_all("commitments to announcements", servers, commitments.len())?;
        require_all("announcements", servers, announcements.len())?;
        let entries = R::EQUATIONS * relation.pass().opened().len();
        let mut sums = vec![G1::identity(); entries];
        for (server, (announced, commitment)) in (1..).zip(announcements.iter().zip(commitments)) {
            let failed = |reason| TraceError::step("distributed proof", server, reason);
            if announced.commitment(relation.digest(), server) != *commitment {
                return Err(failed("it announces something else than it had committed to"));
            }
            if announced.points.len() != entries {
                return Err(failed("it does not announce one point an equation and item"));
            }
            sums.iter_mut().zip(announced.points.points()).for_each(|(sum, &r)| *sum += r);
        }
        Self::from_sums(relation, PointList::new(sums))
    }

    /// What the querier does, to whom only the sums matter.
    pub(super) fn from_sums<R: Relation>(
        relation: &R,
        sums: PointList<G1>,
    ) -> Result<Self, TraceError> {
        let items = relation.pass().opened().len();
        require_all("announcements", R::EQUATIONS * items, sums.len())?;
        let mut transcript = Transcript::new(b"subrosa/trace/db/proof/v1");
        transcript.absorb(b"group", G1::NAME.as_bytes());
        transcript.absorb_u64(b"equations", R::EQUATIONS as u64);
        transcript.absorb_u64(b"witnesses", R::WITNESSES as u64);
        transcript.absorb_u64(b"items", items as u64);
        transcript.absorb(b"pass", relation.digest().as_bytes());
        transcript.absorb(b"R", sums.encoding());
        let challenge = F::from_wide(&transcript.challenge_wide(b"c"));
        let digest =
            digest_of("trace/db/announced", &[relation.digest().as_bytes(), sums.encoding()]);
        Ok(Self { sums, challenge, digest })
    }

    /// The sums, for the querier.
    pub fn sums(&self) -> &PointList<G1> {
        &self.sums
    }

    /// What names the challenge: a server answers one for each pass.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// c.
    pub fn challenge(&self) -> F {
        self.challenge
    }

    /// The sums of one equation.
    pub(super) fn equation(&self, equation: usize, items: usize) -> &[G1] {
        let start = equation * items;
        self.sums.points().get(start..start + items).unwrap_or_default()
    }

    /// `z = ω − c·w` for all witnesses, sealed to the querier.
    pub(super) fn respond(
        &self,
        pass: &Pass,
        (server, identity): (u16, &Identity),
        masks: &[Vec<F>],
        witnesses: &[Vec<F>],
        rng: &mut impl CryptoRng,
    ) -> Result<SealedResponse, TraceError> {
        let mut scalars = Vec::new();
        for (masks, witnesses) in masks.iter().zip(witnesses) {
            let pairs = masks.iter().zip(witnesses);
            scalars.extend(pairs.map(|(&mask, &w)| mask - self.challenge * w));
        }
        let mut message = Response { server, announced: self.digest, scalars, signature: [0; 64] };
        message.signature = identity.sign(SIGNATURE_DOMAIN, message.signed());
        let context = self.seal_context(server);
        let sealed = Sealed::seal(&pass.request().key, &context, &message.to_bytes(), rng)?;
        Ok(SealedResponse { server, sealed })
    }

    fn seal_context(&self, server: u16) -> Vec<u8> {
        [b"trace/db/response".as_slice(), self.digest.as_bytes(), &server.to_le_bytes()].concat()
    }

    /// Opens the responses of all servers with the querier's key, and adds them up: for every
    /// witness (first index) and item.
    pub(super) fn open<R: Relation>(
        &self,
        relation: &R,
        key: &SecretKey<G1>,
        responses: &[SealedResponse],
    ) -> Result<Vec<Vec<F>>, TraceError> {
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
        let witness = |number: usize| {
            sums.get(number * items..(number + 1) * items).unwrap_or_default().to_vec()
        };
        Ok((0..R::WITNESSES).map(witness).collect())
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
        match response.announced == self.digest {
            true => Ok(response),
            false => Err(TraceError::DisputedShare { server }),
        }
    }
}

/// Weights of 128 bits for a batch, drawn when everything in it is fixed.
pub(super) fn weights(count: usize, rng: &mut dyn CryptoRng) -> Vec<u128> {
    let mut bytes = vec![[0; 16]; count];
    rng.fill_bytes(bytes.as_flattened_mut());
    bytes.into_iter().map(u128::from_le_bytes).collect()
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

/// 32-bit count of points, the points.
impl Encode for Announcement {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.points.len() as u32).encode(out);
        out.extend_from_slice(self.points.encoding());
    }
}

impl Decode for Announcement {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("announcements", MAX_ENTRIES)?;
        Ok(Self { points: encode::point_list(reader, "announcement", count)? })
    }
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
