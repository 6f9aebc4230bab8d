//! Native ceremonies by hand: from the first file to a proof, and what is refused.

use std::{fs, fs::File, path::Path};

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::{
    synthesis::{Circuit, Synthesizer},
    wtns,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, files, succeed};

fn subrosa(path: &Path, arguments: &str) -> Value {
    let arguments: Vec<_> = ["--json"].into_iter().chain(arguments.split(' ')).collect();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn phase1(path: &Path, arguments: &str) -> Value {
    subrosa(path, &format!("ceremony phase1 {arguments}"))
}

fn phase2(path: &Path, arguments: &str) -> Value {
    subrosa(path, &format!("ceremony phase2 {arguments}"))
}

fn refused(path: &Path, arguments: &str, code: i32, message: &str) {
    fail(path, &arguments.split(' ').collect::<Vec<_>>(), code, message);
}

/// "I know x with x³ = y."
struct Cube;

impl<S: Scalar> Circuit<S> for Cube {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let x = cs.private(S::from_u64(3));
        let square = cs.product(&x, &x);
        let cube = cs.product(&square, &x);
        cs.expose(&cube);
    }
}

const NOISE: &str = "--hash 0102 --iterations-exp 10";
const INPUTS: &str = "--circuit circuit.r1cs --phase1 prepared.ptau";

/// A directory with a native phase 1, prepared, of two people and a beacon.
fn begin<E: Engine>(curve: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let system = Circuit::<ScalarOf<E>>::constraint_system(&Cube);
    system.write::<E, _>(File::create(path.join("circuit.r1cs")).unwrap()).unwrap();
    let witness = Circuit::<ScalarOf<E>>::witness(&Cube);
    wtns::write::<E, _>(File::create(path.join("circuit.wtns")).unwrap(), &witness).unwrap();

    let new = phase1(path, &format!("new --native --curve {curve} --power 4 --out 0.ptau"));
    assert_eq!(new["native"], true);
    assert_eq!(phase1(path, "info 0.ptau")["challenge"], new["challenge"]);
    let ana = phase1(path, "contribute --in 0.ptau --out 1.ptau --name Ana --entropy noise");
    let ben = phase1(path, "contribute --in 1.ptau --out 2.ptau");
    let noise = phase1(path, &format!("beacon --in 2.ptau --out 3.ptau {NOISE}"));
    phase1(path, "prepare --in 3.ptau --out prepared.ptau");
    phase1(path, "truncate --in prepared.ptau --power 3 --out cut.ptau");
    for (file, power, prepared) in
        [("3.ptau", 4, false), ("prepared.ptau", 4, true), ("cut.ptau", 3, true)]
    {
        let verified = phase1(path, &format!("verify {file}"));
        assert_eq!((&verified["verified"], &verified["native"]), (&true.into(), &true.into()));
        assert_eq!((&verified["power"], &verified["prepared"]), (&power.into(), &prepared.into()));
        let contributions = &verified["contributions"];
        for (index, receipt) in [&ana, &ben, &noise].into_iter().enumerate() {
            assert_eq!(contributions[index]["hash"], receipt["hash"]);
        }
        assert_eq!(contributions[0]["name"], "Ana");
        assert_eq!(contributions[2]["beacon"]["iterations_exp"], 10);
        assert_eq!(phase1(path, &format!("info {file}"))["contributions"], *contributions);
    }
    directory
}

/// Both phases are native, and the proof is ours.
fn from_the_first_file_to_a_proof<E: Engine>(curve: &str) {
    let directory = begin::<E>(curve);
    let path = directory.path();
    let new = phase2(path, &format!("new --native {INPUTS} --out 0.zkey"));
    assert_eq!(new["native"], true);
    refused(path, "ceremony phase2 export --in 0.zkey --out vk.json", 1, "nobody has contributed");
    let ana = phase2(path, "contribute --first 0.zkey --in 0.zkey --out 1.zkey --name Ana");
    let noise = phase2(path, &format!("beacon --in 1.zkey --out 2.zkey --name noise {NOISE}"));
    let verified = phase2(path, &format!("verify {INPUTS} 2.zkey"));
    assert_eq!(verified["circuit_hash"], new["circuit_hash"]);
    assert_eq!(verified["contributions"][0]["hash"], ana["hash"]);
    assert_eq!(verified["contributions"][1]["hash"], noise["hash"]);
    let info = phase2(path, "info 2.zkey");
    assert_eq!(info["contributions"], verified["contributions"]);
    assert_eq!(info["native"], true);

    phase2(path, "export --in 2.zkey --out vk.json");
    let results = "--proof proof.json --public public.json";
    subrosa(path, &format!("snark prove --key 2.zkey --witness circuit.wtns {results}"));
    subrosa(path, &format!("snark verify --key vk.json {results}"));
    fs::write(path.join("public.json"), "[\"28\"]").unwrap();
    refused(path, &format!("snark verify --key vk.json {results}"), 1, "");
    assert!(files(path).iter().all(|name| !name.ends_with(".seed") && !name.ends_with(".part")));
}

#[test]
fn from_the_first_file_to_a_proof_bn254() {
    from_the_first_file_to_a_proof::<Bn254>("bn254");
}

#[test]
fn from_the_first_file_to_a_proof_bls12_381() {
    from_the_first_file_to_a_proof::<Bls12381>("bls12-381");
}

/// A seed that stays makes the same file, and belongs to one turn.
#[test]
fn a_seed_makes_the_same_file() {
    let directory = begin::<Bn254>("bn254");
    let path = directory.path();
    for (command, first) in [("phase1", "2.ptau"), ("phase2", "0.zkey")] {
        if command == "phase2" {
            phase2(path, &format!("new --native {INPUTS} --out 0.zkey"));
        }
        let against = if command == "phase2" { " --first 0.zkey" } else { "" };
        let contribute = format!("ceremony {command} contribute --in {first} --out again{against}");
        let made = subrosa(path, &format!("{contribute} --keep-seed"));
        assert_eq!(made["seed"], "again.seed");
        let bytes = fs::read(path.join("again")).unwrap();
        fs::remove_file(path.join("again")).unwrap();
        subrosa(path, &contribute);
        assert_eq!(fs::read(path.join("again")).unwrap(), bytes);
        fs::remove_file(path.join("again")).unwrap();
    }
}

#[test]
fn what_does_not_hold_is_refused_and_named() {
    let directory = begin::<Bn254>("bn254");
    let path = directory.path();
    refused(path, "ceremony phase1 verify 0.ptau", 1, "nobody has contributed");
    // Ana is renamed. (With a beacon behind, the beacon is named: its secrets depend on her.)
    let mut bytes = fs::read(path.join("2.ptau")).unwrap();
    let at = bytes.windows(3).position(|window| window == b"Ana").unwrap();
    bytes[at..at + 3].copy_from_slice(b"Eve");
    fs::write(path.join("renamed.ptau"), bytes).unwrap();
    let message = "contribution 0: the proof of knowledge of tau is wrong";
    refused(path, "ceremony phase1 verify renamed.ptau", 1, message);
    let contribute = "ceremony phase1 contribute --in cut.ptau --out 4.ptau";
    refused(path, contribute, 2, "cut from a ceremony of power 4");

    // Files for programs that know nothing of the transcript.
    let message = "the file is of a native ceremony";
    let export = "ceremony phase1 export-challenge --in 3.ptau --out challenge";
    refused(path, export, 2, message);
    phase2(path, &format!("new --native {INPUTS} --out 0.zkey"));
    let export = "ceremony phase2 export-bellman --in 0.zkey --out parameters";
    refused(path, export, 2, message);
    assert!(!path.join("challenge").exists() && !path.join("parameters").exists());
}
