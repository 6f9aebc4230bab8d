//! What is published, in the order in which it is verified.

use std::sync::Arc;

use algebra::{FixedBaseTable, Group, Scalar};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{PointList, tw::Generators};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{
    Announced, Inputs, Mixed, Outputs, PaillierTurn, Proof, Reading, ShownProof, Submission,
    Verdict,
    asked::{Asked, Said},
    bases::{F, G1, G2},
    keys::KeyRecord,
    offer::Offer,
    paillier::{MAX_ROWS, PartialDecryption},
    part::{Part, Step},
    progress::{Opened, Progress, Proving, Stage, out_of_place},
    relation::{Lists, Relation},
};
use trace::{
    Agreement, Direction, Query, TraceError,
    parts::encode::{self, digest_of},
    routed::PermutationMessage,
};

const SESSION_FILE: FileHeader = FileHeader::new("trdb-ses", 2);
const ANSWER_FILE: FileHeader = FileHeader::new("trdb-ans", 3);

/// The record of a session that was verified step by step: key generation, submissions,
/// permutations, turns, signatures, decryption.
pub fn session_record(key: &KeyRecord, outputs: &Outputs) -> Vec<u8> {
    let mut out = Vec::new();
    SESSION_FILE.encode(&mut out);
    key.encode(&mut out);
    let mixed = outputs.mixed();
    encode::put_list(mixed.inputs().submissions(), &mut out);
    encode::put_list(mixed.messages(), &mut out);
    mixed.turns().iter().for_each(|turn| out.extend_from_slice(turn));
    outputs.agreement().encode(&mut out);
    outputs.partials().iter().for_each(|partial| partial.encode(&mut out));
    out
}

/// Reads a session's record and verifies everything in it.
///
/// # Errors
/// [`TraceError::Malformed`]; [`TraceError`] for the first step that fails.
pub fn verify_session_record(bytes: &[u8]) -> Result<(KeyRecord, Arc<Outputs>), TraceError> {
    let malformed = |error| TraceError::malformed("session record", error);
    let mut reader = Reader::new(bytes);
    let reader = &mut reader;
    SESSION_FILE.expect(reader).map_err(malformed)?;
    let key = KeyRecord::decode(reader).map_err(malformed)?;
    let session = Arc::new(key.establish()?);
    let mut read = || {
        let count = reader.count("submissions", MAX_ROWS)?;
        let submissions: Vec<Submission> =
            (0..count).map(|_| Submission::decode(reader, &session)).collect::<Result<_, _>>()?;
        let servers = session.servers();
        let permutations: Vec<PermutationMessage<G1>> =
            encode::list(reader, "permutations", servers)?;
        let turns: Vec<PaillierTurn> = (0..servers)
            .map(|_| PaillierTurn::decode(reader, &session))
            .collect::<Result<_, _>>()?;
        let agreement = Agreement::decode(reader)?;
        let partials: Vec<PartialDecryption> = (0..servers)
            .map(|_| PartialDecryption::decode(reader, session.paillier()))
            .collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok((submissions, permutations, turns, agreement, partials))
    };
    let (submissions, permutations, turns, agreement, partials) = read().map_err(malformed)?;
    let inputs = Arc::new(Inputs::collect(session, submissions)?);
    let generators = Arc::new(Generators::derive(inputs.rows()));
    let mixed = Mixed::verify(inputs, permutations, &turns, generators)?;
    let outputs = Outputs::open(Arc::new(mixed), &agreement, &partials)?;
    Ok((key, Arc::new(outputs)))
}

/// What a querier shows of a distributed proof: the sums of announcements and of responses.
pub(super) struct Published {
    sums: Vec<u8>,
    responses: Vec<u8>,
}

impl Published {
    pub(super) fn of<R: Relation>(announced: &Announced, proof: &Proof<R>) -> Self {
        let responses =
            proof.responses().as_ref().iter().flat_map(|list| F::encode_all(list)).collect();
        Self { sums: announced.sums().encoding().to_vec(), responses }
    }
}

/// The record of an answer: request, the querier's signatures, everything that was said until the
/// blinded lists were opened, and both proofs.
pub(super) fn put_answer(asked: &Asked, proofs: &[Published; 2]) -> Vec<u8> {
    let mut out = Vec::new();
    ANSWER_FILE.encode(&mut out);
    asked.query().encode(&mut out);
    asked.offers().iter().for_each(|offer| offer.encode(&mut out));
    for said in asked.said() {
        said.party.encode(&mut out);
        said.parts.iter().for_each(|part| part.encode(&mut out));
    }
    for Published { sums, responses } in proofs {
        out.extend_from_slice(sums);
        out.extend_from_slice(responses);
    }
    out
}

/// Reads an answer's record, verifies everything in it against a verified session, and reads the
/// proofs with the querier's public keys.
///
/// # Errors
/// [`TraceError::Malformed`]; [`TraceError`] for the first step that fails.
pub fn verify_answer_record(
    key: &KeyRecord,
    outputs: &Arc<Outputs>,
    bytes: &[u8],
) -> Result<(Asked, Verdict), TraceError> {
    let malformed = |error| TraceError::malformed("answer record", error);
    let mut reader = Reader::new(bytes);
    let reader = &mut reader;
    ANSWER_FILE.expect(reader).map_err(malformed)?;
    let query = Query::<G1>::decode(reader).map_err(malformed)?;
    let direction = query.direction();
    let mut offer = || Offer::decode(reader, direction).map_err(malformed);
    let offers = [offer()?, offer()?];
    let mut asked = Asked::new(outputs, query, offers, key.rules.dealer())?;
    while asked.step() <= Step::Share {
        let party = reader.u16().map_err(malformed)?;
        let step = (direction, asked.step());
        let mut part = || Part::decode(reader, step, outputs.session()).map_err(malformed);
        let parts = [part()?, part()?];
        asked = asked.take(Said { party, parts })?;
    }
    if direction == Direction::In {
        require_usable(outputs, asked.offers())?;
    }
    // Weights of the batches, bound to everything that is verified.
    let seed = digest_of("trace/db/reading", &[outputs.digest().as_bytes(), bytes]);
    let mut rng = ChaCha20Rng::from_seed(*seed.as_bytes());
    let [first, second] = asked.sides();
    let in_set = read_side(reader, first, &mut rng)?;
    let outside = read_side(reader, second, &mut rng)?;
    reader.finish().map_err(malformed)?;
    let verdict = Verdict::of(first.pass(), &in_set, &outside)?;
    Ok((asked, verdict))
}

/// Requires that `y ≠ −v·G2` for every value: with x = −v the second equation of p_BB holds for v
/// and b = 0, whatever was signed.
fn require_usable(outputs: &Outputs, offers: &[Offer; 2]) -> Result<(), TraceError> {
    let table = FixedBaseTable::new(&G2::generator());
    let negated: Vec<F> = outputs.values().iter().map(|&value| -value).collect();
    let poles = table.mul_all(&negated);
    for offer in offers {
        if let Some(row) = poles.iter().position(|pole| pole == offer.key()) {
            let reason = "the key makes every proof about this value hold";
            return Err(TraceError::Offer { row: Some(row as u32), reason });
        }
    }
    Ok(())
}

fn read_side(
    reader: &mut Reader<'_>,
    side: &Progress,
    rng: &mut ChaCha20Rng,
) -> Result<Reading, TraceError> {
    match &side.stage {
        Stage::SmProof(proving) => read_published(reader, proving, rng),
        Stage::RsmProof(proving) => read_published(reader, proving, rng),
        _ => Err(out_of_place()),
    }
}

fn read_published<O: Opened>(
    reader: &mut Reader<'_>,
    proving: &Proving<O>,
    rng: &mut ChaCha20Rng,
) -> Result<Reading, TraceError> {
    let statement = proving.opened.statement().clone();
    let items = statement.pass().opened().len();
    let mut read = || {
        let equations = <O::Statement as Relation>::EQUATIONS;
        let sums: PointList<G1> =
            shuffle::encode::point_list(reader, "announcement", equations * items)?;
        let response = |_| shuffle::encode::scalars::<G1>(reader, "response", items);
        let responses = <O::Statement as Relation>::Scalars::make(response)?;
        Ok::<_, DecodeError>((sums, responses))
    };
    let (sums, responses) = read().map_err(|error| TraceError::malformed("proof", error))?;
    let announced = Announced::from_sums(&statement, sums)?;
    Ok(ShownProof::new(statement, announced, responses).read(rng))
}
