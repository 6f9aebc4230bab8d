//! What a witness remembers, and when it cosigns.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use board::Identity;
use claim::BundleWriter;
use table::{
    Fault, Hash, PublicKey, Table, claims,
    log::{Cosignature, Evidence, Growth, SignedCheckpoint},
};
use thiserror::Error;
use wire::{Decode as _, Encode as _};

const LIMIT: u64 = 1 << 24;

/// Why a witness does not cosign, or has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A table that it does not witness.
    #[error("this witness does not witness the table {0}")]
    Unknown(Hash),
    /// A table that it has not seen, or no evidence against its operator.
    #[error("there is nothing yet")]
    Nothing,
    /// The table's genesis does not name its key.
    #[error("the table's genesis does not name this witness's key")]
    NotNamed,
    /// A log that starts elsewhere than at the one seen last, or ends before it.
    #[error("this witness saw a log of {seen} epochs: show how the log grew since")]
    Since {
        /// Epochs in the log that it saw last.
        seen: u64,
    },
    /// A log that is not what its operator says.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Two histories: the operator is convicted.
    #[error("the operator signed {}: the evidence is stored", .0.offence())]
    Forked(Box<Evidence>),
    /// What was seen cannot be read or stored.
    #[error("{}: {reason}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A witness.
pub struct Keeper {
    identity: Identity,
    folder: PathBuf,
    /// Held from reading what was seen to storing what is.
    tables: BTreeMap<Hash, Mutex<()>>,
}

impl Keeper {
    /// A witness of these tables that remembers in a folder, which must be there.
    pub fn new(identity: Identity, folder: &Path, tables: impl Iterator<Item = Hash>) -> Self {
        let tables = tables.map(|table| (table, Mutex::default())).collect();
        Self { identity, folder: folder.to_owned(), tables }
    }

    /// The public key.
    pub fn key(&self) -> PublicKey {
        PublicKey::of(&self.identity)
    }

    /// The tables, ascending.
    pub fn tables(&self) -> impl Iterator<Item = &Hash> {
        self.tables.keys()
    }

    /// The log of a table that was cosigned last.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn seen(&self, table: &Hash) -> Result<Option<Growth>, Refusal> {
        if !self.tables.contains_key(table) {
            return Err(Refusal::Unknown(*table));
        }
        let path = self.file(table, "log");
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let growth = Growth::from_bytes(&read(&path)?);
        growth.map(Some).map_err(|error| state(&path, error))
    }

    /// Cosigns a log that continues the one seen last, or is the same. It is remembered before this
    /// returns.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn cosign(&self, growth: &Growth, time: u64) -> Result<Cosignature, Refusal> {
        let table = &growth.table;
        let lock = self.tables.get(table.id()).ok_or(Refusal::Unknown(*table.id()))?;
        // It guards a file, which is replaced as a whole.
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if !table.genesis().witnesses.contains(&self.key()) {
            return Err(Refusal::NotNamed);
        }
        let seen = self.seen(table.id())?;
        if let Some(evidence) = seen.as_ref().and_then(|seen| growth.succession(seen)) {
            return Err(self.convict(table, evidence));
        }
        let last = seen.as_ref().map(|seen| &seen.signed);
        let cosignature = growth.cosign(last, &self.identity, time).map_err(|fault| {
            let Some(last) = last else { return Refusal::Fault(fault) };
            if let Some(evidence) = growth.fork(last) {
                return self.convict(table, evidence);
            }
            let seen = last.checkpoint.size;
            let elsewhere = growth.since != seen && growth.signed.checkpoint.size != seen;
            if elsewhere { Refusal::Since { seen } } else { Refusal::Fault(fault) }
        })?;
        // Of logs of one size the first stays: it shows how the log grew since what was seen before.
        if last.is_none_or(|last| last.checkpoint.size < growth.signed.checkpoint.size) {
            let path = self.file(table.id(), "log");
            wire::write_atomic(&path, &growth.to_bytes()).map_err(|error| state(&path, error))?;
        }
        Ok(cosignature)
    }

    /// Compares a note that somebody else saw with the log seen last, which is the answer.
    ///
    /// # Errors
    /// [`Refusal::Forked`] if they are two histories.
    pub fn gossip(&self, table: &Hash, note: &str) -> Result<Growth, Refusal> {
        let growth = self.seen(table)?.ok_or(Refusal::Nothing)?;
        if let Some(evidence) = Evidence::retired(&growth.table, note) {
            return Err(self.convict(&growth.table, evidence));
        }
        let other = SignedCheckpoint::from_note(&growth.table, note)?;
        other.verify_operator(&growth.table)?;
        let (one, two) = (&growth.signed.checkpoint, &other.checkpoint);
        // Of logs of two sizes a note alone says nothing: the answer lets its reader compare.
        match one.size == two.size && one.root != two.root {
            false => Ok(growth),
            true => {
                let evidence = Evidence::TwoRoots { one: growth.signed.clone(), other };
                Err(self.convict(&growth.table, evidence))
            }
        }
    }

    /// What convicts the operator of a table, in its canonical form.
    ///
    /// # Errors
    /// [`Refusal::Nothing`].
    pub fn evidence(&self, table: &Hash) -> Result<Vec<u8>, Refusal> {
        if !self.tables.contains_key(table) {
            return Err(Refusal::Unknown(*table));
        }
        let path = self.file(table, "evidence").join("objects/table/evidence");
        if path.symlink_metadata().is_ok() { read(&path) } else { Err(Refusal::Nothing) }
    }

    /// Where the bundle with evidence against a table's operator is, or will be.
    pub fn evidence_path(&self, table: &Hash) -> PathBuf {
        self.file(table, "evidence")
    }

    /// Keeps the first evidence against an operator for good.
    fn convict(&self, table: &Table, evidence: Evidence) -> Refusal {
        let path = self.evidence_path(table.id());
        match write_evidence(&path, table, &evidence) {
            Ok(()) => Refusal::Forked(Box::new(evidence)),
            Err(error) => state(&path, error),
        }
    }

    fn file(&self, table: &Hash, kind: &str) -> PathBuf {
        self.folder.join(format!("{table}.{kind}"))
    }
}

/// Writes evidence as a bundle for `subrosa verify`, beside its path and then in its place; does
/// nothing if a bundle is there.
///
/// # Errors
/// Those of the file system.
pub(crate) fn write_evidence(
    path: &Path,
    table: &Table,
    evidence: &Evidence,
) -> Result<(), String> {
    if path.join("bundle.json").symlink_metadata().is_ok() {
        return Ok(());
    }
    // A file's path has a parent, or is relative to this directory, and a name.
    let parent = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = parent.join(format!(".{name}.{}", std::process::id()));
    let written = || {
        // What a killed process left of it.
        let _ = std::fs::remove_dir_all(&beside);
        let mut writer = BundleWriter::create(&beside).map_err(|error| error.to_string())?;
        claims::write_evidence(&mut writer, table, evidence).map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())?;
        std::fs::rename(&beside, path).map_err(|error| error.to_string())
    };
    written()
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    wire::read_bounded(path, LIMIT).map_err(|error| state(path, error))
}

fn state(path: &Path, error: impl std::fmt::Display) -> Refusal {
    Refusal::State { path: path.to_owned(), reason: error.to_string() }
}
