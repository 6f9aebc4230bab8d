//! S3 and S4: the signatures' way to the inputs, and their blinding.

use algebra::{Group, Scalar};
use rand_chacha::ChaCha20Rng;
use shuffle::{Ciphertext, Column, MAX_ROWS, encode};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::SmQuery;
use crate::{
    bases::{F, G1},
    exponents::{ExponentsClaim, ExponentsProof, Multiplicand},
};
use trace::{
    Agreement, TraceError,
    parts::{
        Subject,
        encode::{digest_of, require_all},
    },
    routed::{Turn, passage::Occasion},
};

const STEP: &str = "blinding of signatures";

/// How the signatures pass: against the permutations.
pub(super) fn occasion(query: &SmQuery) -> Occasion<'_, G1> {
    let outputs = query.pass().outputs();
    Occasion {
        session: outputs.session().id(),
        name: outputs.session().base().mix_name(),
        stage: "signatures",
        purpose: query.digest().as_bytes(),
        direction: shuffle::tw::Direction::Backward,
        key: *outputs.session().keys().public_key(),
        generators: outputs.generators(),
    }
}

impl SmQuery {
    /// Verifies the turns of the servers that come first, except what was verified before.
    pub(crate) fn verify_turns(&self, turns: &[Turn<G1>]) -> Result<(), TraceError> {
        let permutations = self.pass().outputs().permutations();
        self.verified().check(self.digest(), turns, |known| {
            occasion(self).verify_from(known, permutations, self.list(), turns)
        })
    }
}

/// Signatures that passed all servers, every proof verified: row i encrypts the signature that is
/// at output `π^{-1}(i)`.
#[derive(Clone)]
pub struct SmRouted {
    query: SmQuery,
    opened: Column<G1>,
    digest: Digest,
}

impl SmRouted {
    /// Verifies the turns of servers m..=1.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Shuffle`] naming the first server that fails.
    pub fn verify(query: SmQuery, turns: &[Turn<G1>]) -> Result<Self, TraceError> {
        require_all("turns", query.pass().outputs().session().servers(), turns.len())?;
        query.verify_turns(turns)?;
        let last = turns.last().map_or(query.list(), |turn| &turn.columns);
        // A turn that was verified has one list, as what came in.
        require_all("lists of a turn", 1, last.len())?;
        let rows = last.first().map(Column::ciphertexts).unwrap_or_default();
        let opened = Column::new(&query.pass().pick(&rows));
        let mut parts = vec![query.digest().as_bytes().to_vec()];
        parts.extend(turns.iter().map(Encode::to_bytes));
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/sm/routed", &parts);
        Ok(Self { query, opened, digest })
    }

    /// The pass with its signatures.
    pub fn query(&self) -> &SmQuery {
        &self.query
    }

    /// What names everything up to here.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    fn multiplicand(&self) -> Multiplicand<'_> {
        let outputs = self.query.pass().outputs();
        Multiplicand {
            key: outputs.session().keys().public_key(),
            generators: outputs.generators(),
            list: &self.opened,
        }
    }

    fn transcript(&self, server: u16) -> Transcript {
        let mut transcript = Transcript::new(b"subrosa/trace/db/sm/blinding/v1");
        transcript.absorb(b"routed", self.digest.as_bytes());
        transcript.absorb_u64(b"server", server.into());
        transcript
    }

    /// A server's `b_i`, the first that its generator for this step gives.
    pub(super) fn factors(&self, drawn: &mut ChaCha20Rng) -> Vec<F> {
        F::random_many(self.opened.len(), drawn)
    }
}

/// A server's `eb_i = b_i·E_i`, re-encrypted, for every opened row, with the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmBlinding {
    list: Column<G1>,
    proof: ExponentsProof,
}

impl SmBlinding {
    /// Blinds all opened rows.
    pub(super) fn new(routed: &SmRouted, server: u16, drawn: &mut ChaCha20Rng) -> Self {
        let factors = zeroize::Zeroizing::new(routed.factors(drawn));
        let mut transcript = routed.transcript(server);
        let (list, proof) = routed.multiplicand().multiply(&mut transcript, &factors, drawn);
        Self { list, proof }
    }

    /// What the server sends first, so that nobody chooses its factors knowing another's.
    pub(super) fn commitment(&self, routed: &Digest, server: u16) -> Digest {
        let (server, message) = (server.to_le_bytes(), self.to_bytes());
        digest_of("trace/db/sm/blinding", &[routed.as_bytes(), &server, &message])
    }
}

/// Signatures with the factors of all servers: row i encrypts `b_i·σ`.
#[derive(Clone)]
pub struct SmBlinded {
    routed: SmRouted,
    ciphertexts: Vec<Ciphertext<G1>>,
    digest: Digest,
}

impl SmBlinded {
    /// Requires that every server blinds with what it had committed to, verifies the proofs, and
    /// adds up.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn verify(
        routed: SmRouted,
        commitments: &[Digest],
        blindings: &[SmBlinding],
    ) -> Result<Self, TraceError> {
        let servers = routed.query.pass().outputs().session().servers();
        require_all("commitments to blindings", servers, commitments.len())?;
        require_all("blindings", servers, blindings.len())?;
        let zero = Ciphertext::trivial(G1::identity());
        let mut ciphertexts = vec![zero; routed.opened.len()];
        let mut digests = vec![routed.digest.as_bytes().to_vec()];
        let mut claims = Vec::with_capacity(servers);
        for (server, (blinding, commitment)) in (1..).zip(blindings.iter().zip(commitments)) {
            if blinding.commitment(&routed.digest, server) != *commitment {
                let reason = "it blinds with something else than it had committed to";
                return Err(TraceError::step(STEP, server, reason));
            }
            let SmBlinding { list, proof } = blinding;
            claims.push(ExponentsClaim {
                transcript: routed.transcript(server),
                images: list,
                proof,
            });
            ciphertexts.iter_mut().zip(list.ciphertexts()).for_each(|(sum, eb)| *sum = *sum + eb);
            digests.push(commitment.as_bytes().to_vec());
        }
        if let Some(position) = routed.multiplicand().first_false(&claims) {
            let reason = "the proof of its factors is false";
            return Err(TraceError::step(STEP, position as u16 + 1, reason));
        }
        let parts: Vec<&[u8]> = digests.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/sm/blinded", &parts);
        Ok(Self { routed, ciphertexts, digest })
    }

    /// What came before.
    pub fn routed(&self) -> &SmRouted {
        &self.routed
    }

    /// What all servers sign before any of them releases a share.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(super) fn ciphertexts(&self) -> &[Ciphertext<G1>] {
        &self.ciphertexts
    }
}

/// Blinded signatures on which all servers agree.
#[derive(Clone)]
pub struct SmAgreed {
    pub(super) blinded: SmBlinded,
}

impl SmAgreed {
    /// Verifies the signatures of all servers. Two openings with one honest factor and known
    /// differences elsewhere would give the signature away.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`], [`TraceError::Missing`].
    pub fn verify(blinded: SmBlinded, agreement: &Agreement) -> Result<Self, TraceError> {
        let session = blinded.routed.query.pass().outputs().session();
        agreement.verify(Subject::Query, session.rules().servers(), blinded.digest)?;
        Ok(Self { blinded })
    }

    /// What was agreed on.
    pub fn blinded(&self) -> &SmBlinded {
        &self.blinded
    }
}

/// Counted rows, then first components, second components, proof.
impl Encode for SmBlinding {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.list.len() as u32).encode(out);
        self.list.encode(out);
        self.proof.encode(out);
    }
}

impl Decode for SmBlinding {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rows = reader.count("blinded rows", MAX_ROWS)?;
        let list = encode::column(reader, "blinded row", rows)?;
        Ok(Self { list, proof: ExponentsProof::decode(reader, rows)? })
    }
}
