//! `subrosa snark witness`.

#[cfg(feature = "witness")]
mod calculate;

use std::path::PathBuf;

#[cfg(feature = "witness")]
pub use calculate::run;

#[cfg(not(feature = "witness"))]
use crate::{failure::Failure, output::Output};

/// Options of `witness`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "witness"), allow(dead_code, reason = "the command is refused"))]
pub struct Args {
    /// The program that `circom --wasm` wrote for the circuit.
    #[arg(value_name = "CIRCUIT.WASM")]
    pub program: PathBuf,
    /// The inputs: a JSON object of names and values.
    #[arg(value_name = "INPUT.JSON")]
    pub input: PathBuf,
    /// The `.wtns` file to create. It contains all private values.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// The greatest number of steps of the program, in millions.
    #[arg(long, value_name = "MILLIONS", default_value_t = 68_719)]
    pub max_steps: u32,
    /// The greatest amount of memory of the program, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 2048,
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub max_memory: u16,
}

/// Says what is missing.
#[cfg(not(feature = "witness"))]
pub fn run(_: &Args, _: &Output) -> Result<(), Failure> {
    Err(Failure::input("this program was built without an interpreter of WebAssembly").hint(
        "build it with `--features subrosa/witness`, or let `snarkjs wtns calculate` compute the witness",
    ))
}
