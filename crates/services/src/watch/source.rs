//! Whom a watching auditor asks.

use table::{
    EpochHeader, Hash,
    log::{Attestation, Cosignature, Growth},
};

use crate::remote::{Remote, RemoteError};

/// Who has a table: its log, its audits.
pub trait Source {
    /// How the log grew since a size.
    ///
    /// # Errors
    /// [`RemoteError`]; a problem of status 404 where no epoch is in the log.
    fn growth(&self, since: u64) -> Result<Growth, RemoteError>;

    /// The header of an epoch.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn header(&self, epoch: u32) -> Result<EpochHeader, RemoteError>;

    /// The audit bundle of an epoch.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, RemoteError>;

    /// Takes the auditor's word.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn attest(&self, word: &Attestation) -> Result<(), RemoteError>;

    /// Takes the auditor's cosignature, if it is a witness, too.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn cosign(&self, word: &Cosignature) -> Result<(), RemoteError>;
}

/// Who saw a table's log.
pub trait Peer {
    /// A name for notices.
    fn name(&self) -> &str;

    /// The log seen last.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn seen(&self, table: &Hash) -> Result<Option<Growth>, RemoteError>;
}

/// A table's server.
pub struct TableServer {
    /// The server.
    pub remote: Remote,
    /// The table.
    pub table: Hash,
}

impl Source for TableServer {
    fn growth(&self, since: u64) -> Result<Growth, RemoteError> {
        self.remote.growth(&self.table, since)
    }

    fn header(&self, epoch: u32) -> Result<EpochHeader, RemoteError> {
        self.remote.header(&self.table, epoch)
    }

    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, RemoteError> {
        self.remote.bundle(&self.table, epoch)
    }

    fn attest(&self, word: &Attestation) -> Result<(), RemoteError> {
        self.remote.attest(&self.table, word)
    }

    fn cosign(&self, word: &Cosignature) -> Result<(), RemoteError> {
        self.remote.cosign(&self.table, word)
    }
}

/// A witness's server.
impl Peer for Remote {
    fn name(&self) -> &str {
        self.server()
    }

    fn seen(&self, table: &Hash) -> Result<Option<Growth>, RemoteError> {
        match self.witnessed(table) {
            Ok(growth) => Ok(Some(growth)),
            Err(RemoteError::Problem { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
