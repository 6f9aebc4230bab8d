//! Proofs from snarkjs to us and back, under one key.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use algebra::{Bls12381, Bn254, Dialect, Engine, Scalar, ScalarOf};
use circuit::{
    Curve,
    json::{public_from_json, public_to_json},
    synthesis::{Circuit, ConstraintSystem},
    wtns::Wtns,
};
use snark::groth16::{Error, PreparedVerifyingKey, Proof, ProvingKey, VerifyingKey, rerandomise};

use super::{
    fixtures,
    support::{HONEST, rng},
};

fn text(curve: Curve, name: &str) -> String {
    String::from_utf8(fixtures::read(curve, name)).unwrap()
}

/// What snarkjs says about `proof.json` and `public.json` in a folder.
fn snarkjs_accepts(curve: Curve, folder: &Path) -> bool {
    let cli = fixtures::path(Curve::Bn254, "../node_modules/snarkjs/build/cli.cjs");
    let key = fixtures::path(curve, "verification_key.json");
    let mut verify = Command::new("node");
    verify.arg(cli).args(["groth16", "verify"]).arg(key).args(["public.json", "proof.json"]);
    let ran = verify.current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&ran.stdout).contains("OK!")
}

fn folder(curve: Curve) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("snark-groth16");
    let folder = root.join(curve.snarkjs_name());
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn there_and_back<E: Engine>(curve: Curve) {
    // Theirs to us.
    let key = VerifyingKey::<E>::from_json(&text(curve, "verification_key.json")).unwrap();
    let verifier = PreparedVerifyingKey::new(&key).unwrap();
    let public: Vec<ScalarOf<E>> = public_from_json(&text(curve, "public.json")).unwrap();
    let theirs = Proof::<E>::from_json(&text(curve, "proof.json")).unwrap();
    verifier.verify(&public, &theirs).unwrap();

    // Ours to them, under the same key, and theirs in our clothes.
    let mut file = Cursor::new(fixtures::read(curve, "beacon.zkey"));
    let proving_key = ProvingKey::<E>::read_zkey(&mut file).unwrap();
    assert_eq!(*proving_key.verifying_key(), key);
    let mut file = Cursor::new(fixtures::read(curve, "circuit.wtns"));
    let witness = Wtns::<E>::open(&mut file).unwrap().read_all(&mut file).unwrap();
    let ours = proving_key.prove(&witness, &mut rng(1)).unwrap();
    let again = rerandomise(&key, &theirs, &mut rng(2)).unwrap();
    let folder = folder(curve);
    for proof in [&ours, &again] {
        verifier.verify(&public, proof).unwrap();
        fs::write(folder.join("proof.json"), proof.to_json().unwrap()).unwrap();
        fs::write(folder.join("public.json"), public_to_json(&public).unwrap()).unwrap();
        assert!(snarkjs_accepts(curve, &folder));
    }
    let mut wrong = public.clone();
    wrong[1] += ScalarOf::<E>::one();
    fs::write(folder.join("public.json"), public_to_json(&wrong).unwrap()).unwrap();
    assert!(!snarkjs_accepts(curve, &folder));
    assert!(verifier.verify(&wrong, &ours).is_err());

    // A key that nobody contributed to.
    let mut file = Cursor::new(fixtures::read(curve, "new.zkey"));
    let new = ProvingKey::<E>::read_zkey(&mut file).unwrap();
    assert!(matches!(new.prove(&witness, &mut rng(3)), Err(Error::Forgeable { .. })));
    assert!(matches!(PreparedVerifyingKey::new(new.verifying_key()), Err(Error::Forgeable { .. })));
}

#[test]
fn there_and_back_bn254() {
    there_and_back::<Bn254>(Curve::Bn254);
}

#[test]
fn there_and_back_bls12_381() {
    there_and_back::<Bls12381>(Curve::Bls12381);
}

/// The same key as bellman's parameters, with the quotient in other points.
fn bellman<E: Engine>(curve: Curve) {
    let mut file = Cursor::new(fixtures::read(curve, "circuit.r1cs"));
    let system = ConstraintSystem::<ScalarOf<E>>::read::<E>(&mut file).unwrap();
    let mut file = Cursor::new(fixtures::read(curve, "parameters"));
    let key = ProvingKey::<E>::read_bellman(&mut file, Dialect::Snarkjs, &system).unwrap();
    let theirs = VerifyingKey::<E>::from_json(&text(curve, "verification_key.json")).unwrap();
    assert_eq!(*key.verifying_key(), theirs);
    let mut wtns = Cursor::new(fixtures::read(curve, "circuit.wtns"));
    let witness = Wtns::<E>::open(&mut wtns).unwrap().read_all(&mut wtns).unwrap();
    let proof = key.prove(&witness, &mut rng(1)).unwrap();
    PreparedVerifyingKey::new(&theirs).unwrap().verify(&witness[1..4], &proof).unwrap();

    let mut wrong = witness.clone();
    wrong[9] += ScalarOf::<E>::one();
    assert!(matches!(key.prove(&wrong, &mut rng(1)), Err(Error::Unsatisfied)));
    let other = HONEST.constraint_system();
    let refused = ProvingKey::<E>::read_bellman(&mut file, Dialect::Snarkjs, &other);
    assert!(matches!(refused, Err(Error::KeyLen { .. })));
}

#[test]
fn bellman_bn254() {
    bellman::<Bn254>(Curve::Bn254);
}

#[test]
fn bellman_bls12_381() {
    bellman::<Bls12381>(Curve::Bls12381);
}

/// Zero and the group order would be two statements with one proof.
fn unreduced_inputs<E: Engine>() {
    let largest = public_to_json(&[-ScalarOf::<E>::one()]).unwrap();
    assert!(public_from_json::<ScalarOf<E>>(&largest).is_ok());
    // The order of either group ends in a digit below nine.
    let last = largest.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let digit = largest.as_bytes()[last] - b'0' + 1;
    let order = format!("{}{digit}{}", &largest[..last], &largest[last + 1..]);
    for json in [order, format!("[\"{}\"]", "9".repeat(77)), "[\"-1\"]".to_owned()] {
        let refused = public_from_json::<ScalarOf<E>>(&json);
        assert!(matches!(refused, Err(circuit::Error::Scalar { index: 0, .. })), "{json}");
    }
}

#[test]
fn unreduced_inputs_bn254() {
    unreduced_inputs::<Bn254>();
}

#[test]
fn unreduced_inputs_bls12_381() {
    unreduced_inputs::<Bls12381>();
}

/// A key cut anywhere, or with a bit changed, is refused or gives no proof that does not verify.
#[test]
fn damaged_keys() {
    let bytes = fixtures::read(Curve::Bn254, "beacon.zkey");
    let mut file = Cursor::new(fixtures::read(Curve::Bn254, "circuit.wtns"));
    let witness = Wtns::<Bn254>::open(&mut file).unwrap().read_all(&mut file).unwrap();
    for len in (0..bytes.len()).step_by(1009) {
        assert!(ProvingKey::<Bn254>::read_zkey(&mut Cursor::new(&bytes[..len])).is_err());
    }
    let key = VerifyingKey::<Bn254>::from_json(&text(Curve::Bn254, "verification_key.json"));
    let verifier = PreparedVerifyingKey::new(&key.unwrap()).unwrap();
    for at in (0..bytes.len()).step_by(211) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let read = ProvingKey::<Bn254>::read_zkey(&mut Cursor::new(&changed));
        let Ok(Ok(proof)) = read.map(|key| key.prove(&witness, &mut rng(4))) else { continue };
        verifier.verify(&witness[1..4], &proof).unwrap();
    }
}
