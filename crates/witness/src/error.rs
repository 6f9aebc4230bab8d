//! Why there is no witness.

use thiserror::Error;

/// Why there is no witness.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no program, or one that this interpreter does not run.
    #[error("not a program of circom 2: {reason}")]
    Module {
        /// What is wrong with it.
        reason: String,
    },
    /// The program has no function of this name and type.
    #[error("not a program of circom 2: it has no function {name} of the right type")]
    Export {
        /// The function.
        name: &'static str,
    },
    /// The program is of another version of circom.
    #[error("the program is of circom {major}, but only circom 2 is supported")]
    Version {
        /// The first number of the version.
        major: i32,
    },
    /// The field is that of no known curve, or of another than was asked for.
    #[error("the program computes in another field than the scalars of {expected}")]
    Field {
        /// The curves that would do.
        expected: &'static str,
    },
    /// The inputs are not JSON, or no object.
    #[error("the inputs: {reason}")]
    Json {
        /// What is wrong.
        reason: String,
    },
    /// An input has no value that the circuit takes.
    #[error("input {name}: {reason}")]
    Input {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Inputs are missing.
    #[error("values of inputs: {got}, where the circuit takes {expected}")]
    Missing {
        /// Values that the circuit takes.
        expected: u32,
        /// Values that there are.
        got: u32,
    },
    /// The circuit itself refuses the inputs.
    #[error("the circuit refuses these inputs: {reason}")]
    Refused {
        /// What the program says, with the place of an assertion.
        reason: String,
    },
    /// The program takes more steps than it may.
    #[error("the program takes more than {steps} steps")]
    Steps {
        /// As many as it may.
        steps: u64,
    },
    /// The program takes more memory than it may.
    #[error("the program takes more than {bytes} bytes of memory")]
    Memory {
        /// As many as it may.
        bytes: usize,
    },
    /// The program stops, by what no program of circom does.
    #[error("the program fails: {reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// What the program says is no witness.
    #[error("the program's witness: {reason}")]
    Witness {
        /// What is wrong with it.
        reason: &'static str,
    },
}
