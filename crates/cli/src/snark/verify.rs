//! `subrosa snark verify`.

use std::path::{Path, PathBuf};

use ::snark::groth16::{PreparedVerifyingKey, Proof, VerifyingKey};
use algebra::{Bls12381, Bn254, Engine, ScalarOf};
use circuit::{Curve, json::public_from_json};
use serde::Deserialize;

use super::{
    System,
    circuit::BuiltInArgs,
    files::{key_failure, read_text},
    native,
    report::verified,
    unhelped,
};
use crate::{failure::Failure, output::Output};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    /// The verification key. Get it from somebody whose ceremony you trust, not from the prover.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The `public.json`.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The proof.
    #[arg(value_name = "FILE")]
    proof: PathBuf,
    /// Sonic: make the verification key again from this reference string and the circuit, and compare the
    /// two.
    #[arg(long, value_name = "FILE")]
    srs: Option<PathBuf>,
    /// Sonic: the circuit, a `.r1cs` file. `sonic-unhelped` needs it with `--srs` only.
    #[arg(long, value_name = "FILE", conflicts_with = "circuit")]
    r1cs: Option<PathBuf>,
    /// Sonic: the circuit, if it is one of this program.
    #[command(flatten)]
    built_in: BuiltInArgs,
}

/// What tells the curve of a verification key.
#[derive(Deserialize)]
struct KeyHead {
    curve: String,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let Args { key, public, proof, .. } = args;
    let circuit = (args.r1cs.as_deref(), &args.built_in);
    let (keys, files) = ((key.as_path(), args.srs.as_deref()), (public.as_path(), proof.as_path()));
    match args.system {
        System::Groth16 => groth16(args, output),
        System::Gm17 => {
            let verify = match native::curve_of(key)? {
                Curve::Bn254 => native::verify_gm17::<Bn254>,
                Curve::Bls12381 => native::verify_gm17::<Bls12381>,
            };
            verify(key, public, proof, output)
        }
        System::Sonic => {
            let verify = match native::curve_of(key)? {
                Curve::Bn254 => native::verify_sonic::<Bn254>,
                Curve::Bls12381 => native::verify_sonic::<Bls12381>,
            };
            verify(circuit, keys, files, output)
        }
        System::SonicUnhelped => {
            let verify = match native::curve_of(key)? {
                Curve::Bn254 => unhelped::verify_unhelped::<Bn254>,
                Curve::Bls12381 => unhelped::verify_unhelped::<Bls12381>,
            };
            verify(circuit, keys, files, output)
        }
    }
}

fn groth16(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = read_text(&args.key)?;
    let head: KeyHead =
        serde_json::from_str(&key).map_err(|error| Failure::file(&args.key, error))?;
    match Curve::ALL.into_iter().find(|curve| curve.snarkjs_name() == head.curve) {
        Some(Curve::Bn254) => verify::<Bn254>(args, &key, output),
        Some(Curve::Bls12381) => verify::<Bls12381>(args, &key, output),
        None => Err(Failure::file(&args.key, "the key is over an unknown curve")),
    }
}

fn verify<E: Engine>(args: &Args, key: &str, output: &Output) -> Result<(), Failure> {
    let bad = |path: &Path| {
        let path = path.to_owned();
        move |error: circuit::Error| Failure::file(&path, error)
    };
    let key = VerifyingKey::<E>::from_json(key).map_err(bad(&args.key))?;
    let verifier = PreparedVerifyingKey::new(&key).map_err(|e| key_failure(&args.key, e))?;
    let public: Vec<ScalarOf<E>> =
        public_from_json(&read_text(&args.public)?).map_err(bad(&args.public))?;
    let proof = Proof::<E>::from_json(&read_text(&args.proof)?).map_err(bad(&args.proof))?;
    verifier.verify(&public, &proof).map_err(Failure::refused)?;
    verified::<E>(public.len(), None, output);
    Ok(())
}
