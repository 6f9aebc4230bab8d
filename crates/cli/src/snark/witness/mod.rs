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
    /// The inputs: an object of names and values in JSON.
    #[arg(value_name = "INPUT.JSON")]
    pub input: PathBuf,
    /// The `.wtns` file to create. It has everything that is private in it.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Steps that the program may take, in millions.
    #[arg(long, value_name = "MILLIONS", default_value_t = 68_719)]
    pub max_steps: u32,
    /// Memory that the program may take, in MiB.
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
