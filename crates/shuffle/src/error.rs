//! What can be wrong with a shuffle.

use std::fmt;

use thiserror::Error;

/// Why a shuffle was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShuffleError {
    /// There is nothing to shuffle, hence nothing to prove.
    #[error("an empty list carries no proof")]
    Empty,
    /// A list is longer or shorter than the statement says.
    #[error("{what}: length {got}, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// The length that the statement has.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// There are fewer list generators than rows.
    #[error("{available} generators are derived, {needed} are needed")]
    Generators {
        /// Derived so far.
        available: usize,
        /// Rows of the list.
        needed: usize,
    },
    /// The common reference string is for fewer rows.
    #[error("the reference string is for {available} rows, {needed} are needed")]
    ReferenceString {
        /// Rows that it is for.
        available: usize,
        /// Rows of the list.
        needed: usize,
    },
    /// A mixer's proof is about another statement: other lists than its predecessor published,
    /// another key, another reference string or another place in the chain.
    #[error("mixer {mixer} proves another statement than this one")]
    Statement {
        /// The mixer, counted from 1.
        mixer: u32,
    },
    /// A mixer did not take the lists that its predecessor published.
    #[error("mixer {mixer} took other lists than its predecessor published")]
    Broken {
        /// The mixer, counted from 1.
        mixer: u32,
    },
    /// A proof is missing, or there is one about nothing.
    #[error("mixer {mixer}: {}", if *rows { "the proof is missing" } else { "a proof without rows" })]
    Proof {
        /// The mixer, counted from 1.
        mixer: u32,
        /// Whether there are rows to prove something about.
        rows: bool,
    },
    /// An equation of a proof does not hold.
    #[error("mixer {mixer}: {equation}")]
    Equation {
        /// Whose proof it is, counted from 1.
        mixer: u32,
        /// The equation.
        equation: Equation,
    },
}

/// The verification equations of the Terelius-Wikström proofs, then those of the pairing-based ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// (P1): the rows of the committed matrix sum to 1.
    RowSums,
    /// (P2): the permuted challenges open the commitment.
    Opening,
    /// (P3): the bridging list multiplies the permuted challenges, row by row.
    Bridging {
        /// The row, counted from 0.
        index: usize,
    },
    /// (P4): the permuted challenges have the product of the challenges.
    Product,
    /// (L0): the lists' challenges open the permutation commitment.
    ListOpening,
    /// (L1): a column's outputs re-encrypt its permuted inputs.
    ListColumn {
        /// The column, counted from 0.
        column: usize,
        /// The ciphertext component, 1 or 2.
        component: usize,
    },
    /// A row of a pairing-based proof commits to a unit vector.
    UnitVector {
        /// The row, counted from 0.
        index: usize,
    },
    /// Both commitments of a row are to the same vector.
    SameMessage {
        /// The row, counted from 0.
        index: usize,
    },
    /// The outputs are the permuted and re-encrypted inputs.
    Consistency {
        /// The column, counted from 0.
        column: usize,
        /// The ciphertext component, counted from 1.
        component: usize,
    },
    /// A ciphertext of AC16 encrypts the same exponent with the same randomness in both groups.
    Validity {
        /// The row, counted from 0; none for the proof's own `C_2`.
        index: Option<usize>,
    },
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowSums => write!(f, "equation (P1), row sums of the permutation, fails"),
            Self::Opening => write!(f, "equation (P2), opening of the permutation, fails"),
            Self::Bridging { index } => {
                write!(f, "equation (P3), bridging of the permutation, fails at index {index}")
            }
            Self::Product => write!(f, "equation (P4), product of the permutation, fails"),
            Self::ListOpening => write!(f, "equation (L0), opening for the lists, fails"),
            Self::ListColumn { column, component } => {
                write!(
                    f,
                    "equation (L1), re-encryption of column {column}, component {component}, fails"
                )
            }
            Self::UnitVector { index } => {
                write!(f, "the unit vector equation fails at index {index}")
            }
            Self::SameMessage { index } => {
                write!(f, "the same message equation fails at index {index}")
            }
            Self::Consistency { column, component } => write!(
                f,
                "the consistency equation of column {column}, component {component}, fails"
            ),
            Self::Validity { index: Some(index) } => {
                write!(f, "the validity equation of the ciphertext at index {index} fails")
            }
            Self::Validity { index: None } => {
                write!(f, "the validity equation of the combined randomness fails")
            }
        }
    }
}
