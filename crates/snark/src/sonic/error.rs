//! What can be wrong with a Sonic proof, or in making one.

use std::fmt;

use thiserror::Error;

/// Why a circuit, a reference string, a witness or a proof was refused.
#[derive(Debug, Error)]
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
    /// The circuit has more gates than positions can be counted in 32 bits.
    #[error("the circuit has too many gates")]
    CircuitSize,
    /// The reference string is too short for the circuit.
    #[error("the reference string has degree {got}, the circuit needs {needed}")]
    Degree {
        /// What the circuit needs at least.
        needed: u64,
        /// What the reference string has.
        got: u64,
    },
    /// The reference string's file was refused.
    #[error(transparent)]
    Srs(#[from] circuit::Error),
    /// The verifying key is of another circuit.
    #[error("the verifying key is of another circuit")]
    Circuit,
    /// A witness has another number of wires than the circuit.
    #[error("wires of the witness: {got}, of the circuit: {expected}")]
    WitnessLength {
        /// Wires of the circuit.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// The witness does not satisfy the circuit.
    #[error("the witness does not satisfy the circuit")]
    Unsatisfied,
    /// A polynomial has a term that the reference string cannot commit to.
    #[error("a polynomial is beyond the reference string")]
    Polynomial,
    /// The reference string is malformed: what would have been handed out has not been, because it
    /// could tell something of the witness.
    #[error(
        "the reference string is malformed: the proof made with it does not verify, and was not \
         handed out; verify the reference string"
    )]
    Malformed,
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
    /// The lists of statements, advice and values of an aggregate differ in length.
    #[error("{what}: {got} for {expected} proofs")]
    Length {
        /// The list.
        what: &'static str,
        /// Proofs.
        expected: usize,
        /// Entries.
        got: usize,
    },
    /// A challenge came out zero, or two claims speak of one point: below 2^−240 for honest proofs.
    #[error("a challenge is degenerate")]
    Challenge,
    /// An equation does not hold.
    #[error("{0} does not hold")]
    False(Claim),
}

/// The claims that pairing equations check; each is the opening of commitments at one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The openings of a proof: `r(z, 1)`, `r(zy, 1)`, `t(z, y)`.
    Proof {
        /// Position of the proof, from 0.
        index: usize,
    },
    /// Without a helper: the argument that `s_1` is the circuit's.
    Permutation {
        /// Position of the proof, from 0.
        index: usize,
    },
    /// Without a helper: that the parts of `s_1` have no powers but the circuit's.
    Powers {
        /// Position of the proof, from 0.
        index: usize,
    },
    /// The opening of a helper's `S_j` at `z_j`.
    Advice {
        /// Position of the proof, from 0.
        index: usize,
    },
    /// All `S_j` at `u`.
    Signatures,
    /// `C` at `y_j`, opened alone.
    Opening {
        /// Position of the proof, from 0.
        index: usize,
    },
    /// `C` at `w`, opened alone.
    Circuit,
    /// `C` at all `y_j` and at `w`, opened at once.
    Openings,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof { index } => write!(f, "proof {index}"),
            Self::Permutation { index } => write!(f, "the permutation argument of proof {index}"),
            Self::Powers { index } => write!(f, "the bound on the powers of proof {index}"),
            Self::Advice { index } => write!(f, "the advice on proof {index}"),
            Self::Signatures => f.write_str("the aggregate's opening of the advice"),
            Self::Opening { index } => write!(f, "the aggregate's value for proof {index}"),
            Self::Circuit => f.write_str("the aggregate's opening at the circuit's own value"),
            Self::Openings => f.write_str("the aggregate's batched opening"),
        }
    }
}
