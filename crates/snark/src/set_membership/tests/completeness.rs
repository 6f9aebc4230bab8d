//! Honest proofs verify, and what is computed in two ways agrees.

use ::circuit::synthesis::Circuit as _;
use algebra::Scalar as _;
use integer::Integer;

use super::{super::circuit::ElementCircuit, *};

#[test]
fn all_witnesses_at_once_are_those_one_by_one() {
    let parameters = &PRIME.parameters;
    for len in [1, 2, 3, 5, 8] {
        let (values, set) = PRIME.set(len);
        let (accumulator, witnesses) = (set.accumulate(parameters), set.witnesses(parameters));
        assert_eq!(witnesses.len(), set.len());
        for (index, witness) in witnesses.iter().enumerate() {
            assert_eq!(Some(witness), set.witness(parameters, index).as_ref());
            let prime = PRIME.kind.prime(&values[index]).unwrap();
            assert_eq!(parameters.group.pow(&witness.0, &prime), accumulator.value);
        }
        assert_eq!(set.witness(parameters, len as usize), None);
        let (_, larger) = PRIME.set(len + 1);
        let inserted = accumulator.insert(parameters, &value(PRIME.kind, len)).unwrap();
        assert_eq!(inserted, larger.accumulate(parameters));
    }
}

#[test]
fn members_of_sets_of_all_sizes_are_proven() {
    for (seed, len) in [1, 2, 7].into_iter().enumerate() {
        let (values, set) = PRIME.set(len);
        let accumulator = set.accumulate(&PRIME.parameters);
        for (value, witness) in values.iter().zip(set.witnesses(&PRIME.parameters)) {
            let rng = &mut rng(seed as u8);
            let opening = Opening::random(*value, rng);
            let proof = PRIME.prover.prove_membership(&accumulator, &opening, &witness, rng);
            let accumulator = accumulator.clone();
            let proof = proof.unwrap();
            PRIME
                .verify(&Case { relation: Relation::Member, accumulator, opening, proof })
                .unwrap();
        }
    }
}

#[test]
fn hashed_members_are_proven() {
    HASHED.verify(&HASHED.member(&mut rng(2))).unwrap();
    // The only element of its set.
    let (values, set) = HASHED.set(1);
    let rng = &mut rng(3);
    let (accumulator, opening) =
        (set.accumulate(&HASHED.parameters), Opening::random(values[0], rng));
    let witness = &set.witnesses(&HASHED.parameters)[0];
    let proof = HASHED.prover.prove_membership(&accumulator, &opening, witness, rng).unwrap();
    HASHED.verify(&Case { relation: Relation::Member, accumulator, opening, proof }).unwrap();
}

#[test]
fn absence_is_proven_of_sets_with_and_without_elements() {
    PRIME.verify(&PRIME.absent(&mut rng(4))).unwrap();
    let (_, empty) = PRIME.set(0);
    assert!(empty.is_empty());
    // Not a prime: 252 bits are all that it takes.
    let composite = params::value_of(&((Integer::from(1) << 251) + 9 * 5));
    let rng = &mut rng(5);
    let opening = Opening::random(composite, rng);
    let (accumulator, witness) = (
        empty.accumulate(&PRIME.parameters),
        empty.absence(&PRIME.parameters, &composite).unwrap(),
    );
    let proof = PRIME.prover.prove_absence(&accumulator, &opening, &witness, rng).unwrap();
    PRIME.verify(&Case { relation: Relation::Absent, accumulator, opening, proof }).unwrap();
}

#[test]
fn the_circuit_computes_the_hash() {
    let system = ElementKind::Hashed.constraint_system();
    for value in [Value::zero(), -Value::one(), Value::random(&mut rng(6))] {
        let (circuit, prime) = ElementCircuit::of(ElementKind::Hashed, value).unwrap();
        let witness = circuit.witness();
        assert_eq!(system.first_unsatisfied(&witness), None);
        let limbs = exponents::split(&prime).each_ref().map(params::value_of);
        assert_eq!(witness[1..4], limbs);
        assert_eq!(witness[4], value);
    }
    let constraints = system.header().constraints;
    assert!((21_000..23_000).contains(&constraints), "{constraints}");
}

#[test]
fn sets_refuse_what_is_twice_in_them_or_no_prime() {
    let one = value(ElementKind::Prime, 0);
    let repeated = ElementSet::new(ElementKind::Prime, &[one, value(ElementKind::Prime, 1), one]);
    assert!(matches!(repeated.err(), Some(Error::Element { index: 2, .. })));
    // Before anything is hashed, or tested for a prime.
    let both = [Value::from_u64(7), one, one];
    let refused = ElementSet::new(ElementKind::Prime, &both).err();
    let Some(Error::Element { index: 2, reason }) = refused else { panic!("{refused:?}") };
    assert!(matches!(*reason, Error::Repeated));
    let small = ElementSet::new(ElementKind::Prime, &[one, Value::from_u64(7)]);
    assert!(matches!(small.err(), Some(Error::Element { index: 1, .. })));
    let (values, set) = PRIME.set(4);
    assert!(matches!(set.absence(&PRIME.parameters, &values[2]), Err(Error::Present)));
}

#[test]
fn files_are_read_as_they_were_written() {
    let parameters = &PRIME.parameters;
    for case in [PRIME.member(&mut rng(7)), PRIME.absent(&mut rng(8)), HASHED.member(&mut rng(9))] {
        let bytes = case.proof.to_file(parameters);
        assert_eq!(SetProof::from_file(parameters, &bytes).unwrap(), case.proof);
        let bytes = case.accumulator.to_file(parameters);
        assert_eq!(Accumulator::from_file(parameters, &bytes).unwrap(), case.accumulator);
    }
    for world in [&PRIME, &HASHED] {
        let key = world.prover.key();
        assert_eq!(SetKey::from_file(parameters, &key.to_file(parameters)).unwrap(), *key);
    }
}
