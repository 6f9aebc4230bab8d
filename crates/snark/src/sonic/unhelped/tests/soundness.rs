//! Every part of an honest proof, changed, is refused; and so are provers who lie.

use algebra::{Bn254, Group, Pairing, Scalar, ScalarOf};
use wire::Digest;

use super::{
    super::{
        prove::Prover,
        system::{in_x, shape},
        *,
    },
    Error, Setup, circuit, rng, system,
};
use crate::sonic::{
    Claim, Shape,
    field::Point,
    laurent::Laurent,
    prove::{blind, constraint_polynomial},
    srs::Dealer,
    tests::{
        attacks::square,
        soundness::{changed_points, is_false},
    },
};

type E = Bn254;
type S = ScalarOf<E>;
type G1 = <E as Pairing>::G1;

fn setup() -> Setup<E> {
    Setup::new(circuit(1, &mut rng(1)), 2)
}

#[test]
fn a_bad_witness_is_refused_by_the_prover() {
    let setup = setup();
    for wire in 1..setup.circuit.witness.len() {
        let mut witness = setup.circuit.witness.clone();
        witness[wire] += S::one();
        let proof = setup.prove_witness(&witness, 1);
        assert!(matches!(proof, Err(Error::Unsatisfied)), "wire {wire}");
    }
    let proof = setup.prove_witness(&setup.circuit.witness[1..], 1);
    assert!(matches!(proof, Err(Error::WitnessLength { .. })));
}

/// The key of another circuit under the digests of the right circuit and reference string: a verifier
/// who has it verifies that other circuit.
#[test]
fn a_key_of_another_circuit_has_another_digest() {
    let setup = Setup::<E>::new(square(1, 9, 3), 2);
    // "18 is the square of 3".
    let evil = square(2, 18, 3);
    let (inputs, evil_system) =
        (evil.inputs().to_vec(), system(&evil).disguised(setup.key.circuit()));
    let evil_key = VerifyingKey::new(&setup.srs, &evil_system).unwrap();
    assert_eq!((evil_key.srs(), evil_key.circuit()), (setup.key.srs(), setup.key.circuit()));
    let proof = prove(&setup.srs, &evil_system, &evil_key, &evil.witness, &mut rng(3)).unwrap();
    let statement = Statement { inputs: &inputs, proof: &proof };
    assert!(verify(&evil_key, statement, &mut rng(4)).is_ok());
    assert!(setup.verify(&inputs, &proof).is_err());
    assert_ne!(evil_key.digest(), setup.key.digest());
}

/// Under a reference string with one point moved, the proof is refused by who made it.
#[test]
fn a_malformed_reference_string_is_refused_by_the_prover() {
    let mut setup = Setup::<E>::new(square(1, 9, 3), 2);
    setup.srs.move_top(1);
    let refused = setup.prove_witness(&setup.circuit.witness, 1);
    assert!(matches!(refused, Err(Error::Malformed)));
}

fn points_of(proof: &mut Proof<E>) -> Vec<&mut G1> {
    let Proof { r, signatures, t, quotients, bounds, product, openings, .. } = proof;
    let proof::Openings { at_z, at_zy, at_w_zeta, at_yw_zeta, at_zeta_inverse, at_zeta } = openings;
    let mut points = vec![r, t, product];
    points.extend(signatures.iter_mut().chain(quotients).chain(bounds));
    points.extend([at_z, at_zy, at_w_zeta, at_yw_zeta, at_zeta_inverse, at_zeta]);
    points
}

fn scalars_of(proof: &mut Proof<E>) -> Vec<&mut S> {
    let proof::Values { a, b, s1, numerators, denominators, quotients } = &mut proof.values;
    let mut scalars = vec![a, b, s1, quotients];
    scalars.extend(numerators.iter_mut().chain(denominators));
    scalars
}

#[test]
fn every_element_of_a_proof_and_every_input_counts() {
    let setup = setup();
    let inputs = setup.circuit.inputs();
    let mut proof = setup.prove(1);
    assert_eq!((points_of(&mut proof).len(), scalars_of(&mut proof).len()), (17, 10));
    for index in 0..17 {
        let mut copy = proof.clone();
        for changed in changed_points(*points_of(&mut copy)[index]) {
            let mut mutation = proof.clone();
            *points_of(&mut mutation)[index] = changed;
            let result = setup.verify(inputs, &mutation);
            assert!(matches!(result, Err(Error::False(_))), "point {index}");
        }
    }
    for index in 0..10 {
        for change in [|s: S| s + S::one(), |_: S| S::zero()] {
            let mut mutation = proof.clone();
            let scalar = &mut scalars_of(&mut mutation)[index];
            **scalar = change(**scalar);
            let result = setup.verify(inputs, &mutation);
            assert!(matches!(result, Err(Error::False(_))), "scalar {index}");
        }
    }
    for index in 0..inputs.len() {
        let mut inputs = inputs.to_vec();
        inputs[index] += S::one();
        assert!(is_false(setup.verify(&inputs, &proof), Claim::Proof { index: 0 }));
    }
    for inputs in [&inputs[1..], &[inputs, &[S::zero()]].concat()] {
        assert!(matches!(setup.verify(inputs, &proof), Err(Error::Inputs { .. })));
    }
}

#[test]
fn the_false_proof_of_a_batch_is_named() {
    let setup = setup();
    let inputs = setup.circuit.inputs();
    let honest: Vec<_> = (0..3).map(|seed| setup.prove(seed)).collect();
    for index in 0..honest.len() {
        let mut proofs = honest.clone();
        proofs[index].openings.at_z += G1::generator();
        let statements: Vec<_> = proofs.iter().map(|proof| Statement { inputs, proof }).collect();
        let result = verify_batch(&setup.key, &statements, &mut rng(3));
        assert!(is_false(result, Claim::Proof { index }));
    }
}

#[test]
fn the_bounds_are_checked() {
    let setup = setup();
    let mut proof = setup.prove(1);
    proof.bounds.swap(0, 1);
    let result = setup.verify_honest_inputs(&proof);
    assert!(matches!(result, Err(Error::False(_))));
}

#[test]
fn a_proof_belongs_to_its_circuit_and_its_reference_string() {
    let setup = setup();
    let proof = setup.prove(1);

    // The same size, another constant.
    let mut other = setup.circuit.clone();
    other.constraints[1].a[1].1 += S::one();
    let other = system(&other);
    assert_eq!(other.gates(), setup.system.gates());
    let key = VerifyingKey::new(&setup.srs, &other).unwrap();
    let statement = Statement { inputs: setup.circuit.inputs(), proof: &proof };
    assert!(matches!(verify(&key, statement, &mut rng(3)), Err(Error::False(_))));
    let proof_of_other = prove(&setup.srs, &other, &setup.key, &setup.circuit.witness, &mut rng(1));
    assert!(matches!(proof_of_other, Err(Error::Circuit)));

    // Digest alone: the key is part of the transcript.
    let mut key = setup.key.clone();
    key.circuit = Digest::of("test", b"another circuit");
    assert!(matches!(verify(&key, statement, &mut rng(3)), Err(Error::False(_))));

    let stranger = Setup::<E>::new(setup.circuit.clone(), 3);
    assert!(matches!(stranger.verify_honest_inputs(&proof), Err(Error::False(_))));
    let witness = &setup.circuit.witness;
    let under_other = prove(&stranger.srs, &setup.system, &setup.key, witness, &mut rng(1));
    assert!(matches!(under_other, Err(Error::Circuit)));

    // A reference string for circuits of another size.
    let larger = system(&circuit::<S>(2, &mut rng(1)));
    assert!(matches!(VerifyingKey::new(&setup.srs, &larger), Err(Error::Circuit)));
}

#[test]
fn two_proofs_of_one_witness_share_no_element() {
    let setup = setup();
    let [mut one, mut other] = [setup.prove(1), setup.prove(2)];
    let points: Vec<_> = points_of(&mut other).into_iter().map(|point| *point).collect();
    assert!(points_of(&mut one).iter().all(|point| !points.contains(point)));
    let scalars: Vec<_> = scalars_of(&mut other).into_iter().map(|scalar| *scalar).collect();
    assert!(scalars_of(&mut one).iter().all(|scalar| !scalars.contains(scalar)));
}

/// A prover who knows no witness for the circuit, but one for another circuit of the same size.
#[test]
fn another_circuit_under_the_digest_of_this_one_is_refused() {
    let setup = setup();
    // "twice the product, and so on": the output is another.
    let mut lie = setup.circuit.clone();
    for row in lie.constraints.iter_mut().filter(|row| row.c == [(1, S::one())]) {
        row.c[0].1 = S::from_u64(2);
    }
    let half = S::from_u64(2).invert().unwrap();
    lie.witness[1] *= half;
    let evil = system(&lie);
    assert_eq!(evil.gates(), setup.system.gates());
    let evil = evil.disguised(setup.system.digest());
    let inputs = lie.inputs();

    let r = blind(shape(evil.gates()), &evil.assign(&lie.witness).unwrap(), &mut rng(2));
    let base = setup.srs.base();
    let Setup { srs, system, key, .. } = &setup;
    let (commit, bound) = (|f: &Laurent<S>| base.commit(f), |f: &Laurent<S>| srs.bound(f));

    // The other circuit's permutations fit together, but are not the key's.
    let other = Prover { srs, system: &evil, key, commit, bound };
    let proof = other.prove(inputs, &r, |y| evil.signatures(y)).unwrap();
    assert!(is_false(setup.verify(inputs, &proof), Claim::Permutation { index: 0 }));

    // With the key's permutations, the products are not equal: the commitment does not exist, ...
    let honest = Prover { srs, system, key, commit, bound };
    let refused = honest.prove(inputs, &r, |y| evil.signatures(y));
    assert!(matches!(refused, Err(Error::Unsatisfied)));

    // ... and what is left without the constant term is another polynomial.
    let commit = |f: &Laurent<S>| {
        let mut f = f.clone();
        f.add_constant(-f.constant());
        base.commit(&f)
    };
    let forger = Prover { srs, system, key, commit, bound };
    let proof = forger.prove(inputs, &r, |y| evil.signatures(y)).unwrap();
    let result = setup.verify(inputs, &proof);
    assert!(is_false(result, Claim::Permutation { index: 0 }));

    // With the right S_j it is the constraint system that does not hold.
    let proof = forger.prove(inputs, &r, |y| system.signatures(y)).unwrap();
    let result = setup.verify(inputs, &proof);
    assert!(is_false(result, Claim::Proof { index: 0 }));
}

/// `s_1` with a term beyond `X^N`, which meets a random coefficient of `r(X, 1)` and not a variable: by
/// it, anything can be made of the constant term of `t(X, y)`. Only the bounds tell.
#[test]
fn a_term_beyond_the_circuit_is_refused() {
    let circuit = circuit::<S>(1, &mut rng(1));
    let system = system(&circuit);
    let gates = system.gates();
    // A reference string has more powers than a proof needs.
    let long = Shape { constraints: shape(gates).constraints + 8, ..shape(gates) };
    let (dealer, degree) = (Dealer::new(&mut rng(2)).unwrap(), long.degree() as u64);
    let srs = Srs::<E>::deal(&dealer, gates, long, degree).unwrap();
    let key = VerifyingKey::new(&srs, &system).unwrap();

    let mut witness = circuit.witness.clone();
    witness[1] += S::one();
    let inputs = &witness[1..=system.public()];
    let r = blind(shape(gates), &system.assign(&witness).unwrap(), &mut rng(3));
    let signatures = |y: &Point<S>| {
        let size = system.size() as i64;
        let mut parts = system.signatures(y).map(|part| part.extended(size + 2));
        let (s, k) = (in_x(gates, &parts, y), system.constants(y, inputs));
        let constant = constraint_polynomial(&r, y, &s, k).unwrap().constant();
        assert_ne!(constant, S::zero());
        // X^{N+2} in s_1 is X^{2n+2} in s; r begins with X^{−2n−4}.
        let met = r.coefficients()[2] * y.pow(gates as i64);
        parts[0].tail_mut(size + 2)[0] = -constant * met.invert().unwrap();
        parts
    };
    let commit = |f: &Laurent<S>| srs.base().commit(f);
    // The bounds of what is within them.
    let bound = |f: &Laurent<S>| {
        let within = f.coefficients()[..=system.size()].to_vec();
        srs.bound(&Laurent::new(0, within))
    };
    let forger = Prover { srs: &srs, system: &system, key: &key, commit, bound };
    let proof = forger.prove(inputs, &r, signatures).unwrap();
    let result = verify(&key, Statement { inputs, proof: &proof }, &mut rng(4));
    assert!(is_false(result, Claim::Powers { index: 0 }));
}

#[test]
fn a_proof_of_neutral_elements_proves_nothing() {
    let setup = setup();
    let mut proof = setup.prove(1);
    points_of(&mut proof).into_iter().for_each(|point| *point = G1::identity());
    scalars_of(&mut proof).into_iter().for_each(|scalar| *scalar = S::zero());
    assert!(setup.verify_honest_inputs(&proof).is_err());
    assert!(setup.verify(&[S::zero(), S::zero()], &proof).is_err());
}
