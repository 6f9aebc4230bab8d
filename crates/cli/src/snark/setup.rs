//! `subrosa snark setup`.

use std::{
    fs::File,
    io::{Seek as _, SeekFrom},
    path::PathBuf,
};

use ::ceremony::phase2;
use algebra::{Bls12381, Bn254, Engine};
use chacha20::ChaCha20Rng;
use circuit::{Curve, Format};
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;

use super::{System, circuit::CircuitArgs, files::write_text};
use crate::{
    ceremony::files::{self, Input},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `setup`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    #[command(flatten)]
    circuit: CircuitArgs,
    /// The prepared file of phase 1. `subrosa ceremony phase1 verify` checks it.
    #[arg(long, value_name = "FILE")]
    phase1: PathBuf,
    /// The proving key to create.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The `verification_key.json` to create.
    #[arg(long, value_name = "FILE")]
    verification_key: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let System::Groth16 = args.system;
    let phase1 = Input::open(&args.phase1)?;
    match phase1.curve {
        Curve::Bn254 => setup::<Bn254>(args, phase1, output),
        Curve::Bls12381 => setup::<Bls12381>(args, phase1, output),
    }
}

fn setup<E: Engine>(args: &Args, mut phase1: Input, output: &Output) -> Result<(), Failure> {
    let mut circuit = circuit_file::<E>(&args.circuit, &phase1)?;
    let mut out = files::Output::create(&args.out)?;
    let bars = Bars::new();
    let mut first = tempfile::tempfile()?;
    let made = phase2::new::<E>(&mut circuit, &mut phase1.file, &mut first, &bars);
    let made = made.map_err(|error| phase1.failure(error))?;
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let name = Some("a key made by one".to_owned());
    let contributed = phase2::contribute::<E>(&mut first, &mut out.file, name, &mut rng, &bars);
    contributed.map_err(Failure::input)?;
    let bytes = out.finish()?;

    let mut key = File::open(&args.out).map_err(|error| Failure::file(&args.out, error))?;
    let exported = phase2::export::<E>(&mut key).map_err(Failure::input)?;
    let json = exported.to_json().map_err(Failure::input)?;
    write_text(&args.verification_key, &json)?;
    output.warn(
        "whoever made this key could have kept its secret and forge: for others hold a ceremony",
    );
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "wires": made.variables,
        "public": made.public,
        "domain_size": made.domain_size,
        "bytes": bytes,
        "out": args.out,
        "verification_key": args.verification_key,
    });
    output.result(&object, || {
        let (wires, size) = (output::count(made.variables.into()), output::bytes(bytes));
        vec![
            format!("proving key, {wires} wires, {size}: {}", args.out.display()),
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
    let circuit = args.built_in.named().ok_or_else(|| Failure::input("no circuit"))?;
    let system = args.built_in.constraint_system::<E>(circuit);
    let written = system.write::<E, _>(tempfile::tempfile()?).map_err(Failure::input);
    let mut file = written?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
