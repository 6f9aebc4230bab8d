//! Every part of an honest proof, changed, is refused.

use algebra::{Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::r1cs::Constraint;
use wire::Digest;

use super::{
    super::{advice::Openings, *},
    Setup, circuit, rng, system,
};

type E = Bn254;
type S = ScalarOf<E>;
type G1 = <E as Pairing>::G1;

fn setup() -> Setup<E> {
    Setup::new(circuit(2, &mut rng(1)), 2)
}

pub fn is_false(result: Result<(), Error>, expected: Claim) -> bool {
    matches!(result, Err(Error::False(claim)) if claim == expected)
}

/// A point moved, replaced by the neutral element, negated.
pub fn changed_points<G: Group>(point: G) -> [G; 3] {
    [point + G::generator(), G::identity(), -point]
}

#[test]
fn a_bad_witness_is_refused_by_the_prover() {
    let setup = setup();
    for wire in 1..setup.circuit.witness.len() {
        let mut witness = setup.circuit.witness.clone();
        witness[wire] += S::one();
        let proof = prove(&setup.srs, &setup.system, &witness, &mut rng(1));
        assert!(matches!(proof, Err(Error::Unsatisfied)), "wire {wire}");
    }
    let witness = &setup.circuit.witness[1..];
    let proof = prove(&setup.srs, &setup.system, witness, &mut rng(1));
    assert!(matches!(proof, Err(Error::WitnessLength { .. })));
}

/// All points of a proof.
pub fn points_of_proof<E: Engine>(proof: &mut Proof<E>) -> Vec<&mut E::G1> {
    let Proof { r, t, opening, .. } = proof;
    r.iter_mut().chain(t).chain([opening]).collect()
}

/// All proofs that differ from an honest one in a single element, or in the order of two pieces.
fn mutations(proof: &Proof<E>) -> Vec<Proof<E>> {
    let mut all = Vec::new();
    for index in 0..points_of_proof(&mut proof.clone()).len() {
        for changed in changed_points(*points_of_proof(&mut proof.clone())[index]) {
            all.push(proof.clone());
            *points_of_proof(all.last_mut().unwrap())[index] = changed;
        }
    }
    let pieces = proof.r.len() + proof.t.len();
    for (one, other) in (0..pieces).flat_map(|one| (0..one).map(move |other| (one, other))) {
        all.push(proof.clone());
        let mut points = points_of_proof(all.last_mut().unwrap());
        let (low, high) = points.split_at_mut(one);
        std::mem::swap(low[other], high[0]);
    }
    let scalars: [fn(&mut Proof<E>) -> &mut S; 2] = [|p| &mut p.a, |p| &mut p.b];
    for field in scalars {
        for changed in [*field(&mut proof.clone()) + S::one(), S::zero()] {
            all.push(proof.clone());
            *field(all.last_mut().unwrap()) = changed;
        }
    }
    all
}

#[test]
fn every_element_of_a_proof_and_every_input_counts() {
    let setup = setup();
    let inputs = setup.circuit.inputs();
    let proof = setup.prove(1);
    for mutation in mutations(&proof) {
        assert!(is_false(setup.verify(inputs, &mutation), Claim::Proof { index: 0 }));
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
    let honest: Vec<_> = (0..5).map(|seed| setup.prove(seed)).collect();
    for index in 0..honest.len() {
        let mut proofs = honest.clone();
        proofs[index].a += S::one();
        let statements = setup.statements(&proofs);
        let result = verify_batch(&setup.key, &setup.system, &statements, &mut rng(3));
        assert!(is_false(result, Claim::Proof { index }));
    }
}

#[test]
fn a_proof_belongs_to_its_circuit_and_its_reference_string() {
    let setup = setup();
    let (inputs, proof) = (setup.circuit.inputs(), setup.prove(1));
    let statement = Statement { inputs, proof: &proof };

    // The same shape, another constant.
    let mut other = setup.circuit.clone();
    other.constraints[1].a[1].1 += S::one();
    let other = system(&other);
    assert_eq!(other.shape(), setup.system.shape());
    let result = verify(&setup.key, &other, statement, &mut rng(3));
    assert!(matches!(result, Err(Error::Circuit)));
    let key = VerifyingKey::new(&setup.srs, &other).unwrap();
    let result = verify(&key, &other, statement, &mut rng(3));
    assert!(is_false(result, Claim::Proof { index: 0 }));

    // Digest alone: the circuit is part of the transcript.
    let mut key = setup.key.clone();
    key.circuit = Digest::of("test", b"another circuit");
    let disguised = setup.system.clone().disguised(key.circuit);
    let result = verify(&key, &disguised, statement, &mut rng(3));
    assert!(is_false(result, Claim::Proof { index: 0 }));

    let stranger = Setup::<E>::new(setup.circuit.clone(), 3);
    let result = stranger.verify(inputs, &proof);
    assert!(is_false(result, Claim::Proof { index: 0 }));

    // A reference string for circuits of another shape.
    let shape = Shape { gates: 1, loose: 0, constraints: 0 };
    let degree = setup.key.degree();
    let short = Srs::<E>::insecure_dealer(shape, degree, &mut rng(1)).unwrap();
    assert!(matches!(VerifyingKey::new(&short, &setup.system), Err(Error::Circuit)));
}

#[test]
fn two_proofs_of_one_witness_share_no_element() {
    let setup = setup();
    let (one, other) = (setup.prove(1), setup.prove(2));
    let points = |proof: &Proof<E>| -> Vec<G1> {
        points_of_proof(&mut proof.clone()).into_iter().map(|point| *point).collect()
    };
    assert_eq!(points(&one).len(), 7);
    assert!(points(&one).iter().all(|point| !points(&other).contains(point)));
    assert!([one.a, one.b].iter().all(|scalar| ![other.a, other.b].contains(scalar)));
}

/// Proofs with advice, and an honest aggregate in either mode.
fn helped(setup: &Setup<E>, proofs: &[Proof<E>], mode: Mode) -> (Vec<Advice<E>>, Aggregate<E>) {
    let statements = setup.statements(proofs);
    let advice = setup.advise(&statements);
    let aggregate = aggregate(&setup.srs, &setup.system, &statements, &advice, mode).unwrap();
    (advice, aggregate)
}

#[test]
fn every_element_of_an_aggregate_counts() {
    let setup = setup();
    let proofs = [setup.prove(1), setup.prove(2)];
    let statements = setup.statements(&proofs);
    for mode in [Mode::Batched, Mode::PerProof] {
        let (advice, aggregate) = helped(&setup, &proofs, mode);
        let verify = |advice: &[Advice<E>], aggregate: &Aggregate<E>| {
            let (key, system) = (&setup.key, &setup.system);
            verify_helped(key, system, &statements, advice, aggregate, &mut rng(4))
        };
        verify(&advice, &aggregate).unwrap();
        for index in 0..advice.len() {
            let mut mutations = vec![advice.clone(); 8];
            for (which, point) in changed_points(advice[index].commitment).into_iter().enumerate() {
                mutations[which][index].commitment = point;
            }
            for (which, point) in changed_points(advice[index].opening).into_iter().enumerate() {
                mutations[3 + which][index].opening = point;
            }
            mutations[6][index].value += S::one();
            mutations[7][index].value = S::zero();
            for mutation in mutations {
                assert!(matches!(verify(&mutation, &aggregate), Err(Error::False(_))));
            }
            let mut changed = aggregate.clone();
            changed.values[index] += S::one();
            assert!(matches!(verify(&advice, &changed), Err(Error::False(_))));
        }
        for changed in point_mutations(&aggregate) {
            assert!(matches!(verify(&advice, &changed), Err(Error::False(_))));
        }
        assert!(matches!(verify(&advice[1..], &aggregate), Err(Error::Length { .. })));
        let mut changed = aggregate.clone();
        changed.values.pop();
        assert!(matches!(verify(&advice, &changed), Err(Error::Length { .. })));
    }
}

fn point_mutations(aggregate: &Aggregate<E>) -> Vec<Aggregate<E>> {
    let mut all = Vec::new();
    let count = points_of(&mut aggregate.clone()).len();
    for index in 0..count {
        let mut copy = aggregate.clone();
        for changed in changed_points(*points_of(&mut copy)[index]) {
            all.push(aggregate.clone());
            *points_of(all.last_mut().unwrap())[index] = changed;
        }
    }
    all
}

fn points_of(aggregate: &mut Aggregate<E>) -> Vec<&mut G1> {
    let mut points = vec![&mut aggregate.circuit, &mut aggregate.signatures];
    match &mut aggregate.openings {
        Openings::Batched { quotient, at_zeta } => points.extend([quotient, at_zeta]),
        Openings::PerProof { at_y, at_w } => points.extend(at_y.iter_mut().chain([at_w])),
    }
    points
}

#[test]
fn a_false_proof_is_named_among_helped_ones() {
    let setup = setup();
    let mut proofs = vec![setup.prove(1), setup.prove(2), setup.prove(3)];
    proofs[1].opening += G1::generator();
    let (advice, aggregate) = helped(&setup, &proofs, Mode::Batched);
    let statements = setup.statements(&proofs);
    let (key, system) = (&setup.key, &setup.system);
    let result = verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4));
    assert!(is_false(result, Claim::Proof { index: 1 }));
}

#[test]
fn a_proof_with_two_values_at_one_point_is_refused() {
    let setup = setup();
    let proof = setup.prove(1);
    let proofs = [proof.clone(), proof];
    let (advice, mut aggregate) = helped(&setup, &proofs, Mode::Batched);
    aggregate.values[1] += S::one();
    let statements = setup.statements(&proofs);
    let (key, system) = (&setup.key, &setup.system);
    let result = verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4));
    assert!(is_false(result, Claim::Openings));
}

#[test]
fn constraints_about_unknown_wires_are_refused() {
    let mut circuit = circuit::<S>(1, &mut rng(1));
    let wire = circuit.header.wires;
    circuit.constraints.push(Constraint { a: vec![(wire, S::one())], b: vec![], c: vec![] });
    let system = GateSystem::from_r1cs(&circuit.header, circuit.constraints);
    assert!(matches!(system, Err(Error::Wire { constraint: 5, wire: w }) if w == wire));
}
