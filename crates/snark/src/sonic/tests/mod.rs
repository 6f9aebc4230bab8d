//! Circuits and keys for the tests.

pub mod attacks;
mod completeness;
pub mod hostile;
mod pieces;
pub mod soundness;

use algebra::{Engine, Scalar, ScalarOf};

use super::*;
pub use crate::test_circuit::{TestCircuit as Circuit, rng, test_circuit as circuit};

fn system<S: Scalar>(circuit: &Circuit<S>) -> GateSystem<S> {
    GateSystem::from_r1cs(&circuit.header, circuit.constraints.clone()).unwrap()
}

/// A circuit with everything to prove it.
pub struct Setup<E: Engine> {
    pub circuit: Circuit<ScalarOf<E>>,
    pub system: GateSystem<ScalarOf<E>>,
    pub srs: Srs<E>,
    pub key: VerifyingKey<E>,
}

impl<E: Engine> Setup<E> {
    pub fn new(circuit: Circuit<ScalarOf<E>>, seed: u8) -> Self {
        let system = system(&circuit);
        let shape = system.shape();
        let srs = Srs::insecure_dealer(shape, shape.degree() as u64, &mut rng(seed)).unwrap();
        let key = VerifyingKey::new(&srs, &system).unwrap();
        Self { circuit, system, srs, key }
    }

    pub fn prove(&self, seed: u8) -> Proof<E> {
        prove(&self.srs, &self.system, &self.circuit.witness, &mut rng(seed)).unwrap()
    }

    pub fn verify(&self, inputs: &[ScalarOf<E>], proof: &Proof<E>) -> Result<(), Error> {
        verify(&self.key, &self.system, Statement { inputs, proof }, &mut rng(99))
    }

    pub fn statements<'a>(&'a self, proofs: &'a [Proof<E>]) -> Vec<Statement<'a, E>> {
        proofs.iter().map(|proof| Statement { inputs: self.circuit.inputs(), proof }).collect()
    }

    pub fn advise(&self, statements: &[Statement<'_, E>]) -> Vec<Advice<E>> {
        let advise = |statement| advise(&self.srs, &self.system, statement).unwrap();
        statements.iter().copied().map(advise).collect()
    }
}
