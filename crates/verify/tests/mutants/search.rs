//! Looks for mutants: in each right bundle bytes are changed here and there, digests follow, boards are signed
//! again; the first mutant that a check refuses stands for it.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use board::Identity;
use serde_json::json;
use table::query::Answer;

use super::{
    Kind, Mutant, again,
    edit::{self, Edit, Files},
    forge, more, own, refused_by,
    relog::{self, Change, LOG},
    root, seeds,
};

/// Bytes of a file that are changed, at most: in smaller ones every one.
const PLACES: usize = 20;
/// The same of a board's entry.
const PLACES_OF_ENTRY: usize = 8;
/// The same of an entry on a log.
const PLACES_ON_A_LOG: usize = 4;
/// The same of a board's first entry and its roll, of which much follows.
const PLACES_OF_SETUP: usize = 120;
/// The same of files of ceremonies, which take long.
const PLACES_OF_CEREMONY: usize = 10;

/// Kinds of entries at whose end the head of an earlier one stands.
const HAVE_HEADS: [&str; 5] =
    ["election/ready", "election/absent/2", "election/open/2", "election/close/2", "election/seen"];

/// The same of files of traces, which take longer.
const PLACES_OF_TRACE: usize = 3;

/// The bits of a byte that are changed, in turn.
const BITS: [u8; 2] = [1, 0x80];

/// The right bundles, from the root of the repository.
pub fn bundles() -> Vec<String> {
    let of = |folder: &'static str, names: &'static [&'static str]| {
        names.iter().map(move |name| format!("{folder}/{name}"))
    };
    of(
        "vectors/table",
        &[
            "lookup",
            "absence",
            "sum",
            "hours",
            "median",
            "audit",
            "part",
            "evidence",
            "rounded",
            "records",
            "erased",
            "question",
            "questions",
            "successor",
            "first",
        ],
    )
    .chain(of("vectors/vole", &["income"]))
    .chain(of("vectors/snark", &["groth16", "gm17", "sonic", "bls12-381", "batch"]))
    .chain(of("vectors/election", &["lunch", "garden"]))
    .chain(of("vectors/sets", &["member", "absent", "hashed"]))
    .chain(of("vectors/ceremony", &["phase1", "proof", "record", "snarkjs", "bls12-381"]))
    .chain(of(
        "web/packages/verify/test/tables",
        &[
            "top",
            "hist",
            "empty",
            "parts",
            "rollup",
            "hierarchy",
            "hierarchy-region",
            "part-keys",
            "alteration",
            "withholding",
            "two-roots",
            "fork",
            "two-successors",
            "retired-key",
            "matrix",
            "rollup-audit",
        ],
    ))
    .chain(of("web/packages/verify/test/verdicts", &["bits", "bristol"]))
    .chain(of("vectors/election", &["dinner", "banquet", "picnic", "buffet", "brunch"]))
    .chain(of("vectors/trace", &["routed", "db"]))
    .collect()
}

/// What can be wrong with a bundle as such.
fn of_bundles() -> Vec<Edit> {
    let manifest = || "bundle.json".to_owned();
    let claim = || "claims/lookup-0.json".to_owned();
    let replace = |from: &str, to: &str| Edit::Replace {
        file: manifest(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let reword = |from: &str, to: &str| Edit::Reword {
        file: claim(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let listed = "    \"claims/lookup-0.json\"\n  ]";
    let outside = format!("\"files\": {{\n    \"../x\": \"{}\",\n", "0".repeat(64));
    let more = format!("\n    ],\n    \"rotations\": [\n      \"{}\"\n    ]\n  }}", "0".repeat(64));
    vec![
        replace("\"version\": 1", "\"version\": 9"),
        replace("\"objects/table/genesis.json", "\"objects/../genesis.json"),
        replace("\"objects/table/lookup-0.proof", "\"objects/table/../zz"),
        replace("\"files\": {\n", &outside),
        replace(listed, &format!("    \"claims/lookup-0.json\",\n{listed}")),
        Edit::Add { file: "objects/more".to_owned() },
        Edit::Remove { file: "objects/table/genesis.json".to_owned() },
        reword("\"version\": 1", "\"version\":  1"),
        replace("[\n    \"claims/lookup-0.json\"\n  ]", "[]"),
        Edit::List { file: "zz".to_owned() },
        reword("\"proof\": [", "\"prooe\": ["),
        reword("\n    ]\n  }", &more),
    ]
}

/// Places of a file in even steps, with its first and its last byte.
fn places(len: usize, most: usize) -> impl Iterator<Item = usize> {
    let step = len.div_ceil(most).max(1);
    (0..len).step_by(step).chain((len > 1).then(|| len - 1))
}

/// Mutants of the objects and of the statement.
fn of_objects(bundle: &str, files: &Files) -> Vec<Edit> {
    let most = match bundle {
        bundle if bundle.contains("/ceremony/") => PLACES_OF_CEREMONY,
        bundle if bundle.contains("/trace/") => PLACES_OF_TRACE,
        _ => PLACES,
    };
    let mut edits = Vec::new();
    for (name, bytes) in files {
        if name.starts_with("claims/") {
            let claim: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            for member in claim["statement"].as_object().unwrap().keys() {
                for value in [Some(json!("other")), None] {
                    let (claim, member) = (name.clone(), member.clone());
                    edits.push(Edit::State { claim, member, value });
                }
            }
        } else if name != "bundle.json" && !name.starts_with("objects/board/") {
            let flips = places(bytes.len(), most).zip(BITS.into_iter().cycle());
            edits.extend(flips.map(|(at, xor)| Edit::Flip { file: name.clone(), at, xor }));
            edits.push(Edit::Cut { file: name.clone(), bytes: 1 });
            edits.push(Edit::Grow { file: name.clone() });
        }
    }
    edits
}

/// Boards that are signed again, entry by entry: a chain, and a log. What is asked of `dinner` is not asked of the other
/// elections on logs again.
const CHAIN: &str = "vectors/election/lunch";
const LOGGED: &str = "vectors/election/dinner";
/// A log of which the roll and the mixes are changed only.
const CLASSES: &str = "vectors/election/banquet";
/// One of which the parameters are.
const PAIRED: &str = "vectors/election/buffet";

/// Mutants of a board, entry by entry.
fn of_board(files: &Files, seeds: &BTreeMap<String, Identity>) -> Vec<Edit> {
    let entries = files.iter().filter(|(path, _)| path.starts_with("objects/board/"));
    let mut edits = Vec::new();
    for (entry, (path, bytes)) in entries.enumerate() {
        let read = <board::Entry as wire::Decode>::from_bytes(bytes).unwrap();
        let flips = places(read.payload().len(), PLACES_OF_ENTRY).zip(BITS.into_iter().cycle());
        edits.extend(flips.map(|(at, xor)| Edit::Entry { entry, at, xor }));
        let other = seeds.iter().find(|(_, identity)| identity.id() != read.author());
        edits.extend(other.map(|(author, _)| Edit::Author { entry, author: author.clone() }));
        for at in [1, 9, bytes.len() - 1] {
            edits.push(Edit::Flip { file: path.clone(), at, xor: 1 });
        }
    }
    edits.push(Edit::Shorten);
    edits
}

/// Mutants of a board on a log: of its file, and leaf by leaf.
fn of_log(
    files: &Files,
    seeds: &BTreeMap<String, Identity>,
    of_kind: impl Fn(&str) -> bool,
) -> Vec<Edit> {
    let flips = places(files[LOG].len(), PLACES).zip(BITS.into_iter().cycle());
    let mut edits: Vec<Edit> =
        flips.map(|(at, xor)| Edit::Flip { file: LOG.to_owned(), at, xor }).collect();
    let leaves = relog::leaves(files);
    let first = leaves.iter().position(|said| said.payload.is_some()).unwrap();
    for (place, said) in leaves.iter().enumerate() {
        let Some(payload) = &said.payload else { continue };
        if !of_kind(said.leaf.header.kind()) {
            continue;
        }
        let (header, before) = (&said.leaf.header, place.saturating_sub(1));
        let is_setup = header.kind().starts_with("election/setup")
            || header.kind().starts_with("election/roll");
        let most = if is_setup { PLACES_OF_SETUP } else { PLACES_ON_A_LOG };
        let mut changes: Vec<Change> = places(payload.len(), most)
            .zip(BITS.into_iter().cycle())
            .map(|(at, xor)| Change::Byte { at, xor })
            .collect();
        let other = seeds.iter().find(|(_, identity)| identity.id() != header.author());
        changes.extend(other.map(|(author, _)| Change::By { author: author.clone() }));
        changes.extend([Change::Kind { kind: "election/setup".to_owned() }, Change::Subject]);
        let time = leaves[before].leaf.time;
        changes.extend([Change::Time { time }, Change::Time { time: time - 1 }]);
        if HAVE_HEADS.contains(&header.kind()) {
            changes.push(Change::Head { place: first });
        }
        if !payload.is_empty() {
            changes.push(Change::Again { at: 0, xor: 1 });
        }
        if header.kind() == "mix/header" {
            let length = u64::from_le_bytes(payload[4..12].try_into().unwrap());
            let flips = places(length as usize, PLACES_ON_A_LOG).zip(BITS.into_iter().cycle());
            changes.extend(flips.map(|(at, xor)| Change::Mix { at, xor }));
        }
        changes.push(Change::Without);
        edits.extend(changes.into_iter().map(|change| Edit::Relog { place, change }));
    }
    edits
}

/// What no search comes to: two voters of one name, ballots of after the closing.
fn of_dinner() -> Vec<Edit> {
    let closes = 1_002_000;
    vec![
        Edit::Relog { place: 2, change: Change::Byte { at: 9, xor: 1 } },
        Edit::Relog { place: 28, change: Change::Time { time: closes } },
    ]
}

/// Mutants of the board of an election.
fn of_election(bundle: &str, files: &Files, seeds: &BTreeMap<String, Identity>) -> Vec<Edit> {
    let is_of_classes = |kind: &str| ["election/roll/classes", "mix/header"].contains(&kind);
    let is_paired = |kind: &str| kind == "election/parameters";
    match bundle {
        CHAIN => of_board(files, seeds),
        LOGGED => of_log(files, seeds, |_| true).into_iter().chain(of_dinner()).collect(),
        CLASSES => of_log(files, seeds, is_of_classes),
        PAIRED => of_log(files, seeds, is_paired),
        _ => Vec::new(),
    }
}

/// Threads that search.
const THREADS: usize = 4;

/// The first mutant of a bundle for each check that refuses one.
fn of_bundle(bundle: &str, answers: &[(String, Answer)]) -> BTreeMap<&'static str, Edit> {
    let (files, seeds) = (edit::read(&root().join(bundle)), seeds(bundle));
    let mut edits = Vec::new();
    if bundle == "vectors/table/lookup" {
        edits.extend(of_bundles());
    }
    edits.extend(of_election(bundle, &files, &seeds));
    edits.extend(of_objects(bundle, &files));
    edits.extend(forge::every_byte(&files));
    edits.extend(forge::all(bundle, &files, answers));
    edits.extend(again::of_ceremony(bundle, &files));
    let mut found = BTreeMap::new();
    for edit in edits {
        if let Some(check) = refused_by(&edit.apply(&files, &seeds)) {
            found.entry(check).or_insert(edit);
        }
    }
    found
}

/// One mutant for each check that refuses one, by the names of the checks: that of the first bundle which has one.
pub fn all() -> Vec<Mutant> {
    let (bundles, found) = (bundles(), Mutex::new(BTreeMap::new()));
    let (answers, next) = (forge::answers(&bundles), AtomicUsize::new(0));
    let search = || {
        while let Some((index, bundle)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            bundles.get(index).map(|bundle| (index, bundle))
        } {
            let edits = of_bundle(bundle, &answers);
            println!("{bundle}: {} checks", edits.len());
            found.lock().unwrap().insert(index, edits);
        }
    };
    thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(search))));
    let mut mutants: BTreeMap<&'static str, Mutant> = BTreeMap::new();
    for (bundle, edits) in bundles.iter().zip(found.into_inner().unwrap().into_values()) {
        for (check, edit) in edits {
            let (name, kind, bundle) = (check.to_owned(), Kind::Bundle, bundle.clone());
            mutants.entry(check).or_insert(Mutant { check: name, kind, bundle, edit });
        }
    }
    let mut mutants: Vec<Mutant> = mutants.into_values().collect();
    mutants.extend(own::search());
    // Behind the first of their check, for the order is kept.
    mutants.extend(more::mutants());
    mutants.sort_by_key(|mutant| super::table::order(&mutant.check));
    mutants
}
