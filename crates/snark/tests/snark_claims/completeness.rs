//! Honest claims of all systems on both curves.

use algebra::{Bls12381, Bn254, Engine, Pairing};
use serde_json::json;
use snark::claims::{Files, write_bundle};

use super::support::{HONEST, gm17, groth16, sonic, sonic_unhelped, verify};

fn holds(system: &str, curve: &str, files: &Files) {
    let directory = tempfile::tempdir().unwrap();
    let bundle = write_bundle(&directory.path().join("bundle"), files).unwrap();
    let verdict = verify(&bundle).unwrap();
    let statement = &verdict.statement;
    assert_eq!((&statement["system"], &statement["curve"]), (&json!(system), &json!(curve)));
    assert_eq!(statement["public"], json!([["4294967297", "9"]]));
    assert_eq!(statement["circuit"].is_string(), files.circuit.is_some());
    assert_eq!(verdict.summary.last().unwrap(), "product = 4294967297, tag = 9");
    // Whose key it is, no proof shows.
    let key = statement["key"].as_str().unwrap();
    assert_eq!(verdict.premises[0].name, format!("key:{key}"));
}

fn all_hold<E: Engine>() {
    let curve = <E as Pairing>::NAME;
    holds("groth16", curve, &groth16::<E>(&[HONEST]));
    holds("gm17", curve, &gm17::<E>());
    holds("sonic", curve, &sonic::<E>());
    holds("sonic-unhelped", curve, &sonic_unhelped::<E>());
}

#[test]
fn proofs_of_every_system_are_claims() {
    all_hold::<Bn254>();
    all_hold::<Bls12381>();
}

#[test]
fn names_are_no_duty() {
    let directory = tempfile::tempdir().unwrap();
    let files = Files { names: None, ..groth16::<Bn254>(&[HONEST]) };
    let bundle = write_bundle(&directory.path().join("bundle"), &files).unwrap();
    assert_eq!(verify(&bundle).unwrap().summary.last().unwrap(), "4294967297, 9");
}

/// A key has one name however its file is spelt, and every point counts.
#[test]
fn a_key_of_groth16_is_named_by_its_points() {
    let digest = |json: &str| {
        ::circuit::json::VerifyingKey::<Bn254>::from_json(json).map(|key| key.digest())
    };
    let files = groth16::<Bn254>(&[HONEST]);
    let json = String::from_utf8(files.key).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = digest(&json).unwrap();
    value.as_object_mut().unwrap().remove("vk_alphabeta_12");
    assert_eq!(digest(&value.to_string()).unwrap(), expected);
    for (name, other) in [("vk_beta_2", "vk_delta_2"), ("vk_gamma_2", "vk_beta_2")] {
        let mut changed = value.clone();
        changed[name] = changed[other].clone();
        assert_ne!(digest(&changed.to_string()).unwrap(), expected, "{name}");
    }
    for (at, other) in [(0, 1), (1, 2), (2, 0)] {
        let mut changed = value.clone();
        changed["IC"][at] = changed["IC"][other].clone();
        assert_ne!(digest(&changed.to_string()).unwrap(), expected, "IC {at}");
    }
}
