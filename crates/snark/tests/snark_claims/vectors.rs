//! `vectors/snark`: proofs of one circuit in all systems, and bundles of them, made from seeds.

use std::{
    collections::BTreeMap,
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use algebra::{Bls12381, Bn254, ScalarOf};
use circuit::{json::public_to_json, synthesis::ConstraintSystem, wtns::Wtns};
use claim::Bundle;
use snark::{
    FileFormat as _,
    claims::{Files, write_bundle},
    gm17, groth16, sonic,
};

use super::support::{self, Factors, HONEST, rng, verify};

type E = Bn254;
type S = ScalarOf<E>;

/// A circuit that has everything, and a witness: written by hand.
const INPUTS: [&str; 2] = ["circuit.r1cs", "witness.wtns"];
const BUNDLES: [&str; 5] = ["groth16", "gm17", "sonic", "bls12-381", "batch"];

/// Seeds.
const KEY: u8 = 1;
const PROOF: u8 = 2;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/snark")
}

/// The circuit's rows, and the values of its wires.
fn statement() -> (ConstraintSystem<S>, Vec<S>) {
    let [circuit, witness] = INPUTS.map(|name| Cursor::new(fs::read(folder().join(name)).unwrap()));
    let system = ConstraintSystem::read::<E>(&mut { circuit }).unwrap();
    let witness = &mut { witness };
    let values = Wtns::<E>::open(witness).unwrap().read_all(witness).unwrap();
    (system, values)
}

/// A key, a proof and what the bundle needs besides, in each system; the keys' secrets are the seed's.
fn proofs(public: &[String]) -> [Files; 3] {
    let (system, witness) = statement();
    let rows = || system.constraints().iter().cloned();
    let files = |key: Vec<u8>, proof: Vec<u8>, circuit| Files {
        key,
        proofs: vec![proof],
        public: vec![public.to_vec()],
        names: None,
        circuit,
    };

    let key = groth16::insecure_dealer::<E>(&system, &mut rng(KEY)).unwrap();
    let proof = key.prove(&witness, &mut rng(PROOF)).unwrap().to_json().unwrap();
    let key = key.verifying_key().to_json().unwrap();
    let by_groth16 = files(key.into_bytes(), proof.into_bytes(), None);

    let program = gm17::SquareProgram::from_r1cs(&system.header(), rows()).unwrap();
    let key = gm17::insecure_dealer::<E>(&program, &mut rng(KEY)).unwrap();
    let proof = gm17::prove(&key, &program, &witness, &mut rng(PROOF)).unwrap();
    let by_gm17 = files(key.verifying_key().to_file(), proof.to_file(), None);

    let gates = sonic::GateSystem::from_r1cs(&system.header(), rows()).unwrap();
    let shape = gates.shape();
    let srs = sonic::Srs::<E>::insecure_dealer(shape, shape.degree() as u64, &mut rng(KEY));
    let srs = srs.unwrap();
    let proof = sonic::prove(&srs, &gates, &witness, &mut rng(PROOF)).unwrap();
    let key = sonic::VerifyingKey::new(&srs, &gates).unwrap();
    let circuit = fs::read(folder().join("circuit.r1cs")).unwrap();
    let by_sonic = files(key.to_file(), proof.to_file(), Some(circuit));
    [by_groth16, by_gm17, by_sonic]
}

/// Writes everything but the inputs into a folder.
fn make(root: &Path) {
    let (system, witness) = statement();
    let public = public_to_json(&witness[1..=system.header().public() as usize]).unwrap();
    fs::write(root.join("public.json"), &public).unwrap();
    let made = proofs(&serde_json::from_str::<Vec<String>>(&public).unwrap());
    let names = [("vk.json", "proof.json"), ("gm17.vk", "gm17.proof"), ("sonic.vk", "sonic.proof")];
    for (Files { key, proofs, .. }, (key_name, proof_name)) in made.iter().zip(names) {
        fs::write(root.join(key_name), key).unwrap();
        fs::write(root.join(proof_name), &proofs[0]).unwrap();
    }
    let many = [9, 10, 11].map(|tag| Factors { tag, ..HONEST });
    let others = [support::groth16::<Bls12381>(&[HONEST]), support::groth16::<Bn254>(&many)];
    for (name, files) in BUNDLES.iter().zip(made.iter().chain(&others)) {
        verify(&write_bundle(&root.join(name), files).unwrap()).unwrap();
    }
}

/// The files that stand in a folder beside the bundles.
fn loose(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths
        .filter(|path| path.is_file())
        .map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn the_vectors_of_proofs_are_made_again() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    for name in BUNDLES {
        let digest = |root: &Path| Bundle::open(&root.join(name)).unwrap().digest().unwrap();
        assert_eq!(digest(&folder()), digest(directory.path()), "{name}: `scripts/vectors`");
    }
    let mut kept = loose(&folder());
    INPUTS.iter().for_each(|input| drop(kept.remove(*input).unwrap()));
    assert!(kept == loose(directory.path()), "`scripts/vectors`");
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_proofs_are_made() {
    for name in BUNDLES {
        fs::remove_dir_all(folder().join(name)).unwrap();
    }
    make(&folder());
}
