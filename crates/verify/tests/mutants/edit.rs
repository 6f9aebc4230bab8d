//! Bundles in memory, and wrong ones made from right ones.

use std::{collections::BTreeMap, fs, path::Path};

use board::{Entry, Identity, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wire::{Decode as _, Digest, Encode as _};

use super::{
    patch::{Piece, patched},
    relog::Change,
};

/// The files of a bundle, by their paths.
pub type Files = BTreeMap<String, Vec<u8>>;

/// How a right bundle is made wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// Bits of a byte of a file, and all digests that follow from them.
    Flip { file: String, at: usize, xor: u8 },
    /// A file without its last bytes, and all digests.
    Cut { file: String, bytes: usize },
    /// A file with a zero byte at its end, and all digests.
    Grow { file: String },
    /// Another value of a member of a claim, or none, and the manifest's digest.
    State { claim: String, member: String, value: Option<Value> },
    /// Bits of a byte of an entry's payload: it and all entries behind it are signed again by their authors.
    Entry { entry: usize, at: usize, xor: u8 },
    /// An entry by another author, signed again likewise.
    Author { entry: usize, author: String },
    /// A leaf of a board on a log: its author signs it again, if that is needed, and the keeper the log.
    Relog { place: usize, change: Change },
    /// A board without its last entry.
    Shorten,
    /// Text of a file in place of other text, and no digests.
    Replace { file: String, from: String, to: String },
    /// The same, and all digests.
    Reword { file: String, from: String, to: String },
    /// A file that is listed, and that no claim names; the last of all by its path.
    List { file: String },
    /// A file that nobody lists.
    Add { file: String },
    /// A file that is no longer there.
    Remove { file: String },
    /// Bytes of files in place of others, and all digests; `how` they were found is for people.
    Patch { how: String, pieces: Vec<Piece> },
}

/// Reads all files below a directory.
pub fn read(root: &Path) -> Files {
    fn walk(root: &Path, directory: &Path, files: &mut Files) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, files);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, fs::read(path).unwrap());
        }
    }
    let mut files = Files::new();
    walk(root, root, &mut files);
    files
}

/// Writes all files below a directory.
pub fn write(root: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The digest of a file, as bundles name it.
pub fn digest(bytes: &[u8]) -> String {
    Digest::of("subrosa/bundle/file", bytes).to_string()
}

/// What a file of JSON says.
pub fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// JSON in the form of bundles, these members in order and those of their values by their names.
pub fn in_order(value: &Value, members: &[&str]) -> Vec<u8> {
    let member = |name: &&str| {
        let pretty = serde_json::to_string_pretty(&value[*name]).unwrap().replace('\n', "\n  ");
        format!("  \"{name}\": {pretty}")
    };
    let members: Vec<String> = members.iter().map(member).collect();
    format!("{{\n{}\n}}\n", members.join(",\n")).into_bytes()
}

/// Replaces a file, and its digest wherever it stands: in claims, and in the manifest with theirs.
fn replace(files: &mut Files, name: &str, bytes: Vec<u8>) {
    let mut renamed = vec![(digest(&files[name]), digest(&bytes))];
    files.insert(name.to_owned(), bytes);
    let claims: Vec<String> =
        files.keys().filter(|path| path.starts_with("claims/") && *path != name).cloned().collect();
    for path in claims.iter().map(String::as_str).chain(["bundle.json"]) {
        let before = files[path].clone();
        let mut text = String::from_utf8(before.clone()).unwrap();
        for (old, new) in &renamed {
            text = text.replace(old, new);
        }
        renamed.push((digest(&before), digest(text.as_bytes())));
        files.insert(path.to_owned(), text.into_bytes());
    }
}

/// The board with payloads and authors as `change` makes them, chained and signed again.
fn sign_again(
    files: &mut Files,
    seeds: &BTreeMap<String, Identity>,
    change: impl Fn(usize, &mut Vec<u8>, &mut Identity),
) {
    let by_key = |entry: &Entry| {
        let own = seeds.values().find(|identity| identity.id() == entry.author());
        Identity::from_seed(&own.unwrap().to_seed())
    };
    let paths: Vec<String> =
        files.keys().filter(|path| path.starts_with("objects/board/")).cloned().collect();
    let mut position = Position::genesis();
    for (index, path) in paths.iter().enumerate() {
        let entry = Entry::from_bytes(&files[path]).unwrap();
        let (mut payload, mut author) = (entry.payload().to_vec(), by_key(&entry));
        change(index, &mut payload, &mut author);
        let signed = Entry::sign(&author, &position, entry.kind(), &payload).unwrap();
        let board = if index == 0 { signed.digest() } else { position.board };
        position = Position { board, sequence: position.sequence + 1, previous: signed.digest() };
        let bytes = signed.to_bytes();
        if bytes != files[path] {
            replace(files, path, bytes);
        }
    }
}

impl Edit {
    /// The wrong bundle; `seeds` are the keys of the board's parties.
    pub fn apply(&self, right: &Files, seeds: &BTreeMap<String, Identity>) -> Files {
        let mut files = right.clone();
        let flipped = |bytes: &[u8], at: usize, xor: u8| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= xor;
            bytes
        };
        match self {
            Self::Flip { file, at, xor } => {
                let bytes = flipped(&right[file], *at, *xor);
                replace(&mut files, file, bytes);
            }
            Self::Cut { file, bytes } => {
                let left = right[file].len() - bytes;
                replace(&mut files, file, right[file][..left].to_vec());
            }
            Self::Grow { file } => {
                let bytes = [right[file].as_slice(), &[0]].concat();
                replace(&mut files, file, bytes);
            }
            Self::State { claim, member, value } => {
                let bytes = stated(&right[claim], member, value.as_ref());
                replace(&mut files, claim, bytes);
            }
            Self::Entry { entry, at, xor } => {
                sign_again(&mut files, seeds, |index, payload, _| {
                    if index == *entry {
                        *payload = flipped(payload, *at, *xor);
                    }
                });
            }
            Self::Author { entry, author } => {
                sign_again(&mut files, seeds, |index, _, identity| {
                    if index == *entry {
                        *identity = Identity::from_seed(&seeds[author].to_seed());
                    }
                });
            }
            Self::Relog { place, change } => return change.apply(right, *place, seeds),
            Self::Shorten => shorten(&mut files),
            Self::Replace { file, from, to } => {
                drop(files.insert(file.clone(), reworded(&right[file], from, to)));
            }
            Self::Reword { file, from, to } => {
                replace(&mut files, file, reworded(&right[file], from, to));
            }
            Self::List { file } => {
                let listed = format!("\",\n    \"{file}\": \"{}\"\n  }}\n}}\n", digest(b"more"));
                let manifest = reworded(&right["bundle.json"], "\"\n  }\n}\n", &listed);
                files.insert("bundle.json".to_owned(), manifest);
                files.insert(file.clone(), b"more".to_vec());
            }
            Self::Add { file } => drop(files.insert(file.clone(), b"more".to_vec())),
            Self::Remove { file } => drop(files.remove(file)),
            Self::Patch { pieces, .. } => {
                for (file, bytes) in patched(right, pieces) {
                    replace(&mut files, &file, bytes);
                }
            }
        }
        files
    }
}

fn reworded(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1).into_bytes()
}

/// A claim with another value of a member, in the form of bundles: the members of a claim have an order of
/// their own, so that only the text of the value is exchanged.
fn stated(claim: &[u8], member: &str, value: Option<&Value>) -> Vec<u8> {
    let text = String::from_utf8(claim.to_vec()).unwrap();
    let read: Value = serde_json::from_str(&text).unwrap();
    let mut statement = read["statement"].clone();
    let object = statement.as_object_mut().unwrap();
    match value {
        Some(value) => drop(object.insert(member.to_owned(), value.clone())),
        None => drop(object.remove(member)),
    }
    // The statement is the last member.
    let start = text.find("  \"statement\": ").unwrap();
    let pretty = serde_json::to_string_pretty(&statement).unwrap().replace('\n', "\n  ");
    format!("{}  \"statement\": {pretty}\n}}\n", &text[..start]).into_bytes()
}

fn shorten(files: &mut Files) {
    let last = files.keys().rfind(|path| path.starts_with("objects/board/"));
    let last = last.unwrap().clone();
    let gone = digest(&files.remove(&last).unwrap());
    let claim = files.keys().find(|path| path.starts_with("claims/")).unwrap().clone();
    let text = String::from_utf8(files[&claim].clone()).unwrap();
    let text = text.replace(&format!(",\n      \"{gone}\""), "");
    let manifest = String::from_utf8(files["bundle.json"].clone()).unwrap();
    let manifest = manifest.replace(&format!(",\n    \"{last}\": \"{gone}\""), "");
    files.insert("bundle.json".to_owned(), manifest.into_bytes());
    replace(files, &claim, text.into_bytes());
}
