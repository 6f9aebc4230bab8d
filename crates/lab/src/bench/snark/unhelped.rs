//! Sonic whose verifier needs no circuit.

use ::snark::sonic::unhelped::{
    PermutedSystem, Srs, Statement, VerifyingKey, prove, verify, verify_batch,
};
use algebra::{Engine, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem};
use cli::{failure::Failure, progress::Bars};
use wire::{Encode as _, Progress as _};

use super::plan::{Plan, Size, randomness};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured; counts are constraints, and proofs where proofs
/// are verified.
pub fn measure<E: Engine>(
    system: ConstraintSystem<ScalarOf<E>>,
    circuit: &impl Circuit<ScalarOf<E>>,
    plan: Plan,
    recorder: &mut Recorder,
) -> Result<Size, Failure> {
    let (mut rng, bars) = (randomness(), Bars::new());
    let constraints = u64::from(system.header().constraints);

    bars.begin("setup", 1);
    let permuted = recorder.measure("rewrite", constraints, 1, || {
        let rows = system.constraints().iter().cloned();
        PermutedSystem::from_r1cs(&system.header(), rows).map_err(Failure::input)
    })?;
    drop(system);
    let degree = permuted.degree();
    let srs = recorder.measure("setup", constraints, 1, || {
        Srs::<E>::insecure_dealer(&permuted, degree as u64, &mut rng).map_err(Failure::input)
    })?;
    let key = recorder.measure("key", constraints, 1, || {
        VerifyingKey::new(&srs, &permuted).map_err(Failure::input)
    })?;

    bars.begin("prove", 1);
    let witness = recorder.measure("witness", constraints, plan.repeat, || circuit.witness());
    let proof = recorder.measure("prove", constraints, plan.repeat, || {
        prove(&srs, &permuted, &key, &witness, &mut rng).map_err(Failure::refused)
    })?;

    bars.begin("verify", 1);
    // The witness begins with these; the verifier would refuse fewer.
    let inputs = witness.get(1..=permuted.public()).unwrap_or_default();
    let statement = Statement { inputs, proof: &proof };
    recorder.measure("verify", 1, plan.repeat.max(10), || {
        verify(&key, statement, &mut rng).map_err(Failure::refused)
    })?;
    let statements = vec![statement; plan.batch as usize];
    recorder.measure("verify-batch", plan.batch.into(), plan.repeat, || {
        verify_batch(&key, &statements, &mut rng).map_err(Failure::refused)
    })?;
    bars.finish();

    recorder.size("proof_bytes", proof.to_bytes().len());
    recorder.size("key_bytes", key.to_bytes().len());
    let (gates, linear_constraints) = (permuted.gates(), permuted.constraints());
    Ok(Size::Sonic { gates, linear_constraints, degree })
}
