//! Bundles about sets, made from seeds: `vectors/sets`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use algebra::{Bls12381, Scalar as _};
use circuit::json::{public_from_json, public_to_json};
use claim::Bundle;
use snark::{
    groth16::insecure_dealer,
    set_membership::{
        ElementKind, ElementSet, Opening, Parameters, Prover, Relation, SetFile as _, Value,
        claims::{Files, write_bundle},
    },
};

use super::support::rng;

/// What each vector says, and whether its set is shown.
const VECTORS: [(&str, ElementKind, Relation, bool); 3] = [
    ("member", ElementKind::Prime, Relation::Member, true),
    ("absent", ElementKind::Prime, Relation::Absent, true),
    ("hashed", ElementKind::Hashed, Relation::Member, false),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sets")
}

/// Element `index` of a sequence: for primes, the hashed prime of the index.
fn value(kind: ElementKind, index: u64) -> Value {
    let value = Value::from_u64(100 + index);
    match kind {
        ElementKind::Hashed => value,
        ElementKind::Prime => {
            let prime = ElementKind::Hashed.prime(&value).unwrap();
            public_from_json(&format!("[\"{prime}\"]")).unwrap()[0]
        }
    }
}

/// A set of three, and a proof about its second element or about a fourth; the key's secrets are the seed's.
fn files(kind: ElementKind, relation: Relation, shows_set: bool) -> Files {
    let (parameters, mut rng) = (Parameters::rsa_2048(), rng(3));
    let key = insecure_dealer::<Bls12381>(&kind.constraint_system(), &mut rng).unwrap();
    let prover = Prover::new(parameters.clone(), kind, key).unwrap();
    let values = [0, 1, 2].map(|index| value(kind, index));
    let set = ElementSet::new(kind, &values).unwrap();
    let accumulator = set.accumulate(&parameters);
    let (opening, proof) = match relation {
        Relation::Member => {
            let opening = Opening::random(values[1], &mut rng);
            let witness = set.witness(&parameters, 1).unwrap();
            let proof = prover.prove_membership(&accumulator, &opening, &witness, &mut rng);
            (opening, proof)
        }
        Relation::Absent => {
            let opening = Opening::random(value(kind, 3), &mut rng);
            let witness = set.absence(&parameters, &opening.value).unwrap();
            let proof = prover.prove_absence(&accumulator, &opening, &witness, &mut rng);
            (opening, proof)
        }
    };
    Files {
        key: prover.key().to_file(&parameters),
        accumulator: accumulator.to_file(&parameters),
        commitment: opening.commitment(&parameters).to_file(&parameters),
        proof: proof.unwrap().to_file(&parameters),
        set: shows_set.then(|| public_to_json(&values).unwrap().into_bytes()),
    }
}

#[test]
fn the_vectors_of_sets_are_made_again() {
    for (name, kind, relation, shows_set) in VECTORS {
        let directory = tempfile::tempdir().unwrap();
        let made = directory.path().join("bundle");
        let made = write_bundle(&made, &files(kind, relation, shows_set)).unwrap();
        let kept = Bundle::open(&folder().join(name)).unwrap();
        assert_eq!(kept.digest().unwrap(), made.digest().unwrap(), "{name}: `scripts/vectors`");
    }
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_sets_are_made() {
    for (name, kind, relation, shows_set) in VECTORS {
        let root = folder().join(name);
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        write_bundle(&root, &files(kind, relation, shows_set)).unwrap();
    }
}
