//! Whom a watching auditor asks.

use client::{ClientError, Party};
use table::{
    EpochHeader,
    log::{Attestation, Cosignature, Growth},
};

/// Who has a table: its log, its audits.
pub trait Source {
    /// How the log grew since a size.
    ///
    /// # Errors
    /// [`ClientError`]; a problem of status 404 where no epoch is in the log.
    fn growth(&self, since: u64) -> Result<Growth, ClientError>;

    /// The header of an epoch.
    ///
    /// # Errors
    /// [`ClientError`].
    fn header(&self, epoch: u32) -> Result<EpochHeader, ClientError>;

    /// The audit bundle of an epoch.
    ///
    /// # Errors
    /// [`ClientError`].
    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, ClientError>;

    /// Takes the auditor's word.
    ///
    /// # Errors
    /// [`ClientError`].
    fn attest(&self, word: &Attestation) -> Result<(), ClientError>;

    /// Takes the auditor's cosignature, if it is a witness, too.
    ///
    /// # Errors
    /// [`ClientError`].
    fn cosign(&self, word: &Cosignature) -> Result<(), ClientError>;
}

/// Who saw a table's log.
pub trait Peer {
    /// A name for notices.
    fn name(&self) -> &str;

    /// The log seen last.
    ///
    /// # Errors
    /// [`ClientError`].
    fn seen(&self) -> Result<Option<Growth>, ClientError>;
}

impl Source for Party {
    fn growth(&self, since: u64) -> Result<Growth, ClientError> {
        self.growth(since)
    }

    fn header(&self, epoch: u32) -> Result<EpochHeader, ClientError> {
        self.header(epoch)
    }

    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, ClientError> {
        self.bundle(epoch)
    }

    fn attest(&self, word: &Attestation) -> Result<(), ClientError> {
        self.attest(word)
    }

    fn cosign(&self, word: &Cosignature) -> Result<(), ClientError> {
        self.cosign(word)
    }
}

impl Peer for Party {
    fn name(&self) -> &str {
        self.server()
    }

    fn seen(&self) -> Result<Option<Growth>, ClientError> {
        match self.witnessed() {
            Err(error) if error.status() == Some(404) => Ok(None),
            seen => seen.map(Some),
        }
    }
}
