//! What the files of a claim bear out.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Pairing, ScalarOf};
use chacha20::ChaCha20Rng;
use circuit::{Curve, json::public_from_json, synthesis::ConstraintSystem};
use claim::{Check, Explanation, Findings, Refusal, require_within};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use rayon::prelude::*;
use serde_json::Value as Json;
use wire::{Digest, Encode as _, FileHeader};

use super::{
    checks::{SN_1, SN_3, SN_4, SN_5, SN_6, SN_9, SN_10, SN_12},
    files::{CIRCUIT, CIRCUIT_LIMIT, Files, KEY, KEY_LIMIT, PROOF, PROOF_LIMIT},
    statement::{PUBLIC, require_counts, require_names, statement},
    system::System,
};
use crate::{
    FileFormat, gm17, groth16, pairing_of,
    sonic::{self, unhelped},
};

/// The key that was verified with, and the circuit where that was needed.
struct Verified {
    key: Digest,
    circuit: Option<Digest>,
}

/// Verifies all proofs.
///
/// # Errors
/// [`Refusal`] with the first thing that is wrong: of proofs, the first.
pub(super) fn check(files: &Files) -> Result<Findings, Refusal> {
    require_bounded(files)?;
    require_counts(files.proofs.len(), files.public.len())?;
    require_names(files)?;
    let (system, curve) = system_of(&files.key)?;
    if (system == System::Sonic) != files.circuit.is_some() {
        let reason = "verifies proofs of Sonic, and of no other system";
        return Err(Refusal::new(CIRCUIT, reason).under(SN_10));
    }
    let (verify, curve) = match curve {
        Curve::Bn254 => (verify::<Bn254> as fn(_, &_) -> _, <Bn254 as Pairing>::NAME),
        Curve::Bls12381 => (verify::<Bls12381> as fn(_, &_) -> _, <Bls12381 as Pairing>::NAME),
    };
    let Verified { key, circuit } = verify(system, files)?;
    let checks =
        vec![Check::new(format!("proofs of {}", system.name()), files.proofs.len() as u64)];
    let statement = statement(system, curve, key, circuit, files);
    Ok(Findings::new(statement, checks).explained(explain(system, files)))
}

/// The checks of proofs that hold.
fn explain(system: System, files: &Files) -> Explanation {
    let proofs = files.proofs.len();
    let mut held = Explanation::new()
        .with(SN_9, "lists of public inputs, one for each proof", files.public.len())
        .with(SN_9, "names of public inputs", files.names.as_ref().map_or(0, Vec::len))
        .with(SN_10, format!("key of {}", system.name()), 1)
        .with(system.keys(), "points of the key, as the system requires", 1)
        .with(SN_1, "public inputs, below the order", files.public.iter().map(Vec::len).sum());
    if system == System::Groth16 {
        held.put(SN_3, "proofs of points in the subgroups, none neutral", proofs);
    }
    held.put(system.equation(), "proofs, in one random combination of their equations", proofs);
    held.put(SN_12, "statement, as the files bear it out", 1);
    held
}

/// What is larger than a verifier would read is not published.
fn require_bounded(Files { key, proofs, circuit, .. }: &Files) -> Result<(), Refusal> {
    let parts = [(KEY, key, KEY_LIMIT)].into_iter();
    let parts = parts.chain(proofs.iter().map(|proof| (PROOF, proof, PROOF_LIMIT)));
    let mut parts = parts.chain(circuit.iter().map(|circuit| (CIRCUIT, circuit, CIRCUIT_LIMIT)));
    parts.try_for_each(|(role, bytes, limit)| require_within(role, bytes, limit))
}

/// Which system and curve a key is of: JSON is of Groth16, and our own files say it.
fn system_of(key: &[u8]) -> Result<(System, Curve), Refusal> {
    let unknown = |what: &str| Refusal::new(KEY, format!("{what} is not known")).under(SN_10);
    let own: [(FileHeader, System); 3] = [
        (<gm17::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::Gm17),
        (<sonic::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::Sonic),
        (<unhelped::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::SonicUnhelped),
    ];
    if let Some((_, system)) = own.iter().find(|(header, _)| key.starts_with(&header.to_bytes())) {
        let refused = |error: wire::DecodeError| Refusal::new(KEY, error.to_string()).under(SN_10);
        let name = pairing_of(key).map_err(refused)?;
        return match name {
            name if name == <Bn254 as Pairing>::NAME => Ok((*system, Curve::Bn254)),
            name if name == <Bls12381 as Pairing>::NAME => Ok((*system, Curve::Bls12381)),
            _ => Err(unknown("its curve")),
        };
    }
    let json: Json = serde_json::from_slice(key).map_err(|_| unknown("this form of a key"))?;
    let name = json.get("curve").and_then(Json::as_str);
    let curve = Curve::ALL.into_iter().find(|curve| Some(curve.snarkjs_name()) == name);
    Ok((System::Groth16, curve.ok_or_else(|| unknown("its curve"))?))
}

fn verify<E: Engine>(system: System, files: &Files) -> Result<Verified, Refusal> {
    let inputs = inputs::<E>(&files.public)?;
    // The data are fixed: nobody who made them foresees the weights.
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    match system {
        System::Groth16 => groth16::<E>(files, &inputs, &mut rng),
        System::Gm17 => gm17::<E>(files, &inputs, &mut rng),
        System::Sonic => sonic::<E>(files, &inputs, &mut rng),
        System::SonicUnhelped => unhelped::<E>(files, &inputs, &mut rng),
    }
}

fn groth16<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let system = System::Groth16;
    let key = text(&files.key).and_then(|text| read(groth16::VerifyingKey::<E>::from_json(text)));
    let key = key.map_err(bad_key(system))?;
    let verifier = groth16::PreparedVerifyingKey::new(&key);
    let verifier = verifier.map_err(|error| bad_key(system)(error.to_string()))?;
    // The batch checks the subgroups of all points together.
    let on_curve = |bytes: &_| read(groth16::Proof::<E>::from_json_on_curve(text(bytes)?));
    let proofs = proofs(system, files, on_curve)?.into_iter();
    let statements: Vec<_> = inputs.iter().map(Vec::as_slice).zip(proofs).collect();
    verifier.verify_batch(&statements, rng).map_err(of_groth16)?;
    Ok(Verified { key: key.digest(), circuit: None })
}

fn gm17<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let key = read(gm17::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(bad_key(System::Gm17))?;
    let proofs = proofs(System::Gm17, files, |bytes| read(gm17::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| gm17::Statement { inputs, proof }).collect();
    gm17::verify_batch(&key, &statements, rng).map_err(|error| {
        let (check, index) = match error {
            gm17::Error::False { index } => (SN_6, Some(index as u64)),
            gm17::Error::Inputs { index, .. } => (SN_1, Some(index as u64)),
            _ => (SN_5, None),
        };
        Refusal { index, ..Refusal::new(PROOF, error.to_string()) }.under(check)
    })?;
    Ok(Verified { key: key.digest(), circuit: None })
}

fn sonic<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    // `check` has refused a claim about Sonic without its circuit; no bytes would be no circuit.
    let bytes = files.circuit.as_deref().unwrap_or_default();
    let system = read(ConstraintSystem::read::<E>(&mut Cursor::new(bytes))).and_then(|system| {
        let rows = system.constraints().iter().cloned();
        read(sonic::GateSystem::from_r1cs(&system.header(), rows))
    });
    let system = system.map_err(|reason| Refusal::new(CIRCUIT, reason).under(SN_10))?;
    let key = read(sonic::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(bad_key(System::Sonic))?;
    let proofs = proofs(System::Sonic, files, |bytes| read(sonic::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| sonic::Statement { inputs, proof }).collect();
    sonic::verify_batch(&key, &system, &statements, rng).map_err(of_sonic(System::Sonic))?;
    Ok(Verified { key: key.digest(), circuit: Some(key.circuit()) })
}

fn unhelped<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let key = read(unhelped::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(bad_key(System::SonicUnhelped))?;
    let proofs =
        proofs(System::SonicUnhelped, files, |bytes| read(unhelped::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| unhelped::Statement { inputs, proof }).collect();
    let verified = unhelped::verify_batch(&key, &statements, rng);
    verified.map_err(of_sonic(System::SonicUnhelped))?;
    Ok(Verified { key: key.digest(), circuit: None })
}

/// What is wrong with a key.
fn bad_key(system: System) -> impl Fn(String) -> Refusal {
    move |reason| Refusal::new(KEY, reason).under(system.keys())
}

/// What is wrong with a proof of Groth16, and with which.
fn of_groth16(error: groth16::Error) -> Refusal {
    use groth16::Error;
    match error {
        Error::Batch { index, reason } => {
            let check = match *reason {
                Error::PublicLen { .. } => SN_1,
                Error::ProofPoint { .. } => SN_3,
                _ => SN_4,
            };
            Refusal::new(PROOF, reason.to_string()).at(index as u64).under(check)
        }
        other => bad_key(System::Groth16)(other.to_string()),
    }
}

/// What is wrong with a proof of either form of Sonic, and with which.
fn of_sonic(system: System) -> impl Fn(sonic::Error) -> Refusal {
    use sonic::{Claim, Error};
    move |error| {
        let (phase, check, index) = match error {
            Error::Circuit => (KEY, SN_10, None),
            Error::Inputs { index, .. } => (PROOF, SN_1, Some(index as u64)),
            Error::False(
                Claim::Proof { index } | Claim::Permutation { index } | Claim::Powers { index },
            ) => (PROOF, system.equation(), Some(index as u64)),
            _ => (PROOF, system.equation(), None),
        };
        Refusal { index, ..Refusal::new(phase, error.to_string()) }.under(check)
    }
}

/// The public inputs of every proof, reduced.
fn inputs<E: Engine>(public: &[Vec<String>]) -> Result<Vec<Vec<ScalarOf<E>>>, Refusal> {
    let list = |(values, index): (&Vec<String>, u64)| {
        let json = Json::from(values.as_slice()).to_string();
        let refused = |error: circuit::Error| Refusal::new(PUBLIC, error.to_string()).at(index);
        public_from_json(&json).map_err(|error| refused(error).under(SN_1))
    };
    public.iter().zip(0..).map(list).collect()
}

/// All proofs, or what is wrong with the first that cannot be read.
fn proofs<P: Send>(
    system: System,
    files: &Files,
    read: impl Fn(&[u8]) -> Result<P, String> + Sync,
) -> Result<Vec<P>, Refusal> {
    let proofs: Vec<_> = files.proofs.par_iter().map(|bytes| read(bytes)).collect();
    let refused = |(proof, index): (Result<P, String>, u64)| {
        let refused = |reason| Refusal::new(PROOF, reason).at(index).under(system.encodings());
        proof.map_err(refused)
    };
    proofs.into_iter().zip(0..).map(refused).collect()
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    read(std::str::from_utf8(bytes))
}

fn read<T>(result: Result<T, impl ToString>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
