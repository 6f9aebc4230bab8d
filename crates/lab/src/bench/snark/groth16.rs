//! Groth16.

use ::snark::groth16::{PreparedVerifyingKey, Proof, ProvingKey, insecure_dealer};
use algebra::{Engine, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem};
use cli::{failure::Failure, progress::Bars};
use rand_chacha::ChaCha20Rng;
use wire::{Encode as _, Progress as _};

use super::plan::{Plan, Size, randomness};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured; counts are constraints, and proofs where
/// proofs are verified.
pub fn measure<E: Engine>(
    system: ConstraintSystem<ScalarOf<E>>,
    circuit: &impl Circuit<ScalarOf<E>>,
    plan: Plan,
    recorder: &mut Recorder,
) -> Result<Size, Failure> {
    let (mut rng, bars) = (randomness(), Bars::new());
    let constraints = u64::from(system.header().constraints);

    bars.begin("setup", 1);
    let key = recorder.measure("setup", constraints, 1, || {
        insecure_dealer::<E>(&system, &mut rng).map_err(Failure::input)
    })?;
    drop(system);

    bars.begin("prove", 1);
    let witness = recorder.measure("witness", constraints, plan.repeat, || circuit.witness());
    let proof = recorder.measure("prove", constraints, plan.repeat, || {
        key.prove(&witness, &mut rng).map_err(Failure::refused)
    })?;

    bars.begin("verify", 1);
    // The witness begins with these; the verifier would refuse fewer.
    let public = witness.get(1..=key.public()).unwrap_or_default();
    let verifier = PreparedVerifyingKey::new(key.verifying_key()).map_err(Failure::input)?;
    recorder.measure("verify", 1, plan.repeat.max(10), || {
        verifier.verify(public, &proof).map_err(Failure::refused)
    })?;
    let proofs = copies(&key, &proof, plan.batch, &mut rng)?;
    let batch: Vec<_> = proofs.iter().map(|proof| (public, proof.clone())).collect();
    recorder.measure("verify-batch", plan.batch.into(), plan.repeat, || {
        verifier.verify_batch(&batch, &mut rng).map_err(Failure::refused)
    })?;
    bars.finish();

    recorder.size("proof_bytes", proof.to_bytes().len());
    Ok(Size::Domain { domain_size: key.domain_size() })
}

/// The row of a proof alone, beside those of another system.
pub fn measure_proof<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    witness: &[ScalarOf<E>],
    plan: Plan,
    recorder: &mut Recorder,
) -> Result<(), Failure> {
    let mut rng = randomness();
    let constraints = u64::from(system.header().constraints);
    let key = insecure_dealer::<E>(system, &mut rng).map_err(Failure::input)?;
    recorder.measure("groth16-prove", constraints, plan.repeat, || {
        key.prove(witness, &mut rng).map_err(Failure::refused)
    })?;
    Ok(())
}

/// Different proofs of one statement, at the price of a few multiplications each.
pub fn copies<E: Engine>(
    key: &ProvingKey<E>,
    proof: &Proof<E>,
    count: u32,
    rng: &mut ChaCha20Rng,
) -> Result<Vec<Proof<E>>, Failure> {
    let copy = |_| ::snark::groth16::rerandomise(key.verifying_key(), proof, rng);
    (0..count).map(copy).collect::<Result<_, _>>().map_err(Failure::refused)
}
