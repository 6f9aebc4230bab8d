//! The command in builds with the interpreter.

use ::witness::{Error, Limits, Program};
use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, wtns};
use serde_json::json;
use zeroize::Zeroizing;

use super::Args;
use crate::{
    ceremony::files,
    failure::Failure,
    output::{self, Output},
    snark::files::read_text,
};

/// More than any program of a circuit takes.
const MAX_WASM_LEN: u64 = 1 << 28;

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let wasm = wire::read_bounded(&args.program, MAX_WASM_LEN);
    let wasm = wasm.map_err(|error| Failure::file(&args.program, error))?;
    let limits = Limits {
        steps: u64::from(args.max_steps) * 1_000_000,
        memory: usize::from(args.max_memory) << 20,
    };
    let program = Program::new(&wasm, limits).map_err(|error| failure(args, error))?;
    match program.curve().map_err(|error| failure(args, error))? {
        Curve::Bn254 => write::<Bn254>(args, &program, output),
        Curve::Bls12381 => write::<Bls12381>(args, &program, output),
    }
}

fn write<E: Engine>(args: &Args, program: &Program, output: &Output) -> Result<(), Failure> {
    let input = Zeroizing::new(read_text(&args.input)?);
    let mut log = Vec::new();
    let witness = program.witness::<E>(&input, &mut log);
    for line in &log {
        output.done("the circuit reports", line);
    }
    let witness = witness.map_err(|error| failure(args, error))?;
    let mut out = files::Output::create(&args.out)?;
    let written = wtns::write::<E, _>(&mut out.file, &witness);
    written.map_err(|error| Failure::file(&args.out, error))?;
    let bytes = out.finish()?;
    let wires = witness.len();
    let object = json!({
        "curve": E::SNARKJS_NAME, "wires": wires, "bytes": bytes, "log": log, "out": args.out,
    });
    output.result(&object, || {
        let wires = output::counted(wires as u64, "wire", "wires");
        vec![format!("{wires}: {}", args.out.display())]
    });
    Ok(())
}

/// What goes wrong, and with which of the files.
fn failure(args: &Args, error: Error) -> Failure {
    match error {
        Error::Refused { .. } => Failure::refused(format!("{}: {error}", args.input.display())),
        Error::Json { .. } | Error::Input { .. } | Error::Missing { .. } => {
            Failure::file(&args.input, error)
        }
        Error::Steps { .. } => Failure::file(&args.program, error)
            .hint("if you trust the circuit's program, allow more with `--max-steps`"),
        Error::Memory { .. } => Failure::file(&args.program, error)
            .hint("if you trust the circuit's program, allow more with `--max-memory`"),
        error => Failure::file(&args.program, error).hint("`circom --wasm` writes such a file"),
    }
}
