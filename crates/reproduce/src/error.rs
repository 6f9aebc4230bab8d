//! What can go wrong.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why figures could not be reproduced.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// The data that the program carries are wrong.
    #[error("{file}: {reason}")]
    Data {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// No figure has this name.
    #[error("there is no figure `{0}`")]
    UnknownFigure(String),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of results is not one of ours.
    #[error("{path}: not a file of results: {reason}")]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A plot cannot be drawn.
    #[error("the plot of {panel}: {reason}")]
    Plot {
        /// The panel.
        panel: String,
        /// Why.
        reason: String,
    },
}
