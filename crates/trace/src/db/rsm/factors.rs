//! Products of the blindings: `δ_1 = b_S·b_c` and `δ_2 = δ_0·b_c`, shared.

use algebra::{Group, Scalar};
use shuffle::{PointList, encode};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{RsmOpened, RsmStatement, TripleShares, triples::Triples};
use crate::{
    TraceError,
    db::{
        RepresentationProof,
        bases::{F, G1, bases},
        exponents::add_multiples,
        knowledge::Representations,
    },
    encode::{digest_of, require_all},
    fresh,
};

const STEP: &str = "products of blindings";

/// A server's commitments `Z_1^(k) = b_S·G + δ_0·E` with the proof that it knows their openings,
/// and its blindings less its shares of the triples: `b_S − a`, `b_c − b`, `δ_0 − a'`, `b_c − b'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmFactors {
    commitments: PointList<G1>,
    proof: RepresentationProof<1, 2>,
    masked: [Vec<F>; 4],
}

/// What a server holds shares of in p_BBS+, erased when dropped: b_S, b_c, b_r, δ_0.
pub(super) fn witnesses(opened: &RsmOpened, secret: &[u8; 32]) -> [Zeroizing<Vec<F>>; 4] {
    let blindings = opened.agreed().blinded().routed().blindings(secret);
    let mut rng = fresh::repeatable(secret, "delta_0", opened.digest());
    let delta = Zeroizing::new(F::random_many(blindings.point.len(), &mut rng));
    [blindings.point, blindings.c, blindings.r, delta]
}

impl RsmFactors {
    /// This server's part of both multiplications. Made again after a restart, it is the same.
    pub(super) fn new(
        opened: &RsmOpened,
        triples: &TripleShares,
        server: u16,
        secret: &[u8; 32],
    ) -> Self {
        let [point, c, _, delta] = witnesses(opened, secret);
        let commitments =
            PointList::new(add_multiples(bases().g.mul_all(&point), &bases().e, &delta));
        let mut rng = fresh::repeatable(secret, "products", opened.digest());
        let proof = RepresentationProof::prove(
            &mut transcript(opened, server),
            &statement(commitments.points()),
            [&point, &delta],
            &mut rng,
        );
        let minus = |left: &[F], right: &[F]| -> Vec<F> {
            left.iter().zip(right).map(|(&left, &right)| left - right).collect()
        };
        let [first, second] = triples.products();
        let masked = [
            minus(&point, &first.a),
            minus(&c, &first.b),
            minus(&delta, &second.a),
            minus(&c, &second.b),
        ];
        Self { commitments, proof, masked }
    }

    /// What the server sends first.
    pub(super) fn commitment(&self, opened: &Digest, server: u16) -> Digest {
        let (server, message) = (server.to_le_bytes(), self.to_bytes());
        digest_of("trace/db/rsm/factors", &[opened.as_bytes(), &server, &message])
    }

    fn check(&self, opened: &RsmOpened, server: u16) -> Result<(), TraceError> {
        let items = opened.query().pass().opened().len();
        let fits = self.commitments.len() == items
            && self.masked.iter().all(|masked| masked.len() == items);
        if !fits {
            return Err(TraceError::step(STEP, server, "there is not one for each row"));
        }
        let statement = statement(self.commitments.points());
        match self.proof.verify(&mut transcript(opened, server), &statement) {
            true => Ok(()),
            false => Err(TraceError::step(STEP, server, "the proof about Z_1 is false")),
        }
    }
}

fn statement(points: &[G1]) -> Representations<'_, 1, 2> {
    Representations { bases: [[G1::generator(), bases().e.base()]], points: [points] }
}

fn transcript(opened: &RsmOpened, server: u16) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/db/rsm/factors/v1");
    transcript.absorb(b"opened", opened.digest().as_bytes());
    transcript.absorb_u64(b"server", server.into());
    transcript
}

/// The factors of all servers added up: the statement of p_BBS+, and what every server needs for
/// its shares of the products.
#[derive(Clone)]
pub struct RsmMultiplied {
    opened: RsmOpened,
    statement: RsmStatement,
    /// Sums of what [`RsmFactors`] masks.
    masked: [Vec<F>; 4],
}

impl RsmMultiplied {
    /// Requires that every server sent what it had committed to, verifies the proofs, and adds up.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn verify(
        opened: RsmOpened,
        commitments: &[Digest],
        factors: &[RsmFactors],
    ) -> Result<Self, TraceError> {
        let servers = opened.query().pass().outputs().session().servers();
        require_all("commitments to factors", servers, commitments.len())?;
        require_all("factors", servers, factors.len())?;
        let items = opened.query().pass().opened().len();
        let mut sums = vec![G1::identity(); items];
        let mut masked: [Vec<F>; 4] = std::array::from_fn(|_| vec![F::zero(); items]);
        let mut digests = vec![opened.digest().as_bytes().to_vec()];
        for (server, (factors, commitment)) in (1..).zip(factors.iter().zip(commitments)) {
            if factors.commitment(opened.digest(), server) != *commitment {
                let reason = "it sends something else than it had committed to";
                return Err(TraceError::step(STEP, server, reason));
            }
            factors.check(&opened, server)?;
            sums.iter_mut().zip(factors.commitments.points()).for_each(|(sum, &z)| *sum += z);
            for (sums, list) in masked.iter_mut().zip(&factors.masked) {
                sums.iter_mut().zip(list).for_each(|(sum, &masked)| *sum += masked);
            }
            digests.push(commitment.as_bytes().to_vec());
        }
        let parts: Vec<&[u8]> = digests.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/rsm/multiplied", &parts);
        let tuples = opened.tuples().clone();
        let query = opened.query().clone();
        let statement = RsmStatement::new(query, digest, tuples, PointList::new(sums))?;
        Ok(Self { opened, statement, masked })
    }

    /// What was opened.
    pub fn opened(&self) -> &RsmOpened {
        &self.opened
    }

    /// The statement to be proven.
    pub fn statement(&self) -> &RsmStatement {
        &self.statement
    }

    /// A server's shares of δ_1 and δ_2: `d·b + e·a + c`, and `d·e` for server 1.
    pub(super) fn products(&self, triples: &TripleShares, server: u16) -> [Zeroizing<Vec<F>>; 2] {
        let [d_1, e_1, d_2, e_2] = &self.masked;
        let [first, second] = triples.products();
        let product = |d: &[F], e: &[F], Triples { a, b, c }: &Triples| {
            let mut shares = Zeroizing::new(Vec::with_capacity(d.len()));
            for (((&d, &e), &a), (&b, &c)) in d.iter().zip(e).zip(a).zip(b.iter().zip(c)) {
                let share = d * b + e * a + c;
                shares.push(if server == 1 { share + d * e } else { share });
            }
            shares
        };
        [product(d_1, e_1, first), product(d_2, e_2, second)]
    }
}

/// Counted commitments, their proof, the four lists of masked factors.
impl Encode for RsmFactors {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.commitments.len() as u32).encode(out);
        out.extend_from_slice(self.commitments.encoding());
        self.proof.encode(out);
        self.masked.iter().for_each(|masked| out.extend(F::encode_all(masked)));
    }
}

impl Decode for RsmFactors {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let items = reader.count("factors", shuffle::MAX_ROWS)?;
        let commitments = encode::point_list(reader, "Z_1", items)?;
        let proof = RepresentationProof::decode(reader)?;
        let mut masked = || encode::scalars::<G1>(reader, "masked factor", items);
        let masked = [masked()?, masked()?, masked()?, masked()?];
        Ok(Self { commitments, proof, masked })
    }
}
