//! An auditor's word.

use board::Identity;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{KeyRange, Scope};
use crate::{Fault, Hash, PublicKey, Table};

const DOMAIN: &str = "subrosa/table/attestation";

/// "I audited this epoch, or this of it": signed over the table, the epoch, its digest and the scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The auditor.
    pub auditor: PublicKey,
    /// The epoch.
    pub epoch: u32,
    /// Its digest.
    pub digest: Hash,
    /// What of it.
    pub scope: Scope,
    /// Over all of it, and the table.
    pub signature: [u8; 64],
}

fn message(table: &Table, epoch: u32, digest: &Hash, scope: &Scope) -> Digest {
    let mut bytes = table.id().to_bytes();
    epoch.encode(&mut bytes);
    digest.encode(&mut bytes);
    scope.encode(&mut bytes);
    Digest::of(DOMAIN, &bytes)
}

impl Attestation {
    /// Signs what the auditor verified with [`crate::audit::verify`].
    pub fn sign(auditor: &Identity, table: &Table, epoch: u32, digest: Hash) -> Self {
        Self::sign_scope(auditor, table, epoch, digest, Scope::Whole)
    }

    /// Signs what the auditor verified with [`crate::audit::verify_part`].
    pub fn sign_scope(
        auditor: &Identity,
        table: &Table,
        epoch: u32,
        digest: Hash,
        scope: Scope,
    ) -> Self {
        let signature = auditor.sign(DOMAIN, message(table, epoch, &digest, &scope));
        Self { auditor: PublicKey::of(auditor), epoch, digest, scope, signature }
    }

    /// Checks the signature.
    ///
    /// # Errors
    /// [`Fault::Signature`].
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        let Self { auditor, epoch, digest, scope, signature } = self;
        let genuine = auditor.0.verify(DOMAIN, message(table, *epoch, digest, scope), signature);
        genuine.then_some(()).ok_or(Fault::Signature { what: "attestation" })
    }

    /// Whether words about one epoch together vouch for all of it.
    pub(crate) fn vouch_for_all<'a>(words: impl Iterator<Item = &'a Self> + Clone) -> bool {
        let scopes = words.map(|word| &word.scope);
        let seen = |(range, links): &(KeyRange, Hash)| {
            let mut keys = scopes.clone();
            keys.any(|scope| {
                matches!(scope, Scope::Keys { range: r, links: l } if r == range && l == links)
            })
        };
        scopes.clone().any(|scope| match scope {
            Scope::Whole => true,
            Scope::Keys { .. } => false,
            Scope::Users { parts } => {
                let ranges: Vec<KeyRange> = parts.iter().map(|(range, _)| range.clone()).collect();
                KeyRange::make_up_all(&ranges) && parts.iter().all(seen)
            }
        })
    }
}

impl Encode for Attestation {
    fn encode(&self, out: &mut Vec<u8>) {
        self.auditor.encode(out);
        self.epoch.encode(out);
        self.digest.encode(out);
        self.scope.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Attestation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            auditor: PublicKey::decode(reader)?,
            epoch: reader.u32()?,
            digest: Hash::decode(reader)?,
            scope: Scope::decode(reader)?,
            signature: reader.array()?,
        })
    }
}
