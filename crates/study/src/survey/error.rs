//! What is wrong with a survey's files.

use thiserror::Error;

/// Why a description or a file of responses is refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SurveyError {
    /// The description is no TOML of the expected form.
    #[error("the description cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// The description's table cannot be one.
    #[error(transparent)]
    Schema(#[from] table::SchemaError),
    /// A field that says something impossible.
    #[error("`{field}`: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The file of responses is no CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A column that the description names is not in the header, or is there twice.
    #[error("line 1: the header must have the column `{0}` once")]
    Header(String),
    /// A response that cannot be taken in.
    #[error("line {line}, column `{column}`: {reason}")]
    Response {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What is wrong, and what is expected.
        reason: String,
    },
    /// Something about the file as a whole.
    #[error("{0}")]
    File(String),
}

impl SurveyError {
    pub(super) fn field(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Field { field, reason: reason.into() }
    }
}
