//! A table of seven users with two witnesses and an auditor: look-ups, answers, an audit, and what a user is given.

use std::{fs, path::Path};

use data_encoding::{BASE64, HEXLOWER};
use serde::Serialize;
use serde_json::json;
use table::{Genesis, Row, claims::write_audit};
use wire::Encode as _;

use super::{DAY, Operator, TIME, input, require_valid, rows, without};

/// Four epochs, of which the last is without one user.
pub fn make(root: &Path) {
    let mut pay = Operator::new(&input("schema.toml"), 1, 2);
    let rows = rows(pay.table().schema(), &input("rows.csv"));
    let mut signed = None;
    for epoch in 1..=4 {
        match epoch {
            4 => pay.ingest(epoch, &without(&rows, b"lea")),
            _ => pay.ingest(epoch, &rows),
        }
        if epoch == 2 {
            write_receipts(&root.join("receipts"), &pay, &rows);
        }
        signed = Some(pay.seal(epoch));
    }
    let signed = signed.unwrap();

    let logged = |epoch| pay.custodian.logged(epoch, 4).unwrap();
    let lookup = pay.custodian.look_up(logged(2), 0, b"ada").unwrap().unwrap();
    pay.write(&root.join("lookup"), &signed, |tables| tables.lookup("lookup-0", &lookup).unwrap());
    as_before(&root.join("lookup"));
    let keys = pay.custodian.user_keys(4, b"lea").unwrap().unwrap();
    let pseudonym = keys.pseudonym(pay.table().id(), 4, 0, b"lea");
    let absence = pay.custodian.show_absence(logged(4), 0, pseudonym).unwrap().unwrap();
    pay.write(&root.join("absence"), &signed, |tables| {
        tables.absence("absence-0", &absence).unwrap();
    });
    for (name, question) in [
        (
            "sum",
            "SELECT COUNT(*), SUM(wage), VAR_SAMP(wage) FROM pay WHERE epoch = 2 AND role = 'nurse'",
        ),
        ("hours", "SELECT SUM(hours) FROM pay WHERE epoch BETWEEN 2 AND 4"),
        ("median", "SELECT MEDIAN(wage) FROM pay WHERE epoch BETWEEN 1 AND 4"),
    ] {
        let answer = pay.ask(&signed, question);
        pay.write(&root.join(name), &signed, |tables| tables.answer("answer-0", &answer).unwrap());
    }
    let header = pay.custodian.header(2).unwrap();
    let records = pay.custodian.records(2).unwrap();
    let mut writer = claim::BundleWriter::create(&root.join("audit")).unwrap();
    let audit = pay.custodian.bundle(2).unwrap();
    write_audit(&mut writer, pay.table(), (&header, &records), &audit, &()).unwrap();
    require_valid(&writer.finish().unwrap());
}

/// With a manifest of version 1, as earlier programs wrote it.
fn as_before(root: &Path) {
    let path = root.join("bundle.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let before = manifest.replace("\"version\": 2,\n  \"specification\": 1,", "\"version\": 1,");
    assert_ne!(before, manifest);
    fs::write(path, before).unwrap();
    require_valid(&claim::Bundle::open(root).unwrap());
}

/// What a user pins, as `subrosa table keys` writes it.
#[derive(Serialize)]
struct Own {
    genesis: Genesis,
    period: u32,
    user: String,
    keys: String,
}

/// A line of a file of receipts, as `subrosa table ingest --receipts` writes it.
fn line(user: &str, column: &str, receipt: &[u8]) -> String {
    let line = json!({ "user": user, "column": column, "receipt": BASE64.encode(receipt) });
    format!("{line}\n")
}

/// A user's keys and row, all receipts of an epoch, and when they came.
fn write_receipts(root: &Path, pay: &Operator, rows: &[Row]) {
    fs::create_dir_all(root).unwrap();
    let (custodian, genesis) = (&pay.custodian, pay.table().genesis());
    let (now, mut receipts) = (TIME + DAY, String::new());
    for row in rows {
        let keys = custodian.user_keys(2, &row.user).unwrap().unwrap();
        let user = String::from_utf8(row.user.clone()).unwrap();
        let deadline = now + genesis.schema.seal_deadline;
        for receipt in custodian.receipts(&pay.key, 2, (row, &keys), deadline).unwrap() {
            assert_eq!(receipt.accept(pay.table(), row, &keys), Ok(()));
            let column = &pay.table().schema().value(receipt.column).unwrap().name;
            receipts += &line(&user, column, &receipt.to_bytes());
        }
    }
    let keys = custodian.user_keys(2, b"ada").unwrap().unwrap();
    let own = Own {
        genesis: genesis.clone(),
        period: 0,
        user: "ada".to_owned(),
        keys: HEXLOWER.encode(&*keys.to_bytes()),
    };
    let lines = input("rows.csv");
    let lines: Vec<&str> =
        lines.lines().filter(|line| line.starts_with("user") || line.starts_with("ada")).collect();
    let write = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).unwrap();
    write("receipts", receipts.as_bytes());
    write("ada.keys", &serde_json::to_vec_pretty(&own).unwrap());
    write("ada.csv", format!("{}\n", lines.join("\n")).as_bytes());
    write("time", format!("{now}\n").as_bytes());
}
