//! `subrosa snark prove`.

use std::{fs::File, path::PathBuf};

use ::snark::groth16::{Error, ProvingKey};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format, json::public_to_json};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;

use super::{
    System,
    circuit::WitnessArgs,
    files::{key_failure, open, write_text},
};
use crate::{failure::Failure, output::Output};

/// Options of `prove`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    /// The proving key: a `.zkey` file. `subrosa ceremony phase2 verify` checks it.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    witness: WitnessArgs,
    /// The `proof.json` to create.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The `public.json` to create.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let System::Groth16 = args.system;
    let (file, curve) = open(&args.key, Format::Zkey)?;
    match curve {
        Curve::Bn254 => prove::<Bn254>(args, file, curve, output),
        Curve::Bls12381 => prove::<Bls12381>(args, file, curve, output),
    }
}

fn prove<E: Engine>(
    args: &Args,
    mut file: File,
    curve: Curve,
    output: &Output,
) -> Result<(), Failure> {
    let witness = args.witness.witness::<E>(curve)?;
    let key = ProvingKey::<E>::read_zkey(&mut file).map_err(|e| key_failure(&args.key, e))?;
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let proof = key.prove(&witness, &mut rng).map_err(|error| match error {
        Error::Unsatisfied => Failure::refused(error),
        Error::WitnessLen { .. } | Error::WireOne => {
            Failure::input(error).hint("the key is of another circuit, or of another size of it")
        }
        other => key_failure(&args.key, other),
    })?;
    let public = witness.get(1..=key.public()).unwrap_or_default();
    let (proof, public) = (proof.to_json(), public_to_json(public));
    write_text(&args.proof, &proof.map_err(Failure::input)?)?;
    write_text(&args.public, &public.map_err(Failure::input)?)?;
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "public": key.public(),
        "proof": args.proof,
        "public_file": args.public,
    });
    output.result(&object, || {
        vec![
            format!("proof: {}", args.proof.display()),
            format!("public inputs, {}: {}", key.public(), args.public.display()),
        ]
    });
    Ok(())
}
