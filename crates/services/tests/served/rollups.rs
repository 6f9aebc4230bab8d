//! A question whose rows an epoch holds as a roll-up is answered from it, as from a folder.
use crate::support::{SCHEMA, STEP, Server, fields, now};
use client::api::QueryAnswer;
use serde_json::json;
use services::folder::Folder;
use table::{query::Answer, rollup::Predicate, sql};
use wire::Decode as _;

const QUESTION: &str = "SELECT MEDIAN(wage) FROM pay WHERE epoch BETWEEN 1 AND 2";

/// Two epochs of 20 rows; the third will hold a roll-up of both.
fn server(options: &str) -> Server {
    let schema = SCHEMA.replace("extremes = true", "extremes = true, rollups = true");
    let mut server = Server::of(&schema, options, vec![], vec![]);
    let mut custodian = server.client("operator");
    let rows = || (0..20).map(fields).collect();
    for epoch in 1..=2 {
        custodian.ingest(epoch, rows(), &format!("batch-{epoch}"), now()).unwrap();
        custodian.seal(epoch, STEP).unwrap();
    }
    assert!(server.stop());
    let stored = Folder::new(&server.directory.path().join("tables/pay")).open().unwrap();
    let plan = sql::plan(stored.table(), 2, QUESTION).unwrap();
    let predicates: Vec<_> =
        plan.iter().map(|one| Predicate::of(stored.table().schema(), &one.query)).collect();
    assert_eq!(stored.add_rollups(&predicates).unwrap(), 3);
    drop(stored);
    server.kill_and_restart();
    server
}

/// The proofs of an answer, and what it says once it is verified.
fn ask(server: &Server) -> (Vec<Answer>, String) {
    let answer = server.post("/v1/tables/pay/query", "querier", &json!({ "sql": QUESTION }));
    let answer: QueryAnswer = serde_json::from_slice(&answer.body).unwrap();
    let decode = |text: &String| {
        Answer::from_bytes(&data_encoding::BASE64.decode(text.as_bytes()).unwrap()).unwrap()
    };
    let verified = server.client("querier").query(QUESTION).unwrap();
    (answer.answers.iter().map(decode).collect(), verified.rows[0]["MEDIAN(wage)"].to_string())
}

fn seal_third(server: &Server) {
    let mut custodian = server.client("operator");
    custodian.ingest(3, (0..20).map(fields).collect(), "batch-3", now()).unwrap();
    custodian.seal(3, STEP).unwrap();
}

#[test]
fn questions_are_answered_from_roll_ups() {
    let server = server("");
    let (before, median) = ask(&server);
    assert!(before.iter().all(|answer| answer.rolled_up.is_none()), "no epoch holds it yet");
    seal_third(&server);
    let (after, same) = ask(&server);
    assert!(after.iter().all(|answer| answer.rolled_up.is_some()));
    assert_eq!(median, same);
    // Another question than that of the roll-up.
    let sum = "SELECT SUM(wage) FROM pay WHERE epoch = 1";
    assert_eq!(server.client("querier").query(sum).unwrap().rows.len(), 1);
}

/// All that a roll-up is made of must have room; its epochs may have it where the roll-up does not.
#[test]
fn a_roll_up_without_room_is_passed_over() {
    let server = server("[limits]\ncached_rows = 45");
    seal_third(&server);
    let (answers, _) = ask(&server);
    assert!(answers.iter().all(|answer| answer.rolled_up.is_none()));
}
