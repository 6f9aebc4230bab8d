//! `subrosa snark info`.

use std::path::PathBuf;

use ::ceremony::phase2;
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, Format};
use serde_json::json;

use super::{
    System,
    circuit::{BuiltInArgs, system},
    files::open,
    native, unhelped,
};
use crate::{
    ceremony::{CurveName, files::Input},
    failure::Failure,
    output::{self, Output},
};

/// Options of `info`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system whose view of a circuit is shown.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    /// A circuit: a `.r1cs` file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "circuit"])]
    r1cs: Option<PathBuf>,
    /// A proving key: a `.zkey` file.
    #[arg(long, value_name = "FILE", conflicts_with = "circuit")]
    key: Option<PathBuf>,
    #[command(flatten)]
    built_in: BuiltInArgs,
    /// The curve, for a circuit of this program.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if let Some(path) = &args.key {
        let key = Input::open_as(path, Format::Zkey)?;
        return match key.curve {
            Curve::Bn254 => key_info::<Bn254>(key, output),
            Curve::Bls12381 => key_info::<Bls12381>(key, output),
        };
    }
    let curve = match &args.r1cs {
        Some(path) => open(path, Format::R1cs)?.1,
        None => args.curve.curve(),
    };
    match curve {
        Curve::Bn254 => circuit_info::<Bn254>(args, output),
        Curve::Bls12381 => circuit_info::<Bls12381>(args, output),
    }
}

fn circuit_info<E: Engine>(args: &Args, output: &Output) -> Result<(), Failure> {
    if args.r1cs.is_none() && args.built_in.named().is_none() {
        return Err(Failure::input("nothing to show")
            .hint("give a circuit or a key with `--r1cs`, `--key` or `--circuit`"));
    }
    let system = system::<E>(args.r1cs.as_deref(), &args.built_in)?;
    match args.system {
        System::Groth16 => {}
        System::Gm17 => return native::info_gm17::<E>(&system, output),
        System::Sonic => return native::info_sonic::<E>(&system, output),
        System::SonicUnhelped => return unhelped::info::<E>(&system, output),
    }
    let header = system.header();
    let rows = u64::from(header.constraints) + u64::from(header.public()) + 1;
    let domain_size = rows.next_power_of_two().max(2);
    let constraints = system.constraints().iter();
    let entries: usize = constraints.map(|row| row.a.len() + row.b.len() + row.c.len()).sum();
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "constraints": header.constraints,
        "wires": header.wires,
        "public": header.public(),
        "entries": entries,
        "domain_size": domain_size,
    });
    output.result(&object, || {
        vec![
            format!("curve        {}", E::SNARKJS_NAME),
            format!("constraints  {}", output::count(header.constraints.into())),
            format!("wires        {}", output::count(header.wires.into())),
            format!("public       {}", output::count(header.public().into())),
            format!("entries      {}", output::count(entries as u64)),
            format!("domain       2^{}", domain_size.ilog2()),
        ]
    });
    Ok(())
}

fn key_info<E: Engine>(mut key: Input, output: &Output) -> Result<(), Failure> {
    let info = phase2::info::<E>(&mut key.file).map_err(|error| key.failure(error))?;
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "wires": info.variables,
        "public": info.public,
        "domain_size": info.domain_size,
        "contributions": info.contributions.len(),
    });
    output.result(&object, || {
        vec![
            format!("curve          {}", E::SNARKJS_NAME),
            format!("wires          {}", output::count(info.variables.into())),
            format!("public         {}", output::count(info.public.into())),
            format!("domain         2^{}", info.domain_size.ilog2()),
            format!("contributions  {}", info.contributions.len()),
        ]
    });
    Ok(())
}
