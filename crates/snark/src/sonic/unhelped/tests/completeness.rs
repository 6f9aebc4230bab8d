//! Honest provers convince.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::{
    native::{SonicG1, SonicG2, SonicWriter},
    r1cs::{Constraint, R1csHeader},
};
use rand_chacha::ChaCha20Rng;
use rand_core::Rng as _;

use super::{super::*, Circuit, Error, Setup, circuit, rng, system};
use crate::sonic::field::Point;

type S = ScalarOf<Bn254>;

fn check<E: Engine>(circuit: Circuit<ScalarOf<E>>) {
    let setup = Setup::<E>::new(circuit, 2);
    let proofs: Vec<_> = (0..3).map(|seed| setup.prove(seed)).collect();
    for proof in &proofs {
        setup.verify_honest_inputs(proof).unwrap();
    }
    let inputs = setup.circuit.inputs();
    for proofs in [&[][..], &proofs] {
        let statements: Vec<_> = proofs.iter().map(|proof| Statement { inputs, proof }).collect();
        verify_batch(&setup.key, &statements, &mut rng(3)).unwrap();
    }
}

/// Sums of up to seven terms of any size, which the rewriting has to cut, and wires that many of them
/// mention.
pub fn random_circuit<S: Scalar>(constraints: u32, rng: &mut ChaCha20Rng) -> Circuit<S> {
    let mut witness = vec![S::one(), S::random(rng), S::random(rng)];
    let mut rows = Vec::new();
    for _ in 0..constraints {
        let wires = witness.len() as u64;
        let mut side = || -> Vec<(u32, S)> {
            let count = rng.next_u64() % 8;
            (0..count).map(|_| ((rng.next_u64() % wires) as u32, S::random(rng))).collect()
        };
        let [a, b, mut c] = [side(), side(), side()];
        let value = |combination: &[(u32, S)]| -> S {
            combination.iter().map(|&(wire, factor)| factor * witness[wire as usize]).sum()
        };
        let next = value(&a) * value(&b) - value(&c);
        c.push((witness.len() as u32, S::one()));
        rows.push(Constraint { a, b, c });
        witness.push(next);
    }
    let header = R1csHeader {
        wires: witness.len() as u32,
        public_inputs: 2,
        constraints,
        ..Default::default()
    };
    Circuit { header, constraints: rows, witness }
}

#[test]
fn proofs_verify_alone_and_in_batches() {
    for rounds in [0, 1, 2, 7] {
        check::<Bn254>(circuit(rounds, &mut rng(1)));
    }
    check::<Bls12381>(circuit(3, &mut rng(1)));
    for constraints in [1, 2, 40] {
        check::<Bn254>(random_circuit(constraints, &mut rng(2)));
    }
}

/// No constraints at all, and no public inputs: the constant wire is one.
#[test]
fn an_empty_circuit() {
    let header = R1csHeader { wires: 1, ..Default::default() };
    check::<Bn254>(Circuit { header, constraints: vec![], witness: vec![S::one()] });
}

#[test]
fn the_degree_is_the_least_possible() {
    let system = system(&circuit::<S>(3, &mut rng(1)));
    assert_eq!(system.degree(), 4 * system.gates() + 8);
    let degree = system.degree() as u64;
    let refused = Srs::<Bn254>::insecure_dealer(&system, degree - 1, &mut rng(1));
    let expected = (degree, degree - 1);
    assert!(matches!(refused, Err(Error::Degree { needed, got }) if (needed, got) == expected));
}

/// A change of any of these figures is a change of the circuit: keys made for it no longer fit.
#[test]
fn the_size_of_a_circuit() {
    let system = system(&random_circuit::<S>(100, &mut rng(2)));
    assert_eq!((system.gates(), system.constraints()), (698, 1396));
    let digest = "487e0f70f9dc62d1b69efacf07b6ea814bc9d4eb40535fefe4691f35fff46a05";
    assert_eq!(system.digest().to_string(), digest);
}

/// A longer reference string serves as well, and so does one from a file.
#[test]
fn the_reference_string_of_a_file() {
    let circuit = circuit(0, &mut rng(1));
    let system = system(&circuit);
    let degree = system.degree() as i64 + 13;
    let [x, alpha] = [1, 2].map(|seed| Point::new(S::random(&mut rng(seed))).unwrap());
    let mut writer = SonicWriter::<_, Bn254>::new(Vec::new(), degree as u64).unwrap();
    type G1 = <Bn254 as Pairing>::G1;
    type G2 = <Bn254 as Pairing>::G2;
    let all = || -degree..=degree;
    let list: Vec<_> = all().map(|power| G1::mul_generator(&x.pow(power))).collect();
    writer.g1(SonicG1::Powers).unwrap().write(&Group::precompute(&list)).unwrap();
    let powers = all().filter(|power| *power != 0);
    let list: Vec<_> =
        powers.map(|power| G1::mul_generator(&(alpha.value * x.pow(power)))).collect();
    writer.g1(SonicG1::AlphaPowers).unwrap().write(&Group::precompute(&list)).unwrap();
    let list: Vec<_> = all().map(|power| G2::mul_generator(&x.pow(power))).collect();
    writer.g2(SonicG2::Powers).unwrap().write(&Group::precompute(&list)).unwrap();
    let list: Vec<_> =
        all().map(|power| G2::mul_generator(&(alpha.value * x.pow(power)))).collect();
    writer.g2(SonicG2::AlphaPowers).unwrap().write(&Group::precompute(&list)).unwrap();
    let mut file = Cursor::new(writer.finish().unwrap());

    let srs = Srs::<Bn254>::read(&system, &mut file, &mut rng(9)).unwrap();
    let key = VerifyingKey::new(&srs, &system).unwrap();
    assert_eq!(key.degree(), degree as u64);
    let larger = super::system(&super::circuit::<S>(20, &mut rng(1)));
    assert!(matches!(
        Srs::<Bn254>::read(&larger, &mut file, &mut rng(9)),
        Err(Error::Degree { .. })
    ));
    let setup = Setup { circuit, system, srs, key };
    setup.verify_honest_inputs(&setup.prove(1)).unwrap();
}
