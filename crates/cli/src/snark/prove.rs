//! `subrosa snark prove`.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use ::snark::groth16::{Error, ProvingKey};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};

use super::{
    System,
    circuit::WitnessArgs,
    files::{key_failure, open},
    native,
    publish::ContentArgs,
    report::{Made, Results},
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
    #[arg(long, value_name = "FILE", required_unless_present = "bundle", requires = "public")]
    proof: Option<PathBuf>,
    /// The `public.json` to create.
    #[arg(long, value_name = "FILE", required_unless_present = "bundle", requires = "proof")]
    public: Option<PathBuf>,
    /// The directory of a bundle to create, with the proof and its public inputs, for `subrosa verify`.
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    #[command(flatten)]
    content: ContentArgs,
}

impl Args {
    fn results(&self) -> Results<'_> {
        Results {
            proof: self.proof.as_deref(),
            public: self.public.as_deref(),
            bundle: self.bundle.as_deref(),
            content: &self.content,
            key: self.key.as_deref(),
        }
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
        Error::WitnessLen { .. } | Error::WireOne => Failure::input(error)
            .hint("the key belongs to another circuit, or to another size of this circuit"),
        other => key_failure(key_path, other),
    })?;
    // `prove` has refused a witness of another length.
    let inputs = witness.get(1..=key.public()).unwrap_or_default();
    let bytes =
        |json: Result<String, circuit::Error>| json.map(String::into_bytes).map_err(Failure::input);
    let (proof, key) = (bytes(proof.to_json())?, bytes(key.verifying_key().to_json())?);
    args.results().write::<E>(Made { proof, inputs, key, circuit: None }, output)
}
