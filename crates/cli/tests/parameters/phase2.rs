//! A key's ceremony by hand: every step, and what is refused.

use std::{fs, io::Cursor, path::Path};

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::r1cs::{Constraint, R1csHeader, R1csWriter};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, run, succeed};

fn ceremony(path: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["--json", "ceremony"], arguments].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

/// `z = x · y`, `x² · 3 = w`, with `z` public.
pub fn circuit<E: Engine>(factor: u64) -> Vec<u8> {
    let header = R1csHeader { wires: 5, public_outputs: 1, constraints: 2, ..Default::default() };
    let term = |wire, factor| vec![(wire, ScalarOf::<E>::from_u64(factor))];
    let rows = [
        Constraint { a: term(2, 1), b: term(3, 1), c: term(1, 1) },
        Constraint { a: term(2, factor), b: term(2, 1), c: term(4, 1) },
    ];
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints(rows.into_iter().map(Ok)).unwrap();
    out.labels((0..5).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// A directory with a circuit and a prepared phase 1.
fn begin<E: Engine>(curve: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("circuit.r1cs"), circuit::<E>(3)).unwrap();
    fs::write(path.join("other.r1cs"), circuit::<E>(4)).unwrap();
    let first = ["phase1", "new", "--curve", curve, "--power", "3", "--out", "0.ptau"];
    ceremony(path, &first);
    ceremony(path, &["phase1", "contribute", "--in", "0.ptau", "--out", "1.ptau"]);
    ceremony(path, &["phase1", "prepare", "--in", "1.ptau", "--out", "prepared.ptau"]);
    directory
}

const INPUTS: [&str; 4] = ["--circuit", "circuit.r1cs", "--phase1", "prepared.ptau"];

fn from_circuit_to_verification_key<E: Engine>(curve: &str) {
    let directory = begin::<E>(curve);
    let path = directory.path();
    let new = ceremony(path, &[&["phase2", "new", "--out", "0.zkey"], &INPUTS[..]].concat());
    assert_eq!((&new["wires"], &new["public"]), (&5.into(), &1.into()));
    let export = ["ceremony", "phase2", "export", "--in", "0.zkey", "--out", "vk.json"];
    fail(path, &export, 1, "nobody has contributed");

    let ana = ["phase2", "contribute", "--in", "0.zkey", "--out", "1.zkey", "--name", "Ana"];
    let info = ceremony(path, &["phase2", "info", "0.zkey"]);
    let ana = ceremony(path, &[&ana[..], &["--first", "0.zkey"]].concat());
    assert_eq!((&ana["input"], &ana["input_verified"]), (&info["digest"], &true.into()));
    assert_eq!(ana["circuit_hash"], new["circuit_hash"]);
    let beacon = ["phase2", "beacon", "--in", "1.zkey", "--out", "2.zkey"];
    let beacon = [&beacon[..], &["--hash", "0102", "--iterations-exp", "10"]].concat();
    let beacon = ceremony(path, &beacon);

    let verify = [&["phase2", "verify", "2.zkey"], &INPUTS[..]].concat();
    let verified = ceremony(path, &verify);
    assert_eq!(verified["contributions"][0]["hash"], ana["hash"]);
    assert_eq!(verified["contributions"][0]["name"], "Ana");
    assert_eq!(verified["contributions"][1]["hash"], beacon["hash"]);
    assert_eq!(verified["contributions"][1]["beacon"]["hash"], "0102");
    let info = ceremony(path, &["phase2", "info", "2.zkey"]);
    assert_eq!(info["contributions"], verified["contributions"]);
    ceremony(path, &["phase2", "export", "--in", "2.zkey", "--out", "vk.json"]);
    let key: Value = serde_json::from_slice(&fs::read(path.join("vk.json")).unwrap()).unwrap();
    assert_eq!((&key["nPublic"], &key["IC"].as_array().unwrap().len()), (&1.into(), &2));
}

#[test]
fn from_circuit_to_verification_key_bn254() {
    from_circuit_to_verification_key::<Bn254>("bn254");
}

#[test]
fn from_circuit_to_verification_key_bls12_381() {
    from_circuit_to_verification_key::<Bls12381>("bls12-381");
}

/// Hashes stand as people publish them: four lines of four words.
#[test]
fn hashes_for_people() {
    let directory = begin::<Bn254>("bn254");
    let path = directory.path();
    let new = [&["ceremony", "phase2", "new", "--out", "0.zkey"], &INPUTS[..]].concat();
    let said = succeed(path, &new);
    let hash: Vec<&str> = said.lines().skip_while(|line| *line != "circuit hash:").collect();
    assert_eq!(hash.len(), 5, "{said}");
    for line in &hash[1..] {
        let words: Vec<_> = line.split_whitespace().collect();
        assert!(words.len() == 4 && words.iter().all(|word| word.len() == 8), "{line}");
    }
}

#[test]
fn refused() {
    let directory = begin::<Bn254>("bn254");
    let path = directory.path();
    let refused = |arguments: &[&str], code, message| {
        fail(path, &[&["ceremony", "phase2"], arguments].concat(), code, message);
    };
    let unprepared = ["--circuit", "circuit.r1cs", "--phase1", "1.ptau"];
    refused(&[&["new", "--out", "0.zkey"], &unprepared[..]].concat(), 2, "not prepared");
    let swapped = ["--circuit", "prepared.ptau", "--phase1", "circuit.r1cs"];
    refused(&[&["new", "--out", "0.zkey"], &swapped[..]].concat(), 2, "circom --r1cs");
    fs::write(path.join("bls.r1cs"), circuit::<Bls12381>(3)).unwrap();
    let bls = ["--circuit", "bls.r1cs", "--phase1", "prepared.ptau"];
    refused(&[&["new", "--out", "0.zkey"], &bls[..]].concat(), 2, "over bn128, but");
    assert!(!path.join("0.zkey").exists());

    ceremony(path, &[&["phase2", "new", "--out", "0.zkey"], &INPUTS[..]].concat());
    let turn = ["contribute", "--in", "0.zkey", "--out", "1.zkey"];
    refused(&turn, 2, "nothing to verify the key against");
    let turn = [&turn[..], &["--first", "0.zkey"]].concat();
    ceremony(path, &[&["phase2"], &turn[..]].concat());
    refused(&turn, 2, "already exists");
    let second = ["contribute", "--in", "1.zkey", "--out", "x.zkey", "--first"];
    refused(&[&second[..], &["1.zkey"]].concat(), 2, "somebody contributed to");
    refused(&[&["verify", "0.zkey"], &INPUTS[..]].concat(), 1, "nobody has contributed");
    let other = ["--circuit", "other.r1cs", "--phase1", "prepared.ptau"];
    refused(&[&["verify", "1.zkey"], &other[..]].concat(), 1, "zkey section 4");
    let mut altered = fs::read(path.join("1.zkey")).unwrap();
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    fs::write(path.join("altered.zkey"), altered).unwrap();
    refused(&[&["verify", "altered.zkey"], &INPUTS[..]].concat(), 1, "zkey section");

    // A retry with the seed makes the same bytes; with another there are others.
    let keep = ["--keep-seed", "--first", "0.zkey", "--in", "0.zkey", "--out", "2.zkey"];
    let kept = ceremony(path, &[&["phase2", "contribute"], &keep[..]].concat());
    assert_eq!(kept["seed"], "2.zkey.seed");
    let first = fs::read(path.join("2.zkey")).unwrap();
    fs::remove_file(path.join("2.zkey")).unwrap();
    let again = ["ceremony", "phase2", "contribute", "--in", "0.zkey", "--out", "2.zkey"];
    let again = run(path, &[&again[..], &["--first", "0.zkey"]].concat());
    assert!(again.err.contains("not finished"), "{again:?}");
    assert!(fs::read(path.join("2.zkey")).unwrap() == first);
    assert!(!path.join("2.zkey.seed").exists());
}
