//! The bundles that verifiers in other languages take are what this program writes.

use std::{fs, path::Path};

use algebra::{Bls12381, Bn254};
use claim::Bundle;
use snark::claims::{Files, write_bundle};

use super::support::{Factors, HONEST, groth16, verify};

/// The bundle of these files, byte by byte.
fn is_written_again(name: &str, files: &Files) {
    let directory = tempfile::tempdir().unwrap();
    let bundle = write_bundle(&directory.path().join("bundle"), files).unwrap();
    let kept = Bundle::open(&vectors().join(name)).unwrap();
    assert_eq!(kept.digest().unwrap(), bundle.digest().unwrap(), "{name}");
    verify(&kept).unwrap();
}

fn vectors() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/snark")
}

#[test]
fn the_vectors_are_bundles_of_this_program() {
    let read = |name: &str| fs::read(vectors().join(name)).unwrap();
    let files = |key: &str, proof: &str, circuit: Option<&str>| Files {
        key: read(key),
        proofs: vec![read(proof)],
        public: vec![serde_json::from_slice(&read("public.json")).unwrap()],
        names: None,
        circuit: circuit.map(read),
    };
    is_written_again("groth16", &files("vk.json", "proof.json", None));
    is_written_again("gm17", &files("gm17.vk", "gm17.proof", None));
    is_written_again("sonic", &files("sonic.vk", "sonic.proof", Some("circuit.r1cs")));
    // Of a key whose secrets this test knows.
    is_written_again("bls12-381", &groth16::<Bls12381>(&[HONEST]));
    let many = [9, 10, 11].map(|tag| Factors { tag, ..HONEST });
    is_written_again("batch", &groth16::<Bn254>(&many));
}
