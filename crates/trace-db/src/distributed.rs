//! The distributed proofs of knowledge p_BB and p_BBS+: all servers together prove to
//! the querier that they hold a signature, each with additive shares of the witness.
//!
//! Both statements are linear relations between points of G1 and secret scalars, so that no server
//! computes a pairing. Every server announces `R^(k)`, its masks put through the relation:
//! first a hash of all its announcements, and only when all hashes are in, the announcements. One
//! challenge c is hashed from the whole pass and the sums R ([`Challenge`]); the responses
//! `z = ω − c·w` go to the querier alone, who adds them up: servers could run its check and learn the
//! answer.

use algebra::{Group, Scalar as _};
use rand_chacha::ChaCha20Rng;
use rand_core::CryptoRng;
use shuffle::{PointList, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    Challenge, Pass,
    bases::{F, G1, G2},
    challenge::prints,
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
};

/// The most points or scalars of one message: six for each row.
pub(super) const MAX_ENTRIES: usize = 6 * shuffle::MAX_ROWS;

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

    /// What the other equations must announce, equation by equation.
    fn expected_others(&self, z: &[Vec<F>], c: &F) -> Vec<Vec<G1>>;

    /// For every item, whether one of the other equations fails; checked as one sum first, with
    /// weights from `rng`.
    fn inconsistent(
        &self,
        z: &[Vec<F>],
        announced: &Announced,
        rng: &mut dyn CryptoRng,
    ) -> Vec<bool>;
}

/// One-time masks for every witness and item, of a generator that serves this statement alone.
pub(super) fn masks<R: Relation>(statement: &R, mut rng: ChaCha20Rng) -> Zeroizing<Vec<Vec<F>>> {
    let items = statement.pass().opened().len();
    Zeroizing::new((0..R::WITNESSES).map(|_| F::random_many(items, &mut rng)).collect())
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

    /// The sums of one equation.
    pub(super) fn equation(&self, equation: usize, items: usize) -> &[G1] {
        let start = equation * items;
        self.sums.points().get(start..start + items).unwrap_or_default()
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
