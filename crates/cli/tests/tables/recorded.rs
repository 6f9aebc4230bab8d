//! What a table's log records besides rows, by the command line: rows that were erased, questions, the table that
//! follows; and rows that somebody was given in the clear.

use std::{fs, path::Path};

use crate::common::{copy_all, fail, json, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 1
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [{ name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, ordered = true }]
policy = { min_count = 2, max_queries_per_day = 9 }
"#;
const ROWS: &str =
    "user,role,wage\nada,engineer,512.50\njoe,engineer,498\nbob,nurse,431\neve,nurse,440.25\n";
const NURSES: &str = "SELECT SUM(wage) FROM pay WHERE epoch = 1 AND role = 'nurse'";

/// A table with one sealed epoch, and a question that was answered.
fn begin(path: &Path) {
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    fs::write(path.join("rows.csv"), ROWS).unwrap();
    fs::write(path.join("ada.csv"), "user,role,wage\nada,engineer,512.50\n").unwrap();
    succeed(path, &["table", "init", "pay", "--schema", "schema.toml"]);
    succeed(path, &["table", "ingest", "pay", "rows.csv", "--epoch", "1"]);
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    succeed(path, &["table", "query", "pay", NURSES, "--out", "nurses"]);
}

#[test]
fn an_erased_row_is_said_to_be_erased_and_stays_erased() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path);
    let all = "SELECT SUM(wage) FROM pay WHERE epoch = 1";
    succeed(path, &["table", "query", "pay", all, "--out", "before"]);
    succeed(path, &["table", "keys", "pay", "--user", "ada", "--epoch", "1", "--out", "ada.keys"]);
    copy_all(&path.join("pay"), &path.join("copy"));

    let erase = ["table", "erase", "pay", "--user", "ada", "--epoch", "1", "--out", "erased"];
    let erased = json(path, &erase);
    assert_eq!((&erased["erased"][0], &erased["tombstones"]), (&1.into(), &1.into()));
    assert_eq!(json(path, &erase)["before"], true);
    let lookup = ["table", "lookup", "pay", "--user", "ada", "--epoch", "1", "--out", "row"];
    fail(path, &lookup, 5, "was erased");
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &lookup);
    let own = ["table", "verify", "row", "--own", "ada.keys", "--epoch", "1"];
    assert_eq!(json(path, &own)["own"], 1);
    fail(path, &[&own[..], &["--row", "ada.csv"]].concat(), 1, "your row was erased");
    let verdict = json(path, &["verify", "row"]);
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!((&statement["erased"], &statement["erasures"]), (&true.into(), &1.into()));

    // What was answered before holds, and so does the audit; about others new answers are given.
    succeed(path, &["verify", "before", "--accept", "unaudited"]);
    fail(path, &["table", "query", "pay", all, "--out", "after"], 5, "erased");
    succeed(path, &["table", "query", "pay", NURSES, "--out", "others"]);
    succeed(path, &["table", "export", "pay", "--epoch", "1", "--out", "audit1"]);
    succeed(path, &["table", "export", "pay", "--epoch", "2", "--out", "audit2"]);
    let audited = |epoch: &str| {
        let bundle = format!("audit{epoch}");
        json(path, &["table", "audit", "run", &bundle, "--genesis", "pay/genesis.json"])
    };
    assert!(audited("1")["recorded"].is_null());
    assert_eq!(audited("2")["recorded"]["erasures"]["count"], 1);

    // A copy from before: it is not opened once it knows the log, before the row is erased once more.
    succeed(path, &["table", "log", "pay", "--out", "seen.log"]);
    let restore = ["table", "restore", "copy", "--seen", "seen.log", "--audit", "audit2"];
    succeed(path, &restore);
    fail(path, &["table", "query", "copy", NURSES, "--out", "no"], 3, "counts 1 erased rows");
    fail(path, &["table", "restore", "copy", "--resent"], 3, "counts 1 erased rows");
    succeed(path, &["table", "restore", "copy", "--erased", "erased", "--resent"]);
    fail(path, &["table", "query", "copy", all, "--out", "no"], 5, "erased");
    succeed(path, &["table", "query", "copy", NURSES, "--out", "again"]);
}

#[test]
fn questions_are_bound_and_budgets_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path);
    let one = ["table", "query-log", "pay", "--number", "0", "--out", "one"];
    fail(path, &one, 2, "does not bind question 0 yet");
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &one);
    succeed(path, &["table", "query-log", "pay", "--out", "all"]);
    let statement = |bundle| json(path, &["verify", bundle])["claims"][0]["statement"].clone();
    assert_eq!(
        (&statement("one")["question"], &statement("one")["answers"]),
        (&NURSES.into(), &1.into())
    );
    let all = statement("all");
    assert_eq!((&all["questions"], &all["budgets_kept"]), (&1.into(), &true.into()));
    let proof = path.join("all/objects/table/questions.proof");
    let mut bytes = fs::read(&proof).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&proof, bytes).unwrap();
    fail(path, &["verify", "all"], 1, "");
}

#[test]
fn a_table_that_follows_another_is_followed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path);
    succeed(path, &["table", "log", "pay", "--out", "old.log"]);
    succeed(path, &["table", "init", "next", "--schema", "schema.toml", "--continues", "old.log"]);
    let successor = ["table", "successor", "pay", "--genesis", "next/genesis.json"];
    let proven = [&successor[..], &["--out", "successor"]].concat();
    fail(path, &proven, 2, "does not record");
    fail(path, &["table", "successor", "pay", "--genesis", "pay/genesis.json"], 2, "continued");
    assert_eq!(json(path, &successor)["recorded_by"], 2);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    let next = json(path, &proven)["successor"].clone();
    let statement = json(path, &["verify", "successor"])["claims"][0]["statement"].clone();
    assert_eq!((&statement["successor"], &statement["continues"]["epochs"]), (&next, &1.into()));
}

#[test]
fn a_regulator_compares_rows_with_an_epoch() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path);
    fs::create_dir(path.join("keys")).unwrap();
    for user in ["ada", "joe", "bob", "eve"] {
        let out = format!("keys/{user}");
        succeed(path, &["table", "keys", "pay", "--user", user, "--epoch", "1", "--out", &out]);
    }
    succeed(path, &["table", "export", "pay", "--epoch", "1", "--out", "audit"]);
    let subset = |rows| {
        ["table", "audit", "subset", "audit", "--epoch", "1", "--rows", rows, "--keys", "keys"]
    };
    let all = json(path, &[&subset("rows.csv")[..], &["--all"]].concat());
    assert_eq!((&all["known"], &all["rows"]), (&4.into(), &4.into()));
    assert_eq!(json(path, &subset("ada.csv"))["known"], 1);
    let strangers = [&subset("ada.csv")[..], &["--all"]].concat();
    fail(path, &strangers, 1, "3 rows of users that are not among yours");
    fs::write(path.join("other.csv"), "user,role,wage\nada,engineer,512.51\n").unwrap();
    fail(path, &subset("other.csv"), 1, "the row has other values");
}
