//! `subrosa ceremony phase2 new`.

use std::{fs::File, path::PathBuf};

use ::ceremony::{
    Error,
    phase2::{self, Created, Settings},
};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use data_encoding::HEXLOWER;
use serde_json::json;
use wire::NewFile;

use crate::{
    ceremony::{
        files::{self, Input},
        report::hash_lines,
    },
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `new`.
#[derive(clap::Args)]
pub struct Args {
    /// The circuit, a `.r1cs` file.
    #[arg(value_name = "FILE")]
    circuit: PathBuf,
    /// The prepared and verified file of phase 1.
    #[arg(long, value_name = "FILE")]
    phase1: PathBuf,
    /// Accept a phase 1 that shows no contributions, because its history was left behind when it was
    /// imported. Whoever knows its secrets can forge proofs.
    #[arg(long)]
    phase1_unknown: bool,
    /// Begin a native ceremony. It binds contributors' names and costs less, but snarkjs cannot verify it.
    #[arg(long)]
    native: bool,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut circuit = Input::open_as(&args.circuit, Format::R1cs)?;
    let mut phase1 = Input::open(&args.phase1)?;
    phase1.require_curve(&circuit)?;
    let mut out = files::Output::create(&args.out)?;
    let (r1cs, ptau, bars) = (&mut circuit.file, &mut phase1.file, Bars::new());
    let key = &mut out.file;
    let make = match circuit.curve {
        Curve::Bn254 => maker::<Bn254>(args.native),
        Curve::Bls12381 => maker::<Bls12381>(args.native),
    };
    let mut settings = Settings::default();
    settings.may_lack_phase1_history = args.phase1_unknown;
    let created = make(r1cs, ptau, key, &settings, &bars);
    let created = created.map_err(|error| match error {
        // It names the section, hence the file.
        Error::File(_) => Failure::input(error),
        Error::CustomGates | Error::TooManyCoefficients { .. } => circuit.failure(error),
        error @ Error::Phase1 { .. } => phase1.refusal(error),
        other => phase1.failure(other),
    })?;
    if args.phase1_unknown {
        output.warn(
            "whoever knows the secrets of this phase 1 can forge proofs under every key made from \
             it",
        );
    }
    let (bytes, curve) = (out.finish()?, circuit.curve.snarkjs_name());
    let object = json!({
        "curve": curve,
        "native": args.native,
        "phase1_unknown": args.phase1_unknown,
        "wires": created.variables,
        "public": created.public,
        "domain_size": created.domain_size,
        "circuit_hash": HEXLOWER.encode(&created.circuit_hash),
        "bytes": bytes,
        "out": args.out,
    });
    output.result(&object, || {
        let wires = output::counted(created.variables.into(), "wire", "wires");
        let size = output::bytes(bytes);
        let mut lines = vec![format!("{curve}, {wires}, {size}: {}", args.out.display())];
        lines.push("circuit hash:".to_owned());
        lines.extend(hash_lines(&created.circuit_hash));
        lines
    });
    Ok(())
}

type Maker = fn(&mut File, &mut File, &mut NewFile, &Settings, &Bars) -> Result<Created, Error>;

fn maker<E: Engine>(is_native: bool) -> Maker {
    match is_native {
        false => phase2::new::<E>,
        true => phase2::native::new::<E>,
    }
}
