//! Boards on logs of which an author, or the keeper, said something else: headers are signed again by their
//! authors, and the log by its keeper.

use std::collections::BTreeMap;

use board::{Entry, Identity, logged::Record};
use log::{Checkpoint, Header, Leaf, MemoryTiles, Tree};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wire::{Decode as _, Digest, Encode as _};

use super::edit::{self, Files};

/// The object that has the leaves.
pub const LOG: &str = "objects/board/log";

/// What is otherwise about the leaf at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// Bits of a byte of its payload.
    Byte { at: usize, xor: u8 },
    /// Its author.
    By { author: String },
    /// Its kind.
    Kind { kind: String },
    /// Its subject, which is `x`.
    Subject,
    /// The keeper's time of it.
    Time { time: u64 },
    /// The head at the end of its payload: that of the leaf at another place.
    Head { place: usize },
    /// There is another one behind it: the same, with bits of a byte of the payload otherwise.
    Again { at: usize, xor: u8 },
    /// It is left out.
    Without,
    /// Bits of a byte of the mix that it announces, whose parts follow.
    Mix { at: usize, xor: u8 },
}

/// A leaf as its author and the keeper meant it; what is no entry has no payload here.
#[derive(Clone)]
pub struct Said {
    pub leaf: Leaf,
    pub payload: Option<Vec<u8>>,
}

/// The leaves of a board on a log.
pub fn leaves(files: &Files) -> Vec<Said> {
    let record = Record::from_bytes(&files[LOG]).unwrap();
    let payload = |place: usize| {
        let entry = Entry::from_bytes(files.get(&path(place))?).unwrap();
        Some(entry.payload().to_vec())
    };
    let said = |(place, leaf)| Said { leaf, payload: payload(place) };
    record.leaves.leaves.into_iter().enumerate().map(said).collect()
}

fn path(place: usize) -> String {
    format!("objects/board/{place:08}.entry")
}

/// A log that is written again.
struct Writing<'a> {
    record: Record,
    seeds: &'a BTreeMap<String, Identity>,
    leaves: Vec<Said>,
}

impl Change {
    /// The bundle with this change of the leaf at a place.
    pub fn apply(&self, files: &Files, place: usize, seeds: &BTreeMap<String, Identity>) -> Files {
        let record = Record::from_bytes(&files[LOG]).unwrap();
        let mut writing = Writing { record, seeds, leaves: leaves(files) };
        match self {
            Self::Byte { at, xor } => writing.flip(place, *at, *xor),
            Self::By { author } => {
                writing.sign(place, |said| said.author = author_of(&seeds[author]));
            }
            Self::Kind { kind } => writing.sign(place, |said| said.kind.clone_from(kind)),
            Self::Subject => writing.sign(place, |said| said.subject = b"x".to_vec()),
            Self::Time { time } => writing.leaves[place].leaf.time = *time,
            Self::Head { place: other } => {
                let head = writing.head(*other);
                writing.sign(place, |said| {
                    let start = said.payload.len() - head.len();
                    said.payload[start..].copy_from_slice(&head);
                });
            }
            Self::Again { at, xor } => {
                let again = writing.leaves[place].clone();
                writing.leaves.insert(place + 1, again);
                writing.flip(place + 1, *at, *xor);
            }
            Self::Without => drop(writing.leaves.remove(place)),
            Self::Mix { at, xor } => writing.flip_mix(place, *at, *xor),
        }
        writing.finish(files)
    }
}

/// What an author signs.
struct Words {
    author: Identity,
    kind: String,
    subject: Vec<u8>,
    payload: Vec<u8>,
}

fn author_of(identity: &Identity) -> Identity {
    Identity::from_seed(&identity.to_seed())
}

impl Writing<'_> {
    fn identity(&self, key: board::AuthorId) -> Identity {
        author_of(self.seeds.values().find(|identity| identity.id() == key).unwrap())
    }

    fn origin(&self) -> log::Origin {
        self.record.key.name.as_str().parse().unwrap()
    }

    /// Has the author of an entry say something else.
    fn sign(&mut self, place: usize, change: impl FnOnce(&mut Words)) {
        let Said { leaf: Leaf { time, header }, payload } = &self.leaves[place];
        let mut words = Words {
            author: self.identity(header.author()),
            kind: header.kind().to_owned(),
            subject: header.subject().to_vec(),
            payload: payload.clone().unwrap(),
        };
        change(&mut words);
        let Words { author, kind, subject, payload } = words;
        let slot = (kind.as_str(), subject.as_slice());
        let header = Header::sign(&author, &self.origin(), slot, header.time(), &payload).unwrap();
        self.leaves[place] = Said { leaf: Leaf { time: *time, header }, payload: Some(payload) };
    }

    fn flip(&mut self, place: usize, at: usize, xor: u8) {
        self.sign(place, |said| said.payload[at] ^= xor);
    }

    /// Size and root of the log through a leaf, as payloads end with them.
    fn head(&self, place: usize) -> Vec<u8> {
        let tree = self.tree(&self.leaves[..=place]);
        [tree.size().to_bytes(), tree.root().unwrap().as_bytes().to_vec()].concat()
    }

    fn tree(&self, leaves: &[Said]) -> Tree<MemoryTiles> {
        let mut tree = Tree::new(MemoryTiles::default());
        let hashes: Vec<_> = leaves.iter().map(|said| said.leaf.hash()).collect();
        tree.append(&hashes).unwrap();
        tree
    }

    /// Header: turn (4 bytes), length (8), digest (32). Part: turn (4), index (4), length (4), bytes.
    fn flip_mix(&mut self, place: usize, at: usize, xor: u8) {
        let announced = self.leaves[place].payload.clone().unwrap();
        let is_part = |said: &Said| {
            let payload = said.payload.as_deref().unwrap_or_default();
            said.leaf.header.kind() == "mix/part" && payload[..4] == announced[..4]
        };
        let parts: Vec<usize> =
            (place..self.leaves.len()).filter(|part| is_part(&self.leaves[*part])).collect();
        let (mut mix, mut before) = (Vec::new(), 0);
        for part in parts {
            let length = self.leaves[part].payload.as_ref().unwrap().len() - 12;
            if (before..before + length).contains(&at) {
                self.flip(part, 12 + at - before, xor);
            }
            before += length;
            mix.extend_from_slice(&self.leaves[part].payload.as_ref().unwrap()[12..]);
        }
        let digest = Digest::of("subrosa/election/mix/parts/v2", &mix);
        self.sign(place, |said| said.payload[12..].copy_from_slice(digest.as_bytes()));
    }

    /// The bundle of the log as it is now, of which a keeper signed the root; all digests follow, and so does what
    /// the claims state of the log.
    fn finish(mut self, files: &Files) -> Files {
        let tree = self.tree(&self.leaves);
        let checkpoint = Checkpoint::new(self.origin(), tree.size(), tree.root().unwrap());
        let keeper = self.identity(self.record.key.key);
        self.record.checkpoint = checkpoint.sign(&keeper).unwrap();
        self.record.leaves.leaves = self.leaves.iter().map(|said| said.leaf.clone()).collect();
        self.record.leaves.proof = Vec::new();
        let stated = json!({ "size": tree.size(), "leaves": tree.size(), "root": tree.root().unwrap().to_string() });
        let mut out: Files =
            files.iter().filter(|(path, _)| path.starts_with("objects/trace/")).map(copy).collect();
        let mut board = Vec::new();
        for (place, Said { leaf, payload }) in self.leaves.iter().enumerate() {
            let Some(payload) = payload else { continue };
            let mut entry = vec![2];
            (place as u64).encode(&mut entry);
            wire::put_bytes(&mut entry, &leaf.to_bytes());
            wire::put_bytes(&mut entry, payload);
            board.push(edit::digest(&entry));
            out.insert(path(place), entry);
        }
        let log = self.record.to_bytes();
        let objects = json!({ "board": board, "log": [edit::digest(&log)] });
        out.insert(LOG.to_owned(), log);
        bundled(files, out, &objects, &stated)
    }
}

fn copy((path, bytes): (&String, &Vec<u8>)) -> (String, Vec<u8>) {
    (path.clone(), bytes.clone())
}

/// The claims about these objects, and the manifest, each in the form that bundles have.
fn bundled(files: &Files, mut out: Files, objects: &Value, stated: &Value) -> Files {
    let manifest = edit::json_of(&files["bundle.json"]);
    for path in manifest["claims"].as_array().unwrap() {
        let path = path.as_str().unwrap();
        let mut claim = edit::json_of(&files[path]);
        for (role, digests) in objects.as_object().unwrap() {
            claim["objects"][role] = digests.clone();
        }
        for (member, value) in stated.as_object().unwrap() {
            claim["statement"]["log"][member] = value.clone();
        }
        let text = edit::in_order(&claim, &["kind", "version", "objects", "statement"]);
        out.insert(path.to_owned(), text);
    }
    let listed: BTreeMap<&String, String> =
        out.iter().map(|(path, bytes)| (path, edit::digest(bytes))).collect();
    let mut manifest = manifest.clone();
    manifest["files"] = json!(listed);
    let members = ["format", "version", "specification", "claims", "files"];
    out.insert("bundle.json".to_owned(), edit::in_order(&manifest, &members));
    out
}
