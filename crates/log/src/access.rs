//! A log as whoever reads and writes it sees it, wherever its keeper is.

use std::{sync::Arc, time::Duration};

use thiserror::Error;

use crate::{
    AdmissionError, EntryError, Evidence, Header, Leaf, SignedCheckpoint, Standing, merkle::Hash,
    note::VerifierKey,
};

/// Why a log does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// Nobody answers, or not in time: trying again is right.
    #[error("the log at {place} cannot be reached: {reason}")]
    Unreachable {
        /// Where the log was looked for.
        place: String,
        /// What the system says.
        reason: String,
    },
    /// The keeper's store fails.
    #[error("the log's store failed: {0}")]
    Store(String),
    /// What came is not what a keeper answers.
    #[error("the log's answer cannot be read: {0}")]
    Malformed(String),
    /// The keeper does not take the entry.
    #[error("the log refuses the entry: {reason}")]
    Refused {
        /// The keeper's words.
        reason: String,
        /// Milliseconds after which trying again is right; `None` if it never is.
        wait: Option<u64>,
    },
    /// The entry is not what it says.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The keeper did what it must not, as a witness saw: what convicts it.
    #[error("the keeper of {} is convicted: {}", .0.log.name.as_str(), .0.name())]
    Convicted(Box<Evidence>),
}

impl From<AdmissionError> for AccessError {
    fn from(error: AdmissionError) -> Self {
        let wait = match error {
            AdmissionError::Quota { wait } | AdmissionError::Seats { wait } => Some(wait),
            AdmissionError::UnderWay | AdmissionError::Late => Some(0),
            _ => None,
        };
        Self::Refused { reason: error.to_string(), wait }
    }
}

/// A log as whoever reads and writes it sees it: a keeper in this process, in a directory, or behind
/// HTTP.
///
/// Nobody trusts it. Every answer is what the keeper says: whoever asks checks signatures, proofs and
/// payloads, and remembers what it saw.
pub trait LogAccess: Send + Sync {
    /// The key by which the log is known: its origin is the name.
    fn key(&self) -> &VerifierKey;

    /// The witnesses whose lines under a checkpoint count; none, if whoever asks knows of none.
    fn witnesses(&self) -> &[VerifierKey] {
        &[]
    }

    /// The checkpoint that the keeper shows, with the lines of its witnesses; `None` of a log without
    /// entries.
    ///
    /// # Errors
    /// [`AccessError`].
    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError>;

    /// Waits until the log has more than `size` leaves, `timeout` at most, and says whether it has.
    ///
    /// # Errors
    /// [`AccessError`].
    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError>;

    /// Leaves in a row from a place on: `limit` at most, fewer at the keeper's choice, none at the end.
    ///
    /// # Errors
    /// [`AccessError`].
    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError>;

    /// The payload that a header names; `None` if the keeper does not have it.
    ///
    /// # Errors
    /// [`AccessError`]; [`EntryError::OtherPayload`] for bytes that the header does not name.
    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError>;

    /// Hands in an entry, which is promised when this returns, or in the log. Handing it in again is
    /// right.
    ///
    /// # Errors
    /// [`AccessError`].
    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError>;

    /// Where an entry stands, by [`Header::digest`], if the keeper ever promised it.
    ///
    /// # Errors
    /// [`AccessError`].
    fn standing(&self, entry: &wire::Digest) -> Result<Option<Standing>, AccessError>;

    /// Shows that the log of the second size continues that of the first
    /// ([`crate::merkle::verify_consistency`]).
    ///
    /// # Errors
    /// [`AccessError`].
    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError>;
}

macro_rules! forward_access {
    ($($bounds:tt)*) => {
        $($bounds)* {
            fn key(&self) -> &VerifierKey {
                (**self).key()
            }

            fn witnesses(&self) -> &[VerifierKey] {
                (**self).witnesses()
            }

            fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
                (**self).latest()
            }

            fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
                (**self).wait_beyond(size, timeout)
            }

            fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
                (**self).leaves(from, limit)
            }

            fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
                (**self).payload(header)
            }

            fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
                (**self).submit(header, payload)
            }

            fn standing(&self, entry: &wire::Digest) -> Result<Option<Standing>, AccessError> {
                (**self).standing(entry)
            }

            fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
                (**self).consistency(from, to)
            }
        }
    };
}

forward_access!(impl<L: LogAccess + ?Sized> LogAccess for &L);
forward_access!(impl<L: LogAccess + ?Sized> LogAccess for Arc<L>);
forward_access!(impl<L: LogAccess + ?Sized> LogAccess for Box<L>);
