//! An election as a claim: the board, and what it amounts to.

use std::path::Path;

use ::count::Names;
use board::{Bulletin, Entry};
use claim::{
    Bundle, BundleError, BundleWriter, Check, Claim, Findings, Kind, Objects, Refusal, Verifier,
};
use serde_json::{Value, json};
use wire::{DecodeError, Progress};

use crate::{
    bundled::{BOARD, BoardObjects, BundledBoard, LOG, Versions, describe_log, with_log},
    checks::EL_14,
    count::{ClassTally, Tally},
    description::{Class, Question, Schedule},
    with_scheme,
};

use super::{Election, Fault, Party, Replays, Role, Rules, Scheme, Setup, explained};

/// The kind of claim that an election makes.
pub const CLAIM_KIND: &str = "election";
/// The versions of the claim: 1 about a chain and 2 about a log, both of elections of version 1; 3 of version 2,
/// which stand on logs.
const VERSIONS: [u16; 3] = [1, 2, 3];

/// The versions of claims about elections under these rules.
fn versions_of(rules: Rules) -> Versions {
    match rules {
        Rules::One => [1, 2],
        // A chain that begins so is no election.
        Rules::Two(_) => [0, 3],
    }
}

/// Writes the bundle of a finished election: every entry of its board up to the outcome, behind
/// which nobody can spoil it, and the claim.
///
/// # Errors
/// [`BundleError::Write`].
pub fn write_bundle<S: Scheme>(
    root: &Path,
    board: &dyn Bulletin,
    election: &Election<S>,
) -> Result<Bundle, BundleError> {
    write_bundle_with(root, board, election, |_, _| Ok(()))
}

/// The same with further claims about the same board, which `add` writes.
///
/// # Errors
/// [`BundleError::Write`], and those of `add`.
pub fn write_bundle_with<S: Scheme, E: From<BundleError>>(
    root: &Path,
    board: &dyn Bulletin,
    election: &Election<S>,
    add: impl FnOnce(&mut BundleWriter, &BoardObjects) -> Result<(), E>,
) -> Result<Bundle, E> {
    let mut writer = BundleWriter::create(root)?;
    let newest = board.entries().last().map_or(0, Entry::sequence);
    // Of an election that goes on, all that there is: its statement has no tally.
    let last = election.end().unwrap_or(newest);
    let board = BoardObjects::write(&mut writer, board, last)?;
    add(&mut writer, &board)?;
    let statement = with_log(statement(election), board.log());
    let claim = board.claim((CLAIM_KIND, versions_of(election.rules())), None, statement);
    writer.add_claim(CLAIM_KIND, &claim)?;
    Ok(writer.finish()?)
}

/// The statement in lines: which election, who is elected, what was refused.
fn summary(statement: &Value) -> Vec<String> {
    // Here and below: for people. A statement is described when it was found to be that of the board.
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let tally: Option<Tally> = serde_json::from_value(statement["tally"].clone()).ok();
    let name = |candidate: u8| {
        let names = statement["candidates"].as_array();
        names.and_then(|names| names.get(usize::from(candidate))).map_or_else(|| "?".into(), text)
    };
    let elected = |winner: Option<u8>| winner.map_or("nobody".to_owned(), name);
    let mut lines =
        vec![text(&statement["title"]), format!("board {}", text(&statement["election"]))];
    lines.extend(describe_log(statement));
    lines.extend(course_lines(statement));
    let asked = statement["questions"].as_array().into_iter().flatten();
    let counted = tally.as_ref().map_or(&[][..], |tally| &tally.questions);
    for (question, counted) in asked.zip(counted) {
        let names =
            question["candidates"].as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
        lines.push(text(&question["question"]));
        lines.extend(counted.counts.iter().map(|count| {
            format!("{}: {}", count.rule().title(), Names(&names).list(&count.elected()))
        }));
    }
    lines.extend(statement["classes"].as_array().into_iter().flatten().map(class_line));
    if let Some(plurality) = tally.as_ref().and_then(|tally| tally.plurality.as_ref()) {
        lines.push(format!("first preferences: {}", elected(plurality.winner)));
    }
    if let Some(irv) = tally.as_ref().and_then(|tally| tally.irv.as_ref()) {
        lines.push(format!("instant runoff: {}", elected(irv.winner())));
    }
    let contributors = statement.pointer("/shuffle/contributors").and_then(Value::as_array);
    let contributors = contributors.into_iter().flatten();
    lines.extend(contributors.map(|one| format!("parameters, {}", text(one))));
    let faults = statement["faults"].as_array().into_iter().flatten();
    lines.extend(faults.map(|fault| format!("refused by everybody: {}", text(fault))));
    lines
}

/// A class of the statement, in a line.
fn class_line(class: &Value) -> String {
    // Here and below: for people, as in `summary`.
    let text = |field: &str| class[field].as_str().unwrap_or("?").to_owned();
    let (name, weight) = (text("name"), text("weight"));
    let number = |field: &str| class[field].as_u64().unwrap_or(0);
    let (ballots, least) = (number("ballots"), number("min_ballots"));
    match class["opened"].as_bool() {
        Some(true) => format!("class {name}: {ballots} ballots of weight {weight}"),
        _ => format!("class {name}: not opened, {ballots} ballots, fewer than {least}"),
    }
}

/// The classes, with what became of their ballots.
fn classes<S: Scheme>(election: &Election<S>) -> Vec<Value> {
    let described = &election.setup().description.classes;
    let counted = election.tally().map_or(&[][..], |tally| &tally.classes);
    let own = described.iter().zip(election.registered_by_class()).zip(counted);
    let class = |((class, registered), counted): ((&Class, usize), &ClassTally)| {
        json!({
            "name": class.name,
            "weight": class.weight,
            "min_ballots": class.min_ballots,
            "registered": registered,
            "ballots": counted.ballots,
            "opened": counted.opened,
        })
    };
    own.map(class).collect()
}

/// How an election of version 2 went by the log's times, and who signed that the polls closed once.
fn course<S: Scheme>(election: &Election<S>) -> Option<Value> {
    let Schedule { opens, closes, patience, quorum } = election.rules().schedule()?;
    let certified_by = election.certified_by();
    Some(json!({
        "opens": opens,
        "closes": closes,
        "patience": patience,
        "opening": election.ballot_context().map(|opening| opening.to_string()),
        "closing": election.seen().map(|seen| seen.closing.to_string()),
        "confirmed_by": election.confirmed_by(),
        "quorum": quorum,
        "certified_by": certified_by.iter().map(Party::to_string).collect::<Vec<_>>(),
    }))
}

/// The course of a statement in lines; of an election of version 1 that it has none.
fn course_lines(statement: &Value) -> Vec<String> {
    let Some(course) = statement.get("course") else {
        return vec![
            "rules of version 1: the operator alone opened and closed the polls".to_owned(),
        ];
    };
    // For people, as in `summary`.
    let time = |field: &str| Schedule::in_words(course[field].as_u64().unwrap_or(0));
    let list = |field: &str| course[field].as_array().map_or(0, Vec::len);
    let (confirmed, certified) = (list("confirmed_by"), list("certified_by"));
    vec![
        format!("polls open from {} to {}, by the log's times", time("opens"), time("closes")),
        format!("key confirmed by {confirmed} trustees, one closing signed by {certified} parties"),
    ]
}

/// What is claimed: the result, and who vouches for it.
fn statement<S: Scheme>(election: &Election<S>) -> Value {
    let description = &election.setup().description;
    // Without an outcome all faults count.
    let last = election.end().unwrap_or(u64::MAX);
    let faults = election.faults().iter().take_while(|fault| fault.sequence < last);
    let mut statement = json!({
        "election": election.id().to_string(),
        "title": description.title,
        "registered": election.roll().len(),
        "accepted": election.accepted(),
        "refused": election.refused().len(),
        "mixed_by": election.mixes(),
        "decrypted_by": election.decrypted_by(),
        "threshold": description.threshold,
        "faults": faults.map(Fault::to_string).collect::<Vec<_>>(),
        "tally": election.tally(),
    });
    if let Some(fields) = statement.as_object_mut() {
        match description.plain() {
            Some(only) => {
                fields.insert("question".to_owned(), json!(only.text));
                fields.insert("candidates".to_owned(), json!(only.candidates));
            }
            None => {
                let question = |asked: &Question| {
                    json!({
                        "question": asked.text,
                        "candidates": asked.candidates,
                        "seats": asked.seats,
                        "decides": asked.decides(),
                    })
                };
                let questions = description.questions.iter().map(question).collect::<Vec<_>>();
                fields.insert("questions".to_owned(), json!(questions));
            }
        }
    }
    if let (Some(course), Some(fields)) = (course(election), statement.as_object_mut()) {
        fields.insert("course".to_owned(), course);
    }
    if let (true, Some(fields)) = (election.has_classes(), statement.as_object_mut()) {
        fields.insert("classes".to_owned(), json!(classes(election)));
    }
    if let (Some(digest), Some(fields)) =
        (description.shuffle.parameters(), statement.as_object_mut())
    {
        let shuffle = json!({
            "name": description.shuffle.name(),
            "parameters": digest.to_string(),
            "contributors": election.contributors(),
        });
        fields.insert("shuffle".to_owned(), shuffle);
    }
    statement
}

/// Verifies elections: replays the board from its first entry, as every party did.
#[derive(Clone, Default)]
pub struct ElectionVerifier {
    replays: Replays,
}

impl ElectionVerifier {
    /// Shares its replays with verifiers of claims that rest on the same boards.
    pub fn sharing(replays: &Replays) -> Self {
        Self { replays: replays.clone() }
    }
}

impl Verifier for ElectionVerifier {
    fn kind(&self) -> Kind {
        const ROLES: [claim::Role; 2] = [claim::Role::some(BOARD), claim::Role::optional(LOG)];
        Kind { name: CLAIM_KIND, versions: &VERSIONS, roles: &ROLES }
    }

    fn check(
        &self,
        claim: &Claim,
        objects: &Objects<'_>,
        progress: &dyn Progress,
    ) -> Result<Findings, Refusal> {
        let versions = if claim.version == 3 { [0, 3] } else { [1, 2] };
        let board = self.replays.board(claim, objects, versions)?;
        let setup = Setup::from_genesis(board.genesis()?);
        let refused =
            |error: DecodeError| Refusal::new(BOARD, error.to_string()).under(error.check());
        let setup = setup.map_err(refused)?;
        if versions_of(setup.rules()) != versions {
            let (own, version) = (setup.rules().version(), claim.version);
            let reason = format!("it is of version {version}, and the election of version {own}");
            return Err(Refusal::new("claim", reason).under(EL_14));
        }
        with_scheme!(setup.description.shuffle, S => {
            let election = self.replays.election::<S>(&board, progress)?;
            let statement = with_log(statement(&election), board.log());
            let findings = Findings::new(statement, checks(&board, &election));
            Ok(findings.explained(explained::election(&board, &election)))
        })
    }

    fn describe(&self, claim: &Claim) -> Vec<String> {
        summary(&claim.statement)
    }
}

/// Ballots that were opened: all that were accepted but those of classes with too few.
fn opened<S: Scheme>(election: &Election<S>) -> u64 {
    election.lists().iter().map(|list| list.rows() as u64).sum()
}

fn checks<S: Scheme>(board: &BundledBoard, election: &Election<S>) -> Vec<Check> {
    let description = &election.setup().description;
    let (accepted, opened) = (election.accepted() as u64, opened(election));
    let lists = (election.mixes().len() * election.lists().len()) as u64;
    let rules: usize = description.questions.iter().map(|asked| asked.rules.len()).sum();
    let rules = rules as u64;
    let stations = election.setup().parties.count(Role::Station);
    let contributors = election.contributors().len() as u64;
    let parameters =
        ("contributions to the shuffle's parameters, and their every point", contributors);
    let mut checks = vec![(BundledBoard::checked(board.log()), board.entries().len() as u64)];
    checks.extend((contributors > 0).then_some(parameters));
    let certified = election.certified_by().len() as u64;
    let certificate = ("signatures that the polls closed once, and when", certified);
    checks.extend((certified > 0).then_some(certificate));
    checks.extend([
        ("trustees' key contributions", description.trustees.into()),
        ("voters on the roll", election.roll().len() as u64),
        ("stations", stations.into()),
        ("ballots: signature, proof of plaintext knowledge, no duplicate", accepted),
        ("ballots refused, as the operator counted", election.refused().len() as u64),
        ("mixes: proofs of a permutation and of re-encryption", lists),
        ("partial decryptions, every ballot covered", election.decrypted_by().len() as u64),
        ("ballots decrypted and counted", opened),
        ("counting rules applied", rules),
        ("entries refused by everybody, and published", election.faults().len() as u64),
    ]);
    checks.into_iter().map(|(what, count)| Check::new(what, count)).collect()
}
