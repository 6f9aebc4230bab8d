//! Sonic, with and without a helper.

use ::snark::sonic::{
    GateSystem, Mode, Srs, Statement, VerifyingKey, advise, aggregate, prove, verify, verify_batch,
    verify_helped,
};
use algebra::{Engine, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem};
use cli::{failure::Failure, progress::Bars};
use wire::{Encode as _, Progress as _};

use super::plan::{Plan, Size, randomness};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured; counts are constraints, and proofs where
/// proofs are verified or helped.
pub fn measure<E: Engine>(
    system: ConstraintSystem<ScalarOf<E>>,
    circuit: &impl Circuit<ScalarOf<E>>,
    plan: Plan,
    recorder: &mut Recorder,
) -> Result<Size, Failure> {
    let (mut rng, bars) = (randomness(), Bars::new());
    let constraints = u64::from(system.header().constraints);

    bars.begin("setup", 1);
    let rows = system.constraints().iter().cloned();
    let gates = GateSystem::from_r1cs(&system.header(), rows).map_err(Failure::input)?;
    let witness = recorder.measure("witness", constraints, plan.repeat, || circuit.witness());
    if plan.peer {
        super::groth16::measure_proof::<E>(&system, &witness, plan, recorder)?;
    }
    drop(system);
    let shape = gates.shape();
    let srs = recorder.measure("setup", constraints, 1, || {
        Srs::<E>::insecure_dealer(shape, shape.degree() as u64, &mut rng).map_err(Failure::input)
    })?;
    let key = VerifyingKey::new(&srs, &gates).map_err(Failure::input)?;

    bars.begin("prove", plan.batch.into());
    let mut prove = || {
        bars.advance(1);
        prove(&srs, &gates, &witness, &mut rng).map_err(Failure::refused)
    };
    let proof = recorder.measure("prove", constraints, plan.repeat, &mut prove)?;
    let mut proofs = vec![proof.clone()];
    for _ in 1..plan.batch {
        proofs.push(prove()?);
    }
    // The witness begins with these; the verifier would refuse fewer.
    let inputs = witness.get(1..=gates.public()).unwrap_or_default();
    let statements: Vec<_> = proofs.iter().map(|proof| Statement { inputs, proof }).collect();

    bars.begin("help", plan.batch.into());
    let advice = recorder.measure("advice", plan.batch.into(), 1, || {
        let advise = |statement: &Statement<'_, E>| {
            bars.advance(1);
            advise(&srs, &gates, *statement)
        };
        statements.iter().map(advise).collect::<Result<Vec<_>, _>>().map_err(Failure::refused)
    })?;
    let modes = [("aggregate", Mode::Batched), ("agg-per-proof", Mode::PerProof)];
    let modes = modes.into_iter().take(if plan.per_proof { 2 } else { 1 });
    let mut aggregates = Vec::new();
    for (row, mode) in modes {
        aggregates.push(recorder.measure(row, plan.batch.into(), plan.repeat, || {
            aggregate(&srs, &gates, &statements, &advice, mode).map_err(Failure::refused)
        })?);
    }

    bars.begin("verify", 1);
    let statement = Statement { inputs, proof: &proof };
    recorder.measure("verify", 1, plan.repeat.max(10), || {
        verify(&key, &gates, statement, &mut rng).map_err(Failure::refused)
    })?;
    recorder.measure("verify-batch", plan.batch.into(), plan.repeat, || {
        verify_batch(&key, &gates, &statements, &mut rng).map_err(Failure::refused)
    })?;
    for (row, aggregate) in ["verify-helped", "helped-per-proof"].into_iter().zip(&aggregates) {
        recorder.measure(row, plan.batch.into(), plan.repeat, || {
            verify_helped(&key, &gates, &statements, &advice, aggregate, &mut rng)
                .map_err(Failure::refused)
        })?;
    }
    bars.finish();

    recorder.size("proof_bytes", proof.to_bytes().len());
    recorder
        .size("advice_bytes", advice.iter().take(1).map(|advice| advice.to_bytes().len()).sum());
    for (name, aggregate) in ["aggregate_bytes", "per_proof_bytes"].into_iter().zip(&aggregates) {
        recorder.size(name, aggregate.to_bytes().len());
    }
    let degree = shape.degree();
    Ok(Size::Sonic { gates: shape.gates, linear_constraints: shape.constraints, degree })
}
