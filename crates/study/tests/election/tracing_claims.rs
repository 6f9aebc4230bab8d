//! Published answers: the claim carries the board, and nothing on it may be otherwise.

use std::path::Path;

use board::Entry;
use claim::{Bundle, BundleWriter, Claim, PublishError, Refusal, Registry, VerifyError};
use serde_json::{Value, json};
use study::tracing::{CLAIM_KIND, Step, TraceVerifier, write_bundle};
use trace::{
    IndexSet,
    routed::{AnswerRecord, QueryRecord},
};
use wire::{Digest, Encode};

use super::tracing::Table;

/// A board with an answered query, and the record of the answer.
struct Published {
    table: Table,
    record: Vec<u8>,
    /// Entries before the query was asked.
    before: usize,
}

impl Published {
    fn new() -> Self {
        let mut table = Table::new().ready();
        let before = table.follower.entries().len();
        let id = table.ask();
        table.run(|_| false);
        let record = record(&table, &id);
        Self { table, record, before }
    }

    fn entries(&self) -> &[Entry] {
        self.table.follower.entries()
    }

    fn write(&self, root: &Path) -> Value {
        let (board, state) = (self.table.follower.board(), self.table.follower.state());
        write_bundle(root, board, state, std::slice::from_ref(&self.record)).unwrap();
        let claim = std::fs::read(root.join("claims/trace.json")).unwrap();
        serde_json::from_slice::<Claim>(&claim).unwrap().statement
    }

    /// The verdict on a bundle with this statement about these entries, its digests right.
    fn judge(&self, statement: &Value, entries: &[&Entry], record: &[u8]) -> Result<(), Refusal> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("bundle");
        let mut writer = BundleWriter::create(&root).unwrap();
        let board = (0..).zip(entries).map(|(number, entry): (u32, _)| {
            writer.add_object(&format!("board/{number:08}.entry"), &entry.to_bytes()).unwrap()
        });
        let board: Vec<Digest> = board.collect();
        let answer = vec![writer.add_object("trace/00000000.answer", record).unwrap()];
        let roles = [("board", board), ("answer", answer)];
        let claim = Claim::new(CLAIM_KIND, 3, roles, statement.clone());
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        writer.finish().unwrap();
        verify(&root).map(drop)
    }
}

fn record(table: &Table, id: &Digest) -> Vec<u8> {
    record_of(table, id, IndexSet::all(3))
}

/// The record of an answer, which says yes of these rows.
pub fn record_of(table: &Table, id: &Digest, yes: IndexSet) -> Vec<u8> {
    let asked = table.follower.state().docket().query(id).unwrap();
    let Step::Agreed(agreed, shares) = &asked.step else { panic!("not agreed") };
    let shares: Vec<_> = shares.values().cloned().collect();
    let reading = table.querier.querier().read(agreed, 0, &shares).unwrap();
    assert_eq!(reading.answer.unwrap().yes, [yes]);
    let query = QueryRecord::of(agreed);
    AnswerRecord { query, request: 0, shares: reading.shares }.to_bytes()
}

/// What the claim says for people.
pub fn verify(root: &Path) -> Result<String, Refusal> {
    let registry = Registry::new().with(TraceVerifier);
    match claim::verify(&Bundle::open(root).unwrap(), &registry, &()) {
        Ok(verdicts) => Ok(verdicts[0].summary.join("\n")),
        Err(VerifyError::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_published_answer_names_board_servers_and_senders() {
    let published = Published::new();
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let statement = published.write(&root);
    let summary = verify(&root).unwrap();
    let table = &published.table;
    let board = table.follower.id().to_string();
    assert_eq!(statement["board"], board);
    assert!(summary.contains(&format!("board {board}, its ")), "{summary}");
    assert!(summary.contains("Lunch"), "{summary}");
    assert!(summary.contains("our construction, no published proof yet"), "{summary}");
    for (number, node) in (1..).zip(&table.nodes) {
        assert!(summary.contains(&format!("server {number}: {}", node.identity().id())));
    }
    // Rows are the senders' in the order of the board.
    for (row, sender) in table.senders.iter().enumerate() {
        let key = sender.identity().id().to_string();
        assert_eq!(statement["senders"][row], key);
        assert!(summary.contains(&format!("input {row}: {key}")), "{summary}");
    }
    let question = &statement["answers"][0]["questions"][0];
    assert_eq!((&question["yes_count"], &question["no_count"]), (&json!(3), &json!(0)));
}

#[test]
fn nothing_of_a_published_answer_may_be_otherwise() {
    let published = Published::new();
    let directory = tempfile::tempdir().unwrap();
    let statement = published.write(&directory.path().join("bundle"));
    let entries: Vec<&Entry> = published.entries().iter().collect();
    let record = &published.record;
    published.judge(&statement, &entries, record).unwrap();
    let fields = ["engine", "notice", "board", "title", "operator", "entries", "head", "session"];
    let fields =
        fields.iter().chain(&["mix", "rows", "servers", "threshold", "server_keys", "senders"]);
    for field in fields {
        let mut forged = statement.clone();
        forged[*field] = json!("another");
        assert!(published.judge(&forged, &entries, record).is_err(), "{field}");
    }
    for field in ["inputs", "outputs", "yes", "yes_count", "no_count"] {
        let mut forged = statement.clone();
        forged["answers"][0]["questions"][0][field] = json!("another");
        assert!(published.judge(&forged, &entries, record).is_err(), "{field}");
    }
    // An entry changed, exchanged, left out; the query and what follows left out.
    let mut changed = entries.clone();
    changed.swap(3, 4);
    assert!(published.judge(&statement, &changed, record).is_err());
    for place in [1, entries.len() / 2] {
        let mut changed = entries.clone();
        changed.remove(place);
        assert!(published.judge(&statement, &changed, record).is_err(), "entry {place}");
    }
    let refused = published.judge(&statement, &entries[..published.before], record).unwrap_err();
    assert!(refused.reason.contains("its query is not on the board"), "{refused}");
    let refused = published.judge(&statement, &entries[..5], record).unwrap_err();
    assert!(refused.reason.contains("ends before the mix is opened"), "{refused}");
    for at in (0..record.len()).step_by(record.len() / 40) {
        let mut flipped = record.clone();
        flipped[at] ^= 1;
        assert!(published.judge(&statement, &entries, &flipped).is_err(), "byte {at}");
    }
}

/// The servers sign a query that nobody finds on the board: nobody's policy counted it, for all one knows.
#[test]
fn an_answer_whose_query_is_not_on_the_board_is_not_published() {
    let published = Published::new();
    let mut other = Table::new().ready();
    assert_eq!(published.table.follower.id(), other.follower.id(), "by the same seed");
    let root = tempfile::tempdir().unwrap();
    let write = |table: &Table, record: &[u8]| {
        let (board, state) = (table.follower.board(), table.follower.state());
        write_bundle(&root.path().join("bundle"), board, state, &[record.to_vec()])
    };
    let Err(PublishError::Refused(refused)) = write(&other, &published.record) else {
        panic!("published")
    };
    assert!(refused.reason.contains("its query is not on the board"), "{refused}");
    // Asked there too, but not agreed on yet.
    let id = other.ask();
    let record = published.record.clone();
    assert!(write(&other, &record).is_err());
    assert!(other.follower.state().docket().query(&id).is_some());
}
