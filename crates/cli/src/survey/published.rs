//! The folder in which custodian and auditor meet. Nothing in it is secret, and each side verifies
//! what the other wrote.

use std::path::{Path, PathBuf};

use table::{
    EpochHeader, Genesis, Table,
    log::{Attestation, SignedCheckpoint},
};
use wire::{Decode, Encode};

use crate::failure::Failure;

const SMALL: u64 = 1 << 20;
const BUNDLE_LIMIT: u64 = 1 << 32;

/// The files of a table that everybody may read.
pub struct Published(PathBuf);

impl Published {
    /// The folder, whether it is there or not.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The folder, created where it is missing.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(path).map_err(|error| Failure::file(path, error))?;
        Ok(Self::at(path))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Publishes the table's genesis.
    pub fn put_genesis(&self, table: &Table) -> Result<(), Failure> {
        self.put("genesis.json", &table.genesis().to_bytes())
    }

    /// The table.
    pub fn table(&self) -> Result<Table, Failure> {
        let name = "genesis.json";
        let genesis = Genesis::from_bytes(&self.get(name, SMALL)?);
        genesis.and_then(Table::new).map_err(|error| self.refused(name, error))
    }

    /// Publishes an epoch's header and audit bundle.
    pub fn put_epoch(&self, header: &EpochHeader, bundle: &[u8]) -> Result<(), Failure> {
        let epoch = header.core.epoch;
        self.put(&format!("{epoch}.audit"), bundle)?;
        self.put(&format!("{epoch}.header"), &header.to_bytes())
    }

    /// An epoch's header and audit bundle.
    pub fn epoch(&self, epoch: u32) -> Result<(EpochHeader, Vec<u8>), Failure> {
        let name = format!("{epoch}.header");
        let header = EpochHeader::from_bytes(&self.get(&name, SMALL)?);
        let header = header.map_err(|error| self.refused(&name, error))?;
        Ok((header, self.get(&format!("{epoch}.audit"), BUNDLE_LIMIT)?))
    }

    /// Publishes the log's checkpoint.
    pub fn put_checkpoint(&self, signed: &SignedCheckpoint) -> Result<(), Failure> {
        self.put("checkpoint.txt", signed.to_note().as_bytes())
    }

    /// The log's checkpoint, with good signatures or not.
    pub fn checkpoint(&self, table: &Table) -> Result<SignedCheckpoint, Failure> {
        let name = "checkpoint.txt";
        let note = String::from_utf8(self.get(name, SMALL)?);
        let note = note.map_err(|error| self.refused(name, error))?;
        SignedCheckpoint::from_note(table, &note).map_err(|error| self.refused(name, error))
    }

    /// Publishes an auditor's word.
    pub fn put_attestation(&self, attestation: &Attestation) -> Result<(), Failure> {
        self.put(&format!("{}.attestation", attestation.epoch), &attestation.to_bytes())
    }

    /// What the auditor said of an epoch.
    pub fn attestation(&self, epoch: u32) -> Result<Attestation, Failure> {
        let name = format!("{epoch}.attestation");
        let attestation = Attestation::from_bytes(&self.get(&name, SMALL)?);
        attestation.map_err(|error| self.refused(&name, error))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.0.join(name);
        wire::write_atomic(&path, bytes).map_err(|error| Failure::file(&path, error))
    }

    fn get(&self, name: &str, limit: u64) -> Result<Vec<u8>, Failure> {
        let path = self.0.join(name);
        wire::read_bounded(&path, limit).map_err(|error| Failure::file(&path, error))
    }

    fn refused(&self, name: &str, error: impl std::fmt::Display) -> Failure {
        Failure::refused(format!("{}: {error}", self.0.join(name).display()))
    }
}
