//! GM17.

use ::snark::gm17::{SquareProgram, Statement, insecure_dealer, prove, verify, verify_batch};
use algebra::{Engine, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem};
use cli::{failure::Failure, progress::Bars};
use wire::{Encode as _, Progress as _};

use super::plan::{Plan, Size, randomness};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured; counts are constraints, and proofs where
/// proofs are verified. A batch is one proof over and over, which costs what different ones do.
pub fn measure<E: Engine>(
    system: ConstraintSystem<ScalarOf<E>>,
    circuit: &impl Circuit<ScalarOf<E>>,
    plan: Plan,
    recorder: &mut Recorder,
) -> Result<Size, Failure> {
    let (mut rng, bars) = (randomness(), Bars::new());
    let constraints = u64::from(system.header().constraints);

    bars.begin("setup", 1);
    let (program, key) = recorder.measure("setup", constraints, 1, || {
        let rows = system.constraints().iter().cloned();
        let program = SquareProgram::from_r1cs(&system.header(), rows).map_err(Failure::input)?;
        let key = insecure_dealer::<E>(&program, &mut rng).map_err(Failure::input)?;
        Ok::<_, Failure>((program, key))
    })?;
    drop(system);

    bars.begin("prove", 1);
    let witness = recorder.measure("witness", constraints, plan.repeat, || circuit.witness());
    let proof = recorder.measure("prove", constraints, plan.repeat, || {
        prove(&key, &program, &witness, &mut rng).map_err(Failure::refused)
    })?;

    bars.begin("verify", 1);
    // The witness begins with these; the verifier would refuse fewer.
    let inputs = witness.get(1..=program.public()).unwrap_or_default();
    let statement = Statement { inputs, proof: &proof };
    recorder.measure("verify", 1, plan.repeat.max(10), || {
        verify(key.verifying_key(), statement, &mut rng).map_err(Failure::refused)
    })?;
    let batch = vec![statement; plan.batch as usize];
    recorder.measure("verify-batch", plan.batch.into(), plan.repeat, || {
        verify_batch(key.verifying_key(), &batch, &mut rng).map_err(Failure::refused)
    })?;
    bars.finish();

    recorder.size("proof_bytes", proof.to_bytes().len());
    Ok(Size::Domain { domain_size: program.rows().next_power_of_two() })
}
