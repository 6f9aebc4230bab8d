//! Bytes from outside.

use algebra::{Bls12381, Bn254, Engine, Group, Scalar, ScalarOf};
use wire::DecodeError;

use super::{super::*, Setup, circuit, rng};
use crate::{
    FileFormat,
    sonic::tests::hostile::{check_file, off_subgroup},
};

fn setup<E: Engine>() -> Setup<E> {
    Setup::new(circuit(0, &mut rng(1)), 2)
}

fn check_files<E: Engine>(proof_bytes: usize) {
    let setup = setup::<E>();
    let proof = setup.prove(1);
    check_file::<E, _>(&setup.key);
    check_file::<E, _>(&proof);
    assert_eq!(wire::Encode::to_bytes(&proof).len(), proof_bytes);
}

#[test]
fn files_have_one_form() {
    check_files::<Bn254>(864);
    check_files::<Bls12381>(1136);
}

#[test]
fn no_changed_byte_of_a_proof_or_a_key_passes() {
    let setup = setup::<Bn254>();
    let proof = setup.prove(1);
    let bytes = FileFormat::<Bn254>::to_file(&proof);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        let Ok(changed) = Proof::<Bn254>::from_file(&changed) else { continue };
        assert!(setup.verify_honest_inputs(&changed).is_err(), "{at}");
    }
    let bytes = FileFormat::<Bn254>::to_file(&setup.key);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let Ok(changed) = VerifyingKey::<Bn254>::from_file(&changed) else { continue };
        let statement = Statement { inputs: setup.circuit.inputs(), proof: &proof };
        assert!(verify(&changed, statement, &mut rng(3)).is_err(), "{at}");
    }
}

#[test]
fn scalars_are_reduced() {
    let proof = setup::<Bn254>().prove(1);
    let bytes = FileFormat::<Bn254>::to_file(&proof);
    let encoded = Scalar::encode(&proof.values.quotients);
    let at = bytes.windows(32).position(|window| window == encoded).unwrap();
    let mut changed = bytes.clone();
    changed[at..at + 32].copy_from_slice(&Bn254::scalar_modulus());
    assert!(matches!(
        Proof::<Bn254>::from_file(&changed),
        Err(DecodeError::Invalid { what: "the quotients", .. })
    ));
}

/// All points of a proof, by their place in the file.
#[test]
fn points_are_in_the_subgroup() {
    type S = ScalarOf<Bls12381>;
    let setup = Setup::<Bls12381>::new(circuit::<S>(0, &mut rng(1)), 2);
    let proof = setup.prove(1);
    let bytes = FileFormat::<Bls12381>::to_file(&proof);
    let mut points = vec![proof.r, proof.t, proof.product];
    points.extend(proof.signatures.iter().chain(&proof.quotients).chain(&proof.bounds));
    points.extend(proof.openings.points());
    assert_eq!(points.len(), 17);
    for point in points {
        let encoded = point.encode();
        let at = bytes.windows(48).position(|window| window == encoded).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + 48].copy_from_slice(&off_subgroup());
        let Err(DecodeError::Invalid { reason, .. }) = Proof::<Bls12381>::from_file(&changed)
        else {
            panic!("was read")
        };
        assert!(reason.contains("subgroup"), "{reason}");
    }
}

#[test]
fn the_size_of_a_key_is_bounded() {
    let setup = setup::<Bn254>();
    let bytes = FileFormat::<Bn254>::to_file(&setup.key);
    // After the degree and six points of G2.
    let at = 22 + "BN254".len() + 8 + 6 * 64;
    assert_eq!(bytes[at..at + 4], (setup.system.gates() as u32).to_le_bytes());
    let mut changed = bytes.clone();
    changed[at + 3] = 0x80;
    assert!(matches!(
        VerifyingKey::<Bn254>::from_file(&changed),
        Err(DecodeError::Invalid { what: "gates", .. })
    ));
}
