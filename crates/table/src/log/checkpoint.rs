//! Checkpoints as signed notes, and witnesses' cosignatures (C2SP `tlog-checkpoint`,
//! `signed-note`, `tlog-cosignature`).

use std::{collections::BTreeSet, fmt::Write as _};

use board::Identity;
use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};
use wire::{Decode, DecodeError, Encode, Reader};

use super::merkle;
use crate::{Fault, Hash, PublicKey, Table, log::LoggedRotation, signing::sign_note};

const ORIGIN: &str = "subrosa.table/v1/";
/// Signature types of C2SP.
const ED25519: u8 = 0x01;
const COSIGNATURE: u8 = 0x04;
/// A note with a signature of every witness that a table can have.
pub(super) const MAX_NOTE: usize = 1 << 20;

/// A log at a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The table, which the origin line names.
    pub table: Hash,
    /// Epochs in the log.
    pub size: u64,
    /// The root over their digests.
    pub root: Hash,
}

impl Checkpoint {
    /// The checkpoint of a log.
    pub fn of(table: &Table, digests: &[Hash]) -> Self {
        let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
        let root = merkle::root(&leaves);
        Self { table: *table.id(), size: digests.len() as u64, root }
    }

    /// The note's body: origin, size and root, a line each.
    pub fn body(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin(), self.size, BASE64.encode(self.root.as_bytes()))
    }

    /// Reads origin, size and root of a note; its signatures, and its form, are another matter.
    fn from_body(note: &str) -> Result<Self, Fault> {
        let (body, _) = note.split_once("\n\n").unwrap_or((note, ""));
        let mut lines = body.lines();
        let [origin, size, root] = [(); 3].map(|()| lines.next().unwrap_or_default());
        let table = origin.strip_prefix(ORIGIN).and_then(|name| name.parse().ok());
        let root: Option<[u8; 32]> =
            BASE64.decode(root.as_bytes()).ok().and_then(|root| root.try_into().ok());
        let (Some(table), Ok(size), Some(root)) = (table, size.parse(), root) else {
            return Err(Fault::Note { reason: "not origin, size and root" });
        };
        Ok(Self { table, size, root: root.into() })
    }

    fn origin(&self) -> String {
        format!("{ORIGIN}{}", self.table)
    }

    /// The operator's signature. It must be stored before it leaves the process: a log that shows
    /// two roots of one size is evidence for ever.
    pub fn sign(self, operator: &Identity) -> SignedCheckpoint {
        let signature = sign_note(operator, self.body().as_bytes());
        let signer = PublicKey::of(operator);
        SignedCheckpoint { checkpoint: self, signer, signature, cosignatures: Vec::new() }
    }

    /// A witness's cosignature. The witness first checks that the log only grew since what it
    /// cosigned before ([`merkle::verify_consistency`]).
    pub fn cosign(&self, witness: &Identity, time: u64) -> Cosignature {
        let signature = sign_note(witness, self.cosigned(time).as_bytes());
        Cosignature { witness: PublicKey::of(witness), time, signature }
    }

    fn cosigned(&self, time: u64) -> String {
        format!("cosignature/v1\ntime {time}\n{}", self.body())
    }
}

/// A witness's word that it saw a checkpoint at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// The witness.
    pub witness: PublicKey,
    /// Seconds since 1970, by the witness's clock.
    pub time: u64,
    /// Over time and checkpoint.
    pub signature: [u8; 64],
}

impl Encode for Cosignature {
    fn encode(&self, out: &mut Vec<u8>) {
        self.witness.encode(out);
        self.time.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Cosignature {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (witness, time) = (PublicKey::decode(reader)?, reader.u64()?);
        Ok(Self { witness, time, signature: reader.array()? })
    }
}

/// A checkpoint with the operator's signature and those of witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// What is signed.
    pub checkpoint: Checkpoint,
    /// The operator.
    pub signer: PublicKey,
    /// Over the note's body.
    pub signature: [u8; 64],
    /// Of witnesses.
    pub cosignatures: Vec<Cosignature>,
}

impl SignedCheckpoint {
    /// Checks that the table's operator signed, with the key of that size.
    ///
    /// # Errors
    /// [`Fault::Mismatch`] for another table, [`Fault::Signature`].
    pub fn verify_operator(&self, table: &Table) -> Result<(), Fault> {
        self.verify_by(table, table.operator(self.checkpoint.size))
    }

    /// Checks that this key of the table's operator signed.
    pub(super) fn verify_by(&self, table: &Table, key: PublicKey) -> Result<(), Fault> {
        let Self { checkpoint, signer, signature, .. } = self;
        if checkpoint.table != *table.id() {
            return Err(Fault::Mismatch { what: "the checkpoint's origin" });
        }
        let genuine = *signer == key && signer.verify_note(checkpoint.body().as_bytes(), signature);
        genuine.then_some(()).ok_or(Fault::Signature { what: "checkpoint" })
    }

    /// Checks operator and quorum. The time that the quorum vouches for: as many witnesses as the
    /// table asks for saw the checkpoint then or later; `None` for a table without witnesses.
    ///
    /// # Errors
    /// [`Fault::Signature`], [`Fault::Duplicate`], [`Fault::Number`].
    pub fn verify(&self, table: &Table) -> Result<Option<u64>, Fault> {
        self.verify_operator(table)?;
        let genesis = table.genesis();
        let mut seen = BTreeSet::new();
        for Cosignature { witness, time, signature } in &self.cosignatures {
            let genuine = genesis.witnesses.contains(witness)
                && witness.verify_note(self.checkpoint.cosigned(*time).as_bytes(), signature);
            if !genuine {
                return Err(Fault::Signature { what: "cosignature" });
            }
            if !seen.insert(witness) {
                return Err(Fault::Duplicate { what: "the cosignature of a witness" });
            }
        }
        let (got, expected) = (seen.len() as u64, u64::from(genesis.quorum));
        if got < expected {
            return Err(Fault::Number { what: "cosignatures", got, expected });
        }
        Ok(self.witnessed(table))
    }

    /// The time for which the cosignatures, once verified, vouch.
    pub(crate) fn witnessed(&self, table: &Table) -> Option<u64> {
        let mut times: Vec<u64> = self.cosignatures.iter().map(|cosigned| cosigned.time).collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        (table.genesis().quorum as usize).checked_sub(1).and_then(|last| times.get(last).copied())
    }

    /// The note, as it is stored and sent.
    pub fn to_note(&self) -> String {
        let origin = self.checkpoint.origin();
        let mut note = self.checkpoint.body();
        note.push('\n');
        let own = key_id(&origin, ED25519, &self.signer);
        let mut line = |name: &str, parts: &[&[u8]]| {
            let _ = writeln!(note, "— {name} {}", BASE64.encode(&parts.concat()));
        };
        line(&origin, &[&own, &self.signature]);
        for Cosignature { witness, time, signature } in &self.cosignatures {
            let name = witness.to_string();
            let id = key_id(&name, COSIGNATURE, witness);
            line(&name, &[&id, &time.to_be_bytes(), signature]);
        }
        note
    }
}

impl SignedCheckpoint {
    /// Reads a note of a table. Signatures are checked by [`SignedCheckpoint::verify`].
    ///
    /// # Errors
    /// [`Fault::Note`] for anything but what [`SignedCheckpoint::to_note`] writes.
    pub fn from_note(table: &Table, note: &str) -> Result<Self, Fault> {
        Self::from_note_by(note, |checkpoint| table.operator(checkpoint.size))
    }

    /// Reads a note under the key that its checkpoint must have been signed with.
    pub(super) fn from_note_by(
        note: &str,
        signer: impl FnOnce(&Checkpoint) -> PublicKey,
    ) -> Result<Self, Fault> {
        let refused = |reason| Fault::Note { reason };
        if note.len() > MAX_NOTE {
            return Err(refused("too long"));
        }
        let checkpoint = Checkpoint::from_body(note)?;
        let (_, signatures) = note.split_once("\n\n").ok_or_else(|| refused("no signature"))?;
        let decode = |line: &str| {
            let (_, encoded) = line.strip_prefix("— ")?.split_once(' ')?;
            BASE64.decode(encoded.as_bytes()).ok()
        };
        let mut lines = signatures.lines();
        let own = lines.next().and_then(decode);
        let signature = own.and_then(|own| own.get(4..)?.try_into().ok());
        let signature = signature.ok_or_else(|| refused("no signature of the operator"))?;
        let cosignature = |line: &str| {
            let (name, _) = line.strip_prefix("— ")?.split_once(' ')?;
            let bytes = decode(line)?;
            let (time, signature) = bytes.get(4..)?.split_first_chunk()?;
            let time = u64::from_be_bytes(*time);
            let witness = PublicKey(name.parse().ok()?);
            Some(Cosignature { witness, time, signature: signature.try_into().ok()? })
        };
        let cosignatures: Option<_> = lines.map(cosignature).collect();
        let cosignatures = cosignatures.ok_or_else(|| refused("not a cosignature"))?;
        let signer = signer(&checkpoint);
        let read = Self { checkpoint, signer, signature, cosignatures };
        match read.to_note() == note {
            true => Ok(read),
            false => Err(refused("not in canonical form")),
        }
    }
}

impl SignedCheckpoint {
    /// Reads a note of a table of which only the genesis is known, and lets it know the changes of
    /// the operator's key that the note's log records.
    ///
    /// # Errors
    /// As [`SignedCheckpoint::from_note`] and [`LoggedRotation::apply`].
    pub fn from_note_with(
        table: &mut Table,
        note: &str,
        rotations: &[LoggedRotation],
    ) -> Result<Self, Fault> {
        let checkpoint = Checkpoint::from_body(note)?;
        rotations.iter().try_for_each(|rotation| rotation.apply(table, &checkpoint))?;
        Self::from_note(table, note)
    }
}

fn key_id(name: &str, kind: u8, key: &PublicKey) -> [u8; 4] {
    let start = Sha256::new().chain_update(name).chain_update(b"\n").chain_update([kind]);
    let digest: [u8; 32] = start.chain_update(key.0.as_bytes()).finalize().into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}
