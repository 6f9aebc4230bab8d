//! Misuse of an election that needs real keys and a real board.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::common::{fail, json, run, succeed};

const ELECTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/election.in/good");

/// Public keys of a small election's parties.
struct Parties {
    station: String,
    trustees: String,
    mixers: String,
}

/// A directory with a key file for every party and a roll.
fn keys() -> (TempDir, Parties) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for file in ["election.toml", "ballots.csv"] {
        fs::copy(Path::new(ELECTION).join(file), path.join(file)).unwrap();
    }
    let keygen =
        |name: &str| succeed(path, &["board", "keygen", "--key", name]).trim_end().to_owned();
    keygen("operator");
    let station = keygen("station");
    let trustees = ["trustee-1", "trustee-2", "trustee-3"].map(keygen).join(",");
    let mixers = ["mixer-1", "mixer-2"].map(keygen).join(",");
    let register = ["election", "register", "--description", "election.toml", "--ballots"];
    let files = ["ballots.csv", "--credentials", "credentials", "--roll", "roll.csv"];
    succeed(path, &[&register[..], &files].concat());
    (directory, Parties { station, trustees, mixers })
}

fn init<'a>(key: &'a str, stations: &'a str, trustees: &'a str, mixers: &'a str) -> Vec<&'a str> {
    let files = ["--description", "election.toml", "--roll", "roll.csv", "--key", key];
    let parties =
        ["--without-times", "--stations", stations, "--trustees", trustees, "--mixers", mixers];
    [&["election", "init", "--board", "board"], &files[..], &parties].concat()
}

/// A directory with a board that waits for the trustees.
fn begun() -> TempDir {
    let (directory, parties) = keys();
    let Parties { station, trustees, mixers } = &parties;
    succeed(directory.path(), &init("operator", station, trustees, mixers));
    directory
}

#[test]
fn init_refuses_parties_that_do_not_fit_the_description() {
    let (directory, Parties { station, trustees, mixers }) = keys();
    let path = directory.path();
    let two = trustees.rsplit_once(',').unwrap().0;
    let ran = run(path, &init("operator", &station, two, &mixers));
    assert_eq!(ran.code, 2, "{ran:?}");
    fail(path, &init("operator", &station, &trustees, &station), 2, "the same public key");
    fail(path, &init("credentials", &station, &trustees, &mixers), 2, "not a file of kind");
    fail(path, &init("missing", &station, &trustees, &mixers), 2, "missing: ");
}

/// Nobody begins an election of version 1 by leaving something out.
#[test]
fn init_asks_when_the_polls_are_open() {
    let (directory, Parties { station, trustees, mixers }) = keys();
    let path = directory.path();
    let without: Vec<&str> = init("operator", &station, &trustees, &mixers);
    let begin = |times: &[&str]| {
        let others = without.iter().copied().filter(|word| *word != "--without-times");
        others.chain(times.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let refused = |times: &[&str], message| {
        let line = begin(times);
        fail(path, &line.iter().map(String::as_str).collect::<Vec<_>>(), 2, message);
    };
    refused(&[], "does not set when the polls are open");
    refused(&["--opens", "2999-01-01"], "--closes <TIME>");
    let times = ["--opens", "2999-01-01 08:00", "--closes", "2999-01-02"];
    refused(&[&times[..], &["--without-times"]].concat(), "cannot be used with");
    refused(&["--opens", "2999-01-02", "--closes", "2999-01-02"], "is not after `opens`");
    assert!(!path.join("board").exists());

    let line = begin(&times);
    let words: Vec<&str> = line.iter().map(String::as_str).collect();
    let begun = json(path, &words);
    let status = json(path, &["election", "status", "--board", "board"]);
    assert_eq!(status["version"], 2);
    assert_eq!(status["words"], begun["words"]);
    let told = succeed(path, &["election", "status", "--board", "board"]);
    assert!(
        told.contains("polls      open from 2999-01-01T08:00:00Z to 2999-01-02T00:00:00Z"),
        "{told}"
    );
    assert!(told.contains(begun["words"].as_str().unwrap()), "{told}");

    // Said in the description, it is not said again.
    let text = fs::read_to_string(path.join("election.toml")).unwrap();
    let timed = "opens = \"2999-01-01T08:00:00Z\"\ncloses = \"2999-01-02T00:00:00Z\"\n";
    fs::write(path.join("election.toml"), format!("{timed}{text}")).unwrap();
    refused(&times, "the description already sets when the polls are open");
    refused(&["--without-times"], "the description already sets when the polls are open");
    let line = begin(&[]);
    let words: Vec<&str> = line.iter().map(String::as_str).collect();
    assert_eq!(json(path, &words)["board"], begun["board"]);
}

#[test]
fn a_board_is_begun_once() {
    let (directory, Parties { station, trustees, mixers }) = keys();
    let arguments = init("operator", &station, &trustees, &mixers);
    let begun = succeed(directory.path(), &arguments);
    // Said again, it is the same board; another does not begin there.
    assert_eq!(succeed(directory.path(), &arguments), begun);
    let (one, rest) = trustees.split_once(',').unwrap();
    let other = format!("{rest},{one}");
    let ran = run(directory.path(), &init("operator", &station, &other, &mixers));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("the log has a board already"), "{ran:?}");
}

#[test]
fn parties_work_with_their_own_keys_only() {
    let directory = begun();
    let path = directory.path();
    let join = |noun, verb, key| [noun, verb, "--board", "board", "--key", key];
    for arguments in [
        join("trustee", "run", "mixer-1"),
        join("mix", "join", "trustee-1"),
        join("mix", "join", "operator"),
    ] {
        let ran = run(path, &arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
    }
    let operate =
        ["election", "operate", "--board", "board", "--key", "station", "--until", "open"];
    let ran = run(path, &operate);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn another_board_than_the_expected_one_is_refused() {
    let directory = begun();
    let other = "11".repeat(32);
    let show = ["board", "show", "--board", "board", "--expect", &other];
    assert_eq!(run(directory.path(), &show).code, 1);
}

#[test]
fn an_unfinished_election_has_neither_ballots_nor_a_bundle() {
    let directory = begun();
    let path = directory.path();
    let publish = ["election", "publish", "--board", "board", "--out", "out"];
    fail(path, &publish, 2, "`subrosa election status` shows what it waits for");
    let track = ["election", "track", "--board", "board", "7ZK2-QD0V-M4XA-9HTB-C3W6"];
    let ran = run(path, &track);
    assert!(ran.code > 0, "{ran:?}");
    let status = succeed(path, &["--json", "election", "status", "--board", "board"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["registered"], 2);
}

#[test]
fn an_altered_board_is_refused() {
    let directory = begun();
    let path = directory.path();
    let entries = fs::read_dir(path.join("board")).unwrap().map(|entry| entry.unwrap().path());
    let entry =
        entries.filter(|path| path.is_file()).max_by_key(|path| path.metadata().unwrap().len());
    let entry = entry.unwrap();
    let mut bytes = fs::read(&entry).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&entry, bytes).unwrap();
    assert_ne!(run(path, &["board", "show", "--board", "board"]).code, 0);
}
