//! The rewritten circuit, and the equations of which an argument consists.

use algebra::{Bn254, Scalar, ScalarOf};

use super::{
    super::{
        rewrite::Rewritten,
        system::{evaluate, in_x, sums},
        *,
    },
    circuit,
    completeness::random_circuit,
    rng, system,
};
use crate::{
    sonic::{field::Point, gates::Gates},
    test_circuit::TestCircuit,
};

type S = ScalarOf<Bn254>;

fn circuits() -> Vec<TestCircuit<S>> {
    let mut circuits: Vec<_> = [1, 5, 60].map(|n| random_circuit(n, &mut rng(n as u8))).into();
    circuits.push(circuit(4, &mut rng(1)));
    circuits
}

fn point(seed: u8) -> Point<S> {
    Point::new(S::random(&mut rng(seed))).unwrap()
}

/// The value of a variable in `r(X, 1)`.
fn slot(gates: usize, side: usize, gate: usize) -> usize {
    [gates - 1 - gate, gates + 1 + gate, 2 * gates + 1 + gate][side]
}

#[test]
fn three_terms_in_a_constraint_and_three_constraints_on_a_variable() {
    for circuit in circuits() {
        let gates = Gates::from_r1cs(&circuit.header, circuit.constraints.clone()).unwrap();
        let rewritten = Rewritten::new(gates);
        let system = system(&circuit);
        let values = system.assign(&circuit.witness).unwrap();
        let mut mentions = std::collections::HashMap::new();
        for (index, row) in rewritten.rows.iter().enumerate() {
            assert!(row.len() <= 3);
            let sum: S = row
                .iter()
                .map(|(v, factor)| *factor * values[slot(system.gates(), v.side, v.gate)])
                .sum();
            // Of the constant wire and two public ones; of the others, zero.
            let expected = if index < 3 { circuit.witness[index] } else { S::zero() };
            assert_eq!(sum, expected);
            let mut seen = std::collections::HashSet::new();
            for (variable, factor) in row {
                assert_ne!(*factor, S::zero());
                assert!(seen.insert((variable.gate, variable.side)), "twice in one row");
                *mentions.entry((variable.gate, variable.side)).or_insert(0) += 1;
            }
        }
        assert!(mentions.values().all(|&count| count <= 3));
        assert!(rewritten.rows.len() <= 3 * system.gates() + 1);
        for gate in 0..system.gates() {
            let [a, b, c] = [0, 1, 2].map(|side| values[slot(system.gates(), side, gate)]);
            assert_eq!(a * b, c);
        }
    }
}

/// `s(X, Y)` as the paper defines it, from the rows.
#[test]
fn s_is_made_of_three_permutations_and_the_gates() {
    let [x, y] = [point(1), point(2)];
    for circuit in circuits() {
        let gates = Gates::from_r1cs(&circuit.header, circuit.constraints.clone()).unwrap();
        let rewritten = Rewritten::new(gates);
        let system = system(&circuit);
        let n = system.gates() as i64;
        let mut s = S::zero();
        for (row, power) in rewritten.rows.iter().zip(n + 1..) {
            for (variable, factor) in row {
                let i = variable.gate as i64 + 1;
                let at = [-i, i, i + n][variable.side];
                s += *factor * x.pow(at) * y.pow(power);
            }
        }
        for i in 1..=n {
            s -= (y.pow(i) + y.pow(-i)) * x.pow(i + n);
        }
        let parts = system.signatures(&y);
        let s1 = parts.iter().map(|part| part.evaluate(&x)).sum();
        assert_eq!(evaluate(system.gates(), s1, &x, &y).unwrap(), s);
        assert_eq!(in_x(system.gates(), &parts, &y).evaluate(&x), s);
    }
}

#[test]
fn sums_of_powers() {
    let p = point(3);
    for count in [0, 1, 2, 17] {
        let plain = (1..=count).map(|i| p.pow(i)).sum();
        let indexed = (1..=count).map(|i| S::from_u64(i as u64) * p.pow(i)).sum();
        assert_eq!(sums(&p, count).unwrap(), (plain, indexed));
    }
    let one = Point::new(S::one()).unwrap();
    assert!(sums(&one, 5).is_err());
}

/// Challenges are points, and zero is none.
#[test]
fn no_challenge_is_zero() {
    assert!(Point::new(S::zero()).is_none());
}

#[test]
fn powers_beyond_the_circuit_have_no_bounds() {
    use crate::sonic::{Error, laurent::Laurent};
    let system = system(&circuit::<S>(1, &mut rng(1)));
    let degree = system.degree() as u64;
    let srs = Srs::<Bn254>::insecure_dealer(&system, degree, &mut rng(2)).unwrap();
    let size = 3 * system.gates() + 1;
    let of_length = |low, length| Laurent::new(low, S::random_many(length, &mut rng(3)));
    assert!(srs.bound(&of_length(0, size + 1)).is_ok());
    for f in [of_length(0, size + 2), of_length(-1, size + 1)] {
        assert!(matches!(srs.bound(&f), Err(Error::Polynomial)));
    }
}
