//! What can be wrong with a GM17 proof, or in making one.

use thiserror::Error;

/// Why a circuit, a witness or a proof was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A constraint names a wire that the circuit does not have.
    #[error("constraint {constraint}: the circuit has no wire {wire}")]
    Wire {
        /// Position of the constraint, from 0.
        constraint: usize,
        /// The wire.
        wire: u32,
    },
    /// The field has no domain for two rows a constraint.
    #[error("the circuit has too many constraints: there is no domain for {rows} rows")]
    TooManyRows {
        /// Rows of the square arithmetic program.
        rows: usize,
    },
    /// The generator drew a zero, a one or a root of unity: below 2^−200.
    #[error("the generator drew an exceptional number")]
    Unlucky,
    /// The proving key is of another circuit.
    #[error("the proving key is of another circuit")]
    Circuit,
    /// A witness has another number of wires than the circuit, or does not begin with one.
    #[error("wires of the witness: {got}, of the circuit: {expected}")]
    WitnessLength {
        /// Wires of the circuit.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// The witness does not satisfy the circuit.
    #[error("constraint {constraint} is not satisfied")]
    Unsatisfied {
        /// The first such constraint, from 0.
        constraint: usize,
    },
    /// The key is malformed: what would have been handed out has not been, because it could tell
    /// something of the witness.
    #[error(
        "the key is malformed: the proof that it makes does not verify, and was not handed out; \
         do not trust whoever made the key"
    )]
    Key,
    /// A statement has another number of public inputs than the circuit.
    #[error("proof {index}: public inputs: {got}, of the circuit: {expected}")]
    Inputs {
        /// Position of the proof, from 0.
        index: usize,
        /// Public wires of the circuit beside the constant one.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// A proof does not hold.
    #[error("proof {index} does not hold")]
    False {
        /// Position of the proof, from 0.
        index: usize,
    },
}
