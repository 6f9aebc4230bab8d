//! What auditors and witnesses ask a table's server, and each other. They verify what they are told
//! themselves: nothing is verified here.

use table::{
    EpochHeader,
    log::{Attestation, Cosignature, Growth},
};
use wire::{Decode, Encode};

use crate::{ClientError, Options, connection::Connection};

const BYTES: &str = "application/octet-stream";

/// A server that an auditor or a witness asks about one table: the table's, or a witness's.
pub struct Party {
    connection: Connection,
    server: String,
}

impl Party {
    /// A server.
    ///
    /// # Errors
    /// [`ClientError::Options`].
    pub fn open(options: &Options) -> Result<Self, ClientError> {
        let connection = Connection::open(options)?;
        Ok(Self { connection, server: options.server().to_owned() })
    }

    /// Its address.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// How the log grew since a size.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn growth(&self, since: u64) -> Result<Growth, ClientError> {
        self.get(&format!("/log/growth?since={since}"))
    }

    /// The header of an epoch.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn header(&self, epoch: u32) -> Result<EpochHeader, ClientError> {
        self.get(&format!("/epochs/{epoch}/header"))
    }

    /// The audit bundle of an epoch.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn bundle(&self, epoch: u32) -> Result<Vec<u8>, ClientError> {
        self.connection.get_bytes(&format!("/epochs/{epoch}/audit"))
    }

    /// Brings an auditor's word.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn attest(&self, word: &Attestation) -> Result<(), ClientError> {
        self.post("/attestations", &word.to_bytes()).map(|_| ())
    }

    /// Brings a witness's cosignature.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn cosign(&self, word: &Cosignature) -> Result<(), ClientError> {
        self.post("/cosignatures", &word.to_bytes()).map(|_| ())
    }

    /// The log that a witness saw last.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn witnessed(&self) -> Result<Growth, ClientError> {
        self.get("/log")
    }

    /// Shows a witness a log; its cosignature.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn witness(&self, growth: &Growth) -> Result<Cosignature, ClientError> {
        let answer = self.post("/log", &growth.to_bytes())?;
        Cosignature::from_bytes(&answer).map_err(ClientError::answer)
    }

    fn get<T: Decode>(&self, path: &str) -> Result<T, ClientError> {
        T::from_bytes(&self.connection.get_bytes(path)?).map_err(ClientError::answer)
    }

    fn post(&self, path: &str, body: &[u8]) -> Result<Vec<u8>, ClientError> {
        self.connection.post_bytes(path, (BYTES, body), &[])
    }
}
