//! A station over HTTP: takes sealed ballots from voters' devices, and promises to post them.
//!
//! | who | request | answer |
//! |---|---|---|
//! | anybody | `GET /health` | |
//! | | `GET /v1/station` | [`client::stations::About`] |
//! | voter | `POST /v1/ballots`, a file of kind `ballot` | a file of kind `receipt`; 422 for a ballot that would not hold |
//!
//! What a ballot is, this module does not know: a [`Counter`] takes it. A ballot is stored before its receipt leaves the
//! process.

mod server;

use thiserror::Error;

pub use server::{StationOptions, serve};

/// Who takes ballots.
pub trait Counter: Send + Sync + 'static {
    /// Whose station it is, and for which election.
    fn about(&self) -> client::stations::About;

    /// Verifies and stores a ballot; returns the receipt. The same ballot again is as welcome.
    ///
    /// # Errors
    /// [`NotTaken`].
    fn take(&self, ballot: &[u8]) -> Result<Vec<u8>, NotTaken>;
}

/// Why a ballot is not taken.
#[derive(Debug, Error)]
pub enum NotTaken {
    /// These bytes are no ballot.
    #[error("{0}")]
    Malformed(String),
    /// The board would refuse it.
    #[error("{0}")]
    Refused(String),
    /// The polls are closed, or not yet open.
    #[error("{0}")]
    Closed(String),
    /// The station cannot store it.
    #[error("{0}")]
    Failed(String),
}
