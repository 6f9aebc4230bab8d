//! Honest bytes of all kinds: the repository's small files, and what stands in them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use board::{Entry, logged::Record};
use data_encoding::{BASE64, HEXLOWER};
use log::{AddCheckpoint, merkle, note::NoteSignature};
use serde_json::Value;
use study::election::{MixPart, TflszParameters};
use wire::{Decode as _, Encode as _};

use crate::{snarks, studies};

/// Of longer files the first lines are seeds.
const MAX_LEN: usize = 1 << 18;
const FIRST_LINES: usize = 1 << 12;
/// Shorter texts are names and numbers.
const MIN_TEXT: usize = 32;
/// The header of a file of ours: magic, kind, version.
const HEADER: usize = 18;

/// Where this repository is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every piece once, the shortest first.
pub fn all() -> Vec<Vec<u8>> {
    let mut pieces = BTreeSet::new();
    pieces.extend(studies::files_of_voters());
    for folder in ["vectors", "examples", "crates/cli/tests/cmd", "fuzz/seeds"] {
        for path in files_below(&root().join(folder)) {
            let mut bytes = fs::read(&path).expect("a file of the repository is read");
            if bytes.len() > MAX_LEN {
                shorten(&mut bytes);
            }
            take_apart(&bytes, &mut pieces);
            pieces.insert(bytes);
        }
    }
    let mut pieces: Vec<_> = pieces.into_iter().collect();
    pieces.sort_by_key(Vec::len);
    pieces
}

/// Files of a directory, in order.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of a directory").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Cuts behind a line.
fn shorten(bytes: &mut Vec<u8>) {
    bytes.truncate(FIRST_LINES);
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(end);
}

fn take_apart(bytes: &[u8], pieces: &mut BTreeSet<Vec<u8>>) {
    if let Ok(entry) = Entry::from_bytes(bytes) {
        pieces.insert(entry.payload().to_vec());
        if let Ok(parameters) = TflszParameters::from_bytes(entry.payload()) {
            pieces.extend([parameters.phase1, parameters.ceremony]);
        }
        if let Ok(part) = MixPart::from_bytes(entry.payload()) {
            pieces.insert(part.bytes);
        }
        if let Some(leaf) = entry.leaf() {
            pieces.extend([leaf.to_bytes(), leaf.header.to_bytes()]);
        }
        pieces.extend([entry.kind().as_bytes().to_vec(), entry.author().to_bytes()]);
    }
    if let Ok(record) = Record::from_bytes(bytes) {
        pieces.insert(record.key.to_string().into_bytes());
        pieces.insert(record.checkpoint.to_text().into_bytes());
        pieces.insert(record.checkpoint.checkpoint().to_text().into_bytes());
        let lines = record.checkpoint.note().signatures().iter().map(NoteSignature::to_line);
        pieces.extend(lines.map(|line| line.trim_end().as_bytes().to_vec()));
        let proof = vec![merkle::empty_root(); 2];
        let request = AddCheckpoint { old: 3, proof, checkpoint: record.checkpoint.clone() };
        pieces.insert(request.to_text().into_bytes());
        pieces.insert(record.leaves.to_bytes());
    }
    if bytes.starts_with(b"SUBROSA\0") {
        pieces.insert(bytes.get(HEADER..).unwrap_or_default().to_vec());
    }
    if let Ok(text) = str::from_utf8(bytes) {
        pieces.extend(snarks::spellings(text));
    }
    if let Ok(json) = serde_json::from_slice(bytes) {
        take_texts(&json, pieces);
    }
}

/// Texts of JSON, and bytes that they spell.
fn take_texts(json: &Value, pieces: &mut BTreeSet<Vec<u8>>) {
    match json {
        Value::String(text) if text.len() >= MIN_TEXT => {
            let spelt =
                HEXLOWER.decode(text.as_bytes()).or_else(|_| BASE64.decode(text.as_bytes()));
            pieces.extend(spelt);
            pieces.insert(text.clone().into_bytes());
        }
        Value::Array(items) => items.iter().for_each(|item| take_texts(item, pieces)),
        Value::Object(members) => members.values().for_each(|item| take_texts(item, pieces)),
        _ => {}
    }
}
