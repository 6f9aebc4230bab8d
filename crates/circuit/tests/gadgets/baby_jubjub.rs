//! Commitments on Baby Jubjub.

use algebra::Scalar;
use circuit::{
    gadgets::baby_jubjub::{CommitmentKey, FixedBase, JubjubPoint, JubjubScalar, ScalarWires},
    synthesis::{Circuit, Synthesizer},
};

use super::support::{Of, S, bits, check};

/// The order of the subgroup, less one.
fn largest() -> JubjubScalar {
    let order: Vec<u8> =
        [0x677297dc392126f1_u64, 0xab3eedb83920ee0a, 0x370a08b6d0302b0b, 0x060c89ce5c263405]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
    let order = S::decode(&order.try_into().unwrap()).unwrap();
    assert!(JubjubScalar::new(order).is_none());
    assert!(JubjubScalar::new(-S::one()).is_none());
    JubjubScalar::new(order - S::one()).unwrap()
}

fn small(value: u64) -> JubjubScalar {
    JubjubScalar::new(S::from_u64(value)).unwrap()
}

fn coordinates(point: JubjubPoint) -> [S; 2] {
    JubjubPoint::coordinates(&[point])[0]
}

#[test]
fn the_generators_are_of_the_subgroup() {
    let neutral = coordinates(JubjubPoint::identity());
    for base in [JubjubPoint::base(), JubjubPoint::second_base()] {
        let [x, y] = coordinates(base);
        let (a, d) = (S::from_u64(168_700), S::from_u64(168_696));
        assert_eq!(a * x * x + y * y, S::one() + d * x * x * y * y);
        let table = FixedBase::new(base);
        assert_eq!(coordinates(table.mul(&small(0))), neutral);
        assert_eq!(coordinates(table.mul(&small(1))), [x, y]);
        assert_eq!(coordinates(table.mul(&small(2))), coordinates(base.add(&base)));
        // −1 as the order less one.
        assert_eq!(coordinates(table.mul(&largest())), [-x, y]);
        assert_eq!(coordinates(table.mul(&largest()).add(&base)), neutral);
    }
}

fn circuit<'a>(
    key: &'a CommitmentKey,
    value: &'a JubjubScalar,
    randomness: &'a JubjubScalar,
) -> impl Circuit<S> + 'a {
    Of(|cs: &mut Synthesizer<S>| {
        let wires = key.constrain(cs, value, randomness);
        cs.expose(&wires.point.x);
        cs.expose(&wires.point.y);
        cs.expose(&wires.value.value());
    })
}

#[test]
fn on_wires() {
    let key = CommitmentKey::new();
    let scalars = [small(0), small(1), small(u64::MAX), largest()];
    for (value, randomness) in scalars.iter().flat_map(|v| scalars.iter().map(move |r| (v, r))) {
        let (system, outputs) = check(&circuit(&key, value, randomness), 101);
        assert_eq!(outputs[..2], coordinates(key.commit(value, randomness)));
        assert_eq!(outputs[2], value.value());
        // A change is a change of the circuit: keys made for it no longer fit.
        assert_eq!(system.header().constraints, 2230 + 3);
    }
}

/// The bits of a value and of the value plus the order give the same point, and those plus the
/// field's order the same field element. Only bits below the order are accepted.
#[test]
fn decompositions_are_strict() {
    let system = |scalar: &JubjubScalar| {
        let circuit = Of(|cs: &mut Synthesizer<S>| {
            ScalarWires::private(cs, scalar);
        });
        (circuit.constraint_system(), circuit.witness().to_vec())
    };
    let (strict, honest) = system(&largest());
    assert_eq!(strict.first_unsatisfied(&honest), None);
    // Wires: one, then from the top a bit, and behind it the prefix where the largest has a one.
    let fill = |integer: &[bool]| {
        let largest = bits(largest().value());
        let (mut witness, mut prefix, mut is_first) = (vec![S::one()], true, true);
        for index in (0..251).rev() {
            witness.push(S::from_u64(integer[index].into()));
            if largest[index] {
                prefix &= integer[index];
                if !is_first {
                    witness.push(S::from_u64(prefix.into()));
                }
                is_first = false;
            }
        }
        witness
    };
    let accepts = |integer: &[bool]| strict.first_unsatisfied(&fill(integer)).is_none();
    assert_eq!(fill(&bits(largest().value())), honest);
    assert!(accepts(&bits(largest().value())));
    assert!(accepts(&bits(S::zero())));
    assert!(accepts(&bits(S::from_u64(12345))));
    // The order and everything above, up to 2^251 − 1.
    let mut above = largest().value();
    for step in [1, 1, 14, 1 << 20, u64::MAX] {
        above += S::from_u64(step);
        assert!(!accepts(&bits(above)));
    }
    assert!(!accepts(&[true; 251]));
    // For every bit: the largest with a zero made a one there.
    let largest_bits = bits(largest().value());
    for index in (0..251).filter(|&index| !largest_bits[index]) {
        let mut larger = largest_bits.clone();
        larger[index] = true;
        assert!(!accepts(&larger), "bit {index}");
        larger[..index].fill(false);
        assert!(!accepts(&larger), "bit {index}");
    }
}
