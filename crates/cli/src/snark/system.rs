//! Proof systems by their names.

use clap::ValueEnum;
use serde::Serialize;

/// A proof system.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// Groth16: three points, a key for each circuit.
    Groth16,
    /// GM17: three points that nobody makes into another proof, a key for each circuit.
    Gm17,
    /// Sonic: seven points and two scalars, one reference string for all circuits.
    Sonic,
    /// Sonic with proofs that are verified without the circuit: larger, and slower to make.
    SonicUnhelped,
}
