//! What users of circom take with them: contracts, encodings of other libraries, witnesses without Node.

use std::fs;

use circuit::Curve;
use tempfile::TempDir;
use test_support::snarkjs;

use crate::common::{fail, json, run, succeed};

/// A directory with files that snarkjs made.
fn begin(curve: Curve, names: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(directory.path().join(name), snarkjs::read(curve, name)).unwrap();
    }
    directory
}

const FILES: [&str; 3] = ["verification_key.json", "proof.json", "public.json"];

#[test]
fn contracts() {
    let directory = begin(Curve::Bn254, &FILES);
    let path = directory.path();
    let solidity = ["snark", "solidity", "--key", "verification_key.json"];
    let printed = succeed(path, &solidity);
    let written = json(path, &[&solidity[..], &["-o", "Verifier.sol"]].concat());
    assert_eq!((&written["contract"], &written["public"]), (&"Verifier".into(), &3.into()));
    let source = fs::read_to_string(path.join("Verifier.sol")).unwrap();
    assert_eq!(printed.trim_end(), source.trim_end());
    assert!(source.contains("contract Verifier {") && !source.contains('$'), "{source}");
    fail(path, &[&solidity[..], &["-o", "Verifier.sol"]].concat(), 2, "already exists");
    fail(path, &[&solidity[..], &["--name", "a b"]].concat(), 2, "no identifier");

    let calldata = ["snark", "calldata", "proof.json", "--public", "public.json"];
    let bytes = succeed(path, &calldata);
    // A selector, eight words of the proof, three of the inputs.
    assert!(bytes.starts_with("0x") && bytes.trim_end().len() == 2 + 2 * (4 + 11 * 32), "{bytes}");
    let arguments = succeed(path, &[&calldata[..], &["--arguments"]].concat());
    assert!(arguments.starts_with("[\"0x") && arguments.trim_end().ends_with("\"]"), "{arguments}");

    // Over the other curve there are no contracts, and under a key of nobody none either.
    let other = begin(Curve::Bls12381, &FILES);
    fail(other.path(), &solidity, 2, "BN254 only");
    fail(other.path(), &calldata, 2, "BN254 only");
    let key = fs::read_to_string(path.join("verification_key.json")).unwrap();
    let mut key: serde_json::Value = serde_json::from_str(&key).unwrap();
    key["vk_delta_2"] = key["vk_gamma_2"].clone();
    fs::write(path.join("verification_key.json"), key.to_string()).unwrap();
    fail(path, &solidity, 1, "anybody can forge");
}

fn encodings(curve: Curve, name: &str, of_curve: &str) {
    let directory = begin(curve, &FILES);
    let path = directory.path();
    let all = ["arkworks", "arkworks-uncompressed", "gnark", "gnark-uncompressed", of_curve];
    for (index, encoding) in all.into_iter().enumerate() {
        for (file, kind) in [("proof.json", "proof"), ("verification_key.json", "key")] {
            let (out, back) = (format!("{kind}-{index}"), format!("{kind}-{index}.json"));
            let export = ["snark", "export", file, "--encoding", encoding, "-o", &out];
            assert_eq!(json(path, &export)["kind"], kind);
            let import = ["snark", "import", &out, "--encoding", encoding, "--kind", kind];
            let import = [&import[..], &["--curve", name, "-o", &back]].concat();
            succeed(path, &import);
            let (before, after) = (fs::read(path.join(file)), fs::read(path.join(&back)));
            assert!(before.unwrap() == after.unwrap(), "{encoding}, {kind}");
            fail(path, &import, 2, "already exists");
        }
    }
    let wrong = ["snark", "import", "proof-0", "--encoding", "gnark", "--kind", "proof"];
    let wrong = [&wrong[..], &["--curve", name, "-o", "wrong.json"]].concat();
    match curve {
        // By chance the bytes of A, and then of B, are of some point of the curve.
        Curve::Bn254 => {
            let ran = run(path, &wrong);
            let reasons = ["not the encoding of a point", "outside the prime-order subgroup"];
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(reasons.iter().any(|reason| ran.err.contains(reason)), "{ran:?}");
        }
        // Both libraries have the form of Zcash there.
        Curve::Bls12381 => drop(succeed(path, &wrong)),
    }
    let key = ["snark", "import", "proof-0", "--encoding", "arkworks", "--kind", "key"];
    let key = [&key[..], &["--curve", name, "-o", "key.json"]].concat();
    fail(path, &key, 2, "proof-0: ");
    assert!(!path.join("key.json").exists());
    let other = if of_curve == "eip197" { "eip2537" } else { "eip197" };
    let export = ["snark", "export", "proof.json", "--encoding", other, "-o", "other"];
    fail(path, &export, 2, "has no points of");
}

#[test]
fn encodings_bn254() {
    encodings(Curve::Bn254, "bn254", "eip197");
}

#[test]
fn encodings_bls12_381() {
    encodings(Curve::Bls12381, "bls12-381", "eip2537");
}

const WITNESS: [&str; 6] = ["snark", "witness", "circuit.wasm", "input.json", "-o", "circuit.wtns"];

/// A directory with a program of circom and its inputs.
fn with_program(curve: Curve) -> TempDir {
    let directory = begin(curve, &["input.json"]);
    let program = snarkjs::path(curve, "circuit_js/circuit.wasm");
    fs::copy(program, directory.path().join("circuit.wasm")).unwrap();
    directory
}

#[cfg(feature = "witness")]
#[test]
fn witnesses_without_node() {
    for curve in Curve::ALL {
        let directory = with_program(curve);
        let path = directory.path();
        let said = json(path, &WITNESS);
        assert_eq!(
            (&said["curve"], &said["log"]),
            (&curve.snarkjs_name().into(), &serde_json::json!([]))
        );
        let ours = fs::read(path.join("circuit.wtns")).unwrap();
        assert!(ours == snarkjs::read(curve, "circuit.wtns"));
        fail(path, &WITNESS, 2, "already exists");

        let other = WITNESS.map(|word| if word == "circuit.wtns" { "other.wtns" } else { word });
        fail(path, &[&other[..], &["--max-steps", "0"]].concat(), 2, "steps");
        fs::write(path.join("input.json"), r#"{"a": "3"}"#).unwrap();
        fail(path, &other, 2, "input.json: values of inputs: 1, where the circuit takes 2");
        fs::write(path.join("circuit.wasm"), "no program").unwrap();
        fail(path, &other, 2, "circuit.wasm: not a program of circom 2");
        assert!(!path.join("other.wtns").exists());
    }
}

#[cfg(not(feature = "witness"))]
#[test]
fn witnesses_take_another_build() {
    let directory = with_program(Curve::Bn254);
    fail(directory.path(), &WITNESS, 2, "subrosa/witness");
}
