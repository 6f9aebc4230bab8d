//! The claim about an election on a log: what the keeper, the publisher or a thief of every author's key can make
//! of it.

use std::{path::Path, sync::LazyLock};

use board::{
    Bulletin as _, Entry, Identity,
    logged::{Desk, LogBoard, Record, origin_of},
};
use claim::{BundleWriter, Claim};
use log::{
    Checkpoint, LocalLog, LogAccess as _, MemoryTiles, Tree, cosign, log_key,
    note::{Algorithm, NoteSignature, VerifierKey},
};
use serde_json::{Value, json};
use study::election::{CLAIM_KIND, write_bundle};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

use super::logged::Hall;
use crate::common::verify;

/// A published election on a log.
struct Published {
    hall: Hall,
    entries: Vec<Entry>,
    record: Record,
    statement: Value,
}

impl Published {
    fn get() -> &'static Self {
        static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
            let hall = Hall::new(3);
            let session = hall.run();
            // What comes behind the outcome is no part of the claim.
            hall.log.tick().unwrap();
            let end = session.election().end().unwrap();
            let board = LogBoard::open(hall.log.clone(), Desk::of_a_reader(), None).unwrap();
            let record = board.record(end).unwrap();
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().join("bundle");
            write_bundle(&root, &board, session.election()).unwrap();
            verify(&root).unwrap();
            let claim = claim_of(&root);
            assert_eq!((claim.version, claim.objects("log").count()), (2, 1));
            let upto = |entry: &&Entry| entry.sequence() <= end;
            let entries = board.entries().iter().take_while(upto).cloned().collect();
            Published { hall, entries, record, statement: claim.statement }
        });
        &PUBLISHED
    }

    /// The verdict on other objects under this claim, the digests right.
    fn judge(&self, record: &Record, entries: &[Entry], version: u16) -> Result<Value, String> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("bundle");
        let mut writer = BundleWriter::create(&root).unwrap();
        let add = |(place, entry): (usize, &Entry)| {
            writer.add_object(&format!("board/{place:08}.entry"), &entry.to_bytes()).unwrap()
        };
        let board = entries.iter().enumerate().map(add).collect();
        let log = vec![writer.add_object("board/log", &record.to_bytes()).unwrap()];
        let roles = [("board", board), ("log", log)];
        let claim = Claim::new(CLAIM_KIND, version, roles, self.statement.clone());
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        writer.finish().unwrap();
        verify(&root).map(|()| self.statement.clone()).map_err(|error| error.to_string())
    }

    /// The record of the same leaves, some of them changed, in a log that its keeper signs anew.
    fn signed_anew(&self, keeper: &Identity, change: impl FnOnce(&mut Record)) -> Record {
        let mut record = self.record.clone();
        change(&mut record);
        let origin: log::Origin = record.key.name.as_str().parse().unwrap();
        let mut tree = Tree::new(MemoryTiles::default());
        let hashes: Vec<_> = record.leaves.leaves.iter().map(log::Leaf::hash).collect();
        tree.append(&hashes).unwrap();
        record.leaves.proof = Vec::new();
        let checkpoint = Checkpoint::new(origin.clone(), tree.size(), tree.root().unwrap());
        record.checkpoint = checkpoint.sign(keeper).unwrap();
        record.key = log_key(&origin, keeper.id()).unwrap();
        record
    }
}

fn claim_of(root: &Path) -> Claim {
    let path = root.join(format!("claims/{CLAIM_KIND}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// An entry at the place that a record has it at.
fn in_place(entry: &Entry, record: &Record) -> Entry {
    let leaves = &record.leaves.leaves;
    let place = leaves.iter().position(|leaf| Some(leaf) == entry.leaf()).unwrap();
    let mut bytes = entry.to_bytes();
    bytes[1..9].copy_from_slice(&(place as u64).to_le_bytes());
    Entry::from_bytes(&bytes).unwrap()
}

fn keeper() -> Identity {
    Identity::from_seed(&[200; 32])
}

#[track_caller]
fn refused(verdict: Result<Value, String>, why: &str) {
    let refusal = verdict.expect_err("this was accepted");
    assert!(refusal.contains(why), "{refusal}");
}

#[test]
fn the_claim_says_which_log_it_is_and_up_to_where() {
    let published = Published::get();
    let log = &published.statement["log"];
    assert_eq!(log["key"], published.hall.log.key().to_string());
    let leaves = published.record.leaves.leaves.len() as u64;
    assert_eq!(log["leaves"], leaves);
    assert!(log["size"].as_u64().unwrap() > leaves, "the log went on");
    assert_eq!(published.statement["accepted"], 3);
    // Heartbeats and the beginnings of runs are leaves, and no entries.
    assert!(published.entries.len() < leaves as usize);
    published.judge(&published.record, &published.entries, 2).unwrap();
}

#[test]
fn a_record_that_was_changed_is_refused() {
    let Published { record, entries, .. } = Published::get();
    let bytes = record.to_bytes();
    assert_eq!(Record::from_bytes(&bytes).unwrap(), *record);
    for at in (0..bytes.len()).step_by(bytes.len() / 400) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x01;
        let verdict =
            Record::from_bytes(&flipped).ok().map(|record| record.verify(entries).is_ok());
        assert_ne!(verdict, Some(true), "byte {at} of {}", bytes.len());
    }
    for cut in (0..bytes.len()).step_by(bytes.len() / 100) {
        assert!(Record::from_bytes(&bytes[..cut]).is_err());
    }
    type Edit = fn(&mut Record);
    let edits: [(&str, Edit); 8] = [
        ("a leaf less", |record| drop(record.leaves.leaves.pop())),
        ("a leaf twice", |record| {
            let last = record.leaves.leaves.last().unwrap().clone();
            record.leaves.leaves.push(last);
        }),
        ("two leaves in each other's place", |record| record.leaves.leaves.swap(3, 4)),
        ("not from the first", |record| record.leaves.first = 1),
        ("another time", |record| record.leaves.leaves[2].time += 1),
        ("a hash less", |record| record.leaves.proof.truncate(0)),
        ("another hash", |record| record.leaves.proof[0] = [7; 32].into()),
        ("no leaves", |record| record.leaves.leaves.clear()),
    ];
    for (what, edit) in edits {
        let mut changed = record.clone();
        edit(&mut changed);
        assert!(changed.verify(entries).is_err(), "{what}");
    }
}

#[test]
fn entries_that_are_not_those_of_the_leaves_are_refused() {
    let published = Published::get();
    let Published { record, entries, .. } = published;
    let without = |place: usize| {
        let mut entries = entries.clone();
        entries.remove(place);
        entries
    };
    for place in 0..entries.len() {
        assert!(record.verify(&without(place)).is_err(), "without entry {place}");
    }
    refused(published.judge(record, &without(4), 2), "was replaced by another one");
    refused(published.judge(record, &without(entries.len() - 1), 2), "is missing");
    let mut swapped = entries.clone();
    swapped.swap(4, 5);
    refused(published.judge(record, &swapped, 2), "was replaced by another one");
    let twice = [&entries[..], &entries[1..2]].concat();
    assert!(record.verify(&twice).is_err());
    let bytes = entries[4].to_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x01;
        let Ok(entry) = Entry::from_bytes(&flipped) else { continue };
        let mut entries = entries.clone();
        entries[4] = entry;
        assert!(record.verify(&entries).is_err(), "byte {at}");
    }
}

/// The keeper itself leaves out an entry, brings two in another order, or turns the clock back, and signs that.
#[test]
fn what_a_keeper_signs_anew_is_another_election_or_none() {
    let published = Published::get();
    let entries = &published.entries;
    let ballots = entries.iter().find(|entry| entry.kind() == "ballots").unwrap();
    // Without the ballots, places moved up: the operator's count of them is not that of the board.
    let place = ballots.sequence();
    let record = published.signed_anew(&keeper(), |record| {
        record.leaves.leaves.remove(place as usize);
    });
    let rest = entries.iter().filter(|entry| entry.sequence() != place);
    let rest: Vec<Entry> = rest.map(|entry| in_place(entry, &record)).collect();
    record.verify(&rest).unwrap();
    assert!(published.judge(&record, &rest, 2).is_err());
    // An earlier time.
    let record = published.signed_anew(&keeper(), |record| record.leaves.leaves[5].time = 0);
    assert!(record.verify(entries).unwrap_err().to_string().contains("turned the clock back"));
    // The same leaves alone: the log as it was when the outcome came, so the checkpoint is another.
    let record = published.signed_anew(&keeper(), |_| ());
    assert!(record.verify(entries).is_ok());
    refused(published.judge(&record, entries, 2), "`log.");
    assert!(entries[0].sequence() > 0, "the operator's run begins before its board");
}

#[test]
fn another_logs_checkpoint_and_another_keeper_are_refused() {
    let published = Published::get();
    let Published { hall, record, entries, .. } = published;
    let thief = Identity::from_seed(&[99; 32]);
    // The checkpoint of another keeper's log of this name, and its key with it.
    let anew = published.signed_anew(&thief, |_| ());
    let mixed = Record { checkpoint: anew.checkpoint.clone(), ..record.clone() };
    assert!(mixed.verify(entries).is_err());
    let mixed = Record { key: anew.key.clone(), ..record.clone() };
    assert!(mixed.verify(entries).is_err());
    // Both: heartbeats are the keeper's own.
    refused(published.judge(&anew, entries, 2), "of a kind that is the keeper's");
    // Without them, whoever has the entries can keep a log of them. That it is another one is what the claim says.
    let anew = published.signed_anew(&thief, |record| {
        record.leaves.leaves.retain(|leaf| !leaf.is_tick(&keeper().id()));
    });
    let first = entries[0].leaf().unwrap();
    let gone = record.leaves.leaves.iter().take_while(|leaf| *leaf != first);
    let gone = gone.filter(|leaf| leaf.is_tick(&keeper().id())).count();
    let moved: Vec<Entry> = entries.iter().map(|entry| in_place(entry, &anew)).collect();
    assert_eq!(moved[0].sequence(), entries[0].sequence() - gone as u64);
    anew.verify(&moved).unwrap();
    refused(published.judge(&anew, &moved, 2), "by the objects, not as stated");
    // Authors who sign for a log that is named after its keeper sign for no other.
    let own = log_key(&origin_of(&keeper().id()).unwrap(), thief.id()).unwrap();
    let stolen = Record { key: own, ..anew };
    assert!(stolen.verify(entries).unwrap_err().to_string().contains("another keeper"));
    let clock = Box::new(|| 1);
    let origin = origin_of(&keeper().id()).unwrap();
    let log = LocalLog::in_memory(Identity::from_seed(&[99; 32]), origin, None, clock).unwrap();
    let opened = LogBoard::open(log, Desk::of_a_reader(), None);
    assert!(opened.err().unwrap().to_string().contains("another keeper"));
    assert_eq!(hall.log.key(), &record.key);
}

/// The key of a witness, and its line under a checkpoint.
fn witness(seed: u8, record: &Record, time: u64) -> (VerifierKey, NoteSignature) {
    let (name, identity) = (format!("witness.example/{seed}"), Identity::from_seed(&[seed; 32]));
    let name: log::note::KeyName = name.parse().unwrap();
    let line = cosign(record.checkpoint.note().text(), name.clone(), &identity, time);
    (VerifierKey { name, algorithm: Algorithm::Cosignature, key: identity.id() }, line)
}

/// What witnesses cosigned is stated, witness by witness, and nothing else can be.
#[test]
fn cosignatures_are_stated_and_verified() {
    let published = Published::get();
    let Published { record, entries, statement, .. } = published;
    let mut cosigned = record.clone();
    for (seed, time) in [(101, 5_000), (102, 6_000), (102, 4_000)] {
        let (key, line) = witness(seed, record, time);
        cosigned.checkpoint.add(line);
        if !cosigned.witnesses.contains(&key) {
            cosigned.witnesses.push(key);
        }
    }
    assert_eq!(Record::from_bytes(&cosigned.to_bytes()).unwrap(), cosigned);
    cosigned.verify(entries).unwrap();
    let keys: Vec<String> = cosigned.witnesses.iter().map(VerifierKey::to_string).collect();
    let stating = |times: [u64; 2]| {
        let mut statement = statement.clone();
        let named = keys.iter().zip(times).map(|(key, time)| json!({ "key": key, "time": time }));
        statement["log"]["witnesses"] = named.collect();
        Published { hall: Hall::new(0), entries: Vec::new(), record: record.clone(), statement }
    };
    // The last line of a witness counts.
    stating([5_000, 6_000]).judge(&cosigned, entries, 2).unwrap();
    refused(stating([5_000, 4_000]).judge(&cosigned, entries, 2), "`log.");
    refused(published.judge(&cosigned, entries, 2), "`log.");
    refused(stating([5_000, 6_000]).judge(record, entries, 2), "`log.");

    // Witnesses that did not cosign, cosigned another checkpoint, or are one.
    let edited = |edit: &dyn Fn(&mut Record)| {
        let mut record = cosigned.clone();
        edit(&mut record);
        stating([5_000, 6_000]).judge(&record, entries, 2).unwrap_err()
    };
    let silent = edited(&|record| record.witnesses.push(witness(103, record, 1).0));
    assert!(silent.contains("too few witnesses cosigned: 2"), "{silent}");
    let twice = edited(&|record| record.witnesses.push(record.witnesses[0].clone()));
    assert!(twice.contains("distinct keys"), "{twice}");
    let renamed = edited(&|record| {
        record.witnesses[1] =
            VerifierKey { name: "x".parse().unwrap(), ..record.witnesses[1].clone() };
    });
    assert!(renamed.contains("too few witnesses cosigned: 1"), "{renamed}");
    edited(&|record| record.witnesses.swap(0, 1));
    edited(&|record| record.witnesses.truncate(1));
    edited(&|record| record.witnesses.clear());
    // A line over another text, under a witness's name.
    let mut forged = record.clone();
    let (key, mut line) = witness(101, record, 5_000);
    line.signature[70] ^= 1;
    forged.checkpoint.add(line);
    forged.witnesses.push(key);
    assert!(forged.verify(entries).unwrap_err().to_string().contains("is not of this checkpoint"));
    // A file of version 2 without witnesses would be a second form of one of version 1.
    let mut empty = record.to_bytes();
    empty[16] = 2;
    empty.extend([0; 4]);
    assert!(Record::from_bytes(&empty).unwrap_err().to_string().contains("there are none"));
}

#[test]
fn versions_are_not_taken_for_each_other() {
    let published = Published::get();
    let Published { record, entries, statement, .. } = published;
    refused(published.judge(record, entries, 1), "is of version 2");
    // Entries of a log as a chain.
    let directory = TempDir::new().unwrap();
    for version in [1, 2] {
        let root = directory.path().join(format!("bundle-{version}"));
        let mut writer = BundleWriter::create(&root).unwrap();
        let add = |(place, entry): (usize, &Entry)| {
            writer.add_object(&format!("board/{place:08}.entry"), &entry.to_bytes()).unwrap()
        };
        let board = entries.iter().enumerate().map(add).collect();
        let claim = Claim::new(CLAIM_KIND, version, [("board", board)], statement.clone());
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        writer.finish().unwrap();
        assert!(verify(&root).is_err(), "version {version}");
    }
}
