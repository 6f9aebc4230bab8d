//! The distributed proofs of knowledge p_BB and p_BBS+: all servers together prove to
//! the querier that they hold a signature, each with additive shares of the witness.
//!
//! Both statements are linear relations between points of G1 and secret scalars, so no server computes a pairing. Every
//! server announces `R^(k)`, the relation applied to its masks. It first sends a hash of all its announcements, and the
//! announcements only when all hashes are there. One challenge c is hashed from the whole pass and the sums R
//! ([`Challenge`]). The responses `z = ω − c·w` go only to the querier, who adds them up, because servers could
//! otherwise run the check and learn the answer.

use std::convert::Infallible;

use algebra::{Group, Scalar as _};
use rand_chacha::ChaCha20Rng;
use rand_core::CryptoRng;
use shuffle::{PointList, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    Challenge,
    bases::{F, G1},
    challenge::prints,
    relation::{Lists, Relation},
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
};

/// The most points or scalars of one message: six for each row.
pub(super) const MAX_ENTRIES: usize = 6 * shuffle::MAX_ROWS;

/// One-time masks for every witness and item, of a generator that serves this statement alone.
pub(super) fn masks<R: Relation>(statement: &R, mut rng: ChaCha20Rng) -> Zeroizing<R::Scalars> {
    let items = statement.pass().opened().len();
    let Ok(lists) = Lists::make(|_| Ok::<_, Infallible>(F::random_many(items, &mut rng)));
    Zeroizing::new(lists)
}

/// One server's announcements: `R^(k)` of every equation and item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    points: PointList<G1>,
}

impl Announcement {
    /// Puts masks through the relation.
    pub(super) fn new<R: Relation>(relation: &R, masks: &R::Scalars) -> Self {
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
    challenge: Challenge,
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

    /// What those do to whom only the sums matter.
    pub(super) fn from_sums<R: Relation>(
        relation: &R,
        sums: PointList<G1>,
    ) -> Result<Self, TraceError> {
        let items = relation.pass().opened().len();
        require_all("announcements", R::EQUATIONS * items, sums.len())?;
        let challenge = Challenge::new(relation, prints(relation, &sums))?;
        Ok(Self { sums, challenge })
    }

    /// The sums.
    pub fn sums(&self) -> &PointList<G1> {
        &self.sums
    }

    /// The challenge, with everything that the querier needs of the announcements.
    pub fn challenge(&self) -> &Challenge {
        &self.challenge
    }
}

/// Weights of 128 bits for a batch, drawn when everything in it is fixed.
pub(super) fn weights(count: usize, rng: &mut dyn CryptoRng) -> Vec<u128> {
    let mut bytes = vec![[0; 16]; count];
    rng.fill_bytes(bytes.as_flattened_mut());
    bytes.into_iter().map(u128::from_le_bytes).collect()
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
