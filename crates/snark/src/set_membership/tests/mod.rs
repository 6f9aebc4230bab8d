//! What all tests take: keys of both circuits, made once.

mod attacks;
mod bundles;
mod completeness;
mod hostile;
mod soundness;

use std::sync::LazyLock;

use algebra::{Bls12381, Scalar};
use rand_chacha::ChaCha20Rng;

use super::*;
pub(super) use crate::test_circuit::{rng, stray};

/// What proofs of one kind of elements take.
pub(super) struct World {
    pub parameters: Parameters,
    pub kind: ElementKind,
    pub prover: Prover,
    pub verifier: SetVerifier,
}

impl World {
    fn new(kind: ElementKind) -> Self {
        Self::of_ceremony(kind, 1)
    }

    /// With the key that this seed gives.
    pub fn of_ceremony(kind: ElementKind, seed: u8) -> Self {
        let parameters = Parameters::rsa_2048();
        let system = kind.constraint_system();
        let key = crate::groth16::insecure_dealer::<Bls12381>(&system, &mut rng(seed)).unwrap();
        let prover = Prover::new(parameters.clone(), kind, key).unwrap();
        let verifier = SetVerifier::new(parameters.clone(), prover.key().clone()).unwrap();
        Self { parameters, kind, prover, verifier }
    }

    /// The first elements of a sequence.
    pub fn set(&self, len: u64) -> (Vec<Value>, ElementSet) {
        let values: Vec<Value> = (0..len).map(|index| value(self.kind, index)).collect();
        let set = ElementSet::new(self.kind, &values).unwrap();
        (values, set)
    }

    /// A statement about one element of a set of three, its commitment's opening and a proof.
    pub fn member(&self, rng: &mut ChaCha20Rng) -> Case {
        let (values, set) = self.set(3);
        let (accumulator, opening) =
            (set.accumulate(&self.parameters), Opening::random(values[1], rng));
        let witness = set.witness(&self.parameters, 1).unwrap();
        let proof = self.prover.prove_membership(&accumulator, &opening, &witness, rng).unwrap();
        Case { relation: Relation::Member, accumulator, opening, proof }
    }

    /// The same of a value that is in no set.
    pub fn absent(&self, rng: &mut ChaCha20Rng) -> Case {
        let (_, set) = self.set(3);
        let opening = Opening::random(value(self.kind, 3), rng);
        let accumulator = set.accumulate(&self.parameters);
        let witness = set.absence(&self.parameters, &opening.value).unwrap();
        let proof = self.prover.prove_absence(&accumulator, &opening, &witness, rng).unwrap();
        Case { relation: Relation::Absent, accumulator, opening, proof }
    }

    pub fn verify(&self, case: &Case) -> Result<(), Error> {
        let commitment = case.opening.commitment(&self.parameters);
        self.verifier.verify(case.relation, &case.accumulator, &commitment, &case.proof)
    }
}

#[derive(Clone)]
pub(super) struct Case {
    pub relation: Relation,
    pub accumulator: Accumulator,
    pub opening: Opening,
    pub proof: SetProof,
}

pub(super) static HASHED: LazyLock<World> = LazyLock::new(|| World::new(ElementKind::Hashed));
pub(super) static PRIME: LazyLock<World> = LazyLock::new(|| World::new(ElementKind::Prime));

/// Element `index` of a sequence: for primes, the hashed prime of the index.
pub(super) fn value(kind: ElementKind, index: u64) -> Value {
    let value = Value::from_u64(100 + index);
    match kind {
        ElementKind::Hashed => value,
        ElementKind::Prime => params::value_of(&ElementKind::Hashed.prime(&value).unwrap()),
    }
}
