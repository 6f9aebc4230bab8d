//! JSON files.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, ScalarOf};
use circuit::{
    Curve,
    json::{Proof, VerifyingKey, public_from_json, public_to_json},
    wtns::Wtns,
    zkey::Zkey,
};

use super::fixtures;

fn text(curve: Curve, name: &str) -> String {
    String::from_utf8(fixtures::read(curve, name)).unwrap()
}

fn check<E: Engine>(curve: Curve) {
    let json = text(curve, "proof.json");
    assert_eq!(Proof::<E>::from_json(&json).unwrap().to_json().unwrap(), json);

    let json = text(curve, "public.json");
    let public: Vec<ScalarOf<E>> = public_from_json(&json).unwrap();
    assert_eq!(public_to_json(&public).unwrap(), json);
    let mut file = Cursor::new(fixtures::read(curve, "circuit.wtns"));
    let witness = Wtns::<E>::open(&mut file).unwrap().read_all(&mut file).unwrap();
    assert_eq!(witness[1..4], public);

    let json = text(curve, "verification_key.json");
    let key = VerifyingKey::<E>::from_json(&json).unwrap();
    assert_eq!(key.to_json().unwrap(), json);
    let mut file = Cursor::new(fixtures::read(curve, "beacon.zkey"));
    let zkey = Zkey::<E>::open(&mut file).unwrap();
    assert_eq!(VerifyingKey::of_zkey(&zkey, &mut file).unwrap(), key);

    // Any digit changed, dropped or added is noticed.
    for name in ["verification_key.json", "proof.json"] {
        let json = text(curve, name);
        let accepts = |json: &str| match name {
            "proof.json" => Proof::<E>::from_json(json).is_ok(),
            _ => VerifyingKey::<E>::from_json(json).is_ok(),
        };
        assert!(accepts(&json));
        for (at, _) in json.match_indices(|c: char| c.is_ascii_digit()).step_by(61) {
            let digit = json.as_bytes()[at] - b'0';
            let mut changed = json.clone();
            changed.replace_range(at..=at, &((digit + 1) % 10).to_string());
            assert!(!accepts(&changed), "{name} {at}");
        }
        let other = if curve == Curve::Bn254 { "bls12381" } else { "bn128" };
        assert!(!accepts(&json.replace(curve.snarkjs_name(), other)));
        assert!(!accepts(&json.replace("groth16", "plonk")));
    }
}

#[test]
fn bn254() {
    check::<Bn254>(Curve::Bn254);
}

#[test]
fn bls12_381() {
    check::<Bls12381>(Curve::Bls12381);
}
