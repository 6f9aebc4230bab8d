//! What a user holds its own row to: receipts and a look-up (`TB-13`, `TB-15` to `TB-17`), and wrong ones.

use std::collections::BTreeMap;

use data_encoding::{BASE64, HEXLOWER};
use serde::Deserialize;
use table::{
    Genesis, Lookup, Row, Table, UserKeys,
    log::{Receipt, SignedCheckpoint},
};
use wire::Decode as _;

use super::{
    Kind, Mutant,
    edit::{self, Edit, Files},
    root,
};

/// A user's keys, row and receipts.
const FOLDER: &str = "vectors/table/receipts";
/// The look-up of the same row.
const LOOKUP: &str = "vectors/table/lookup";

#[derive(Deserialize)]
struct Own {
    genesis: Genesis,
    user: String,
    keys: String,
}

#[derive(Deserialize)]
struct Line {
    user: String,
    receipt: String,
}

fn text<'a>(files: &'a Files, name: &str) -> &'a str {
    std::str::from_utf8(&files[name]).unwrap()
}

/// The user's row, in a file with the names of the columns in its first line.
fn row(table: &Table, text: &str) -> Row {
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let fields: BTreeMap<&str, &str> =
        lines[0].iter().copied().zip(lines[1].iter().copied()).collect();
    table.schema().row_of(|name| fields.get(name).copied()).unwrap()
}

/// The check that refuses, if one does.
pub fn refused_by(files: &Files) -> Option<&'static str> {
    let own: Own = serde_json::from_slice(&files["ada.keys"]).unwrap();
    let table = Table::new(own.genesis).unwrap();
    let keys = HEXLOWER.decode(own.keys.as_bytes()).unwrap();
    let keys = UserKeys::from_bytes(&keys.try_into().unwrap());
    let row = row(&table, text(files, "ada.csv"));
    let now: u64 = text(files, "time").trim().parse().unwrap();
    let lines = text(files, "receipts").lines().map(|line| serde_json::from_str(line).unwrap());
    let receipts: Vec<Receipt> = lines
        .filter(|line: &Line| line.user == own.user)
        .map(|line| BASE64.decode(line.receipt.as_bytes()).unwrap())
        .map(|bytes| Receipt::from_bytes(&bytes).unwrap())
        .collect();
    assert!(!receipts.is_empty());

    let shown = root().join(LOOKUP).join("objects/table");
    let object = |name: &str| std::fs::read(shown.join(name)).unwrap();
    let note = String::from_utf8(object("checkpoint.txt")).unwrap();
    let signed = SignedCheckpoint::from_note(&table, &note).unwrap();
    let lookup = Lookup::from_bytes(&object("lookup-0.proof")).unwrap();
    lookup.verify(&table, &signed).unwrap();

    let all = |holds: &dyn Fn(&Receipt) -> bool| receipts.iter().all(holds);
    if !all(&|receipt| receipt.verify(&table).is_ok()) {
        Some("TB-15")
    } else if !all(&|receipt| receipt.in_time(&table, now).is_ok()) {
        Some("TB-16")
    } else if lookup.verify_own(&table, &signed, &row, &keys).is_err() {
        Some("TB-13")
    } else if !all(&|receipt| receipt.accept(&table, &row, &keys).is_ok()) {
        Some("TB-17")
    } else {
        None
    }
}

/// Another row, an earlier time, another user's receipt.
pub fn search() -> Vec<Mutant> {
    let files = edit::read(&root().join(FOLDER));
    assert_eq!(refused_by(&files), None, "{FOLDER}");
    let replace = |file: &str, from: &str, to: &str| Edit::Replace {
        file: file.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let now: u64 = text(&files, "time").trim().parse().unwrap();
    let (now, before) = (now.to_string(), (now - 86_400).to_string());
    let receipt_of = |user: &str| {
        let named = format!("\"user\":\"{user}\"");
        text(&files, "receipts").lines().find(|line| line.contains(&named)).unwrap().to_owned()
    };
    let others = receipt_of("bob").replace("\"user\":\"bob\"", "\"user\":\"ada\"");
    let tried = [
        ("TB-13", replace("ada.csv", "512.50", "512.51")),
        ("TB-16", replace("time", &now, &before)),
        ("TB-17", replace("receipts", &receipt_of("ada"), &others)),
    ];
    let made = tried.map(|(check, edit)| {
        assert_eq!(refused_by(&edit.apply(&files, &BTreeMap::new())), Some(check));
        let (check, bundle) = (check.to_owned(), FOLDER.to_owned());
        Mutant { check, kind: Kind::OwnRow, bundle, edit }
    });
    made.to_vec()
}
