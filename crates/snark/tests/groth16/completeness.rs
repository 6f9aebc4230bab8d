//! What is true is accepted, whatever its size.

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::synthesis::Circuit;
use snark::groth16::{PreparedVerifyingKey, insecure_dealer, rerandomise};

use super::support::{Case, HONEST, Powers, prove, rng};

fn sizes<E: Engine>() {
    // From two rows more than public wires to several beyond a power of two.
    for squarings in [0, 1, 2, 9, 10, 11, 12, 13, 40] {
        let statement = Powers { squarings, ..HONEST };
        let system = Circuit::<ScalarOf<E>>::constraint_system(&statement);
        let key = insecure_dealer::<E>(&system, &mut rng(1)).unwrap();
        assert_eq!((key.public(), key.wires()), (3, system.header().wires as usize));
        let (public, proof) = prove(&key, &statement);
        assert_eq!(public[0], ScalarOf::<E>::from_u64(21));
        let verifier = PreparedVerifyingKey::new(key.verifying_key()).unwrap();
        verifier.verify(&public, &proof).unwrap();
    }
}

#[test]
fn sizes_bn254() {
    sizes::<Bn254>();
}

#[test]
fn sizes_bls12_381() {
    sizes::<Bls12381>();
}

fn batches<E: Engine>() {
    let case = Case::<E>::new(2);
    let statements: Vec<_> =
        (0..9).map(|tag| prove(&case.key, &Powers { tag, x: tag + 2, ..HONEST })).collect();
    for count in [0, 1, 2, 9] {
        let batch: Vec<_> = statements[..count].iter().map(|(x, p)| (&x[..], p.clone())).collect();
        case.verifier.verify_batch(&batch, &mut rng(3)).unwrap();
    }
}

#[test]
fn batches_bn254() {
    batches::<Bn254>();
}

#[test]
fn batches_bls12_381() {
    batches::<Bls12381>();
}

/// Proofs of one witness, and copies of one proof, have no element in common.
fn unlinkable<E: Engine>() {
    let case = Case::<E>::new(4);
    let witness = HONEST.witness();
    let mut rng = rng(50);
    let mut proofs = vec![case.proof];
    for _ in 0..3 {
        proofs.push(case.key.prove(&witness, &mut rng).unwrap());
        let last = proofs.last().unwrap();
        proofs.push(rerandomise(case.key.verifying_key(), last, &mut rng).unwrap());
    }
    for (index, proof) in proofs.iter().enumerate() {
        case.verifier.verify(&case.public, proof).unwrap();
        for other in &proofs[..index] {
            assert!(proof.a != other.a && proof.b != other.b && proof.c != other.c);
        }
    }
}

#[test]
fn unlinkable_bn254() {
    unlinkable::<Bn254>();
}

#[test]
fn unlinkable_bls12_381() {
    unlinkable::<Bls12381>();
}
