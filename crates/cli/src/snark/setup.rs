//! `subrosa snark setup`.

use std::path::PathBuf;

use algebra::{Bls12381, Bn254};
use circuit::Curve;
use clap::ValueEnum;

use super::{circuit::CircuitArgs, native, unhelped};
use crate::{failure::Failure, output::Output};

/// A proof system whose reference string serves all circuits. The others stand here to answer by what
/// makes their keys now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Universal {
    /// Sonic.
    Sonic,
    /// Sonic with proofs that are verified without the circuit.
    SonicUnhelped,
    #[value(hide = true)]
    Groth16,
    #[value(hide = true)]
    Gm17,
}

/// Options of `setup`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "sonic")]
    system: Universal,
    #[command(flatten)]
    circuit: CircuitArgs,
    /// The reference string, verified by you or somebody you trust.
    #[arg(long, value_name = "FILE")]
    srs: Option<PathBuf>,
    /// The verification key to create.
    #[arg(long, value_name = "FILE")]
    verification_key: PathBuf,
    #[command(flatten)]
    former: Former,
}

/// What keys of a dealer took here.
#[derive(clap::Args)]
struct Former {
    #[arg(long, hide = true)]
    phase1: Option<PathBuf>,
    #[arg(long, hide = true)]
    curve: Option<String>,
    #[arg(short, long, hide = true)]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let Former { phase1, curve, out } = &args.former;
    if phase1.is_some() || curve.is_some() || out.is_some() {
        return Err(moved());
    }
    match args.system {
        Universal::Groth16 | Universal::Gm17 => Err(moved()),
        Universal::Sonic => sonic(args, output),
        Universal::SonicUnhelped => unhelped(args, output),
    }
}

/// A key of Groth16 or GM17, whose maker can forge.
fn moved() -> Failure {
    Failure::input("keys that one dealer makes are now made by `subrosa-lab key`")
        .hint("for a key that others rely on, hold a ceremony: `subrosa ceremony phase2`")
}

fn sonic(args: &Args, output: &Output) -> Result<(), Failure> {
    let (circuit, srs) = (&args.circuit, native::required(args.srs.as_ref(), "--srs")?);
    match native::curve_of(srs)? {
        Curve::Bn254 => native::setup_sonic::<Bn254>(circuit, srs, &args.verification_key, output),
        Curve::Bls12381 => {
            native::setup_sonic::<Bls12381>(circuit, srs, &args.verification_key, output)
        }
    }
}

fn unhelped(args: &Args, output: &Output) -> Result<(), Failure> {
    let srs = native::required(args.srs.as_ref(), "--srs")?;
    let setup = match native::curve_of(srs)? {
        Curve::Bn254 => unhelped::setup::<Bn254>,
        Curve::Bls12381 => unhelped::setup::<Bls12381>,
    };
    setup(&args.circuit, srs, &args.verification_key, output)
}
