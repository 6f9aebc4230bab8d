//! Honest provers and helpers convince.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group, Scalar, ScalarOf};
use circuit::{
    gadgets::Blake2sPreimage,
    native::{SonicG1, SonicG2, SonicWriter},
    r1cs::{Constraint, R1csHeader},
    synthesis::Circuit as SynthesisCircuit,
};

use super::{
    super::{field::Point, *},
    Circuit, Setup, circuit, rng, system,
};
use crate::test_circuit::stray;

type S = ScalarOf<Bn254>;

fn check<E: Engine>(rounds: usize) {
    let setup = Setup::<E>::new(circuit(rounds, &mut rng(1)), 2);
    let proofs: Vec<_> = (0..3).map(|seed| setup.prove(seed)).collect();
    for proof in &proofs {
        setup.verify(setup.circuit.inputs(), proof).unwrap();
    }
    // None, one, several, and one twice.
    for indices in [&[][..], &[0], &[0, 1, 2], &[1, 1, 2]] {
        let proofs: Vec<_> = indices.iter().map(|&index: &usize| proofs[index].clone()).collect();
        let statements = setup.statements(&proofs);
        verify_batch(&setup.key, &setup.system, &statements, &mut rng(3)).unwrap();
        let advice = setup.advise(&statements);
        for mode in [Mode::Batched, Mode::PerProof] {
            let aggregate =
                aggregate(&setup.srs, &setup.system, &statements, &advice, mode).unwrap();
            let (key, system) = (&setup.key, &setup.system);
            verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4)).unwrap();
        }
    }
}

#[test]
fn proofs_verify_alone_in_batches_and_with_a_helper() {
    for rounds in [0, 1, 2, 7] {
        check::<Bn254>(rounds);
    }
    check::<Bls12381>(3);
}

#[test]
fn more_proofs_than_the_circuit_has_powers() {
    let setup = Setup::<Bn254>::new(circuit(0, &mut rng(1)), 2);
    let proofs: Vec<_> = (0..9).map(|seed| setup.prove(seed)).collect();
    assert!(setup.system.shape().gates + setup.system.shape().constraints < proofs.len());
    let statements = setup.statements(&proofs);
    let advice = setup.advise(&statements);
    let (key, system) = (&setup.key, &setup.system);
    let aggregate = aggregate(&setup.srs, system, &statements, &advice, Mode::Batched).unwrap();
    verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4)).unwrap();
}

/// The constraint system's three evaluations are of one polynomial.
#[test]
fn s_is_the_same_in_x_and_in_y() {
    let system = system(&circuit::<S>(5, &mut rng(1)));
    let [x, y, other] = [2, 3, 4].map(|seed| Point::new(S::random(&mut rng(seed))).unwrap());
    let s = system.evaluate(&x, &y);
    assert_eq!(system.in_x(&y).evaluate(&x), s);
    assert_eq!(system.in_y(&x).evaluate(&y), s);
    let weights = [5, 6].map(S::from_u64);
    let combined = system.combine_in_x(&[(weights[0], y), (weights[1], other)]);
    assert_eq!(combined.evaluate(&x), weights[0] * s + weights[1] * system.evaluate(&x, &other));
    // The polynomial that has no constant term, in either variable.
    assert_eq!(system.in_x(&y).constant(), S::zero());
    assert_eq!(system.in_y(&x).constant(), S::zero());
}

/// Many more linear constraints than gates: `n + Q` bounds the degree.
fn linear_circuit() -> Circuit<S> {
    let one = S::one();
    let mut witness = vec![one, S::from_u64(7)];
    let mut constraints = Vec::new();
    for _ in 0..60 {
        let wire = witness.len() as u32;
        witness.push(witness[wire as usize - 1] + one);
        // Each is tied to the one before three times over.
        for factor in [1, 2, 3].map(S::from_u64) {
            let a = vec![(0, factor)];
            let b = vec![(wire - 1, one), (0, one)];
            constraints.push(Constraint { a, b, c: vec![(wire, factor)] });
        }
    }
    let header = R1csHeader {
        wires: witness.len() as u32,
        public_inputs: 1,
        constraints: constraints.len() as u32,
        ..Default::default()
    };
    Circuit { header, constraints, witness }
}

#[test]
fn the_degree_is_the_least_possible() {
    let by_gates = circuit(3, &mut rng(1));
    let by_constraints = linear_circuit();
    let bounds = [&by_gates, &by_constraints].map(|circuit| {
        let Shape { gates, loose, constraints } = system(circuit).shape();
        (2 * (gates + loose) + 8, gates + constraints)
    });
    assert!(bounds[0].0 > bounds[0].1 && bounds[1].0 < bounds[1].1, "{bounds:?}");
    for circuit in [by_gates, by_constraints] {
        let setup = Setup::<Bn254>::new(circuit, 2);
        let proofs = [setup.prove(1)];
        let statements = setup.statements(&proofs);
        let advice = setup.advise(&statements);
        let (key, system) = (&setup.key, &setup.system);
        let batched = Mode::Batched;
        let aggregate = aggregate(&setup.srs, system, &statements, &advice, batched).unwrap();
        verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4)).unwrap();

        let degree = system.shape().degree() as u64;
        let refused = Srs::<Bn254>::insecure_dealer(system.shape(), degree - 1, &mut rng(1));
        let expected = (degree, degree - 1);
        assert!(matches!(refused, Err(Error::Degree { needed, got }) if (needed, got) == expected));
    }
}

/// A change of any of these figures is a change of the circuit: keys made for it no longer fit.
#[test]
fn the_size_of_a_hash() {
    let circuit = Blake2sPreimage::new(vec![0; 192]);
    let rank_1 = SynthesisCircuit::<S>::constraint_system(&circuit);
    let rows = rank_1.constraints().iter().cloned();
    let system = GateSystem::from_r1cs(&rank_1.header(), rows).unwrap();
    assert_eq!(rank_1.header().constraints, 65_186);
    assert_eq!(system.shape(), Shape { gates: 65_184, loose: 394, constraints: 66_540 });
}

/// A file with a reference string of so many powers, with one point of each list moved.
fn file<E: Engine>(degree: i64, at: i64, [one, two]: [E::G1; 2]) -> Cursor<Vec<u8>> {
    let random = |seed| Point::new(ScalarOf::<E>::random(&mut rng(seed))).unwrap();
    let (x, alpha) = (random(1), random(2).value);
    let mut writer = SonicWriter::<_, E>::new(Vec::new(), degree as u64).unwrap();
    let g1 = |factor: ScalarOf<E>, power: i64, by: E::G1| {
        let point = E::G1::mul_generator(&(factor * x.pow(power)));
        if power == at { point + by } else { point }
    };
    let g2 = |factor: ScalarOf<E>, power: i64| E::G2::mul_generator(&(factor * x.pow(power)));
    let (all, unit) = (|| -degree..=degree, ScalarOf::<E>::one());
    let list: Vec<_> = all().map(|power| g1(unit, power, one)).collect();
    writer.g1(SonicG1::Powers).unwrap().write(&Group::precompute(&list)).unwrap();
    let list: Vec<_> = all().filter(|p| *p != 0).map(|power| g1(alpha, power, two)).collect();
    writer.g1(SonicG1::AlphaPowers).unwrap().write(&Group::precompute(&list)).unwrap();
    let list: Vec<_> = all().map(|power| g2(unit, power)).collect();
    writer.g2(SonicG2::Powers).unwrap().write(&Group::precompute(&list)).unwrap();
    let list: Vec<_> = all().map(|power| g2(alpha, power)).collect();
    writer.g2(SonicG2::AlphaPowers).unwrap().write(&Group::precompute(&list)).unwrap();
    Cursor::new(writer.finish().unwrap())
}

/// Points of G1 that a prover uses are in the subgroup, whatever list they are in and wherever.
#[test]
fn the_reference_string_of_a_file_is_in_the_subgroup() {
    type G1 = <Bls12381 as algebra::Pairing>::G1;
    let system = system(&circuit::<ScalarOf<Bls12381>>(0, &mut rng(1)));
    let (shape, degree) = (system.shape(), system.shape().degree() as i64);
    let read = |at, by| {
        let mut file = file::<Bls12381>(degree, at, by);
        Srs::<Bls12381>::read(shape, &mut file, &mut rng(9)).err()
    };
    let (zero, stray) = (G1::identity(), stray::<G1>());
    assert!(read(1, [zero; 2]).is_none());
    for at in [2 * shape.lowest(), -1, 1, degree] {
        for by in [[stray, zero], [zero, stray]] {
            let outside = read(at, by);
            // A prover has no use for the highest power without α.
            let is_used = at < degree || by[1] == stray;
            let is_named = matches!(
                outside,
                Some(Error::Srs(circuit::Error::Point {
                    reason: algebra::PointError::Subgroup { .. },
                    ..
                }))
            );
            assert_eq!(is_named, is_used, "{at} {outside:?}");
        }
    }
}

/// A longer reference string serves as well, and so does one from a file.
#[test]
fn the_reference_string_of_a_file() {
    let circuit = circuit(1, &mut rng(1));
    let system = system(&circuit);
    let degree = system.shape().degree() as i64 + 13;
    let mut file = file::<Bn254>(degree, 0, [Group::identity(); 2]);

    let srs = Srs::<Bn254>::read(system.shape(), &mut file, &mut rng(9)).unwrap();
    let key = VerifyingKey::new(&srs, &system).unwrap();
    assert_eq!(key.degree(), degree as u64);
    assert_eq!(VerifyingKey::<Bn254>::read(&mut file, &system).unwrap(), key);
    let setup = Setup { circuit, system, srs, key };
    let proofs = [setup.prove(1)];
    let statements = setup.statements(&proofs);
    setup.verify(setup.circuit.inputs(), &proofs[0]).unwrap();
    let advice = setup.advise(&statements);
    let (key, system) = (&setup.key, &setup.system);
    let aggregate = aggregate(&setup.srs, system, &statements, &advice, Mode::PerProof).unwrap();
    verify_helped(key, system, &statements, &advice, &aggregate, &mut rng(4)).unwrap();

    // A file that is too short for the circuit.
    let larger = super::system(&super::circuit::<S>(20, &mut rng(1))).shape();
    assert!(matches!(
        Srs::<Bn254>::read(larger, &mut file, &mut rng(9)),
        Err(Error::Degree { .. })
    ));
    let bytes = file.into_inner();
    assert_eq!(crate::pairing_of(&bytes[..40]), Ok("BN254"));
    assert!(crate::pairing_of(&bytes[1..40]).is_err());
}
