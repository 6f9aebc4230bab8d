//! Published answers as a claim: a session, and what was found out about it.

use std::{marker::PhantomData, path::Path};

use claim::{
    Bundle, BundleError, BundleWriter, Claim, Findings, Kind, Objects, Refusal, Role, Verifier,
};
use serde_json::{Value, json};
use wire::Progress;

use crate::{Engine, IndexSet, ModulusSummary, PublishedAnswer, SessionSummary, TraceError};

/// The kind of claim that trace answers make.
pub const CLAIM_KIND: &str = "trace";
const VERSION: u16 = 2;
const SESSION: &str = "session";
const ANSWER: &str = "answer";
const KIND: Kind = Kind {
    name: CLAIM_KIND,
    versions: &[VERSION],
    roles: &[Role::one(SESSION), Role::any(ANSWER)],
};

/// Verifies the records of a session and of answers, and writes a bundle that claims them.
///
/// # Errors
/// [`PublishError::Trace`] if a record does not hold, [`PublishError::Bundle`].
pub fn write_bundle<E: Engine>(
    root: &Path,
    session: &[u8],
    answers: &[Vec<u8>],
) -> Result<Bundle, PublishError> {
    let verified = E::verify_session(session)?;
    let published = answers
        .iter()
        .map(|answer| E::verify_answer(&verified, answer))
        .collect::<Result<Vec<_>, _>>()?;
    let mut writer = BundleWriter::create(root)?;
    let session = vec![writer.add_object("trace/session", session)?];
    let objects = (0..)
        .zip(answers)
        .map(|(number, answer): (u32, _)| {
            writer.add_object(&format!("trace/{number:08}.answer"), answer)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let statement = statement::<E>(&E::summarize(&verified), &published);
    let claim = Claim::new(CLAIM_KIND, VERSION, [(SESSION, session), (ANSWER, objects)], statement);
    writer.add_claim(CLAIM_KIND, &claim)?;
    Ok(writer.finish()?)
}

/// Why answers cannot be published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// A record does not hold.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The bundle cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// What is claimed: the session, and every answer with its question.
fn statement<E: Engine>(session: &SessionSummary, answers: &[PublishedAnswer]) -> Value {
    let answers: Vec<Value> = answers.iter().map(answer_statement).collect();
    let study: String = session.study.iter().map(|byte| format!("{byte:02x}")).collect();
    let keys: Vec<String> = session.server_keys.iter().map(ToString::to_string).collect();
    let modulus = session.modulus.map(|ModulusSummary { bits, digest, origin }| {
        json!({ "bits": bits, "digest": digest.to_string(), "origin": origin })
    });
    let mut statement = json!({
        "engine": E::NAME,
        "notice": E::NOTICE,
        "study": study,
        "server_keys": keys,
        "session": session.session.to_string(),
        "mix": session.mix.to_string(),
        "rows": session.rows,
        "servers": session.servers,
        "threshold": session.threshold,
        "answers": answers,
    });
    if let (Some(fields), Some(modulus)) = (statement.as_object_mut(), modulus) {
        fields.insert("modulus".into(), modulus);
    }
    statement
}

fn answer_statement(published: &PublishedAnswer) -> Value {
    let rows = IndexSet::to_string;
    let questions = published.questions.iter().zip(&published.answer.yes).enumerate();
    let questions: Vec<Value> = questions
        .map(|(number, (question, yes))| {
            let mut statement = json!({
                "inputs": rows(&question.inputs),
                "outputs": rows(&question.outputs),
                "yes": rows(yes),
                "yes_count": yes.len(),
            });
            let unproven = published.unproven.get(number);
            if let (Some(fields), Some(unproven)) = (statement.as_object_mut(), unproven) {
                fields.insert("unproven".into(), rows(unproven).into());
            }
            statement
        })
        .collect();
    json!({
        "query": published.query.to_string(),
        "querier": published.querier.to_string(),
        "direction": published.answer.direction.name(),
        "by": published.answer.by.name(),
        "questions": questions,
    })
}

/// Verifies published answers of an engine: the whole session, then every answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceVerifier<E>(PhantomData<fn() -> E>);

impl<E> TraceVerifier<E> {
    /// A verifier of this engine's claims.
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E: Engine> Verifier for TraceVerifier<E> {
    fn kind(&self) -> Kind {
        KIND
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        if claim.statement.get("engine").and_then(Value::as_str) != Some(E::NAME) {
            return Err(Refusal::new("claim", format!("not of the engine `{}`", E::NAME)));
        }
        progress.begin("answers", claim.objects(ANSWER).count() as u64 + 1);
        let session = E::verify_session(&objects.only(SESSION)?)
            .map_err(|error| refusal("session", &error))?;
        progress.advance(1);
        let mut answers = Vec::new();
        for (number, record) in objects.all(ANSWER).enumerate() {
            let answer = E::verify_answer(&session, &record?)
                .map_err(|error| refusal("answer", &error).at(number as u64))?;
            answers.push(answer);
            progress.advance(1);
        }
        progress.finish();
        let summary = E::summarize(&session);
        let statement = statement::<E>(&summary, &answers);
        Ok(Findings { statement, checks: E::checks(&summary, &answers) })
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        describe(&claim.statement)
    }
}

/// Verifies the claims of several engines: each by the engine that it names.
#[derive(Default)]
pub struct AnyVerifier(Vec<(&'static str, Box<dyn Verifier>)>);

impl AnyVerifier {
    /// Knows another engine.
    #[must_use]
    pub fn with<E: Engine>(mut self) -> Self {
        self.0.push((E::NAME, Box::new(TraceVerifier::<E>::new())));
        self
    }
}

impl Verifier for AnyVerifier {
    fn kind(&self) -> Kind {
        KIND
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let name = claim.statement.get("engine").and_then(Value::as_str).unwrap_or_default();
        match self.0.iter().find(|(engine, _)| *engine == name) {
            Some((_, verifier)) => verifier.check(claim, objects, progress),
            None => Err(Refusal::new("claim", format!("the engine `{name}` is not known here"))),
        }
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        describe(&claim.statement)
    }
}

fn refusal(phase: &str, error: &TraceError) -> Refusal {
    let refusal = Refusal::new(phase, error.to_string());
    match error.culprit() {
        Some(server) => refusal.by(format!("server {server}")),
        None => refusal,
    }
}

/// The statement in lines: the standing of the engine, the session, each answer.
fn describe(statement: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let mut lines = vec![
        format!("engine {}: {}", text(&statement["engine"]), text(&statement["notice"])),
        format!(
            "{} submissions in session {}",
            number(&statement["rows"]),
            text(&statement["session"])
        ),
    ];
    lines.push(format!("study (a board's id, where there is one): {}", text(&statement["study"])));
    for (number, key) in (1..).zip(statement["server_keys"].as_array().into_iter().flatten()) {
        lines.push(format!("server {number}: {}", text(key)));
    }
    let modulus = &statement["modulus"];
    if modulus.is_object() {
        let [digest, origin] = ["digest", "origin"].map(|field| text(&modulus[field]));
        let bits = number(&modulus["bits"]);
        lines.push(format!("Paillier modulus of {bits} bits, digest {digest}: {origin}"));
    }
    for answer in statement["answers"].as_array().into_iter().flatten() {
        let (direction, by) = (text(&answer["direction"]), text(&answer["by"]));
        lines.push(format!("{direction} by {by}, asked by {}", text(&answer["querier"])));
        for question in answer["questions"].as_array().into_iter().flatten() {
            let [inputs, outputs, yes] =
                ["inputs", "outputs", "yes"].map(|field| text(&question[field]));
            let count = number(&question["yes_count"]);
            lines.push(format!("  inputs {inputs}; outputs {outputs}: {count} yes: {yes}"));
            let unproven = question["unproven"].as_str().filter(|rows| !rows.is_empty());
            lines.extend(unproven.map(|rows| format!("  neither yes nor no is proven: {rows}")));
        }
    }
    lines
}
