//! The auditor: sees commitments, order and counts, never a wage.

use board::Identity;
use table::{
    EpochHeader, Fault, Hash, Table, audit,
    log::{Attestation, Checkpoint, SignedCheckpoint},
};
use wire::Progress;

/// Audits a table's epochs in order, and vouches for all of them together.
pub struct Auditor<'a> {
    table: &'a Table,
    digests: Vec<Hash>,
}

impl<'a> Auditor<'a> {
    /// Nothing is audited yet.
    pub fn new(table: &'a Table) -> Self {
        Self { table, digests: Vec::new() }
    }

    /// The epoch to audit next.
    pub fn next(&self) -> u32 {
        self.table.genesis().first_epoch.saturating_add(self.digests.len() as u32)
    }

    /// Audits the next epoch: rebuilds it, checks all proofs, and that it follows the one before.
    ///
    /// # Errors
    /// [`Fault`] naming what does not hold.
    pub fn audit(
        &mut self,
        header: &EpochHeader,
        bundle: &[u8],
        progress: &dyn Progress,
    ) -> Result<audit::Report, Fault> {
        // The first epoch follows the table's name.
        let previous = self.digests.last().unwrap_or(self.table.id());
        if header.core.epoch != self.next() || header.core.previous != *previous {
            return Err(Fault::Mismatch { what: "the epoch before" });
        }
        let report = audit::verify(self.table, header, bundle, progress)?;
        self.digests.push(header.digest(self.table.id()));
        Ok(report)
    }

    /// Signs an attestation for every epoch, if the log holds exactly those that were audited.
    ///
    /// # Errors
    /// [`Fault`] for another log or a checkpoint that is not signed as the table demands.
    pub fn attest(
        &self,
        signed: &SignedCheckpoint,
        signer: &Identity,
    ) -> Result<Vec<Attestation>, Fault> {
        signed.verify(self.table)?;
        if signed.checkpoint != Checkpoint::of(self.table, &self.digests) {
            return Err(Fault::Mismatch { what: "the log of the audited epochs" });
        }
        let first = self.table.genesis().first_epoch;
        let sign =
            |(epoch, digest): (u32, &Hash)| Attestation::sign(signer, self.table, epoch, *digest);
        Ok((first..).zip(&self.digests).map(sign).collect())
    }
}
