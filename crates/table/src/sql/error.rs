//! Why a query is refused.

use thiserror::Error;

/// Why a query is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason} ({code})")]
pub struct SqlError {
    /// For machines: `syntax`, `subset`, `table`, `column`, `aggregate`, `fraction`, `value`,
    /// `epochs`, `groups`, `label`, `moments`, `hierarchy`, or the code of a [`Fault::Policy`](crate::Fault::Policy).
    pub code: &'static str,
    /// For people: what is wrong, and where.
    pub reason: String,
}

pub(super) fn refuse<T>(code: &'static str, reason: impl Into<String>) -> Result<T, SqlError> {
    Err(SqlError { code, reason: reason.into() })
}
