//! Bytes from outside.

use std::fmt::Debug;

use algebra::{Bls12381, Bls12381G1, Bn254, Engine, Group, PointError, Scalar, ScalarOf};
use wire::DecodeError;

use super::{super::*, Setup, circuit, rng, soundness::points_of_proof};
use crate::FileFormat;

/// Whole files come back; cut short, with more behind, or of another curve or kind they do not.
pub fn check_file<E: Engine, T: FileFormat<E> + PartialEq + Debug>(value: &T) {
    let bytes = value.to_file();
    assert_eq!(&T::from_file(&bytes).unwrap(), value);
    for len in 0..bytes.len() {
        assert!(T::from_file(&bytes[..len]).is_err(), "{len}");
    }
    assert_eq!(T::from_file(&[&bytes[..], &[0]].concat()), Err(DecodeError::Trailing(1)));
    // Magic, kind, version, the length of the name, the name.
    for at in 0..22 + <E as algebra::Pairing>::NAME.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(T::from_file(&changed).is_err(), "{at}");
    }
}

fn check_files<E: Engine>() {
    let setup = Setup::<E>::new(circuit(1, &mut rng(1)), 2);
    let proofs = [setup.prove(1), setup.prove(2)];
    let statements = setup.statements(&proofs);
    let advice = setup.advise(&statements);
    check_file::<E, _>(&setup.key);
    check_file::<E, _>(&proofs[0]);
    check_file::<E, _>(&advice[0]);
    for mode in [Mode::Batched, Mode::PerProof] {
        let aggregate = aggregate(&setup.srs, &setup.system, &statements, &advice, mode).unwrap();
        check_file::<E, _>(&aggregate);
    }
}

#[test]
fn files_have_one_form() {
    check_files::<Bn254>();
    check_files::<Bls12381>();
}

#[test]
fn no_changed_byte_of_a_proof_or_a_key_passes() {
    let setup = Setup::<Bn254>::new(circuit(0, &mut rng(1)), 2);
    let proof = setup.prove(1);
    let statement = |proof| Statement { inputs: setup.circuit.inputs(), proof };
    let bytes = FileFormat::<Bn254>::to_file(&proof);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        let Ok(changed) = Proof::<Bn254>::from_file(&changed) else { continue };
        assert!(setup.verify(setup.circuit.inputs(), &changed).is_err(), "{at}");
    }
    let bytes = FileFormat::<Bn254>::to_file(&setup.key);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let Ok(changed) = VerifyingKey::<Bn254>::from_file(&changed) else { continue };
        let result = verify(&changed, &setup.system, statement(&proof), &mut rng(3));
        assert!(result.is_err(), "{at}");
    }
}

#[test]
fn scalars_are_reduced() {
    let setup = Setup::<Bn254>::new(circuit(0, &mut rng(1)), 2);
    let proof = setup.prove(1);
    let bytes = FileFormat::<Bn254>::to_file(&proof);
    let a = Scalar::encode(&proof.a);
    let at = bytes.windows(32).position(|window| window == a).unwrap();
    let mut changed = bytes.clone();
    changed[at..at + 32].copy_from_slice(&Bn254::scalar_modulus());
    assert!(matches!(
        Proof::<Bn254>::from_file(&changed),
        Err(DecodeError::Invalid { what: "a", .. })
    ));
}

/// A point of BLS12-381 that is on the curve and outside the subgroup.
pub fn off_subgroup() -> Vec<u8> {
    (0_u64..)
        .map(|x| {
            let mut bytes = vec![0; 48];
            bytes[0] = 0x80;
            bytes[40..].copy_from_slice(&x.to_be_bytes());
            bytes
        })
        .find(|bytes| matches!(Bls12381G1::decode(bytes), Err(PointError::Subgroup { .. })))
        .unwrap()
}

#[test]
fn points_are_in_the_subgroup() {
    type S = ScalarOf<Bls12381>;
    let setup = Setup::<Bls12381>::new(circuit::<S>(0, &mut rng(1)), 2);
    let mut proof = setup.prove(1);
    let bytes = FileFormat::<Bls12381>::to_file(&proof);
    let names = ["R", "R", "T", "T", "T", "T", "W"];
    for (what, point) in names.into_iter().zip(points_of_proof(&mut proof)) {
        let encoded = point.encode();
        let at = bytes.windows(48).position(|window| window == encoded).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + 48].copy_from_slice(&off_subgroup());
        let Err(DecodeError::Invalid { what: named, reason, .. }) =
            Proof::<Bls12381>::from_file(&changed)
        else {
            panic!("{what} was read")
        };
        assert_eq!(named, what);
        assert!(reason.contains("subgroup"), "{reason}");
    }
}

#[test]
fn a_count_reserves_nothing() {
    let setup = Setup::<Bn254>::new(circuit(0, &mut rng(1)), 2);
    let aggregate = aggregate(&setup.srs, &setup.system, &[], &[], Mode::Batched).unwrap();
    let mut bytes = FileFormat::<Bn254>::to_file(&aggregate);
    let at = 22 + "BN254".len() + 2 * 32;
    assert_eq!(bytes[at..at + 4], [0; 4]);
    bytes[at + 2] = 1;
    assert!(matches!(Aggregate::<Bn254>::from_file(&bytes), Err(DecodeError::Truncated { .. })));
    bytes[at + 2] = 2;
    assert!(matches!(
        Aggregate::<Bn254>::from_file(&bytes),
        Err(DecodeError::TooLong { limit: 65_536, .. })
    ));
}
