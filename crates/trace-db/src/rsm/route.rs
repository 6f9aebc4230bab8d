//! S3 and S4: both lists and their way to the outputs.

use algebra::{Group, Scalar};
use rand_chacha::ChaCha20Rng;
use shuffle::{Ciphertext, Column, MAX_ROWS, encode};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::Zeroizing;

use super::{RsmQuery, encrypt_multiples, encryptions};
use crate::{
    PaillierTurn, RepresentationProof, Session,
    bases::{F, G1},
    mix::PaillierOccasion,
    paillier::{Ciphertexts, integer_of, pack},
    verified::VerifiedTurns,
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
    routed::{Turn, passage::Occasion},
};

const STEP: &str = "points outside I";

/// A server's encryptions of secret random points, one for each row outside I, and that it knows
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmFakes {
    list: Column<G1>,
    proof: RepresentationProof<2, 2>,
}

impl RsmFakes {
    /// Draws the points of a pass.
    pub(super) fn new(query: &RsmQuery, server: u16, rng: &mut ChaCha20Rng) -> Self {
        let count = query.pass().marked().iter().filter(|marked| !**marked).count();
        let secrets = Zeroizing::new(F::random_many(count, rng));
        let randomness = Zeroizing::new(F::random_many(count, rng));
        let key = query.pass().outputs().session().keys().public_key();
        let list = encrypt_multiples(key, &randomness, &secrets);
        let statement = encryptions(key.point(), list.components().map(|list| list.points()));
        let mut transcript = transcript(query, server);
        let secrets: [&[F]; 2] = [&randomness, &secrets];
        let proof = RepresentationProof::prove(&mut transcript, &statement, secrets, rng);
        Self { list, proof }
    }

    fn verify(&self, query: &RsmQuery, server: u16, count: usize) -> Result<(), TraceError> {
        if self.list.len() != count {
            return Err(TraceError::step(STEP, server, "there is not one for each row"));
        }
        let key = query.pass().outputs().session().keys().public_key().point();
        let statement = encryptions(key, self.list.components().map(|list| list.points()));
        match self.proof.verify(&mut transcript(query, server), &statement) {
            true => Ok(()),
            false => Err(TraceError::step(STEP, server, "the proof that it knows them is false")),
        }
    }
}

fn transcript(query: &RsmQuery, server: u16) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/db/rsm/fakes/v1");
    transcript.absorb(b"query", query.digest().as_bytes());
    transcript.absorb_u64(b"server", server.into());
    transcript
}

/// The two lists as the first server takes them, computed by everybody alike: encryptions of
/// `S_i`, and Paillier encryptions of `c_i·2^512 + r̂_i + r_i`.
#[derive(Clone)]
pub struct RsmStart {
    query: RsmQuery,
    points: [Column<G1>; 1],
    integers: Ciphertexts,
    digest: Digest,
    verified: VerifiedTurns,
}

impl RsmStart {
    /// Verifies the points outside I of servers 1..=m and forms the lists.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn verify(query: RsmQuery, fakes: &[RsmFakes]) -> Result<Self, TraceError> {
        let outputs = query.pass().outputs().clone();
        require_all("points outside I", outputs.session().servers(), fakes.len())?;
        let signatures = query.signatures();
        let count = signatures.iter().filter(|signature| signature.is_none()).count();
        let mut sums = vec![Ciphertext::trivial(G1::identity()); count];
        let mut parts = vec![query.digest().as_bytes().to_vec()];
        for (server, fakes) in (1..).zip(fakes) {
            fakes.verify(&query, server, count)?;
            let rows = sums.iter_mut().zip(fakes.list.ciphertexts());
            rows.for_each(|(sum, fake)| *sum = *sum + fake);
            parts.push(fakes.to_bytes());
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/rsm/start", &parts);
        let mut sums = sums.into_iter();
        let points: Vec<Ciphertext<G1>> = signatures
            .into_iter()
            .filter_map(|signature| signature.map(Ciphertext::trivial).or_else(|| sums.next()))
            .collect();
        let key = outputs.session().paillier();
        let packed = query.numbers().iter().map(|numbers| {
            pack(&integer_of(&numbers.c), &integer_of(&numbers.r_hat)).expose().clone()
        });
        let numbers = key.trivial(&packed.collect::<Vec<_>>());
        let integers = key
            .add(&numbers, outputs.inputs().blindings())
            .map_err(|error| TraceError::engine("numbers of signatures", error.culprit(), error))?;
        let (points, verified) = ([Column::new(&points)], VerifiedTurns::default());
        Ok(Self { query, points, integers, digest, verified })
    }

    /// The pass with its signatures.
    pub fn query(&self) -> &RsmQuery {
        &self.query
    }

    fn session(&self) -> &Session {
        self.query.pass().outputs().session()
    }

    pub(super) fn point_occasion(&self) -> Occasion<'_, G1> {
        Occasion {
            session: self.session().id(),
            name: self.session().base().mix_name(),
            stage: "quasi-signatures",
            purpose: self.digest.as_bytes(),
            direction: shuffle::tw::Direction::Forward,
            key: *self.session().keys().public_key(),
            generators: self.query.pass().outputs().generators(),
        }
    }

    pub(super) fn integer_occasion(&self) -> PaillierOccasion<'_> {
        PaillierOccasion {
            session: self.session(),
            generators: self.query.pass().outputs().generators(),
            purpose: self.digest.as_bytes(),
            step: "numbers of quasi-signatures",
        }
    }

    /// Verifies the turns of the first servers, except what was verified before.
    pub(crate) fn verify_turns(&self, turns: &[RsmTurn]) -> Result<(), TraceError> {
        let permutations = self.query.pass().outputs().permutations();
        self.verified.check(&self.digest, turns, |known| {
            let points: Vec<_> = turns.iter().map(|turn| &turn.points).collect();
            self.point_occasion().verify_from(known, permutations, &self.points, &points)?;
            let integers: Vec<_> = turns.iter().map(|turn| &turn.integers).collect();
            self.integer_occasion().verify_from(known, permutations, &self.integers, &integers)
        })
    }

    pub(super) fn points(&self) -> &[Column<G1>] {
        &self.points
    }

    pub(super) fn integers(&self) -> &Ciphertexts {
        &self.integers
    }
}

/// A server's turn: both lists, permuted and re-encrypted, with a proof for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmTurn {
    /// The points.
    pub points: Turn<G1>,
    /// The numbers.
    pub integers: PaillierTurn,
}

/// Lists that passed all servers, every proof verified: row j has the tuple of input `π(j)`.
#[derive(Clone)]
pub struct RsmRouted {
    start: RsmStart,
    points: Vec<Ciphertext<G1>>,
    integers: Ciphertexts,
    digest: Digest,
}

impl RsmRouted {
    /// Verifies the turns of servers 1..=m.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::Shuffle`], [`TraceError::Engine`] or
    /// [`TraceError::Step`] naming the first server that fails.
    pub fn verify(start: RsmStart, turns: Vec<RsmTurn>) -> Result<Self, TraceError> {
        let outputs = start.query.pass().outputs().clone();
        let mut parts = vec![start.digest.as_bytes().to_vec()];
        parts.extend(turns.iter().map(Encode::to_bytes));
        require_all("turns", outputs.session().servers(), turns.len())?;
        start.verify_turns(&turns)?;
        let last = turns.last().map_or(start.points(), |turn| &turn.points.columns);
        // A turn that was verified has one list, as what came in.
        require_all("lists of a turn", 1, last.len())?;
        let rows = last.first().map(Column::ciphertexts).unwrap_or_default();
        let pass = start.query.pass();
        let opened: Vec<usize> = pass.opened().iter().map(|&row| row as usize).collect();
        let integers = turns.last().map_or(&start.integers, |turn| turn.integers.list());
        let integers = integers.select(outputs.session().paillier(), &opened);
        let points = pass.pick(&rows);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let digest = digest_of("trace/db/rsm/routed", &parts);
        Ok(Self { start, points, integers, digest })
    }

    /// The pass with its signatures.
    pub fn query(&self) -> &RsmQuery {
        &self.start.query
    }

    /// What names everything up to here.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(super) fn session(&self) -> &Session {
        self.start.session()
    }

    /// Encryptions of S of the opened rows.
    pub(super) fn points(&self) -> &[Ciphertext<G1>] {
        &self.points
    }

    /// Encryptions of the numbers of the opened rows.
    pub(super) fn integers(&self) -> &Ciphertexts {
        &self.integers
    }
}

impl RsmTurn {
    /// Reads a server's turn in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        Ok(Self { points: Turn::decode(reader)?, integers: PaillierTurn::decode(reader, session)? })
    }
}

/// Points, numbers.
impl Encode for RsmTurn {
    fn encode(&self, out: &mut Vec<u8>) {
        self.points.encode(out);
        self.integers.encode(out);
    }
}

/// Counted rows, first components, second components, proof.
impl Encode for RsmFakes {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.list.len() as u32).encode(out);
        self.list.encode(out);
        self.proof.encode(out);
    }
}

impl Decode for RsmFakes {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { list: column(reader)?, proof: RepresentationProof::decode(reader)? })
    }
}

/// Reads a counted list of ciphertexts.
pub(super) fn column(reader: &mut Reader<'_>) -> Result<Column<G1>, DecodeError> {
    let rows = reader.count("rows", MAX_ROWS)?;
    encode::column(reader, "row", rows)
}
