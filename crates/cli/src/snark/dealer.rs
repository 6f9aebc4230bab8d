//! `subrosa-lab key`: keys that one dealer makes.

use std::{
    fs::File,
    io::{Seek as _, SeekFrom},
    path::PathBuf,
};

use ::ceremony::{
    Snapshot, Trust,
    phase2::{self, Settings},
};
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use clap::ValueEnum;
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;

use super::{circuit::CircuitArgs, files::write_text, native};
use crate::{
    ceremony::{
        CurveName,
        files::{self, Input},
    },
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// A proof system whose keys have secrets.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Dealt {
    /// Groth16, from a phase 1.
    Groth16,
    /// GM17.
    Gm17,
}

/// Options of `key`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: Dealt,
    #[command(flatten)]
    circuit: CircuitArgs,
    /// Groth16: the prepared file of phase 1. `subrosa ceremony phase1 verify` checks it.
    #[arg(long, value_name = "FILE")]
    phase1: Option<PathBuf>,
    /// GM17: the curve, for a circuit of this program.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    /// The proving key to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The verification key to create: with Groth16, a `verification_key.json`.
    #[arg(long, value_name = "FILE")]
    verification_key: PathBuf,
}

/// Makes a key. Whoever does could keep its secrets and forge.
///
/// # Errors
/// Files that cannot be read or are not what they must be, and a key that is there already.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    match args.system {
        Dealt::Groth16 => groth16(args, output),
        Dealt::Gm17 => gm17(args, output),
    }
}

fn gm17(args: &Args, output: &Output) -> Result<(), Failure> {
    let (circuit, out) = (&args.circuit, &args.out);
    let curve = match &args.circuit.r1cs {
        Some(path) => Input::open_as(path, Format::R1cs)?.curve,
        None => args.curve.curve(),
    };
    match curve {
        Curve::Bn254 => native::setup_gm17::<Bn254>(circuit, out, &args.verification_key, output),
        Curve::Bls12381 => {
            native::setup_gm17::<Bls12381>(circuit, out, &args.verification_key, output)
        }
    }
}

fn groth16(args: &Args, output: &Output) -> Result<(), Failure> {
    let phase1 = Input::open(native::required(args.phase1.as_ref(), "--phase1")?)?;
    match phase1.curve {
        Curve::Bn254 => setup::<Bn254>(args, phase1, output),
        Curve::Bls12381 => setup::<Bls12381>(args, phase1, output),
    }
}

fn setup<E: Engine>(args: &Args, mut phase1: Input, output: &Output) -> Result<(), Failure> {
    let key_path = &args.out;
    let mut circuit = circuit_file::<E>(&args.circuit, &phase1)?;
    let mut out = files::Output::create(key_path)?;
    let bars = Bars::new();
    let mut first = tempfile::tempfile()?;
    let made =
        phase2::new::<E>(&mut circuit, &mut phase1.file, &mut first, &Settings::default(), &bars);
    let made = made.map_err(|error| phase1.failure(error))?;
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let name = Some("a key made by one".to_owned());
    let mut first = Snapshot::take(&mut first, &bars).map_err(Failure::input)?;
    // The first key was made two lines above.
    let (new, trust) = (&mut out.file, Trust::Skip);
    let made_key = phase2::contribute::<E>(&mut first, new, name, trust, &mut rng, &bars);
    made_key.map_err(Failure::input)?;
    let bytes = out.finish()?;

    let mut key = File::open(key_path).map_err(|error| Failure::file(key_path, error))?;
    let exported = phase2::export::<E>(&mut key).map_err(Failure::input)?;
    let json = exported.to_json().map_err(Failure::input)?;
    write_text(&args.verification_key, &json)?;
    output.warn(
        "whoever made this key could have kept its secret, and could then forge proofs: for a key \
         that others rely on, hold a ceremony",
    );
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "wires": made.variables,
        "public": made.public,
        "domain_size": made.domain_size,
        "bytes": bytes,
        "out": key_path,
        "verification_key": args.verification_key,
    });
    output.result(&object, || {
        let wires = output::counted(made.variables.into(), "wire", "wires");
        let size = output::bytes(bytes);
        vec![
            format!("proving key, {wires}, {size}: {}", key_path.display()),
            format!("verification key: {}", args.verification_key.display()),
        ]
    });
    Ok(())
}

/// The circuit's file, or one in its place.
fn circuit_file<E: Engine>(args: &CircuitArgs, phase1: &Input) -> Result<File, Failure> {
    if let Some(path) = &args.r1cs {
        let input = Input::open_as(path, Format::R1cs)?;
        phase1.require_curve(&input)?;
        return Ok(input.file);
    }
    let circuit = args.built_in.named().ok_or_else(|| Failure::input("no circuit was given"))?;
    let system = args.built_in.constraint_system::<E>(circuit);
    let written = system.write::<E, _>(tempfile::tempfile()?).map_err(Failure::input);
    let mut file = written?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
