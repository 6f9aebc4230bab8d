//! An election mixed by tFLSZ, under parameters from a ceremony of three parties.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, json, run, succeed};

const BALLOTS: usize = 12;
const RUN: [&str; 5] = ["election", "run", "election", "--out", "out"];
const PARAMETERS: [&str; 2] = ["--parameters", "parameters.tflsz"];

/// A directory with a folder `election` of real ballots, and the files of both ceremonies: Ana, Ben
/// and Cyd in phase 1, in round 1 and in round 2.
fn prepared() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir(path.join("election")).unwrap();
    let description = root.join("examples/election/election.toml");
    fs::copy(description, path.join("election/election.toml")).unwrap();
    let ballots = fs::read_to_string(root.join("crates/study/tests/data/ballots-100.csv")).unwrap();
    let ballots: Vec<&str> = ballots.lines().take(BALLOTS + 1).collect();
    fs::write(path.join("election/ballots.csv"), ballots.join("\n") + "\n").unwrap();

    let ceremony = |arguments: &[&str]| {
        succeed(path, &[&["ceremony"], arguments].concat());
    };
    let turns = |ceremony_name: &str, kind: &str, first: usize, round: &[&str]| {
        for (index, name) in (first..).zip(["Ana", "Ben", "Cyd"]) {
            let (from, to) = (format!("{index}.{kind}"), format!("{}.{kind}", index + 1));
            let turn = [ceremony_name, "contribute", "--in", &from, "--out", &to, "--name", name];
            ceremony(&[&turn[..], round].concat());
        }
    };
    ceremony(&["phase1", "new", "--curve", "bls12-381", "--power", "4", "--out", "0.ptau"]);
    turns("phase1", "ptau", 0, &[]);
    ceremony(&["tflsz", "new", "--phase1", "3.ptau", "--power", "4", "--out", "0.tflsz"]);
    turns("tflsz", "tflsz", 0, &["--phase1", "3.ptau", "--round", "1"]);
    turns("tflsz", "tflsz", 3, &["--phase1", "3.ptau", "--round", "2"]);
    directory
}

fn join(path: &Path, phase1: &str, ceremony: &str, out: &str) -> Value {
    json(
        path,
        &["election", "parameters", "--phase1", phase1, "--ceremony", ceremony, "--out", out],
    )
}

#[test]
fn from_the_ceremony_to_the_bundle() {
    let directory = prepared();
    let path = directory.path();
    let parameters = join(path, "3.ptau", "6.tflsz", "parameters.tflsz");
    assert_eq!(parameters["size"], 15);
    assert_eq!(parameters["contributors"].as_array().unwrap().len(), 9);

    succeed(path, &[&RUN[..], &PARAMETERS].concat());
    let verdict = json(path, &["verify", "out/bundle"]);
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["accepted"], BALLOTS);
    assert_eq!(statement["mixed_by"], serde_json::json!([1, 2, 3]));
    assert_eq!(statement["faults"], serde_json::json!([]));
    assert_eq!(statement["shuffle"]["name"], "tflsz");
    assert_eq!(statement["shuffle"]["parameters"], parameters["parameters"]);
    assert_eq!(statement["shuffle"]["contributors"][8], "tFLSZ ceremony: Cyd");

    // The same votes under the default shuffle.
    succeed(path, &["election", "run", "election", "--out", "tw"]);
    let other = json(path, &["verify", "tw/bundle"]);
    assert_eq!(other["claims"][0]["statement"]["tally"], statement["tally"]);
    assert!(other["claims"][0]["statement"]["shuffle"].is_null());

    every_entry_is_protected(path);
    other_parameters_are_refused(path, parameters["parameters"].as_str().unwrap());
}

/// A byte flipped in the middle of any entry of the board.
fn every_entry_is_protected(path: &Path) {
    let board = path.join("out/bundle/objects/board");
    for entry in crate::common::files(&board) {
        let file = board.join(&entry);
        let honest = fs::read(&file).unwrap();
        let mut bytes = honest.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let ran = run(path, &["verify", "out/bundle"]);
        assert_eq!(ran.code, 1, "{entry}: {ran:?}");
        fs::write(&file, &honest).unwrap();
    }
    succeed(path, &["verify", "out/bundle"]);
}

/// A description that names parameters takes no others, and cannot do without.
fn other_parameters_are_refused(path: &Path, digest: &str) {
    let file = path.join("election/election.toml");
    let plain = fs::read_to_string(&file).unwrap();
    let name = |digest: &str| {
        let text = format!("shuffle = \"tflsz\"\nparameters = \"{digest}\"\n{plain}");
        fs::write(&file, text).unwrap();
    };
    let run = ["election", "run", "election", "--out", "again"];
    name(&"0".repeat(64));
    fail(path, &[&run[..], &PARAMETERS].concat(), 2, "the description says");
    name(digest);
    fail(path, &run, 2, "needs its parameters");
    succeed(path, &[&run[..], &PARAMETERS].concat());
}

#[test]
fn parameters_that_prove_nothing_are_refused() {
    let directory = prepared();
    let path = directory.path();
    let refused = |phase1: &str, ceremony: &str, code, message| {
        let files = ["--phase1", phase1, "--ceremony", ceremony, "--out", "x"];
        fail(path, &[&["election", "parameters"], &files[..]].concat(), code, message);
    };
    refused("0.ptau", "6.tflsz", 1, "phase 1");
    refused("2.ptau", "6.tflsz", 1, "another phase 1");
    refused("3.ptau", "3.tflsz", 1, "nobody contributed");
    refused("6.tflsz", "3.ptau", 1, "phase 1");

    // More ballots than the parameters are for.
    join(path, "3.ptau", "6.tflsz", "parameters.tflsz");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../study/tests/data/ballots-100.csv");
    fs::copy(root, path.join("election/ballots.csv")).unwrap();
    fail(path, &[&RUN[..], &PARAMETERS].concat(), 2, "the parameters are for 15");

    // A file that somebody altered is refused by everybody.
    let honest = fs::read(path.join("parameters.tflsz")).unwrap();
    let mut bytes = honest;
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(path.join("parameters.tflsz"), bytes).unwrap();
    let limited = ["election", "run", "election", "--limit", "5", "--out", "altered"];
    let ran = run(path, &[&limited[..], &PARAMETERS].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("tFLSZ ceremony"), "{ran:?}");
}
