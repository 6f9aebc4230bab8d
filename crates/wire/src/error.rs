//! Why bytes were refused.

use thiserror::Error;

use crate::{CheckName, check_names};

check_names! {
    CV_1 = "CV-1",
    CV_2 = "CV-2",
    CV_3 = "CV-3",
    CV_4 = "CV-4",
    CV_5 = "CV-5",
    CV_6 = "CV-6",
}

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
        /// The check that it fails.
        check: CheckName,
    },
}

impl DecodeError {
    /// A field whose value is none of those that are listed for it, such as a tag, with the reason that its
    /// own type gives.
    pub fn invalid(what: &'static str, reason: impl ToString) -> Self {
        Self::Invalid { what, reason: reason.to_string(), check: CV_4 }
    }

    /// A number over its limit, or below it, where it is not a count of what follows.
    pub fn out_of_bounds(what: &'static str, reason: impl ToString) -> Self {
        Self::invalid(what, reason).under(CV_2)
    }

    /// Bytes that are not UTF-8.
    pub fn not_text(what: &'static str, reason: impl ToString) -> Self {
        Self::invalid(what, reason).under(CV_3)
    }

    /// A point, a scalar or a key that is not canonical, or not one of its group.
    pub fn not_canonical(what: &'static str, reason: impl ToString) -> Self {
        Self::invalid(what, reason).under(CV_6)
    }

    /// The same for a value that fails a check of its own chapter.
    #[must_use]
    pub fn under(self, check: CheckName) -> Self {
        match self {
            Self::Invalid { what, reason, .. } => Self::Invalid { what, reason, check },
            other => other,
        }
    }

    /// The check of `docs/spec/conventions.md` that the bytes fail, or that of the value's own chapter.
    pub fn check(&self) -> CheckName {
        match self {
            Self::Truncated { .. } | Self::Trailing(_) => CV_1,
            Self::TooLong { .. } => CV_2,
            Self::Kind { .. } | Self::Version { .. } => CV_5,
            Self::Invalid { check, .. } => *check,
        }
    }
}
