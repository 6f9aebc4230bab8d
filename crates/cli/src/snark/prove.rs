//! `subrosa snark prove`.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::snark::groth16::{Error, ProvingKey};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format, json::public_to_json};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};

use super::{
    System,
    circuit::WitnessArgs,
    files::{key_failure, open, write_text},
    native,
    report::Results,
    unhelped,
};
use crate::{failure::Failure, output::Output};

/// Options of `prove`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    /// The proving key: with Groth16 a `.zkey` file, which `subrosa ceremony phase2 verify` checks;
    /// with `sonic-unhelped` the verification key.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Sonic: the reference string.
    #[arg(long, value_name = "FILE")]
    srs: Option<PathBuf>,
    /// GM17 and Sonic: the circuit to which `--witness` belongs, a `.r1cs` file.
    #[arg(long, value_name = "FILE", requires = "witness")]
    r1cs: Option<PathBuf>,
    #[command(flatten)]
    witness: WitnessArgs,
    /// The proof to create: with Groth16, a `proof.json`.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The `public.json` to create.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

impl Args {
    fn results(&self) -> Results<'_> {
        Results { proof: &self.proof, public: &self.public }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let (witness, r1cs) = (&args.witness, args.r1cs.as_deref());
    let results = args.results();
    match args.system {
        System::Groth16 => groth16(args, output),
        System::Gm17 => {
            let key = native::required(args.key.as_ref(), "--key")?;
            let prove = match native::curve_of(key)? {
                Curve::Bn254 => native::prove_gm17::<Bn254>,
                Curve::Bls12381 => native::prove_gm17::<Bls12381>,
            };
            prove(witness, r1cs, key, &results, output)
        }
        System::Sonic => {
            let srs = native::required(args.srs.as_ref(), "--srs")?;
            let prove = match native::curve_of(srs)? {
                Curve::Bn254 => native::prove_sonic::<Bn254>,
                Curve::Bls12381 => native::prove_sonic::<Bls12381>,
            };
            prove(witness, r1cs, srs, &results, output)
        }
        System::SonicUnhelped => {
            let srs = native::required(args.srs.as_ref(), "--srs")?;
            let key = native::required(args.key.as_ref(), "--key")?;
            let prove = match native::curve_of(srs)? {
                Curve::Bn254 => unhelped::prove_unhelped::<Bn254>,
                Curve::Bls12381 => unhelped::prove_unhelped::<Bls12381>,
            };
            prove(witness, r1cs, (srs, key), &results, output)
        }
    }
}

fn groth16(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = native::required(args.key.as_ref(), "--key")?;
    let (file, curve) = open(key, Format::Zkey)?;
    match curve {
        Curve::Bn254 => prove::<Bn254>(args, key, file, curve, output),
        Curve::Bls12381 => prove::<Bls12381>(args, key, file, curve, output),
    }
}

fn prove<E: Engine>(
    args: &Args,
    key_path: &Path,
    mut file: File,
    curve: Curve,
    output: &Output,
) -> Result<(), Failure> {
    let witness = args.witness.witness::<E>(curve)?;
    let key = ProvingKey::<E>::read_zkey(&mut file).map_err(|e| key_failure(key_path, e))?;
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let proof = key.prove(&witness, &mut rng).map_err(|error| match error {
        Error::Unsatisfied => Failure::refused(error),
        Error::WitnessLen { .. } | Error::WireOne => {
            Failure::input(error).hint("the key is of another circuit, or of another size of it")
        }
        other => key_failure(key_path, other),
    })?;
    let public = witness.get(1..=key.public()).unwrap_or_default();
    let (proof, public) = (proof.to_json(), public_to_json(public));
    write_text(&args.proof, &proof.map_err(Failure::input)?)?;
    write_text(&args.public, &public.map_err(Failure::input)?)?;
    args.results().report::<E>(key.public(), output);
    Ok(())
}
