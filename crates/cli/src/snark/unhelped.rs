//! Sonic whose verifier needs no circuit: `--system sonic-unhelped`.

use std::{fs::File, path::Path};

use ::circuit::synthesis::ConstraintSystem;
use ::snark::{
    FileFormat as _,
    sonic::{
        Error,
        unhelped::{PermutedSystem, Srs, Statement, VerifyingKey, prove, verify},
    },
};
use algebra::{Engine, ScalarOf};
use wire::Digest;

use super::{
    circuit::{BuiltInArgs, CircuitArgs, WitnessArgs, system},
    native::{check, curve_of, malformed, randomness, read, require_same, srs_failure, write},
    report::{Made, Results, SonicCircuit},
};
use crate::{failure::Failure, output::Output};

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
    Srs::read(system, &mut file, &mut randomness()).map_err(|error| srs_failure(path, error))
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
    let circuit = sonic_circuit::<E>(&system, key.degree(), key.circuit());
    circuit.show_key(key.srs(), key.digest(), verification_key, output);
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
        Error::Malformed => malformed(srs, error),
        Error::Circuit => Failure::file(key, "it belongs to another circuit or reference string"),
        other => Failure::input(other),
    })?;
    // `prove` has refused a witness of another length.
    let inputs = wires.get(1..=system.public()).unwrap_or_default();
    let key = verifying_key.to_file();
    results.write::<E>(Made { proof: proof.to_file(), inputs, key, circuit: None }, output)
}

/// Checks a proof, `files` after the public inputs, without the circuit. With a reference string, the
/// key is made again of it and the circuit.
pub fn verify_unhelped<E: Engine>(
    (r1cs, built_in): (Option<&Path>, &BuiltInArgs),
    (path, srs): (&Path, Option<&Path>),
    files: (&Path, &Path),
    output: &Output,
) -> Result<(), Failure> {
    let key: VerifyingKey<E> = read::<E, _>(path)?;
    if let Some(srs) = srs {
        let permuted = permuted::<E>(&system::<E>(r1cs, built_in)?)?;
        let made = VerifyingKey::new(&read_srs::<E>(&permuted, srs)?, &permuted);
        require_same(path, &key, &made.map_err(Failure::input)?)?;
    }
    check::<E, _, _>(files, Some(key.digest()), output, |inputs, proof| {
        verify(&key, Statement { inputs, proof }, &mut randomness())
    })
}

/// The size of a circuit, and the reference string that it takes.
pub fn info<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    output: &Output,
) -> Result<(), Failure> {
    let system = permuted::<E>(system)?;
    sonic_circuit::<E>(&system, system.degree() as u64, system.digest()).show(output);
    Ok(())
}

fn sonic_circuit<E: Engine>(
    system: &PermutedSystem<ScalarOf<E>>,
    degree: u64,
    digest: Digest,
) -> SonicCircuit {
    SonicCircuit {
        curve: E::SNARKJS_NAME,
        gates: system.gates(),
        loose: None,
        linear_constraints: system.constraints(),
        public: system.public(),
        degree,
        circuit: digest.to_string(),
    }
}
