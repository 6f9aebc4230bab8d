//! The log of epochs: an RFC 6962 tree of digests, signed checkpoints, witnesses, receipts, and
//! evidence of lies (`docs/spec/table.md`). Tree, tiles and notes are those of the crate `log`.
//!
//! Epoch `t` is leaf `t − t₀`, so that no epoch can be left out. The operator signs checkpoints in
//! the note format of C2SP, and witnesses cosign them after checking that the log only grew.

mod attestation;
mod checkpoint;
mod evidence;
mod growth;
mod receipt;
mod records;
mod rotation;
mod scope;

pub use crate::identity::Rotation;
pub use ::log::{merkle, tile};
pub use attestation::Attestation;
pub use checkpoint::{Checkpoint, Cosignature, SignedCheckpoint};
pub use evidence::Evidence;
pub use growth::Growth;
pub use receipt::{CLOCK_SKEW, Receipt};
pub use records::{ErasureProof, LoggedRecords, Tombstone, check_records};
pub(crate) use records::{decode_records, encode_records, only};
pub use rotation::LoggedRotation;
pub use scope::{KeyRange, Scope};

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{EpochHeader, Fault, Hash, Table};

/// An epoch and its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEpoch {
    /// The epoch.
    pub header: EpochHeader,
    /// Siblings of its digest in the log, from the bottom.
    pub inclusion: Vec<Hash>,
}

impl LoggedEpoch {
    /// Checks that the checkpoint's log holds this epoch at its place, and that it has the columns
    /// of the schema; its digest.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, checkpoint: &Checkpoint) -> Result<Hash, Fault> {
        let core = &self.header.core;
        let (got, expected) = (core.columns.len() as u64, table.schema().ordered().count() as u64);
        if got != expected {
            return Err(Fault::Number { what: "columns of the epoch", got, expected });
        }
        let first = table.genesis().first_epoch;
        let index = core.epoch.checked_sub(first).ok_or(Fault::Bounds { what: "the epoch" })?;
        let digest = self.header.digest(table.id());
        let leaf = merkle::leaf_hash(digest.as_bytes());
        let root =
            merkle::root_from_inclusion(index.into(), checkpoint.size, &leaf, &self.inclusion)?;
        match root == checkpoint.root {
            true => Ok(digest),
            false => Err(Fault::Mismatch { what: "the epoch's place in the log" }),
        }
    }
}

impl Encode for LoggedEpoch {
    fn encode(&self, out: &mut Vec<u8>) {
        self.header.encode(out);
        merkle::encode_proof(&self.inclusion, out);
    }
}

impl Decode for LoggedEpoch {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { header: EpochHeader::decode(reader)?, inclusion: merkle::decode_proof(reader)? })
    }
}

impl From<merkle::ProofError> for Fault {
    fn from(error: merkle::ProofError) -> Self {
        use merkle::ProofError;
        match error {
            ProofError::Index { .. } => Self::Bounds { what: "the epoch's place in the log" },
            ProofError::Sizes { .. } => Self::Bounds { what: "the sizes of the logs" },
            ProofError::Length { got, expected } => {
                Self::Number { what: "hashes of a proof of the log", got, expected }
            }
            _ => Self::Mismatch { what: "the consistency of the log" },
        }
    }
}
