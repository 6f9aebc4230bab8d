//! Circuits and keys for the tests.

mod completeness;
mod hostile;
mod identities;
mod soundness;

use algebra::{Engine, Scalar, ScalarOf};

use super::*;
use crate::{
    sonic::Error,
    test_circuit::{TestCircuit as Circuit, rng, test_circuit as circuit},
};

fn system<S: Scalar>(circuit: &Circuit<S>) -> PermutedSystem<S> {
    PermutedSystem::from_r1cs(&circuit.header, circuit.constraints.clone()).unwrap()
}

/// A circuit with everything to prove it.
struct Setup<E: Engine> {
    circuit: Circuit<ScalarOf<E>>,
    system: PermutedSystem<ScalarOf<E>>,
    srs: Srs<E>,
    key: VerifyingKey<E>,
}

impl<E: Engine> Setup<E> {
    fn new(circuit: Circuit<ScalarOf<E>>, seed: u8) -> Self {
        let system = system(&circuit);
        let degree = system.degree() as u64;
        let srs = Srs::insecure_dealer(&system, degree, &mut rng(seed)).unwrap();
        let key = VerifyingKey::new(&srs, &system).unwrap();
        Self { circuit, system, srs, key }
    }

    fn prove(&self, seed: u8) -> Proof<E> {
        self.prove_witness(&self.circuit.witness, seed).unwrap()
    }

    fn prove_witness(&self, witness: &[ScalarOf<E>], seed: u8) -> Result<Proof<E>, Error> {
        prove(&self.srs, &self.system, &self.key, witness, &mut rng(seed))
    }

    fn verify(&self, inputs: &[ScalarOf<E>], proof: &Proof<E>) -> Result<(), Error> {
        verify(&self.key, Statement { inputs, proof }, &mut rng(99))
    }

    fn verify_honest_inputs(&self, proof: &Proof<E>) -> Result<(), Error> {
        self.verify(self.circuit.inputs(), proof)
    }
}
