//! Users against operators that did not keep their receipts, up to evidence that a third party checks.

use std::{fs, path::Path, thread, time::Duration};

use tempfile::TempDir;

use crate::common::{copy_all, fail, json, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 1
order_proof = "bp"
types = [{ name = "senior", kind = "bool" }]
values = [
    { name = "wage", min = 0, max = 1000, ordered = true },
    { name = "hours", min = 0, max = 60, ordered = true },
]
policy = { min_count = 0 }
"#;
const HEADER: &str = "user,wage,hours,senior\n";

/// Brings rows in, whose receipts are in `FILE.receipts`.
fn ingest(path: &Path, folder: &str, epoch: &str, file: &str, rows: &[(&str, u32)]) {
    let line = |(user, wage): &(&str, u32)| format!("{user},{wage},40,true\n");
    let rows: String = rows.iter().map(line).collect();
    fs::write(path.join(file), HEADER.to_owned() + &rows).unwrap();
    let receipts = format!("{file}.receipts");
    succeed(path, &["table", "ingest", folder, file, "--epoch", epoch, "--receipts", &receipts]);
}

/// An operator with two copies of its table, after an epoch that they have in common: Ada's receipt is from the
/// one, and what is published from the other.
fn begin() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    succeed(path, &["table", "init", "pay", "--schema", "schema.toml"]);
    ingest(path, "pay", "1", "1.csv", &[("ada", 100), ("bob", 200)]);
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    succeed(path, &["table", "keys", "pay", "--user", "ada", "--epoch", "1", "--out", "ada.keys"]);
    succeed(path, &["table", "keys", "pay", "--user", "bob", "--epoch", "1", "--out", "bob.keys"]);
    copy_all(&path.join("pay"), &path.join("promising"));
    ingest(path, "promising", "2", "promised.csv", &[("ada", 500), ("bob", 200)]);
    directory
}

/// The command by which a user disputes what an operator shows.
fn dispute<'a>(offence: &'a str, own: &'a str, shown: [&'a str; 2], out: &'a str) -> Vec<&'a str> {
    let [kind, shown] = shown;
    let own = ["promised.csv.receipts", "--own", own];
    [&["table", "dispute", offence][..], &own, &[kind, shown, "--out", out]].concat()
}

/// A line of receipts with another signature.
fn forge(line: &str) -> String {
    let start = line.find("receipt\":\"").unwrap() + "receipt\":\"".len();
    let at = start + line[start..].find('"').unwrap() - 10;
    let other = if &line[at..=at] == "A" { "B" } else { "A" };
    format!("{}{other}{}", &line[..at], &line[at + 1..])
}

fn convicts(path: &Path, out: &str, offence: &str) {
    let verified = json(path, &["verify", out]);
    assert_eq!(verified["claims"][0]["statement"]["offence"], offence);
}

#[test]
fn a_row_that_was_left_out_convicts_its_operator() {
    let directory = begin();
    let path = directory.path();
    ingest(path, "pay", "2", "2.csv", &[("bob", 200), ("eve", 300)]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    let ask = |command, user, epoch, out| {
        ["table", command, "pay", "--user", user, "--epoch", epoch, "--out", out]
    };
    succeed(path, &ask("absence", "ada", "2", "absent"));
    let shown = ["--shown", "absent"];
    let convicted = json(path, &dispute("omission", "ada.keys", shown, "evidence"));
    assert_eq!(convicted["offence"], "omission");
    convicts(path, "evidence", "omission");
    // A look-up is no absence, an absence no other row, and Bob's row is there as promised.
    fail(path, &dispute("alteration", "ada.keys", shown, "no"), 2, "about the same epoch");
    succeed(path, &ask("lookup", "bob", "2", "bob"));
    let bob = ["--shown", "bob"];
    fail(path, &dispute("alteration", "bob.keys", bob, "no"), 1, "the row is as promised");
    fail(path, &dispute("omission", "bob.keys", bob, "no"), 2, "about the same epoch");
    // Somebody else's absence is not that of Bob's row.
    fail(path, &dispute("omission", "bob.keys", shown, "no"), 1, "this convicts nobody");
    // Whoever never sent a row gets keys to be absent as.
    fail(path, &ask("absence", "zoe", "2", "no"), 2, "has no keys");
    let keys = ["table", "keys", "pay", "--user", "zoe", "--epoch", "2", "--out", "zoe.keys"];
    fail(path, &keys, 2, "--issue");
    succeed(path, &[&keys[..], &["--issue"]].concat());
    succeed(path, &ask("absence", "zoe", "2", "zoe"));
    let verify = ["table", "verify", "zoe", "--own", "zoe.keys", "--epoch", "2"];
    succeed(path, &verify);
    // Of another epoch than the receipt's.
    succeed(path, &ask("lookup", "ada", "1", "earlier"));
    let earlier = ["--shown", "earlier"];
    fail(path, &dispute("alteration", "ada.keys", earlier, "no"), 2, "about the same epoch");
    assert!(!path.join("no").exists());
    // A receipt with another signature is nobody's promise.
    let file = path.join("promised.csv.receipts");
    let text = fs::read_to_string(&file).unwrap();
    let forged: String = text.lines().map(|line| forge(line) + "\n").collect();
    fs::write(&file, forged).unwrap();
    fail(path, &dispute("omission", "ada.keys", shown, "no"), 1, "this convicts nobody");
}

#[test]
fn a_row_with_other_values_convicts_its_operator() {
    let directory = begin();
    let path = directory.path();
    ingest(path, "pay", "2", "2.csv", &[("ada", 499), ("bob", 200)]);
    // The log that is shown records a change of the operator's key.
    succeed(path, &["table", "keys", "rotate", "pay"]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &["table", "seal", "pay", "--epoch", "3"]);
    let lookup = ["table", "lookup", "pay", "--user", "ada", "--epoch", "2", "--out", "row"];
    succeed(path, &lookup);
    let shown = ["--shown", "row"];
    let convicted = json(path, &dispute("alteration", "ada.keys", shown, "evidence"));
    assert_eq!(convicted["offence"], "alteration");
    convicts(path, "evidence", "alteration");
    fail(path, &dispute("omission", "ada.keys", shown, "no"), 2, "about the same epoch");
}

#[test]
fn an_epoch_that_is_not_in_the_log_in_time_convicts_its_operator() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    let witness = json(path, &["board", "keygen", "--key", "witness.key"]);
    let witness = witness["public_key"].as_str().unwrap();
    let init = ["table", "init", "pay", "--schema", "schema.toml", "--witness", witness];
    succeed(path, &[&init[..], &["--quorum", "1"]].concat());
    ingest(path, "pay", "1", "1.csv", &[("ada", 100)]);
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    succeed(path, &["table", "keys", "pay", "--user", "ada", "--epoch", "1", "--out", "ada.keys"]);
    let witnessed = |name: &str| {
        let log = format!("{name}.log");
        succeed(path, &["table", "log", "pay", "--out", &log]);
        let sign = ["table", "cosign", "sign", &log, "--key", "witness.key", "--state", name];
        succeed(path, &[&sign[..], &["--out", &format!("{name}.word")]].concat());
        succeed(path, &["table", "cosign", "add", "pay", &format!("{name}.word")]);
        let log = format!("{name}.seen");
        succeed(path, &["table", "log", "pay", "--out", &log]);
        log
    };
    // Cosigned before the deadline, it shows nothing.
    let early = witnessed("early");
    ingest(path, "pay", "2", "promised.csv", &[("ada", 500)]);
    let in_time = dispute("withholding", "ada.keys", ["--log", &early], "no");
    fail(path, &in_time, 1, "no quorum saw the log after the deadline");
    thread::sleep(Duration::from_millis(2100));
    let late = witnessed("late");
    let convicted = json(path, &dispute("withholding", "ada.keys", ["--log", &late], "evidence"));
    assert_eq!(convicted["offence"], "withholding");
    convicts(path, "evidence", "withholding");
    // A log that has the epoch shows that the promise was kept, if late.
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    thread::sleep(Duration::from_millis(1100));
    let kept = witnessed("kept");
    let kept = dispute("withholding", "ada.keys", ["--log", &kept], "no");
    fail(path, &kept, 1, "the epoch is in the log");
}
