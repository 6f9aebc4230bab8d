//! Files from snarkjs to us and back.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use algebra::{Bls12381, Bn254, Engine};
use ceremony::{Error, phase1};
use circuit::Curve;

use super::{beacon, contents::Contents, contribute, fixtures, new, prepare, verify};

/// A directory of its own, beside the tools.
pub fn directory(curve: Curve, test: &str) -> PathBuf {
    let name = format!("{}-{test}", curve.snarkjs_name());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ceremony").join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs `snarkjs powersoftau` and returns what it says, without white space.
pub fn snarkjs(directory: &Path, arguments: &[&str]) -> String {
    let tool = fixtures::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
    let mut command = Command::new("node");
    command.arg(tool).arg("powersoftau").args(arguments).current_dir(directory);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said.split_whitespace().collect()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// snarkjs stores with a BLAKE2b state what its buffer held before: bytes without a meaning, behind
/// those that wait for the hash. We write zeros.
pub fn without_leftovers<E: Engine>(bytes: &[u8]) -> Vec<u8> {
    let mut contents = Contents::<E>::read(bytes);
    for contribution in &mut contents.contributions {
        let hash = wire::Blake2b::from_state(&contribution.partial_hash).unwrap();
        contribution.partial_hash = hash.state();
    }
    contents.write()
}

#[test]
fn same_bytes_as_snarkjs() {
    fn check<E: Engine>(curve: Curve) {
        let file = |name| fixtures::read(curve, name);
        assert!(new::<E>(8) == file("new.ptau"));
        let made = beacon::<E>(&file("unnamed.ptau"), Some("noise"));
        assert!(without_leftovers::<E>(&made) == without_leftovers::<E>(&file("beacon.ptau")));
        assert!(prepare::<E>(&file("beacon.ptau")) == file("prepared.ptau"));
        assert!(prepare::<E>(&file("new.ptau")) == file("trivial.ptau"));
        for (power, name) in [(1, "prepared_01.ptau"), (7, "prepared_07.ptau")] {
            let mut cut = Vec::new();
            let prepared = &mut Cursor::new(file("prepared.ptau"));
            phase1::truncate::<E>(prepared, &mut cut, power).unwrap();
            assert!(cut == file(name), "{name}");
        }
    }
    check::<Bn254>(Curve::Bn254);
    check::<Bls12381>(Curve::Bls12381);
}

#[test]
fn files_of_snarkjs_verify() {
    fn check<E: Engine>(curve: Curve) {
        for (name, contributions, is_prepared, is_hash_checked) in [
            ("named.ptau", 1, false, true),
            ("unnamed.ptau", 2, false, true),
            ("beacon.ptau", 3, false, true),
            ("prepared.ptau", 3, true, true),
            ("prepared_01.ptau", 3, true, false),
            ("prepared_07.ptau", 3, true, false),
        ] {
            let verified = verify::<E>(&fixtures::read(curve, name)).unwrap();
            assert_eq!(verified.contributions.len(), contributions, "{name}");
            let found = (verified.is_prepared, verified.is_hash_checked);
            assert_eq!(found, (is_prepared, is_hash_checked), "{name}");
        }
        for name in ["new.ptau", "trivial.ptau"] {
            let refused = verify::<E>(&fixtures::read(curve, name));
            assert!(matches!(refused, Err(Error::NoContributions)), "{name}");
        }
    }
    check::<Bn254>(Curve::Bn254);
    check::<Bls12381>(Curve::Bls12381);
}

/// snarkjs, ours, snarkjs, ours, beacon: each hash that one of us reports the other reports too.
fn mixed_chain<E: Engine>(curve: Curve) {
    let directory = &directory(curve, "mixed");
    let read = |name: &str| fs::read(directory.join(name)).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    snarkjs(directory, &["new", curve.snarkjs_name(), "4", "0"]);
    snarkjs(directory, &["contribute", "0", "1", "--name=snarkjs", "-e=some"]);
    write("2", &contribute::<E>(&read("1"), "ours", 1));
    let said = snarkjs(directory, &["contribute", "2", "3", "--name=again", "-e=more"]);
    let info = phase1::info::<E>(&mut Cursor::new(read("3"))).unwrap();
    assert!(said.contains(&hex(&info.contributions[2].response_hash)), "{said}");
    assert!(said.contains(&hex(&info.contributions[2].next_challenge)), "{said}");
    write("4", &contribute::<E>(&read("3"), "", 2));
    write("5", &beacon::<E>(&read("4"), None));
    write("6", &prepare::<E>(&read("5")));

    let verified = verify::<E>(&read("6")).unwrap();
    let names: Vec<_> =
        verified.contributions.iter().map(|one| one.attribution.name.as_deref()).collect();
    assert_eq!(names, [Some("snarkjs"), Some("ours"), Some("again"), None, None]);
    for file in ["2", "5", "6"] {
        let said = snarkjs(directory, &["verify", file]);
        assert!(said.contains("PowersofTauOk!"), "{said}");
        let info = phase1::info::<E>(&mut Cursor::new(read(file))).unwrap();
        for contribution in info.contributions {
            assert!(said.contains(&hex(&contribution.response_hash)), "{said}");
            assert!(said.contains(&hex(&contribution.next_challenge)), "{said}");
        }
    }
    // The beacon is the same whoever computes it.
    let hash = hex(&(1..=16).collect::<Vec<u8>>());
    snarkjs(directory, &["beacon", "4", "theirs", &hash, "10", "--name="]);
    assert!(without_leftovers::<E>(&read("theirs")) == without_leftovers::<E>(&read("5")));
}

#[test]
fn mixed_chain_bn254() {
    mixed_chain::<Bn254>(Curve::Bn254);
}

#[test]
fn mixed_chain_bls12_381() {
    mixed_chain::<Bls12381>(Curve::Bls12381);
}
