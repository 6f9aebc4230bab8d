//! Set membership, forward and reverse.

use algebra::{Bn254, Scalar};
use circuit::{
    gadgets::baby_jubjub::{CommitmentKey, Fr, JubjubPoint, JubjubScalar},
    synthesis::Circuit,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use snark::{
    groth16::{Error, PreparedVerifyingKey, insecure_dealer},
    membership::{CommitmentSet, Forward, Reverse, ValueSet},
};

/// Five values and their commitments, in sets of at most eight.
struct Case {
    rng: ChaCha20Rng,
    commitments: CommitmentKey,
    values: Vec<JubjubScalar>,
    randomness: Vec<JubjubScalar>,
    points: Vec<JubjubPoint>,
}

const DEPTH: usize = 3;

impl Case {
    fn new() -> Self {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let commitments = CommitmentKey::new();
        let scalar = |value| JubjubScalar::new(Fr::from_u64(value)).unwrap();
        let values: Vec<_> = [0, 1, 77, 5, u64::MAX].map(scalar).into();
        let randomness: Vec<_> = values.iter().map(|_| JubjubScalar::random(&mut rng)).collect();
        let both = values.iter().zip(&randomness);
        let points = both.map(|(v, r)| commitments.commit(v, r)).collect();
        Self { rng, commitments, values, randomness, points }
    }
}

/// The size of the published circuits' trees. A change is a change of the circuit.
#[test]
fn constraints_at_depth_14() {
    let commitments = CommitmentKey::new();
    let forward = Forward::blank(&commitments, 14).constraint_system();
    let reverse = Reverse::blank(&commitments, 14).constraint_system();
    let counts = [&forward, &reverse].map(|system| system.header().constraints);
    assert_eq!(counts, [5858, 5860]);
    assert_eq!([&forward, &reverse].map(|system| system.header().public()), [3, 2]);
}

#[test]
fn forward() {
    let Case { mut rng, commitments, values, randomness, points } = Case::new();
    let set = ValueSet::new(&values, DEPTH).unwrap();
    let system = Forward::blank(&commitments, DEPTH).constraint_system();
    let key = insecure_dealer::<Bn254>(&system, &mut rng).unwrap();
    let verifier = PreparedVerifyingKey::new(key.verifying_key()).unwrap();
    for index in 0..values.len() {
        let (value, r) = (&values[index], &randomness[index]);
        let path = set.path(index).unwrap();
        let witness = Forward::new(&commitments, value, r, path.clone()).witness();
        assert_eq!(system.first_unsatisfied(&witness), None);
        let proof = key.prove(&witness, &mut rng).unwrap();
        let public = Forward::public(&points[index], set.root());
        verifier.verify(&public, &proof).unwrap();

        // Another commitment, another set, a path of another value.
        let other = (index + 1) % values.len();
        let wrong = Forward::public(&points[other], set.root());
        assert!(matches!(verifier.verify(&wrong, &proof), Err(Error::Invalid)));
        let smaller = ValueSet::new(&values[..4], DEPTH).unwrap();
        let wrong = Forward::public(&points[index], smaller.root());
        assert!(matches!(verifier.verify(&wrong, &proof), Err(Error::Invalid)));
        let path = set.path(other).unwrap();
        let witness = Forward::new(&commitments, value, r, path).witness();
        assert_ne!(witness[3], set.root());
    }
}

#[test]
fn reverse() {
    let Case { mut rng, commitments, values, randomness, points } = Case::new();
    let set = CommitmentSet::new(&points, DEPTH).unwrap();
    let system = Reverse::blank(&commitments, DEPTH).constraint_system();
    let key = insecure_dealer::<Bn254>(&system, &mut rng).unwrap();
    let verifier = PreparedVerifyingKey::new(key.verifying_key()).unwrap();
    for index in 0..values.len() {
        let (value, r) = (&values[index], &randomness[index]);
        let path = set.path(index).unwrap();
        let witness = Reverse::new(&commitments, value, r, path.clone()).witness();
        let proof = key.prove(&witness, &mut rng).unwrap();
        verifier.verify(&Reverse::public(value, set.root()), &proof).unwrap();

        // Another value, in the statement or in the witness.
        let other = &values[(index + 1) % values.len()];
        let refused = verifier.verify(&Reverse::public(other, set.root()), &proof);
        assert!(matches!(refused, Err(Error::Invalid)));
        let witness = Reverse::new(&commitments, other, r, path).witness();
        assert_ne!(witness[2], set.root());
    }
}

/// Leaves that only pad a tree are no members: nobody has inputs of a hash that is zero.
#[test]
fn zero_is_no_member_of_other_sets() {
    let Case { commitments, values, randomness, points, .. } = Case::new();
    let zero = &values[0];
    let set = ValueSet::new(&values[1..], DEPTH).unwrap();
    let padded = ValueSet::new(&[values[1..].to_vec(), vec![zero.clone()]].concat(), DEPTH);
    assert_ne!(padded.unwrap().root(), set.root());
    let path = set.path(3).unwrap();
    let witness = Forward::new(&commitments, zero, &randomness[0], path).witness();
    assert_ne!(witness[3], set.root());
    assert_ne!(
        CommitmentSet::new(&points[..4], DEPTH).unwrap().root(),
        CommitmentSet::new(&[&points[..4], &[JubjubPoint::identity()]].concat(), DEPTH)
            .unwrap()
            .root()
    );
}
