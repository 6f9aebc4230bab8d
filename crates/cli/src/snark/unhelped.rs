//! Sonic whose verifier needs no circuit: `--system sonic-unhelped`.

use std::{fs::File, path::Path};

use ::circuit::synthesis::ConstraintSystem;
use ::snark::sonic::{
    Error,
    unhelped::{PermutedSystem, Proof, Srs, Statement, VerifyingKey, prove, verify},
};
use algebra::{Engine, ScalarOf};
use serde_json::json;

use super::{
    circuit::{CircuitArgs, WitnessArgs},
    native::{Results, curve_of, public_inputs, randomness, read, srs_failure, verified, write},
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

fn permuted<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
) -> Result<PermutedSystem<ScalarOf<E>>, Failure> {
    let rows = system.constraints().iter().cloned();
    PermutedSystem::from_r1cs(&system.header(), rows).map_err(Failure::input)
}

fn read_srs<E: Engine>(
    system: &PermutedSystem<ScalarOf<E>>,
    path: &Path,
) -> Result<Srs<E>, Failure> {
    let mut file = File::open(path).map_err(|error| Failure::file(path, error))?;
    Srs::read(system, &mut file).map_err(|error| srs_failure(path, error))
}

/// The circuit key under a reference string. There is no secret.
pub fn setup<E: Engine>(
    circuit: &CircuitArgs,
    srs: &Path,
    verification_key: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let system = permuted::<E>(&circuit.system::<E>()?)?;
    let key = VerifyingKey::new(&read_srs::<E>(&system, srs)?, &system).map_err(Failure::input)?;
    write::<E, _>(verification_key, &key)?;
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "gates": system.gates(),
        "linear_constraints": system.constraints(),
        "public": system.public(),
        "degree": key.degree(),
        "circuit": key.circuit().to_string(),
        "srs": key.srs().to_string(),
        "verification_key": verification_key,
    });
    output.result(&object, || {
        vec![
            format!("{} gates, circuit {}", system.gates(), key.circuit()),
            format!("reference string of degree {}, {}", key.degree(), key.srs()),
            format!("verification key: {}", verification_key.display()),
        ]
    });
    Ok(())
}

/// A proof.
pub fn prove_unhelped<E: Engine>(
    witness: &WitnessArgs,
    r1cs: Option<&Path>,
    (srs, key): (&Path, &Path),
    results: &Results<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let system = permuted::<E>(&witness.system::<E>(r1cs)?)?;
    let wires = witness.witness::<E>(curve_of(srs)?)?;
    let verifying_key: VerifyingKey<E> = read::<E, _>(key)?;
    let strings = read_srs::<E>(&system, srs)?;
    let proof = prove(&strings, &system, &verifying_key, &wires, &mut randomness());
    let proof = proof.map_err(|error| match error {
        Error::Unsatisfied => Failure::refused(error),
        Error::Circuit => Failure::file(key, "of another circuit or reference string"),
        other => Failure::input(other),
    })?;
    results.write::<E, _>(&proof, wires.get(1..=system.public()).unwrap_or_default(), output)
}

/// Checks a proof, without the circuit.
pub fn verify_unhelped<E: Engine>(
    key: &Path,
    public: &Path,
    proof: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let key: VerifyingKey<E> = read::<E, _>(key)?;
    let inputs = public_inputs::<E>(public)?;
    let proof: Proof<E> = read::<E, _>(proof)?;
    let statement = Statement { inputs: &inputs, proof: &proof };
    verify(&key, statement, &mut randomness()).map_err(Failure::refused)?;
    verified::<E>(inputs.len(), output);
    Ok(())
}

/// The size of a circuit, and the reference string that it takes.
pub fn info<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    output: &Output,
) -> Result<(), Failure> {
    let system = permuted::<E>(system)?;
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "gates": system.gates(),
        "linear_constraints": system.constraints(),
        "public": system.public(),
        "degree": system.degree(),
        "circuit": system.digest().to_string(),
    });
    output.result(&object, || {
        vec![
            format!("curve               {}", E::SNARKJS_NAME),
            format!("gates               {}", output::count(system.gates() as u64)),
            format!("linear constraints  {}", output::count(system.constraints() as u64)),
            format!("public              {}", output::count(system.public() as u64)),
            format!("least degree        {}", output::count(system.degree() as u64)),
            format!("circuit             {}", system.digest()),
        ]
    });
    Ok(())
}
