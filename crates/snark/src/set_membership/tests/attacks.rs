//! Known attacks: each is carried out, and stopped by the one check that is there for it.

use ::circuit::synthesis::Circuit as _;
use algebra::{Bls12381, Group as _, Scalar as _};
use integer::{Integer, SecretInteger, random_below};

use super::{
    super::{
        circuit::ElementCircuit,
        element::{candidate, hash_to_prime},
        exponents::{SecretExponents, split},
        params::integer_of,
        prove::{argue, commit},
        statement::Statement,
        verify::equations_hold,
    },
    *,
};
use crate::groth16::{self, CommittedProof, Proof};

/// What a cheating prover puts into the sigma protocol.
struct Forgery<'a> {
    world: &'a World,
    relation: Relation,
    accumulator: &'a Accumulator,
    opening: &'a Opening,
    /// Whose circuit proof it has.
    circuit_value: Value,
    /// What it takes for e modulo N.
    integer: Integer,
    /// What it takes for W, or V and b.
    witness: Element,
    cofactor: Option<Integer>,
}

impl Forgery<'_> {
    /// Runs the honest prover's code on dishonest inputs. The sigma protocol's own retry is left out if
    /// the integer is too long for its interval.
    fn run(&self, rng: &mut ChaCha20Rng) -> SetProof {
        let (world, parameters) = (self.world, &self.world.parameters);
        let (circuit, prime) = ElementCircuit::of(world.kind, self.circuit_value).unwrap();
        let key = &world.prover.circuit_key;
        let (circuit, blinding) = key.prove_committed(&circuit.witness(), rng).unwrap();
        let modulus = parameters.group.modulus().value();
        let randomness = [(); 3].map(|()| random_below(modulus, rng));
        let integer = SecretInteger::new(self.integer.clone());
        let commitments = commit(parameters, &integer, &self.witness, &randomness);
        let mut limbs = split(&prime);
        // All that the integer has beyond what D holds goes into the first limb.
        limbs[0] += Integer::from(&self.integer - &prime);
        let product = |r: &SecretInteger| Integer::from(&self.integer * r.expose());
        let secrets = SecretExponents(Exponents {
            limbs,
            products: [product(&randomness[1]), product(&randomness[2])],
            randomness: randomness.each_ref().map(|r| r.expose().clone()),
            cofactor: self.cofactor.clone(),
            value: (world.kind == ElementKind::Hashed).then_some(self.opening.value),
            blinding: *blinding,
            value_randomness: self.opening.randomness,
        });
        let commitment = self.opening.commitment(parameters);
        let statement = Statement {
            parameters,
            key: world.prover.key(),
            relation: self.relation,
            accumulator: self.accumulator,
            commitment: &commitment,
        };
        argue(&statement, circuit, commitments, &secrets, |_| true, rng)
    }

    fn case(&self, rng: &mut ChaCha20Rng) -> Case {
        let (relation, accumulator, opening) =
            (self.relation, self.accumulator.clone(), self.opening.clone());
        Case { relation, accumulator, opening, proof: self.run(rng) }
    }
}

/// A member's prime plus q is prime to all elements, and the same number in the field. With the
/// published ranges that proves its absence.
#[test]
fn a_member_is_not_absent_by_way_of_the_field() {
    let (world, rng) = (&*PRIME, &mut rng(20));
    let (values, set) = world.set(3);
    let accumulator = set.accumulate(&world.parameters);
    let opening = Opening::random(values[1], rng);
    let order = integer_of(&-Value::one()) + 1;
    let integer = integer_of(&values[1]) + order;
    // Coprime, by the same computation as for honest witnesses.
    let all: Integer = values.iter().map(integer_of).product();
    let cofactor = all.clone().invert(&integer).unwrap();
    let exponent = (Integer::from(1) - Integer::from(&cofactor * &all)).div_exact(&integer);
    let witness = world.parameters.group.pow(&world.parameters.start, &exponent);
    let circuit_value = values[1];
    let forgery = Forgery {
        world,
        relation: Relation::Absent,
        accumulator: &accumulator,
        opening: &opening,
        circuit_value,
        integer,
        witness,
        cofactor: Some(cofactor),
    };
    let case = forgery.case(rng);
    let commitment = opening.commitment(&world.parameters);
    let statement = Statement {
        parameters: &world.parameters,
        key: world.prover.key(),
        relation: Relation::Absent,
        accumulator: &accumulator,
        commitment: &commitment,
    };
    assert!(equations_hold(&statement, &case.proof).is_ok());
    assert!(matches!(world.verify(&case), Err(Error::ResponseRange { .. })));
}

/// The index in a hash is the prover's choice; another than the first gives another integer.
#[test]
fn absence_of_hashed_values_would_be_a_matter_of_choice() {
    let (values, set) = HASHED.set(3);
    let (prime, index) = hash_to_prime(&values[1]).unwrap();
    let other = candidate(&values[1], index + 1);
    assert!(values.iter().all(|value| {
        let element = HASHED.kind.prime(value).unwrap();
        other.clone().gcd(&element) == 1
    }));
    assert_eq!(candidate(&values[1], index), prime);
    // The circuit would be satisfied.
    let circuit = ElementCircuit::Hashed { value: values[1], index: index + 1 };
    let system = HASHED.kind.constraint_system();
    assert_eq!(system.first_unsatisfied(&circuit.witness()), None);

    assert!(matches!(set.absence(&HASHED.parameters, &values[1]), Err(Error::HashedAbsence)));
    let mut case = HASHED.member(&mut rng(21));
    case.relation = Relation::Absent;
    case.proof.relation = Relation::Absent;
    case.proof.responses.cofactor = Some(Integer::new());
    assert!(matches!(HASHED.verify(&case), Err(Error::HashedAbsence)));
}

#[test]
fn a_forged_witness_is_refused() {
    let (world, rng) = (&*PRIME, &mut rng(22));
    let (_, set) = world.set(3);
    let accumulator = set.accumulate(&world.parameters);
    // Not in the set.
    let opening = Opening::random(value(world.kind, 5), rng);
    let witness = set.witness(&world.parameters, 1).unwrap();
    let honest = world.prover.prove_membership(&accumulator, &opening, &witness, rng);
    assert!(matches!(honest, Err(Error::Witness)));
    let forgery = Forgery {
        world,
        relation: Relation::Member,
        accumulator: &accumulator,
        opening: &opening,
        circuit_value: opening.value,
        integer: integer_of(&opening.value),
        witness: witness.0,
        cofactor: None,
    };
    assert!(matches!(world.verify(&forgery.case(rng)), Err(Error::IntegerEquations)));
}

/// A witness is of one set: of another, it is neither accepted by the prover nor by the verifier.
#[test]
fn a_witness_is_of_one_set() {
    let (world, rng) = (&*PRIME, &mut rng(26));
    let ((values, set), (_, other)) = (world.set(3), world.set(4));
    let accumulator = other.accumulate(&world.parameters);
    let opening = Opening::random(values[1], rng);
    let witness = set.witness(&world.parameters, 1).unwrap();
    let honest = world.prover.prove_membership(&accumulator, &opening, &witness, rng);
    assert!(matches!(honest, Err(Error::Witness)));
    let forgery = Forgery {
        world,
        relation: Relation::Member,
        accumulator: &accumulator,
        opening: &opening,
        circuit_value: opening.value,
        integer: integer_of(&opening.value),
        witness: witness.0,
        cofactor: None,
    };
    assert!(matches!(world.verify(&forgery.case(rng)), Err(Error::IntegerEquations)));
}

/// A member, said to be absent with the witness of a value that is.
#[test]
fn a_member_is_not_absent() {
    let (world, rng) = (&*PRIME, &mut rng(27));
    let (values, set) = world.set(3);
    let accumulator = set.accumulate(&world.parameters);
    let opening = Opening::random(values[1], rng);
    let AbsenceWitness { power, cofactor } =
        set.absence(&world.parameters, &value(world.kind, 3)).unwrap();
    let witness = AbsenceWitness { power: power.clone(), cofactor: cofactor.clone() };
    let honest = world.prover.prove_absence(&accumulator, &opening, &witness, rng);
    assert!(matches!(honest, Err(Error::Witness)));
    // And with one that is made up: V = G_0, b = 0.
    let trivial = (world.parameters.start.clone(), Integer::new());
    for (witness, cofactor) in [(power, cofactor), trivial] {
        let forgery = Forgery {
            world,
            relation: Relation::Absent,
            accumulator: &accumulator,
            opening: &opening,
            circuit_value: opening.value,
            integer: integer_of(&opening.value),
            witness,
            cofactor: Some(cofactor),
        };
        assert!(matches!(world.verify(&forgery.case(rng)), Err(Error::IntegerEquations)));
    }
}

/// The trivial root: `Acc = Acc^1`, and 1 divides everything.
#[test]
fn one_is_no_element() {
    let (world, rng) = (&*PRIME, &mut rng(23));
    let (_, set) = world.set(3);
    let accumulator = set.accumulate(&world.parameters);
    let opening = Opening::random(value(world.kind, 5), rng);
    let forgery = Forgery {
        world,
        relation: Relation::Member,
        accumulator: &accumulator,
        opening: &opening,
        circuit_value: opening.value,
        integer: Integer::from(1),
        witness: accumulator.value.clone(),
        cofactor: None,
    };
    assert!(world.verify(&forgery.case(rng)).is_err());
}

/// A prime of the set that is not the hash of the committed value: D of another value.
#[test]
fn a_prime_that_is_not_the_hash_is_refused() {
    let (world, rng) = (&*HASHED, &mut rng(24));
    let (values, set) = world.set(3);
    let accumulator = set.accumulate(&world.parameters);
    let opening = Opening::random(value(world.kind, 9), rng);
    let forgery = Forgery {
        world,
        relation: Relation::Member,
        accumulator: &accumulator,
        opening: &opening,
        circuit_value: values[1],
        integer: world.kind.prime(&values[1]).unwrap(),
        witness: set.witness(&world.parameters, 1).unwrap().0,
        cofactor: None,
    };
    assert!(matches!(world.verify(&forgery.case(rng)), Err(Error::ValueEquations)));
}

/// `A = α`, `B = β`, `D = −IC_0 − k·[δ]`, `C = k·[1]` satisfies the equation for every circuit; nobody
/// knows an opening of such a D.
#[test]
fn the_circuits_equation_alone_proves_nothing() {
    let mut case = PRIME.member(&mut rng(25));
    let key = &PRIME.prover.key().key;
    let k = Value::from_u64(5);
    let constant = Curve::from(key.verifying_key.ic[0]);
    let c = Curve::mul_generator(&k);
    let proof = Proof {
        a: key.verifying_key.alpha_g1,
        b: key.verifying_key.beta_g2,
        c: Curve::precompute(&[c])[0],
    };
    let commitment = -constant - Curve::from(key.delta_g1).mul(&k);
    let forged = CommittedProof { commitment, proof };
    let verifier: groth16::PreparedVerifyingKey<Bls12381> = key.prepare().unwrap();
    assert!(verifier.verify_committed(&forged).is_ok());
    case.proof.circuit = forged;
    assert!(matches!(PRIME.verify(&case), Err(Error::ValueEquations)));
}
