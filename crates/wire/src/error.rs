//! Why bytes were refused.

use thiserror::Error;

/// Why bytes are not the canonical encoding of a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input ends inside a value.
    #[error("cut short: {needed} more bytes expected, {left} left")]
    Truncated {
        /// Bytes that the value needs.
        needed: usize,
        /// Bytes that the input still has.
        left: usize,
    },
    /// Bytes follow the value.
    #[error("{0} extra bytes at the end")]
    Trailing(usize),
    /// A length or count is over its limit.
    #[error("{what}: {got} is over the limit of {limit}")]
    TooLong {
        /// The field.
        what: &'static str,
        /// What the input says.
        got: u64,
        /// What is allowed.
        limit: u64,
    },
    /// The file is not of ours, or not of the expected kind.
    #[error("not a file of kind `{expected}`")]
    Kind {
        /// The kind that the caller wants.
        expected: &'static str,
    },
    /// The file's format is newer or older than this program reads.
    #[error(
        "format version {got} of kind `{kind}` is not supported (this program reads {expected})"
    )]
    Version {
        /// The kind of file.
        kind: &'static str,
        /// The version in the file.
        got: u16,
        /// The version that is read.
        expected: u16,
    },
    /// A field has the right length and a value that it must not have.
    #[error("{what}: {reason}")]
    Invalid {
        /// The field.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl DecodeError {
    /// A field whose value is refused, with the reason that its own type gives.
    pub fn invalid(what: &'static str, reason: impl ToString) -> Self {
        Self::Invalid { what, reason: reason.to_string() }
    }
}
