//! Proofs on the command line, alone and together with circom, circomlib and snarkjs.
//!
//! Needs `node` and `npm`: the packages are those of the tests of the room `circuit`.

use std::{fs, path::Path};

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::{gadgets::MerkleTree, json::public_to_json};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::circomlib::{calculate_witness, compiled, snarkjs};

use crate::common::{deal, fail, succeed};

fn subrosa(path: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["--json"], arguments].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

/// A directory with a prepared phase 1 of `2^power`.
fn begin(curve: &str, power: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let phase1 = ["ceremony", "phase1"];
    let step = |arguments: &[&str]| subrosa(path, &[&phase1, arguments].concat());
    step(&["new", "--curve", curve, "--power", power, "--out", "0.ptau"]);
    step(&["contribute", "--in", "0.ptau", "--out", "1.ptau"]);
    step(&["prepare", "--in", "1.ptau", "--out", "prepared.ptau"]);
    directory
}

const SETUP: &str = "--phase1 prepared.ptau --out key.zkey --verification-key vk.json";
const PROVE: [&str; 8] =
    ["snark", "prove", "--key", "key.zkey", "--proof", "proof.json", "--public", "public.json"];
const VERIFY: [&str; 8] =
    ["snark", "verify", "--key", "vk.json", "--public", "public.json", "--proof", "proof.json"];

fn clear(path: &Path) {
    fs::remove_file(path.join("proof.json")).unwrap();
    fs::remove_file(path.join("public.json")).unwrap();
}

/// A circuit of circomlib under one key of ours: we prove and snarkjs verifies, and the reverse.
#[test]
fn one_key_for_snarkjs_and_us() {
    let root = compiled("circomlib-commitment-a", include_str!("../snark.circom"));
    calculate_witness(&root, r#"{"limit": "1000", "value": "999", "blinding": "123456789"}"#);
    let directory = begin("bn254", "10");
    let path = directory.path();
    for name in ["circuit.r1cs", "circuit.wtns"] {
        fs::copy(root.join(name), path.join(name)).unwrap();
    }
    let info = subrosa(path, &["snark", "info", "--r1cs", "circuit.r1cs"]);
    assert_eq!((&info["public"], &info["curve"]), (&2.into(), &"bn128".into()));
    deal(path, &format!("{SETUP} --r1cs circuit.r1cs")).unwrap();
    let key = ["snark", "info", "--key", "key.zkey"];
    assert_eq!(subrosa(path, &key)["contributions"], 1);
    let said = ["zkey", "verify", "circuit.r1cs", "prepared.ptau", "key.zkey"];
    assert!(snarkjs(path, &said).unwrap().contains("ZKey Ok!"));

    subrosa(path, &[&PROVE[..], &["--witness", "circuit.wtns"]].concat());
    assert_eq!(subrosa(path, &VERIFY)["verified"], true);
    let check = ["groth16", "verify", "vk.json", "public.json", "proof.json"];
    assert!(snarkjs(path, &check).unwrap().contains("OK!"));

    clear(path);
    let prove = ["groth16", "prove", "key.zkey", "circuit.wtns", "proof.json", "public.json"];
    snarkjs(path, &prove).unwrap();
    assert!(snarkjs(path, &check).unwrap().contains("OK!"));
    assert_eq!(subrosa(path, &VERIFY)["public"], 2);

    // What is not so is refused by both.
    let public = fs::read_to_string(path.join("public.json")).unwrap();
    fs::write(path.join("public.json"), public.replace("1000", "1001")).unwrap();
    assert!(!snarkjs(path, &check).is_ok_and(|said| said.contains("OK!")));
    fail(path, &VERIFY, 1, "not of these public inputs");
}

/// A circuit of this program, from setup to verification, and everything that can be wrong.
fn merkle<E: Engine>(curve: &str) {
    let directory = begin(curve, "9");
    let path = directory.path();
    let circuit = ["--circuit", "merkle", "--depth", "2"];
    let setup = format!("{SETUP} {}", circuit.join(" "));
    deal(path, &setup).unwrap();
    let leaves = [10, 20, 30].map(ScalarOf::<E>::from_u64);
    let tree = MerkleTree::new(leaves.to_vec(), 2).unwrap();
    let digits = |scalar: &ScalarOf<E>| -> Value {
        let json = public_to_json(std::slice::from_ref(scalar)).unwrap();
        serde_json::from_str::<Value>(&json).unwrap()[0].clone()
    };
    let steps = tree.path(1).unwrap().steps;
    let siblings: Vec<_> = steps.iter().map(|(sibling, _)| digits(sibling)).collect();
    let right: Vec<_> = steps.iter().map(|(_, right)| *right).collect();
    let input = json!({ "leaf": "20", "siblings": siblings, "right": right });
    fs::write(path.join("input.json"), input.to_string()).unwrap();
    let prove = [&PROVE[..], &circuit, &["--input", "input.json"]].concat();
    subrosa(path, &prove);
    let public: Value =
        serde_json::from_slice(&fs::read(path.join("public.json")).unwrap()).unwrap();
    assert_eq!(public, json!([digits(&tree.root())]));
    subrosa(path, &VERIFY);

    // Files are not replaced.
    fail(path, &prove, 2, "already exists");
    let taken = deal(path, &setup).unwrap_err();
    assert!(taken.message().contains("already exists"), "{taken:?}");
    clear(path);
    // An input of another size, and none.
    let deeper = ["--circuit", "merkle", "--depth", "3", "--input", "input.json"];
    fail(path, &[&PROVE[..], &deeper].concat(), 2, "not 3 siblings");
    fail(path, &[&PROVE[..], &circuit].concat(), 2, "--input");
    let blake2s = ["--circuit", "blake2s", "--bytes", "5", "--input", "input.json"];
    fail(path, &[&PROVE[..], &blake2s].concat(), 2, "input.json");
    fs::write(path.join("five"), "12345").unwrap();
    let blake2s = ["--circuit", "blake2s", "--bytes", "5", "--input", "five"];
    fail(path, &[&PROVE[..], &blake2s].concat(), 2, "the key belongs to another circuit");
    subrosa(path, &prove);

    // Public inputs that are another scalar, another number of scalars, or no scalars.
    fs::write(path.join("public.json"), "[\"5\"]").unwrap();
    fail(path, &VERIFY, 1, "not of these public inputs");
    fs::write(path.join("public.json"), "[]").unwrap();
    fail(path, &VERIFY, 1, "public inputs: 0, where the key is for 1");
    fs::write(path.join("public.json"), format!("[\"{}\"]", "9".repeat(77))).unwrap();
    fail(path, &VERIFY, 2, "not reduced");
    fs::write(path.join("public.json"), public.to_string()).unwrap();
    subrosa(path, &VERIFY);

    // Every number of the proof.
    let proof = fs::read_to_string(path.join("proof.json")).unwrap();
    let at = |name: &str| proof.find(name).unwrap() + name.len() + 6;
    for name in ["pi_a", "pi_b", "pi_c"] {
        let digit = at(name) + proof[at(name)..].find(|c: char| c.is_ascii_digit()).unwrap();
        let mut changed = proof.clone();
        let new = if &proof[digit..=digit] == "1" { "2" } else { "1" };
        changed.replace_range(digit..=digit, new);
        fs::write(path.join("proof.json"), changed).unwrap();
        fail(path, &VERIFY, 2, name);
    }
    fs::write(path.join("proof.json"), proof).unwrap();

    // The key of another ceremony, and one that nobody contributed to.
    let other = setup.replace("key.zkey", "other.zkey").replace("vk.json", "other.json");
    deal(path, &other).unwrap();
    let with = |key: &'static str| VERIFY.map(|w| if w == "vk.json" { key } else { w });
    fail(path, &with("other.json"), 1, "not of these public inputs");
    let mut key: Value = serde_json::from_slice(&fs::read(path.join("vk.json")).unwrap()).unwrap();
    key["vk_delta_2"] = key["vk_gamma_2"].clone();
    fs::write(path.join("forged.json"), key.to_string()).unwrap();
    fail(path, &with("forged.json"), 1, "anybody can forge");
}

#[test]
fn merkle_bn254() {
    merkle::<Bn254>("bn254");
}

#[test]
fn merkle_bls12_381() {
    merkle::<Bls12381>("bls12-381");
}

/// Circuits as files for ceremonies.
#[test]
fn circuits() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let blake2s = ["--circuit", "blake2s", "--bytes", "192"];
    let out = [&["snark", "circuit", "--out", "blake2s.r1cs"], &blake2s[..]].concat();
    let written = subrosa(path, &out);
    assert_eq!((&written["constraints"], &written["public"]), (&65_186.into(), &2.into()));
    let named = subrosa(path, &[&["snark", "info"], &blake2s[..]].concat());
    let read = subrosa(path, &["snark", "info", "--r1cs", "blake2s.r1cs"]);
    assert_eq!(named, read);
    assert_eq!(read["domain_size"], 1 << 16);
    fail(path, &["snark", "info"], 2, "nothing to show");
    fail(path, &["snark", "circuit", "--out", "x.r1cs"], 2, "no circuit");
    assert!(!path.join("x.r1cs").exists());
}
