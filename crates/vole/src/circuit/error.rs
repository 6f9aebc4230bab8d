//! Why a circuit, its values or its file is refused.

use thiserror::Error;

/// Why there is no such circuit, or no such values for it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// A gate reads a wire that no earlier gate makes.
    #[error("wire {0} is not made before it is read")]
    Wire(String),
    /// An integer might wrap around.
    #[error("the result might reach 2^{}: start from narrower inputs", super::MAX_MAGNITUDE)]
    Bound,
    /// More than there may be.
    #[error("{what}: at most {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// A name is taken.
    #[error("the name `{0}` is taken")]
    Duplicate(String),
    /// A name is not well formed.
    #[error("`{0}` is no name: letters, digits and `_`, a letter first, at most 64 in all")]
    Name(String),
    /// A text is not of the format.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// Parts of a file contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// A value is missing, superfluous or does not fit.
    #[error("value of `{name}`: {reason}")]
    Value {
        /// The input or output.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

impl CircuitError {
    pub(super) fn value(name: &str, reason: impl Into<String>) -> Self {
        Self::Value { name: name.into(), reason: reason.into() }
    }
}

/// Why a circuit file was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {error}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// The byte in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub error: CircuitError,
}
