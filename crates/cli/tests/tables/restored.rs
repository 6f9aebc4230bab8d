//! A table that is put back from a copy: nothing is signed before others were asked what they saw.

use std::{fs, path::Path};

use crate::common::{copy_all, fail, json, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [{ name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, ordered = true }]
policy = { min_count = 2 }
"#;

/// Takes an epoch's rows in, one for each wage.
fn ingest(path: &Path, table: &str, epoch: &str, wages: &[u32]) {
    let row = |(user, wage): (usize, &u32)| format!("person {user},nurse,{wage}\n");
    let rows: String = wages.iter().enumerate().map(row).collect();
    fs::write(path.join("rows.csv"), format!("user,role,wage\n{rows}")).unwrap();
    succeed(path, &["table", "ingest", table, "rows.csv", "--epoch", epoch]);
}

#[test]
fn a_copy_asks_what_others_saw_and_goes_on_from_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    succeed(path, &["table", "init", "pay", "--schema", "schema.toml"]);
    ingest(path, "pay", "1", &[100, 200, 300]);
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    copy_all(&path.join("pay"), &path.join("backup"));
    copy_all(&path.join("pay"), &path.join("careless"));
    ingest(path, "pay", "2", &[110, 210, 310]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &["table", "log", "pay", "--out", "seen.log"]);
    succeed(path, &["table", "export", "pay", "--epoch", "2", "--out", "audit"]);
    fs::remove_dir_all(path.join("pay")).unwrap();
    fs::rename(path.join("backup"), path.join("pay")).unwrap();

    // Who seals the epoch once more is convicted.
    ingest(path, "careless", "2", &[110, 210]);
    succeed(path, &["table", "seal", "careless", "--epoch", "2"]);
    succeed(path, &["table", "log", "careless", "--out", "other.log"]);
    succeed(path, &["table", "evidence", "seen.log", "other.log", "--out", "evidence"]);
    fail(
        path,
        &["table", "restore", "careless", "--seen", "seen.log"],
        1,
        "another log of 2 epochs",
    );

    // Who asks is told what is missing, and can sign nothing until it is there.
    let restore = ["table", "restore", "pay", "--seen", "seen.log"];
    fail(path, &restore, 3, "epoch 2 was sealed after this copy was made");
    fail(path, &["table", "seal", "pay", "--epoch", "2"], 3, "set back");
    fail(path, &["table", "restore", "pay", "--resent"], 3, "set back");
    let restored = json(path, &[&restore[..], &["--audit", "audit"]].concat());
    assert_eq!((&restored["lost"][0], &restored["epochs"]), (&2.into(), &2.into()));
    let sum = |epoch| format!("SELECT SUM(wage) FROM pay WHERE epoch = {epoch}");
    fail(path, &["table", "query", "pay", &sum(2), "--out", "no"], 5, "were lost before a restore");
    succeed(path, &["table", "query", "pay", &sum(1), "--out", "first"]);

    // The open epoch waits until rows were asked for again.
    ingest(path, "pay", "3", &[120, 220, 320]);
    fail(path, &["table", "seal", "pay", "--epoch", "3"], 3, "being restored");
    assert_eq!(json(path, &[&restore[..], &["--resent"]].concat())["sealing"], true);
    succeed(path, &["table", "seal", "pay", "--epoch", "3"]);
    succeed(path, &["table", "query", "pay", &sum(3), "--out", "third"]);
    succeed(path, &["table", "log", "pay", "--since", "2", "--out", "new.log"]);
    let evidence = ["table", "evidence", "seen.log", "new.log", "--out", "none"];
    fail(path, &evidence, 1, "no offence");
    // What auditors gave back can be audited again.
    succeed(path, &["table", "export", "pay", "--epoch", "2", "--out", "again"]);
}
