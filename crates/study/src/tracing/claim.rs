//! Published answers as a claim: a whole board, and what was found out about the mix on it.

use std::path::Path;

use board::{AuthorId, Bulletin, Entry};
use claim::{
    Bundle, BundleWriter, Check, Claim, Findings, Kind, Objects, PublishError, Refusal, Role,
    Verifier,
};
use serde_json::{Value, json};
use trace::{Direction, Engine, IndexSet, ModulusSummary, PublishedAnswer, TraceError};
use wire::Progress;

use super::{Traced, Tracing, db, db::DbTracing};
use crate::bundled::{BOARD, BoardObjects, BundledBoard, LOG, Versions, describe_log, with_log};

/// The kind of claim that trace answers make.
pub const CLAIM_KIND: &str = "trace";
const VERSIONS: Versions = [3, 4];
const ANSWER: &str = "answer";
/// Of so many senders the keys are told in words; of more, in the statement only.
const TOLD_SENDERS: usize = 16;

/// Verifies the records of answers against a board, and writes a bundle of the board and the claim.
///
/// # Errors
/// [`PublishError::Refused`] if the mix is not opened, or a record does not hold;
/// [`PublishError::Bundle`].
pub fn write_bundle<P: Traced>(
    root: &Path,
    board: &dyn Bulletin,
    state: &P,
    answers: &[Vec<u8>],
) -> Result<Bundle, PublishError> {
    let entries = board.entries();
    let traced = Verified::of(entries, state, answers, &())?;
    let mut writer = BundleWriter::create(root)?;
    let last = entries.last().map_or(0, Entry::sequence);
    let board = BoardObjects::write(&mut writer, board, last)?;
    let objects = (0..).zip(answers).map(|(number, answer): (u32, _)| {
        writer.add_object(&format!("trace/{number:08}.answer"), answer)
    });
    let objects = objects.collect::<Result<Vec<_>, _>>()?;
    let statement = with_log(traced.statement(), board.log());
    let claim = board.claim((CLAIM_KIND, VERSIONS), Some((ANSWER, objects)), statement);
    writer.add_claim(CLAIM_KIND, &claim)?;
    Ok(writer.finish()?)
}

/// A board and answers that hold.
struct Verified<'a, P: Traced> {
    entries: &'a [Entry],
    state: &'a P,
    session: <P::Engine as Engine>::Session,
    answers: Vec<PublishedAnswer>,
}

impl<'a, P: Traced> Verified<'a, P> {
    /// Verifies answers: each is of a query that is on the board, signed by all servers there.
    fn of(
        entries: &'a [Entry],
        state: &'a P,
        records: &[Vec<u8>],
        progress: &dyn Progress,
    ) -> Result<Self, Refusal> {
        if let Some(reason) = state.failure() {
            return Err(Refusal::new("session", reason).under(P::CHECK));
        }
        let reason = "the board ends before the mix is opened";
        let closed = || Refusal::new("session", reason).under(P::CHECK);
        let session = state.opened().ok_or_else(closed)?;
        progress.begin("answers", records.len() as u64);
        let mut answers = Vec::new();
        for (number, record) in (0..).zip(records) {
            let answer = P::Engine::verify_answer(&session, record)
                .map_err(|error| refusal(ANSWER, &error).at(number).under(P::CHECK))?;
            if !state.is_agreed(&answer.query) {
                let reason = "its query is not on the board, with the signatures of all servers";
                return Err(Refusal::new(ANSWER, reason).at(number).under(P::CHECK));
            }
            answers.push(answer);
            progress.advance(1);
        }
        progress.finish();
        Ok(Self { entries, state, session, answers })
    }

    /// What is claimed: board, parties, session, and every answer with its question.
    fn statement(&self) -> Value {
        let session = P::Engine::summarize(&self.session);
        let keys = |keys: &[AuthorId]| keys.iter().map(ToString::to_string).collect::<Vec<_>>();
        let [first, last] = [self.entries.first(), self.entries.last()];
        let mut statement = json!({
            "engine": P::Engine::NAME,
            "notice": P::Engine::NOTICE,
            "board": first.map(|entry| entry.digest().to_string()),
            "title": self.state.title(),
            "operator": first.map(|entry| entry.author().to_string()),
            "entries": self.entries.len(),
            "head": last.map(|entry| entry.digest().to_string()),
            "server_keys": keys(&session.server_keys),
            "senders": keys(&self.state.senders_of_rows()),
            "session": session.session.to_string(),
            "mix": session.mix.to_string(),
            "rows": session.rows,
            "servers": session.servers,
            "threshold": session.threshold,
            "answers": self.answers.iter().map(answer_statement).collect::<Vec<_>>(),
        });
        if let (Some(fields), Some(modulus)) = (statement.as_object_mut(), session.modulus) {
            let ModulusSummary { bits, digest, origin } = modulus;
            let modulus = json!({ "bits": bits, "digest": digest.to_string(), "origin": origin });
            fields.insert("modulus".into(), modulus);
        }
        statement
    }

    fn checks(&self, log: Option<&Value>) -> Vec<Check> {
        let entries = Check::new(BundledBoard::checked(log), self.entries.len() as u64);
        let engine = P::Engine::checks(&P::Engine::summarize(&self.session), &self.answers);
        std::iter::once(entries).chain(engine).collect()
    }
}

fn answer_statement(published: &PublishedAnswer) -> Value {
    let rows = IndexSet::to_string;
    let questions = published.questions.iter().zip(&published.answer.yes).enumerate();
    let questions = questions.map(|(number, (question, yes))| {
        let unproven = published.unproven.get(number);
        let asked = match published.answer.direction {
            Direction::In => &question.inputs,
            Direction::Out => &question.outputs,
        };
        let is_open = |row: &u32| {
            !yes.contains(*row) && !unproven.is_some_and(|unproven| unproven.contains(*row))
        };
        let mut statement = json!({
            "inputs": rows(&question.inputs),
            "outputs": rows(&question.outputs),
            "yes": rows(yes),
            "yes_count": yes.len(),
            "no_count": asked.iter().filter(is_open).count(),
        });
        if let (Some(fields), Some(unproven)) = (statement.as_object_mut(), unproven) {
            fields.insert("unproven".into(), rows(unproven).into());
        }
        statement
    });
    json!({
        "query": published.query.to_string(),
        "querier": published.querier.to_string(),
        "direction": published.answer.direction.name(),
        "by": published.answer.by.name(),
        "questions": questions.collect::<Vec<_>>(),
    })
}

/// Verifies published answers: replays the board from its first entry, as every party did, then
/// every answer. The first entry says which engine it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceVerifier;

impl Verifier for TraceVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [Role; 3] = [Role::some(BOARD), Role::optional(LOG), Role::any(ANSWER)];
        Kind { name: CLAIM_KIND, versions: &VERSIONS, roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let board = BundledBoard::open(claim, objects, VERSIONS)?;
        match board.genesis()?.kind() == db::GENESIS {
            true => findings::<DbTracing>(&board, objects, progress),
            false => findings::<Tracing>(&board, objects, progress),
        }
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        describe(&claim.statement)
    }
}

fn findings<P: Traced>(
    board: &BundledBoard,
    objects: &Objects<'_>,
    progress: &dyn Progress,
) -> Result<Findings, Refusal> {
    let entries = board.entries();
    let refused = |reason: String| Refusal::new(BOARD, reason).under(P::CHECK);
    let mut state = P::begin(board.genesis()?).map_err(refused)?;
    progress.begin("entries", entries.len() as u64);
    for entry in entries.iter().skip(1) {
        state.apply(entry);
        progress.advance(1);
    }
    progress.finish();
    let answers = objects.all(ANSWER).collect::<Result<Vec<_>, _>>()?;
    let verified = Verified::of(entries, &state, &answers, progress)?;
    let (statement, log) = (verified.statement(), board.log());
    let explanation = board
        .explained()
        .with(P::CHECK, "session, replayed up to its opened mix", 1)
        .with(P::CHECK, "answers, with every share in them", verified.answers.len());
    Ok(Findings::new(with_log(statement, log), verified.checks(log)).explained(explanation))
}

fn refusal(phase: &str, error: &TraceError) -> Refusal {
    let refusal = Refusal::new(phase, error.to_string());
    match error.culprit() {
        Some(server) => refusal.by(format!("server {server}")),
        None => refusal,
    }
}

/// The statement in lines: the standing of the engine, the board, the session, each answer.
fn describe(statement: &Value) -> Vec<String> {
    let text = |field: &str| text(&statement[field]);
    let mut lines = vec![
        format!("engine {}: {}", text("engine"), text("notice")),
        text("title"),
        format!(
            "board {}, its {} entries up to {}",
            text("board"),
            number(&statement["entries"]),
            text("head")
        ),
        format!("{} submissions in session {}", number(&statement["rows"]), text("session")),
    ];
    lines.extend(describe_log(statement));
    for (number, key) in (1..).zip(statement["server_keys"].as_array().into_iter().flatten()) {
        // For people, as in `text`.
        lines.push(format!("server {number}: {}", key.as_str().unwrap_or("?")));
    }
    let modulus = &statement["modulus"];
    if modulus.is_object() {
        let [digest, origin] = ["digest", "origin"].map(|field| self::text(&modulus[field]));
        let bits = number(&modulus["bits"]);
        lines.push(format!("Paillier modulus of {bits} bits, digest {digest}: {origin}"));
    }
    for answer in statement["answers"].as_array().into_iter().flatten() {
        lines.extend(describe_answer(answer, &statement["senders"]));
    }
    lines
}

fn describe_answer(answer: &Value, senders: &Value) -> Vec<String> {
    let name = text(&answer["direction"]);
    let (by, querier) = (text(&answer["by"]), text(&answer["querier"]));
    let mut lines = vec![format!("{name} by {by}, asked by {querier}")];
    let direction = if name == Direction::In.name() { Direction::In } else { Direction::Out };
    for question in answer["questions"].as_array().into_iter().flatten() {
        let [inputs, outputs, yes] =
            ["inputs", "outputs", "yes"].map(|field| text(&question[field]));
        let [count, no] = ["yes_count", "no_count"].map(|field| number(&question[field]));
        lines.push(format!("  inputs {inputs}; outputs {outputs}: {count} yes: {yes}"));
        // For people: rows of a statement that was found to be that of the board are such a set.
        let asked = inputs.parse::<IndexSet>().unwrap_or_default();
        if asked.len() <= TOLD_SENDERS {
            let told = |row: u32| format!("  input {row}: {}", text(&senders[row as usize]));
            lines.extend(asked.iter().map(told));
        }
        if no > 0 {
            lines.push(format!("  {no} no; {}", direction.no_means()));
        }
        let unproven = question["unproven"].as_str().filter(|rows| !rows.is_empty());
        lines.extend(unproven.map(|rows| format!("  neither yes nor no is proven: {rows}")));
    }
    lines
}

fn text(value: &Value) -> String {
    // For people. A statement is described when it was found to be that of the board.
    value.as_str().unwrap_or("?").to_owned()
}

fn number(value: &Value) -> u64 {
    // For people, as in `text`.
    value.as_u64().unwrap_or_default()
}
