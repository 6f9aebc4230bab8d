//! Every part of a proof counts, and every part of a statement.

use algebra::{Group as _, Scalar as _};
use integer::Integer;

use super::{super::params::*, *};
use crate::groth16;

type Mutation = (&'static str, fn(&mut SetProof));

/// One for every field. Elements are multiplied by H, points moved by the generator, integers by one.
fn mutations() -> Vec<Mutation> {
    fn element(element: &mut Element) {
        let parameters = Parameters::rsa_2048();
        *element = parameters.group.mul(element, &parameters.integer_bases[1]);
    }
    fn point(point: &mut algebra::Affine<Curve>) {
        *point = Curve::precompute(&[Curve::from(*point) + Curve::generator()])[0];
    }
    vec![
        ("D", |p| p.circuit.commitment += Curve::generator()),
        ("A", |p| point(&mut p.circuit.proof.a)),
        ("B", |p| {
            let moved = <algebra::Bls12381 as algebra::Pairing>::G2::from(p.circuit.proof.b);
            p.circuit.proof.b = algebra::Group::precompute(&[moved.double()])[0];
        }),
        ("C", |p| point(&mut p.circuit.proof.c)),
        ("C_e", |p| element(&mut p.commitments[0])),
        ("C_W", |p| element(&mut p.commitments[1])),
        ("C_r", |p| element(&mut p.commitments[2])),
        ("T_1", |p| element(&mut p.announcements[0])),
        ("T_2", |p| element(&mut p.announcements[1])),
        ("T_3", |p| element(&mut p.announcements[2])),
        ("T_4", |p| element(&mut p.announcements[3])),
        ("T_D", |p| p.links[0] += Curve::generator()),
        ("T_c", |p| p.links[1] += Curve::generator()),
        ("s_0", |p| p.responses.limbs[0] += 1),
        ("s_1", |p| p.responses.limbs[1] += 1),
        ("s_2", |p| p.responses.limbs[2] += 1),
        ("s_r", |p| p.responses.randomness[0] += 1),
        ("s_r2", |p| p.responses.randomness[1] += 1),
        ("s_r3", |p| p.responses.randomness[2] += 1),
        ("s_beta", |p| p.responses.products[0] += 1),
        ("s_delta", |p| p.responses.products[1] += 1),
        ("s_b", |p| p.responses.cofactor.iter_mut().for_each(|b| *b += 1)),
        ("s_u", |p| p.responses.value.iter_mut().for_each(|u| *u += Value::one())),
        ("s_v", |p| p.responses.blinding += Value::one()),
        ("s_t", |p| p.responses.value_randomness += Value::one()),
    ]
}

#[test]
fn no_part_of_a_proof_can_be_changed() {
    for (world, case) in [
        (&HASHED, HASHED.member(&mut rng(10))),
        (&PRIME, PRIME.member(&mut rng(11))),
        (&PRIME, PRIME.absent(&mut rng(12))),
    ] {
        world.verify(&case).unwrap();
        for (name, mutate) in mutations() {
            let mut changed = case.clone();
            mutate(&mut changed.proof);
            // s_b and s_u are not in every proof.
            if changed.proof != case.proof {
                assert!(world.verify(&changed).is_err(), "{name}");
            }
        }
    }
}

#[test]
fn a_proof_is_of_one_statement() {
    let case = PRIME.member(&mut rng(13));
    let (_, other) = PRIME.set(4);
    let accumulator = other.accumulate(&PRIME.parameters);
    let changed = Case { accumulator, ..case.clone() };
    assert!(matches!(PRIME.verify(&changed), Err(Error::ValueEquations)));

    let opening = Opening::random(case.opening.value, &mut rng(14));
    assert!(PRIME.verify(&Case { opening, ..case.clone() }).is_err());
    let opening = Opening { value: value(PRIME.kind, 0), ..case.opening.clone() };
    assert!(PRIME.verify(&Case { opening, ..case.clone() }).is_err());

    let changed = Case { relation: Relation::Absent, ..case.clone() };
    assert!(matches!(PRIME.verify(&changed), Err(Error::Relation { .. })));
    let mut relabelled = changed;
    relabelled.proof.relation = Relation::Absent;
    relabelled.proof.responses.cofactor = Some(Integer::new());
    assert!(PRIME.verify(&relabelled).is_err());

    // The same circuit, and another ceremony.
    let other = World::of_ceremony(PRIME.kind, 2);
    assert!(matches!(other.verify(&case), Err(Error::Groth16(groth16::Error::Invalid))));
    other.verify(&other.member(&mut rng(13))).unwrap();

    // A value that is not in the set, said to be in it.
    let mut absent = PRIME.absent(&mut rng(16));
    absent.relation = Relation::Member;
    assert!(matches!(PRIME.verify(&absent), Err(Error::Relation { .. })));
    absent.proof.relation = Relation::Member;
    assert!(matches!(PRIME.verify(&absent), Err(Error::Relation { .. })));
    absent.proof.responses.cofactor = None;
    assert!(matches!(PRIME.verify(&absent), Err(Error::ValueEquations)));

    assert!(matches!(HASHED.verify(&case), Err(Error::Kind { .. })));
    let mut other_kind = case;
    other_kind.accumulator.kind = ElementKind::Hashed;
    let refused = HASHED.verify(&other_kind).unwrap_err();
    assert!(matches!(refused, Error::ProofKind { key: ElementKind::Hashed }));
    assert_eq!(refused.check().as_str(), "SM-5");
}

/// The ends of every interval, from both sides.
#[test]
fn responses_have_their_intervals() {
    type Field = fn(&mut Exponents) -> &mut Integer;
    let case = PRIME.absent(&mut rng(15));
    let power = |bits: u32| Integer::from(1) << bits;
    let limb = [power(LIMB_BITS + CHALLENGE_BITS), power(LIMB_RESPONSE_BITS)];
    let below = |bits: u32| [Integer::new(), power(bits)];
    let [randomness, product, cofactor] =
        [RANDOMNESS_RESPONSE_BITS, PRODUCT_RESPONSE_BITS, COFACTOR_RESPONSE_BITS].map(below);
    let fields: [(Field, &[Integer; 2]); 9] = [
        (|r| &mut r.limbs[0], &limb),
        (|r| &mut r.limbs[1], &limb),
        (|r| &mut r.limbs[2], &limb),
        (|r| &mut r.randomness[0], &randomness),
        (|r| &mut r.randomness[1], &randomness),
        (|r| &mut r.randomness[2], &randomness),
        (|r| &mut r.products[0], &product),
        (|r| &mut r.products[1], &product),
        (|r| r.cofactor.as_mut().unwrap(), &cofactor),
    ];
    for (index, (field, [first, end])) in fields.into_iter().enumerate() {
        let with = |value: Integer| {
            let mut changed = case.clone();
            *field(&mut changed.proof.responses) = value;
            (changed.proof.responses.check_ranges(), PRIME.verify(&changed))
        };
        for outside in [Integer::from(first - 1), end.clone(), -Integer::from(end - 1)] {
            let (range, verified) = with(outside);
            assert!(matches!(range, Err(Error::ResponseRange { .. })), "{index}");
            assert!(matches!(verified, Err(Error::ResponseRange { .. })), "{index}");
        }
        for inside in [first.clone(), Integer::from(end - 1)] {
            let (range, verified) = with(inside);
            assert!(range.is_ok() && verified.is_err(), "{index}");
        }
    }
}

#[test]
fn keys_that_are_not_the_circuits_are_refused() {
    let parameters = || Parameters::rsa_2048();
    let key = PRIME.prover.key();
    let mut other = key.clone();
    other.kind = ElementKind::Hashed;
    let refused = SetVerifier::new(parameters(), other);
    assert!(matches!(refused.err(), Some(Error::KeyPublic { expected: 4, got: 3 })));

    let refused = |change: fn(&mut SetKey)| {
        let mut other = key.clone();
        change(&mut other);
        matches!(
            SetVerifier::new(parameters(), other).err(),
            Some(Error::Groth16(groth16::Error::NotCommitting { .. }))
        )
    };
    assert!(refused(|key| key.key.delta_g1 = key.key.verifying_key.alpha_g1));
    assert!(refused(|key| {
        key.key.verifying_key.gamma_g2 = key.key.verifying_key.beta_g2;
    }));
}
