//! What the files of a claim bear out.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Pairing, ScalarOf};
use chacha20::ChaCha20Rng;
use circuit::{Curve, json::public_from_json, synthesis::ConstraintSystem};
use claim::{Check, Findings, Refusal};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use rayon::prelude::*;
use serde_json::Value as Json;
use wire::{Digest, Encode as _, FileHeader};

use super::{
    CIRCUIT, CIRCUIT_LIMIT, Files, KEY, KEY_LIMIT, PROOF, PROOF_LIMIT,
    statement::{PUBLIC, require_counts, require_names, statement},
};
use crate::{
    FileFormat, gm17, groth16, pairing_of,
    sonic::{self, unhelped},
};

/// A proof system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Groth16,
    Gm17,
    Sonic,
    SonicUnhelped,
}

impl System {
    /// As `snark prove --system` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groth16 => "groth16",
            Self::Gm17 => "gm17",
            Self::Sonic => "sonic",
            Self::SonicUnhelped => "sonic-unhelped",
        }
    }
}

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
        return Err(Refusal::new(CIRCUIT, "verifies proofs of Sonic, and of no other system"));
    }
    let (verify, curve) = match curve {
        Curve::Bn254 => (verify::<Bn254> as fn(_, &_) -> _, <Bn254 as Pairing>::NAME),
        Curve::Bls12381 => (verify::<Bls12381> as fn(_, &_) -> _, <Bls12381 as Pairing>::NAME),
    };
    let Verified { key, circuit } = verify(system, files)?;
    let checks =
        vec![Check::new(format!("proofs of {}", system.name()), files.proofs.len() as u64)];
    Ok(Findings { statement: statement(system, curve, key, circuit, files), checks })
}

/// What is larger than a verifier would read is not published.
fn require_bounded(Files { key, proofs, circuit, .. }: &Files) -> Result<(), Refusal> {
    let parts = [(KEY, key, KEY_LIMIT)].into_iter();
    let parts = parts.chain(proofs.iter().map(|proof| (PROOF, proof, PROOF_LIMIT)));
    let mut parts = parts.chain(circuit.iter().map(|circuit| (CIRCUIT, circuit, CIRCUIT_LIMIT)));
    match parts.find(|(_, bytes, limit)| bytes.len() as u64 > *limit) {
        Some((role, _, limit)) => {
            Err(Refusal::new(role, format!("over the limit of {limit} bytes")))
        }
        None => Ok(()),
    }
}

/// Which system and curve a key is of: JSON is of Groth16, and our own files say it.
fn system_of(key: &[u8]) -> Result<(System, Curve), Refusal> {
    let unknown = |what: &str| Refusal::new(KEY, format!("{what} is not known"));
    let own: [(FileHeader, System); 3] = [
        (<gm17::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::Gm17),
        (<sonic::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::Sonic),
        (<unhelped::VerifyingKey<Bn254> as FileFormat<Bn254>>::HEADER, System::SonicUnhelped),
    ];
    if let Some((_, system)) = own.iter().find(|(header, _)| key.starts_with(&header.to_bytes())) {
        let name = pairing_of(key).map_err(|error| Refusal::new(KEY, error.to_string()))?;
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
    let wrong = |error: groth16::Error| match error {
        groth16::Error::Batch { index, reason } => {
            Refusal::new(PROOF, reason.to_string()).at(index as u64)
        }
        other => Refusal::new(KEY, other.to_string()),
    };
    let key = text(&files.key).and_then(|text| read(groth16::VerifyingKey::<E>::from_json(text)));
    let key = key.map_err(|reason| Refusal::new(KEY, reason))?;
    let verifier = groth16::PreparedVerifyingKey::new(&key).map_err(wrong)?;
    // The batch checks the subgroups of all points together.
    let on_curve = |bytes: &_| read(groth16::Proof::<E>::from_json_on_curve(text(bytes)?));
    let proofs = proofs(files, on_curve)?.into_iter();
    let statements: Vec<_> = inputs.iter().map(Vec::as_slice).zip(proofs).collect();
    verifier.verify_batch(&statements, rng).map_err(wrong)?;
    Ok(Verified { key: key.digest(), circuit: None })
}

fn gm17<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let key = read(gm17::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(|reason| Refusal::new(KEY, reason))?;
    let proofs = proofs(files, |bytes| read(gm17::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| gm17::Statement { inputs, proof }).collect();
    gm17::verify_batch(&key, &statements, rng).map_err(|error| {
        let index = match error {
            gm17::Error::False { index } | gm17::Error::Inputs { index, .. } => Some(index as u64),
            _ => None,
        };
        Refusal { index, ..Refusal::new(PROOF, error.to_string()) }
    })?;
    Ok(Verified { key: key.digest(), circuit: None })
}

fn sonic<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let bytes = files.circuit.as_deref().unwrap_or_default();
    let system = read(ConstraintSystem::read::<E>(&mut Cursor::new(bytes))).and_then(|system| {
        let rows = system.constraints().iter().cloned();
        read(sonic::GateSystem::from_r1cs(&system.header(), rows))
    });
    let system = system.map_err(|reason| Refusal::new(CIRCUIT, reason))?;
    let key = read(sonic::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(|reason| Refusal::new(KEY, reason))?;
    let proofs = proofs(files, |bytes| read(sonic::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| sonic::Statement { inputs, proof }).collect();
    sonic::verify_batch(&key, &system, &statements, rng).map_err(of_sonic)?;
    Ok(Verified { key: key.digest(), circuit: Some(key.circuit()) })
}

fn unhelped<E: Engine>(
    files: &Files,
    inputs: &[Vec<ScalarOf<E>>],
    rng: &mut ChaCha20Rng,
) -> Result<Verified, Refusal> {
    let key = read(unhelped::VerifyingKey::<E>::from_file(&files.key));
    let key = key.map_err(|reason| Refusal::new(KEY, reason))?;
    let proofs = proofs(files, |bytes| read(unhelped::Proof::<E>::from_file(bytes)))?;
    let statements = inputs.iter().zip(&proofs);
    let statements: Vec<_> =
        statements.map(|(inputs, proof)| unhelped::Statement { inputs, proof }).collect();
    unhelped::verify_batch(&key, &statements, rng).map_err(of_sonic)?;
    Ok(Verified { key: key.digest(), circuit: None })
}

/// What is wrong with a proof of either form of Sonic, and with which.
fn of_sonic(error: sonic::Error) -> Refusal {
    use sonic::{Claim, Error};
    let (phase, index) = match error {
        Error::Circuit => (KEY, None),
        Error::Inputs { index, .. }
        | Error::False(
            Claim::Proof { index } | Claim::Permutation { index } | Claim::Powers { index },
        ) => (PROOF, Some(index as u64)),
        _ => (PROOF, None),
    };
    Refusal { index, ..Refusal::new(phase, error.to_string()) }
}

/// The public inputs of every proof, reduced.
fn inputs<E: Engine>(public: &[Vec<String>]) -> Result<Vec<Vec<ScalarOf<E>>>, Refusal> {
    let list = |(values, index): (&Vec<String>, u64)| {
        let json = Json::from(values.as_slice()).to_string();
        public_from_json(&json).map_err(|error| Refusal::new(PUBLIC, error.to_string()).at(index))
    };
    public.iter().zip(0..).map(list).collect()
}

/// All proofs, or what is wrong with the first that cannot be read.
fn proofs<P: Send>(
    files: &Files,
    read: impl Fn(&[u8]) -> Result<P, String> + Sync,
) -> Result<Vec<P>, Refusal> {
    let proofs: Vec<_> = files.proofs.par_iter().map(|bytes| read(bytes)).collect();
    let refused = |(proof, index): (Result<P, String>, u64)| {
        proof.map_err(|reason| Refusal::new(PROOF, reason).at(index))
    };
    proofs.into_iter().zip(0..).map(refused).collect()
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    read(std::str::from_utf8(bytes))
}

fn read<T>(result: Result<T, impl ToString>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
