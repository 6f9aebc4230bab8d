//! The circuit of the elements, and its key.

use std::path::PathBuf;

use ::snark::set_membership::{Parameters, SetFile as _, claims::digest};
use algebra::Bls12381;
use serde_json::json;

use super::{kind::KindName, store};
use crate::{
    ceremony::files,
    failure::Failure,
    output::{self, Output},
};

/// Options of `circuit`.
#[derive(clap::Args)]
pub struct CircuitArgs {
    /// What the elements are.
    #[arg(long, value_enum, default_value = "hashed")]
    elements: KindName,
    /// The `.r1cs` file to create, over BLS12-381.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs `circuit`.
pub fn run_circuit(args: &CircuitArgs, output: &Output) -> Result<(), Failure> {
    let system = args.elements.kind().constraint_system();
    let mut out = files::Output::create(&args.out)?;
    let written = system.write::<Bls12381, _>(&mut out.file);
    written.map_err(|error| Failure::file(&args.out, error))?;
    let (bytes, constraints) = (out.finish()?, system.header().constraints);
    let object = json!({
        "elements": args.elements,
        "constraints": constraints,
        "bytes": bytes,
        "out": args.out,
    });
    output.result(&object, || {
        let constraints = output::counted(constraints.into(), "constraint", "constraints");
        vec![format!("{constraints}, {}: {}", output::bytes(bytes), args.out.display())]
    });
    Ok(())
}

/// Options of `key`.
#[derive(clap::Args)]
pub struct Args {
    /// What the elements are.
    #[arg(long, value_enum, default_value = "hashed")]
    elements: KindName,
    /// The circuit's key, a `.zkey` file, which `subrosa ceremony phase2 verify` checks.
    #[arg(value_name = "FILE")]
    key: PathBuf,
    /// The verification key to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs `key`.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let prover = store::prover(&args.key, args.elements.kind(), &parameters)?;
    let bytes = store::write(&args.out, &parameters, prover.key())?;
    let name = digest(&prover.key().to_file(&parameters)).to_string();
    let object = json!({ "elements": args.elements, "bytes": bytes, "key": name, "out": args.out });
    output.result(&object, || {
        vec![format!("verification key: {}", args.out.display()), format!("key {name}")]
    });
    Ok(())
}
