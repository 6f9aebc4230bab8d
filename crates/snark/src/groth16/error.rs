//! Why something was refused.

use thiserror::Error;

/// Why a key, a witness or a proof was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is broken.
    #[error(transparent)]
    File(#[from] circuit::Error),
    /// The field has no domain with a place for every row, or none of twice the size.
    #[error("2^{log_size} rows are more than there are roots of unity for")]
    TooManyRows {
        /// Binary logarithm of the rows, rounded up.
        log_size: u32,
    },
    /// Every statement has a proof under such a key.
    #[error("anybody can forge proofs under this key: {reason}")]
    Forgeable {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The key makes no commitments to public inputs.
    #[error("no commitments can be made with this key: {reason}")]
    NotCommitting {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A point of the key is neutral or outside the prime-order subgroup.
    #[error("{point} of the key is not a point of the prime-order subgroup, or neutral")]
    KeyPoint {
        /// Which.
        point: &'static str,
    },
    /// The key has other points in G1 than in G2.
    #[error(
        "beta, delta or the list B of the key differs in the two groups: its shares of a proof would \
         tell something of the witness"
    )]
    KeyGroups,
    /// A key is for another circuit, or leaves neutral points out.
    #[error("{list}: {got} points, where the circuit makes it {expected}")]
    KeyLen {
        /// The list.
        list: &'static str,
        /// Points that the circuit amounts to.
        expected: u64,
        /// Points that there are.
        got: u64,
    },
    /// The witness is for another circuit.
    #[error("wires: {got}, where the key is for {expected}")]
    WitnessLen {
        /// Wires of the key's circuit.
        expected: usize,
        /// Wires of the witness.
        got: usize,
    },
    /// The first wire is not the constant one.
    #[error("the first wire is not one")]
    WireOne,
    /// The proof does not verify: the witness does not satisfy the circuit, or the key is broken.
    #[error("the witness does not satisfy the circuit, or the key is not the circuit's")]
    Unsatisfied,
    /// Another number of public inputs than the key is for.
    #[error("public inputs: {got}, where the key is for {expected}")]
    PublicLen {
        /// Public wires of the key's circuit.
        expected: usize,
        /// Public inputs given.
        got: usize,
    },
    /// A point of the proof is neutral or outside the prime-order subgroup.
    #[error("{point} of the proof is not a point of the prime-order subgroup, or neutral")]
    ProofPoint {
        /// Which.
        point: &'static str,
    },
    /// The equation does not hold.
    #[error("the proof is not of these public inputs under this key")]
    Invalid,
    /// A key or a name that no contract can be written for.
    #[error("no contract: {reason}")]
    Contract {
        /// Why.
        reason: &'static str,
    },
    /// A proof of a batch is refused; none before it is.
    #[error("proof {index}: {reason}")]
    Batch {
        /// Its position, from 0.
        index: usize,
        /// Why.
        reason: Box<Error>,
    },
}
