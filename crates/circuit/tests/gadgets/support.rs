//! What every gadget is checked for.

use algebra::{Bn254, Scalar, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem, Synthesizer};

pub type S = ScalarOf<Bn254>;

/// A circuit from a function.
pub struct Of<F>(pub F);

impl<F: Fn(&mut Synthesizer<S>)> Circuit<S> for Of<F> {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        (self.0)(cs);
    }
}

/// Checks that the witness satisfies the system, and that it satisfies it no more when a wire is
/// changed, for every `step`-th wire. Returns the system and the public outputs.
pub fn check(circuit: &impl Circuit<S>, step: usize) -> (ConstraintSystem<S>, Vec<S>) {
    let system = circuit.constraint_system();
    let mut witness = circuit.witness();
    assert_eq!(system.first_unsatisfied(&witness), None);
    for wire in (1..witness.len()).step_by(step) {
        witness[wire] += S::one();
        assert!(system.first_unsatisfied(&witness).is_some(), "wire {wire} is free");
        witness[wire] -= S::one();
    }
    let outputs = system.header().public_outputs as usize;
    (system, witness[1..=outputs].to_vec())
}

/// The bits of a scalar, the least significant first.
pub fn bits(scalar: S) -> Vec<bool> {
    let bytes = scalar.encode();
    bytes.iter().flat_map(|byte| (0..8).map(move |shift| byte >> shift & 1 == 1)).collect()
}
