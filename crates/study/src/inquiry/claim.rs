//! Answers about an election as a claim: the board, and what its querier found out.

use std::sync::Arc;

use claim::{BundleError, BundleWriter, Check, Claim, Findings, Kind, Objects, Refusal, Verifier};
use serde_json::{Value, json};
use thiserror::Error;
use trace::{
    By, Engine, IndexSet, Request, TraceError,
    routed::{AnswerRecord, Ground, RoutedEngine},
};
use wire::{Decode, Digest, Progress};

use super::{Counted, Topic};
use crate::{
    bundled::{BOARD, BoardObjects, BundledBoard, LOG, Versions, describe_log, with_log},
    checks::{EL_14, TR_13},
    election::{Election, Replays, Role, TereliusWikstrom},
    report::Answer,
    tracing::G,
};

/// The kind of claim that answers about an election make.
pub const CLAIM_KIND: &str = "election-trace";
const VERSIONS: Versions = [2, 3];
const ANSWER: &str = "answer";

/// An answer that its querier publishes: what it is about, and the record that proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What was asked.
    pub topic: Topic,
    /// The encoded [`AnswerRecord`].
    pub record: Vec<u8>,
}

/// Why answers cannot be published.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError {
    /// An answer does not hold.
    #[error("{0}")]
    Answer(Refusal),
    /// The bundle cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// An answer that was verified.
#[derive(Clone, Debug)]
struct Verified {
    query: Digest,
    querier: String,
    asked: IndexSet,
    yes: IndexSet,
    shares: usize,
}

/// Verifies answers about a finished election and adds their claim to its bundle. `board` is what the bundle has
/// of the board up to the outcome.
///
/// # Errors
/// [`PublishError::Answer`] naming the answer that does not hold, [`PublishError::Bundle`].
pub fn write_claim(
    writer: &mut BundleWriter,
    board: &BoardObjects,
    (election, counted): (&Election<TereliusWikstrom>, &Counted),
    found: &[Found],
) -> Result<(), PublishError> {
    let verified = (0..)
        .zip(found)
        .map(|(number, found)| verify_answer(election, counted, number, found))
        .collect::<Result<Vec<_>, _>>()
        .map_err(PublishError::Answer)?;
    let statement = with_log(statement(election, counted, found, &verified), board.log());
    let answers = (0..).zip(found).map(|(number, found): (u32, &Found)| {
        writer.add_object(&format!("trace/{number:08}.answer"), &found.record)
    });
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    let claim = board.claim((CLAIM_KIND, VERSIONS), Some((ANSWER, answers)), statement);
    Ok(writer.add_claim(CLAIM_KIND, &claim)?)
}

/// Checks one answer: that it was asked about exactly the rows of its topic, and that its shares
/// say what they say.
fn verify_answer(
    election: &Election<TereliusWikstrom>,
    counted: &Counted,
    number: u64,
    found: &Found,
) -> Result<Verified, Refusal> {
    let refused = |reason: String| Refusal::new(ANSWER, reason).at(number).under(TR_13);
    let record = AnswerRecord::<G>::from_bytes(&found.record);
    let record = record.map_err(|error| refused(error.to_string()))?;
    let index = record.request as usize;
    let verified = record.verify(counted.ground());
    let (agreed, reading) = verified.map_err(|error| by(election, counted, &error).at(number))?;
    let query = agreed.pass().query();
    let request = query.requests().nth(index).ok_or_else(|| refused("no such request".into()))?;
    let asked = require_topic(election, counted, found, request).map_err(refused)?;
    let answer = reading.answer.map_err(|error| refused(error.to_string()))?;
    let yes = answer.yes.first().cloned().ok_or_else(|| refused("there is no answer".into()))?;
    let (query, querier) = (*query.id(), request.querier.to_string());
    Ok(Verified { query, querier, asked, yes, shares: reading.shares.len() })
}

/// Requires that a request asks about the rows of the topic, by value; the rows that are answered.
fn require_topic(
    election: &Election<TereliusWikstrom>,
    counted: &Counted,
    found: &Found,
    request: &Request<G>,
) -> Result<IndexSet, String> {
    let topic = &found.topic;
    let question = topic.question(election, counted).map_err(|error| error.to_string())?;
    if request.direction != topic.direction() || request.by != By::Value {
        return Err("it was asked another way".to_owned());
    }
    if request.questions != [question.clone()] {
        return Err("it was asked about other ballots or results".to_owned());
    }
    Ok(match topic.direction() {
        trace::Direction::In => question.inputs,
        trace::Direction::Out => question.outputs,
    })
}

/// What does not hold, and by whose doing.
fn by(election: &Election<TereliusWikstrom>, counted: &Counted, error: &TraceError) -> Refusal {
    let refusal = Refusal::new(ANSWER, error.to_string()).under(TR_13);
    let signer = error.culprit().and_then(|number| counted.ground().signer(number));
    match signer.and_then(|signer| election.setup().parties.party(&signer.id)) {
        Some(party) => refusal.by(party.to_string()),
        None => refusal,
    }
}

fn statement(
    election: &Election<TereliusWikstrom>,
    counted: &Counted,
    found: &[Found],
    verified: &[Verified],
) -> Value {
    let ground = counted.ground();
    let answers = found.iter().zip(verified).map(|(found, verified)| {
        let Verified { query, querier, asked, yes, .. } = verified;
        json!({
            "topic": found.topic,
            "query": query.to_string(),
            "querier": querier,
            "asked": asked.len(),
            "yes": yes.len(),
            "no": asked.len() - yes.len(),
        })
    });
    json!({
        "election": election.id().to_string(),
        "outcome": ground.digest().to_string(),
        "engine": RoutedEngine::<G>::NAME,
        "notice": RoutedEngine::<G>::NOTICE,
        "ballots": ground.rows(),
        "routed_by": election.mixes(),
        "decrypted_by": election.decrypted_by(),
        "answers": answers.collect::<Vec<_>>(),
    })
}

/// The answers of a claim's statement, for the page of the election; `address` is the claim's.
pub fn answers_of(statement: &Value, address: &str) -> Vec<Answer> {
    let answers = statement["answers"].as_array().into_iter().flatten();
    let answers = answers.filter_map(|stated| {
        // The statement is ours, or was found to be that of the board: every answer has a topic.
        let topic: Topic = serde_json::from_value(stated["topic"].clone()).ok()?;
        Some(Answer {
            about: topic.about(),
            question: topic.title,
            asked: stated["asked"].as_u64()?,
            yes: stated["yes"].as_u64()?,
            claim: address.to_owned(),
        })
    });
    answers.collect()
}

/// Verifies answers about an election: replays the board up to the outcome, then every answer.
#[derive(Clone, Default)]
pub struct InquiryVerifier {
    replays: Replays,
}

impl InquiryVerifier {
    /// Shares its replays with the verifier of the election, whose claim names the same entries.
    pub fn sharing(replays: &Replays) -> Self {
        Self { replays: replays.clone() }
    }
}

impl Verifier for InquiryVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [claim::Role; 3] =
            [claim::Role::some(BOARD), claim::Role::optional(LOG), claim::Role::some(ANSWER)];
        Kind { name: CLAIM_KIND, versions: &VERSIONS, roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let board = self.replays.board(claim, objects, VERSIONS)?;
        let election = self.replays.election::<TereliusWikstrom>(&board, progress)?;
        let counted = Counted::of(board.entries(), &election);
        let counted =
            counted.map_err(|error| Refusal::new("election", error.to_string()).under(TR_13))?;
        let found = found(claim, objects)?;
        progress.begin("answers", found.len() as u64);
        let mut verified = Vec::new();
        for (number, found) in (0..).zip(&found) {
            verified.push(verify_answer(&election, &counted, number, found)?);
            progress.advance(1);
        }
        progress.finish();
        let statement = statement(&election, &counted, &found, &verified);
        let checks = checks(&board, &election, counted.ground(), &verified);
        let shares = verified.iter().map(|verified| verified.shares).sum();
        let explanation = board
            .explained()
            .with(EL_14, "election on the board, up to its outcome", 1)
            .with(
                TR_13,
                "answers, whose requests are about the rows of their topics",
                verified.len(),
            )
            .with(TR_13, "shares of answers", shares);
        Ok(Findings::new(with_log(statement, board.log()), checks).explained(explanation))
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        // For people: the statement was found to be that of the board.
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let statement = &claim.statement;
        let head = format!("engine {}: {}", text(&statement["engine"]), text(&statement["notice"]));
        // Titles are the querier's words; what was asked follows in ours.
        let answers = answers_of(statement, "").into_iter().flat_map(|answer| {
            let Answer { question, about, asked, yes, .. } = answer;
            [question, format!("  {about} {yes} yes of {asked}")]
        });
        std::iter::once(head).chain(describe_log(statement)).chain(answers).collect()
    }
}

/// The answers with their topics, of which the claim has one for each.
fn found(claim: &Claim, objects: &Objects<'_>) -> Result<Vec<Found>, Refusal> {
    let refused = |reason: &str| Refusal::new("claim", reason).under(TR_13);
    let stated = claim.statement.get("answers").and_then(Value::as_array);
    let stated = stated.map_or(&[][..], Vec::as_slice);
    if stated.is_empty() || stated.len() != claim.objects(ANSWER).count() {
        return Err(refused("not one record for every answer"));
    }
    let pairs = stated.iter().zip(objects.all(ANSWER));
    let found = pairs.map(|(stated, record)| {
        let topic = serde_json::from_value(stated["topic"].clone());
        let topic = topic.map_err(|error| refused(&format!("topic: {error}")))?;
        Ok(Found { topic, record: record? })
    });
    found.collect()
}

fn checks(
    board: &BundledBoard,
    election: &Election<TereliusWikstrom>,
    ground: &Arc<Ground<G>>,
    verified: &[Verified],
) -> Vec<Check> {
    let (queries, mixers) = (verified.len() as u64, ground.mixers() as u64);
    let signers = ground.signers().len() as u64;
    let shares = verified.iter().map(|verified| verified.shares as u64).sum();
    let stations = election.setup().parties.count(Role::Station);
    [
        (BundledBoard::checked(board.log()), board.entries().len() as u64),
        ("stations", stations.into()),
        ("mixers' permutations, those of the count", mixers),
        ("signed requests, about the rows that the board has for their topics", queries),
        ("marker turns, proven against the same permutations", queries * mixers),
        ("signatures on lists and blinded sums", queries * signers),
        ("shares of answers, each proven in two equations", shares),
    ]
    .into_iter()
    .map(|(what, count)| Check::new(what, count))
    .collect()
}
