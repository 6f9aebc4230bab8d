//! S5: blinding of points and numbers.

use algebra::Scalar;
use shuffle::{Ciphertext, Column};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{RsmRouted, encrypt_multiples, encryptions, route::column};
use crate::{
    Agreement, TraceError,
    agreement::Subject,
    db::{
        RepresentationProof, Session,
        bases::{F, G1},
        paillier::{
            Ciphertexts, Context, PACKED_BITS, PaillierError, PlaintextClaim, PlaintextProofs,
            mask_of, pack, verify_plaintexts,
        },
    },
    encode::{digest_of, require_all},
    fresh,
};

const STEP: &str = "blinding of quasi-signatures";

/// A server's blindings of the opened rows. Erased when dropped.
pub(super) struct Blindings {
    /// `b_S`, which blinds the point.
    pub(super) point: Zeroizing<Vec<F>>,
    /// `b_c`, which blinds c.
    pub(super) c: Zeroizing<Vec<F>>,
    /// `b_r`, which blinds `r̂ + r`.
    pub(super) r: Zeroizing<Vec<F>>,
}

impl RsmRouted {
    /// A server's blindings, the same whenever they are asked for: they are bound to all lists,
    /// and for each pass a server signs one digest.
    pub(super) fn blindings(&self, secret: &[u8; 32]) -> Blindings {
        let mut rng = fresh::repeatable(secret, "blindings", self.digest());
        let mut draw = || Zeroizing::new(F::random_many(self.points().len(), &mut rng));
        Blindings { point: draw(), c: draw(), r: draw() }
    }

    fn session(&self) -> &Session {
        self.query().pass().outputs().session()
    }

    fn transcript(&self, server: u16) -> Transcript {
        let mut transcript = Transcript::new(b"subrosa/trace/db/rsm/blinding/v1");
        transcript.absorb(b"routed", self.digest().as_bytes());
        transcript.absorb_u64(b"server", server.into());
        transcript
    }

    fn context(&self, server: u16) -> Context<'_> {
        let session = self.session().id().as_bytes();
        Context { session, purpose: self.digest().as_bytes(), server }
    }
}

/// A server's encryptions of `b_S·G`, and of `(b_c + q·u)·2^512 + b_r + q·u'` with u, u' below
/// 2^128 that hide what the integers would tell, and that it knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmBlinding {
    points: Column<G1>,
    point_proof: RepresentationProof<2, 2>,
    integers: Ciphertexts,
    integer_proofs: PlaintextProofs,
}

impl RsmBlinding {
    /// Encrypts this server's blindings. Made again after a restart, it is the same.
    pub(super) fn new(
        routed: &RsmRouted,
        server: u16,
        secret: &[u8; 32],
    ) -> Result<Self, TraceError> {
        let failed = |error| TraceError::Paillier { step: STEP, error };
        let blindings = routed.blindings(secret);
        let mut rng = fresh::repeatable(secret, "blinding", routed.digest());
        let randomness = Zeroizing::new(F::random_many(blindings.point.len(), &mut rng));
        let key = routed.session().keys().public_key();
        let points = encrypt_multiples(key, &randomness, &blindings.point);
        let statement = encryptions(key.point(), points.components().map(|list| list.points()));
        let point_proof = RepresentationProof::prove(
            &mut routed.transcript(server),
            &statement,
            [&randomness, &blindings.point],
            &mut rng,
        );

        let masks = blindings.c.iter().zip(blindings.r.iter());
        let packed = masks.map(|(c, r)| pack(&mask_of(c, &mut rng), &mask_of(r, &mut rng)));
        let packed = packed.collect();
        let key = routed.session().paillier();
        let (integers, openings) = key.encrypt(packed, &mut rng).map_err(failed)?;
        let context = routed.context(server);
        let integer_proofs =
            PlaintextProofs::prove(key, &context, &integers, &openings, PACKED_BITS, &mut rng)
                .map_err(failed)?;
        Ok(Self { points, point_proof, integers, integer_proofs })
    }

    /// What the server sends first, so that nobody chooses its blindings knowing another's.
    pub(super) fn commitment(&self, routed: &Digest, server: u16) -> Digest {
        let (server, message) = (server.to_le_bytes(), self.to_bytes());
        digest_of("trace/db/rsm/blinding", &[routed.as_bytes(), &server, &message])
    }

    /// Everything but the proofs about numbers, which are verified for all servers at once.
    fn check(&self, routed: &RsmRouted, server: u16) -> Result<(), TraceError> {
        let items = routed.points().len();
        if self.points.len() != items || self.integers.len() != items {
            return Err(TraceError::step(STEP, server, "there is not one for each row"));
        }
        let key = routed.session().keys().public_key().point();
        let statement = encryptions(key, self.points.components().map(|list| list.points()));
        match self.point_proof.verify(&mut routed.transcript(server), &statement) {
            true => Ok(()),
            false => Err(TraceError::step(STEP, server, "the proof about its points is false")),
        }
    }

    /// Reads a server's blinding in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let (points, point_proof) = (column(reader)?, RepresentationProof::decode(reader)?);
        let key = session.paillier();
        let integers = Ciphertexts::decode(reader, key)?;
        let integer_proofs = PlaintextProofs::decode(reader, key, integers.len(), PACKED_BITS)?;
        Ok(Self { points, point_proof, integers, integer_proofs })
    }
}

/// Tuples with the blindings of all servers.
#[derive(Clone)]
pub struct RsmBlinded {
    routed: RsmRouted,
    points: Vec<Ciphertext<G1>>,
    integers: Ciphertexts,
    digest: Digest,
}

impl RsmBlinded {
    /// Requires that every server blinds with what it had committed to, verifies the proofs, and
    /// adds up.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server, and the row where a proof
    /// about numbers fails.
    pub fn verify(
        routed: RsmRouted,
        commitments: &[Digest],
        blindings: &[RsmBlinding],
    ) -> Result<Self, TraceError> {
        let servers = routed.session().servers();
        require_all("commitments to blindings", servers, commitments.len())?;
        require_all("blindings", servers, blindings.len())?;
        let key = routed.session().paillier();
        let (mut points, mut integers) = (routed.points().to_vec(), routed.integers().clone());
        let mut digests = vec![routed.digest().as_bytes().to_vec()];
        for (server, (blinding, commitment)) in (1..).zip(blindings.iter().zip(commitments)) {
            if blinding.commitment(routed.digest(), server) != *commitment {
                let reason = "it blinds with something else than it had committed to";
                return Err(TraceError::step(STEP, server, reason));
            }
            blinding.check(&routed, server)?;
            let rows = points.iter_mut().zip(blinding.points.ciphertexts());
            rows.for_each(|(sum, blinding)| *sum = *sum + blinding);
            integers = key
                .add(&integers, &blinding.integers)
                .map_err(|error| TraceError::Paillier { step: STEP, error })?;
            digests.push(commitment.as_bytes().to_vec());
        }
        verify_numbers(&routed, blindings)?;
        let parts: Vec<&[u8]> = digests.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/rsm/blinded", &parts);
        Ok(Self { routed, points, integers, digest })
    }

    /// What came before.
    pub fn routed(&self) -> &RsmRouted {
        &self.routed
    }

    /// What all servers sign before any of them releases a share.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(super) fn points(&self) -> &[Ciphertext<G1>] {
        &self.points
    }

    pub(super) fn integers(&self) -> &Ciphertexts {
        &self.integers
    }
}

/// The proofs of all servers as one batch; a failing one names server and row.
fn verify_numbers<'b>(
    routed: &'b RsmRouted,
    blindings: &'b [RsmBlinding],
) -> Result<(), TraceError> {
    let claim = |(server, blinding): (u16, &'b RsmBlinding)| PlaintextClaim {
        context: routed.context(server),
        ciphertexts: &blinding.integers,
        bits: PACKED_BITS,
        proofs: &blinding.integer_proofs,
    };
    let claims: Vec<PlaintextClaim<'b>> = (1..).zip(blindings).map(claim).collect();
    verify_plaintexts(routed.session().paillier(), &claims).map_err(|error| match error {
        PaillierError::PlaintextProof { claim, index } => TraceError::Step {
            step: STEP,
            server: claim as u16 + 1,
            row: routed.query().pass().opened().get(index).copied(),
            reason: "the proof about its numbers is false",
        },
        error => TraceError::Paillier { step: STEP, error },
    })
}

/// Blinded tuples on which all servers agree.
#[derive(Clone)]
pub struct RsmAgreed {
    blinded: RsmBlinded,
}

impl RsmAgreed {
    /// Verifies the signatures of all servers.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`], [`TraceError::Missing`].
    pub fn verify(blinded: RsmBlinded, agreement: &Agreement) -> Result<Self, TraceError> {
        let servers = blinded.routed.session().rules().servers();
        agreement.verify(Subject::Query, servers, blinded.digest)?;
        Ok(Self { blinded })
    }

    /// What was agreed on.
    pub fn blinded(&self) -> &RsmBlinded {
        &self.blinded
    }
}

/// Counted points with their proof, counted numbers with their proofs.
impl Encode for RsmBlinding {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.points.len() as u32).encode(out);
        self.points.encode(out);
        self.point_proof.encode(out);
        self.integers.encode(out);
        self.integer_proofs.encode(out);
    }
}
