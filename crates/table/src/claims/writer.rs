//! Writing claims about a table to a bundle, each verified first.

use claim::{BundleError, BundleWriter, Claim};
use serde_json::Value;
use wire::{Digest, Encode, Progress};

use super::{
    objects::{
        ABSENCE_KIND, ANSWER_KIND, AUDIT_KIND, BUNDLE, CHECKPOINT, ClaimError, GENESIS,
        GENESIS_FILE, HEADER, LOOKUP_KIND, PROOF, ROTATIONS, VERSION,
    },
    statement,
};
use crate::{
    AbsenceProof, EpochHeader, Lookup, Table, audit,
    log::{LoggedRotation, SignedCheckpoint},
    query::{self, Answer},
};

/// A table in a bundle being written: its genesis and a checkpoint, which claims share.
pub struct TableWriter<'a> {
    pub(super) writer: &'a mut BundleWriter,
    pub(super) table: &'a Table,
    pub(super) signed: &'a SignedCheckpoint,
    genesis: Digest,
    checkpoint: Digest,
    rotations: Vec<Digest>,
}

impl<'a> TableWriter<'a> {
    /// Adds genesis and checkpoint, under `table/` in the bundle.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn new(
        writer: &'a mut BundleWriter,
        table: &'a Table,
        signed: &'a SignedCheckpoint,
    ) -> Result<Self, BundleError> {
        let genesis = writer.add_object(GENESIS_FILE, &table.genesis().to_bytes())?;
        let checkpoint = writer.add_object("table/checkpoint.txt", signed.to_note().as_bytes())?;
        Ok(Self { writer, table, signed, genesis, checkpoint, rotations: Vec::new() })
    }

    /// Adds the changes of the operator's key that the log records: without them the claims that
    /// follow verify under the first key only.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn with_rotations(mut self, rotations: &[LoggedRotation]) -> Result<Self, BundleError> {
        for (number, rotation) in rotations.iter().enumerate() {
            let name = format!("table/rotation-{number}");
            self.rotations.push(self.writer.add_object(&name, &rotation.to_bytes())?);
        }
        Ok(self)
    }

    /// Adds an answer under a name; it is verified first, to state what it says.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn answer(&mut self, name: &str, answer: &Answer) -> Result<(), ClaimError> {
        let (table, signed) = (self.table, self.signed);
        let verified = query::verify(table, signed, answer, &table.genesis().auditors)?;
        let statement = statement::answer(table, signed, answer, &verified);
        self.logged(ANSWER_KIND, name, &answer.to_bytes(), statement)
    }

    /// Adds a looked-up row under a name.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn lookup(&mut self, name: &str, lookup: &Lookup) -> Result<(), ClaimError> {
        lookup.verify(self.table, self.signed)?;
        let statement = statement::lookup(self.table, self.signed, lookup);
        self.logged(LOOKUP_KIND, name, &lookup.to_bytes(), statement)
    }

    /// Adds the absence of a pseudonym under a name.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn absence(&mut self, name: &str, absence: &AbsenceProof) -> Result<(), ClaimError> {
        absence.verify(self.table, self.signed)?;
        let statement = statement::absence(self.table, self.signed, absence);
        self.logged(ABSENCE_KIND, name, &absence.to_bytes(), statement)
    }

    /// Adds an epoch's audit, which whoever verifies the bundle then repeats.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn audit(
        &mut self,
        header: &EpochHeader,
        bundle: &[u8],
        progress: &dyn Progress,
    ) -> Result<(), ClaimError> {
        add_audit(self.writer, self.table, self.genesis, (header, bundle), progress).map(|_| ())
    }

    pub(super) fn logged(
        &mut self,
        kind: &str,
        name: &str,
        proof: &[u8],
        statement: Value,
    ) -> Result<(), ClaimError> {
        let proof = self.writer.add_object(&format!("table/{name}.proof"), proof)?;
        let claim = Claim::new(kind, VERSION, self.places(proof), statement);
        Ok(self.writer.add_claim(name, &claim)?)
    }

    /// The objects of a claim about the log.
    pub(super) fn places(&self, proof: Digest) -> Vec<(&'static str, Vec<Digest>)> {
        let mut objects = vec![
            (GENESIS, vec![self.genesis]),
            (CHECKPOINT, vec![self.checkpoint]),
            (PROOF, vec![proof]),
        ];
        if !self.rotations.is_empty() {
            objects.push((ROTATIONS, self.rotations.clone()));
        }
        objects
    }
}

/// Adds an epoch's audit, and tells the digest of its header.
pub(super) fn add_audit(
    writer: &mut BundleWriter,
    table: &Table,
    genesis: Digest,
    (header, bundle): (&EpochHeader, &[u8]),
    progress: &dyn Progress,
) -> Result<Digest, ClaimError> {
    let report = audit::verify(table, header, bundle, progress)?;
    let epoch = header.core.epoch;
    let mut add =
        |what: &str, bytes: &[u8]| writer.add_object(&format!("table/epoch-{epoch}.{what}"), bytes);
    let header_digest = add("header", &header.to_bytes())?;
    let bundle_digest = add("audit", bundle)?;
    let objects =
        [(GENESIS, vec![genesis]), (HEADER, vec![header_digest]), (BUNDLE, vec![bundle_digest])];
    let statement = statement::audit(table, header, &report);
    let claim = Claim::new(AUDIT_KIND, VERSION, objects, statement);
    writer.add_claim(&format!("audit-{epoch}"), &claim)?;
    Ok(header_digest)
}
