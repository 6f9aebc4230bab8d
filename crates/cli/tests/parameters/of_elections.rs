//! Ceremonies for other systems by hand: tFLSZ from a phase 1, and Sonic.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{fail, run, succeed};

fn ceremony(path: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["--json", "ceremony"], arguments].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn refused(path: &Path, arguments: &[&str], code: i32, message: &str) {
    fail(path, &[&["ceremony"], arguments].concat(), code, message);
}

/// Makes `name` with one byte changed.
fn altered(path: &Path, from: &str, name: &str, at: usize) {
    let mut bytes = fs::read(path.join(from)).unwrap();
    bytes[at] ^= 1;
    fs::write(path.join(name), bytes).unwrap();
}

fn no_seed_is_left(path: &Path) {
    let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_str().unwrap().ends_with(".seed")));
}

/// Three parties in round 1, one of whom comes back for round 2.
fn tflsz(curve: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let phase1 = ["phase1", "new", "--curve", curve, "--power", "3", "--out", "0.ptau"];
    ceremony(path, &phase1);
    refused(
        path,
        &["tflsz", "new", "--phase1", "0.ptau", "--power", "3", "--out", "0.tflsz"],
        2,
        "nobody has contributed",
    );
    ceremony(path, &["phase1", "contribute", "--in", "0.ptau", "--out", "1.ptau"]);
    ceremony(path, &["phase1", "contribute", "--in", "0.ptau", "--out", "other.ptau"]);
    let new = ["tflsz", "new", "--phase1", "1.ptau", "--power"];
    refused(path, &[&new[..], &["4", "--out", "0.tflsz"]].concat(), 2, "larger power");
    let first = ceremony(path, &[&new[..], &["3", "--out", "0.tflsz"]].concat());
    assert_eq!(first["size"], 7);

    let turn = |name: &str, from: &str, to: &str, round: &[&str]| {
        let turn = ["tflsz", "contribute", "--phase1", "1.ptau", "--in", from, "--out", to];
        let turn = [&turn[..], &["--name", name]].concat();
        ceremony(path, &[&turn[..], &["--entropy", name], round].concat())
    };
    refused(
        path,
        &["tflsz", "contribute", "--trust-input", "--in", "0.tflsz", "--out", "x", "--round", "2"],
        2,
        "round 1",
    );
    let ana = turn("Ana", "0.tflsz", "1.tflsz", &[]);
    turn("Bob", "1.tflsz", "2.tflsz", &["--round", "1"]);
    turn("Cyd", "2.tflsz", "3.tflsz", &[]);
    let verify = |file: &str| ceremony(path, &["tflsz", "verify", file, "--phase1", "1.ptau"]);
    assert_eq!(verify("3.tflsz")["complete"], false);
    refused(path, &["tflsz", "finish", "--in", "3.tflsz", "--out", "crs"], 2, "round 2");
    turn("Ana", "3.tflsz", "4.tflsz", &["--round", "2"]);
    // From now on round 2 is the one that goes on.
    turn("Dan", "4.tflsz", "5.tflsz", &[]);
    refused(
        path,
        &["tflsz", "contribute", "--trust-input", "--in", "5.tflsz", "--out", "x", "--round", "1"],
        2,
        "the second round has begun",
    );

    let verified = verify("5.tflsz");
    assert_eq!((&verified["verified"], &verified["complete"]), (&true.into(), &true.into()));
    assert_eq!(verified["round_1"][0]["hash"], ana["hash"]);
    assert_eq!(verified["round_1"].as_array().unwrap().len(), 3);
    assert_eq!(verified["round_2"][1]["name"], "Dan");
    let info = ceremony(path, &["tflsz", "info", "5.tflsz"]);
    assert_eq!(info["round_2"], verified["round_2"]);
    let text = succeed(path, &["ceremony", "tflsz", "verify", "5.tflsz", "--phase1", "1.ptau"]);
    assert!(text.contains("contribution 5: Dan") && text.contains("every point is right"));

    ceremony(path, &["tflsz", "finish", "--in", "5.tflsz", "--out", "crs"]);
    assert_eq!(ceremony(path, &["tflsz", "verify-key", "crs"])["size"], 7);
    no_seed_is_left(path);

    let other = ["tflsz", "verify", "5.tflsz", "--phase1", "other.ptau"];
    refused(path, &other, 1, "another phase 1");
    let len = fs::read(path.join("5.tflsz")).unwrap().len();
    altered(path, "5.tflsz", "bad.tflsz", len - 1);
    let bad = ["tflsz", "verify", "bad.tflsz", "--phase1", "1.ptau"];
    refused(path, &bad, 1, "tFLSZ CRS, P in G2, point 6");
    altered(path, "5.tflsz", "bad2.tflsz", 250);
    let bad = run(path, &["ceremony", "tflsz", "verify", "bad2.tflsz", "--phase1", "1.ptau"]);
    assert!(bad.code == 1 || bad.code == 2, "{bad:?}");
    refused(path, &["tflsz", "verify-key", "5.tflsz"], 2, "crs");
    refused(path, &["tflsz", "verify-key", "1.ptau"], 2, "new");
}

#[test]
fn tflsz_bn254() {
    tflsz("bn254");
}

#[test]
fn tflsz_bls12_381() {
    tflsz("bls12-381");
}

#[test]
fn sonic() {
    for curve in ["bn254", "bls12-381"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let new = ["sonic", "new", "--curve", curve, "--gates", "2", "--constraints", "3"];
        let first = ceremony(path, &[&new[..], &["--out", "0.sonic"]].concat());
        assert_eq!(first["degree"], 16);
        refused(path, &["sonic", "verify", "0.sonic"], 1, "nobody has contributed");
        let contribute = ["sonic", "contribute", "--in", "0.sonic", "--out", "1.sonic"];
        let ana = ceremony(path, &[&contribute[..], &["--name", "Ana"]].concat());
        ceremony(path, &["sonic", "contribute", "--in", "1.sonic", "--out", "2.sonic"]);
        let verified = ceremony(path, &["sonic", "verify", "2.sonic"]);
        assert_eq!(verified["contributions"][0]["hash"], ana["hash"]);
        let info = ceremony(path, &["sonic", "info", "2.sonic"]);
        assert_eq!(info["contributions"], verified["contributions"]);
        ceremony(path, &["sonic", "finish", "--in", "2.sonic", "--out", "srs"]);
        assert_eq!(ceremony(path, &["sonic", "verify-srs", "srs"])["verified"], true);
        no_seed_is_left(path);
        let len = fs::read(path.join("2.sonic")).unwrap().len();
        altered(path, "2.sonic", "bad.sonic", len - 1);
        refused(
            path,
            &["sonic", "verify", "bad.sonic"],
            1,
            "alpha times powers of x in G2, point 32",
        );
    }
    let directory = tempfile::tempdir().unwrap();
    let none = ["sonic", "new", "--out", "0.sonic"];
    refused(directory.path(), &none, 2, "--degree");
}
