//! An auditor's word.

use board::Identity;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{Fault, Hash, PublicKey, Table};

const DOMAIN: &str = "subrosa/table/attestation";

/// "I audited this epoch as a whole": signed over the table, the epoch and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The auditor.
    pub auditor: PublicKey,
    /// The epoch.
    pub epoch: u32,
    /// Its digest.
    pub digest: Hash,
    /// Over all of it, and the table.
    pub signature: [u8; 64],
}

fn message(table: &Table, epoch: u32, digest: &Hash) -> Digest {
    let mut bytes = table.id().to_bytes();
    epoch.encode(&mut bytes);
    digest.encode(&mut bytes);
    Digest::of(DOMAIN, &bytes)
}

impl Attestation {
    /// Signs what the auditor verified with [`crate::audit::verify`].
    pub fn sign(auditor: &Identity, table: &Table, epoch: u32, digest: Hash) -> Self {
        let signature = auditor.sign(DOMAIN, message(table, epoch, &digest));
        Self { auditor: PublicKey::of(auditor), epoch, digest, signature }
    }

    /// Checks the signature.
    ///
    /// # Errors
    /// [`Fault::Signature`].
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        let Self { auditor, epoch, digest, signature } = self;
        let genuine = auditor.0.verify(DOMAIN, message(table, *epoch, digest), signature);
        genuine.then_some(()).ok_or(Fault::Signature { what: "attestation" })
    }
}

impl Encode for Attestation {
    fn encode(&self, out: &mut Vec<u8>) {
        self.auditor.encode(out);
        self.epoch.encode(out);
        self.digest.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Attestation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            auditor: PublicKey::decode(reader)?,
            epoch: reader.u32()?,
            digest: Hash::decode(reader)?,
            signature: reader.array()?,
        })
    }
}
