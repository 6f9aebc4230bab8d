//! Checkpoints of tables, and witnesses' cosignatures: the notes of the crate `log`, under the names that a
//! table gives to its log and to its witnesses.

use std::collections::BTreeSet;

use ::log::{
    Origin, cosign, log_key,
    note::{Algorithm, Note, NoteError, NoteSignature, VerifierKey},
    verify_cosignature,
};
use board::Identity;
use wire::{Decode, DecodeError, Encode, Reader};

use super::merkle;
use crate::{
    Fault, Hash, PublicKey, Refused, Table,
    checks::{TB_5, TB_6, TB_7, Under as _},
};

const ORIGIN: &str = "subrosa.table/v1/";

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
        ::log::Checkpoint::new(self.origin(), self.size, self.root).to_text()
    }

    /// What a note says of a table, whoever signed it.
    fn of_note(checkpoint: &::log::Checkpoint) -> Result<Self, Fault> {
        let ::log::Checkpoint { origin, size, root, extensions } = checkpoint;
        let table = origin.as_str().strip_prefix(ORIGIN).and_then(|name| name.parse().ok());
        match table {
            Some(table) if extensions.is_empty() => Ok(Self { table, size: *size, root: *root }),
            _ => Err(Fault::Note { reason: "not origin, size and root" }),
        }
    }

    /// Checks that it is of this table's log.
    pub(super) fn check_table(&self, table: &Table) -> Result<(), Refused> {
        match self.table == *table.id() {
            true => Ok(()),
            false => Err(Fault::Mismatch { what: "the checkpoint's origin" }).under(TB_5),
        }
    }

    #[expect(clippy::expect_used, reason = "a prefix and hexadecimal digits")]
    fn origin(&self) -> Origin {
        format!("{ORIGIN}{}", self.table).parse().expect("the name of a log")
    }

    #[expect(clippy::expect_used, reason = "the origin has no spaces")]
    fn key(&self, operator: &PublicKey) -> VerifierKey {
        log_key(&self.origin(), operator.0).expect("the name of a key")
    }

    /// The operator's signature. It must be stored before it leaves the process: a log that shows
    /// two roots of one size is evidence for ever.
    pub fn sign(self, operator: &Identity) -> SignedCheckpoint {
        let signature = operator.sign_text(&self.body());
        let signer = PublicKey::of(operator);
        SignedCheckpoint { checkpoint: self, signer, signature, cosignatures: Vec::new() }
    }

    /// A witness's cosignature. The witness first checks that the log only grew since what it
    /// cosigned before ([`merkle::verify_consistency`]).
    pub fn cosign(&self, witness: &Identity, time: u64) -> Cosignature {
        let key = PublicKey::of(witness);
        let line = cosign(&self.body(), witness_key(&key).name, witness, time);
        // A cosignature is 8 bytes of time, at most what the format has, and 64 of a signature (`::log::cosign`).
        let time = line.signature.first_chunk().map_or(time, |time| u64::from_be_bytes(*time));
        let signature = line.signature.last_chunk().copied().unwrap_or([0; 64]);
        Cosignature { witness: key, time, signature }
    }
}

/// Witnesses of tables are named by their keys.
fn witness_key(witness: &PublicKey) -> VerifierKey {
    VerifierKey { name: witness.0.into(), algorithm: Algorithm::Cosignature, key: witness.0 }
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

impl Cosignature {
    /// The line under the note.
    fn line(&self) -> (VerifierKey, NoteSignature) {
        let key = witness_key(&self.witness);
        let signature = [self.time.to_be_bytes().as_slice(), &self.signature].concat();
        let line = NoteSignature { name: key.name.clone(), id: key.id(), signature };
        (key, line)
    }

    /// Reads a line under the note.
    fn of_line(line: &NoteSignature) -> Option<Self> {
        let (time, signature) = line.signature.split_first_chunk()?;
        // Here and below: what has another form is no witness's line.
        let witness = PublicKey(line.name.as_str().parse().ok()?);
        let time = u64::from_be_bytes(*time);
        Some(Self { witness, time, signature: signature.try_into().ok()? })
    }
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
        Ok(self.check_operator(table)?)
    }

    /// [`SignedCheckpoint::verify_operator`], naming the check that fails.
    pub(super) fn check_operator(&self, table: &Table) -> Result<(), Refused> {
        self.verify_by(table, table.operator(self.checkpoint.size))
    }

    /// Checks that this key of the table's operator signed.
    pub(super) fn verify_by(&self, table: &Table, key: PublicKey) -> Result<(), Refused> {
        let Self { checkpoint, signer, signature, .. } = self;
        checkpoint.check_table(table)?;
        let genuine = *signer == key && signer.0.verify_text(&checkpoint.body(), signature);
        genuine.then_some(()).ok_or(Fault::Signature { what: "checkpoint" }).under(TB_6)
    }

    /// Checks operator and quorum. The time that the quorum vouches for: as many witnesses as the
    /// table asks for saw the checkpoint then or later; `None` for a table without witnesses.
    ///
    /// # Errors
    /// [`Fault::Signature`], [`Fault::Duplicate`], [`Fault::Number`].
    pub fn verify(&self, table: &Table) -> Result<Option<u64>, Fault> {
        Ok(self.check(table)?)
    }

    /// [`SignedCheckpoint::verify`], naming the check that fails.
    pub(crate) fn check(&self, table: &Table) -> Result<Option<u64>, Refused> {
        self.check_operator(table)?;
        self.verify_quorum(table).under(TB_7)?;
        Ok(self.witnessed(table))
    }

    /// Checks that every cosignature is a witness's, and that there are enough.
    fn verify_quorum(&self, table: &Table) -> Result<(), Fault> {
        let genesis = table.genesis();
        let body = self.checkpoint.body();
        let mut seen = BTreeSet::new();
        for cosignature in &self.cosignatures {
            let (key, line) = cosignature.line();
            let genuine = genesis.witnesses.contains(&cosignature.witness)
                && verify_cosignature(&body, &line, &key).is_some();
            if !genuine {
                return Err(Fault::Signature { what: "cosignature" });
            }
            if !seen.insert(cosignature.witness) {
                return Err(Fault::Duplicate { what: "the cosignature of a witness" });
            }
        }
        let (got, expected) = (seen.len() as u64, u64::from(genesis.quorum));
        if got < expected {
            return Err(Fault::Number { what: "cosignatures", got, expected });
        }
        Ok(())
    }

    /// The time for which the cosignatures, once verified, vouch.
    pub(crate) fn witnessed(&self, table: &Table) -> Option<u64> {
        let mut times: Vec<u64> = self.cosignatures.iter().map(|cosigned| cosigned.time).collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        (table.genesis().quorum as usize).checked_sub(1).and_then(|last| times.get(last).copied())
    }

    /// The note, as it is stored and sent.
    pub fn to_note(&self) -> String {
        let key = self.checkpoint.key(&self.signer);
        let (id, signature) = (key.id(), self.signature.to_vec());
        let own = NoteSignature { name: key.name, id, signature };
        let mut note = self.checkpoint.body() + "\n" + &own.to_line();
        note.extend(self.cosignatures.iter().map(|cosigned| cosigned.line().1.to_line()));
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
        let (checkpoint, signed) = parse(note)?;
        let (own, others) = signed.signatures().split_first().ok_or_else(|| refused("unsigned"))?;
        let signature = own.signature.as_slice().try_into();
        let signature = signature.map_err(|_| refused("no signature of the operator"))?;
        let cosignatures: Option<_> = others.iter().map(Cosignature::of_line).collect();
        let cosignatures = cosignatures.ok_or_else(|| refused("not a cosignature"))?;
        let signer = signer(&checkpoint);
        let read = Self { checkpoint, signer, signature, cosignatures };
        match read.to_note() == note {
            true => Ok(read),
            false => Err(refused("not in canonical form")),
        }
    }
}

/// Reads what a note says of a table; its signatures are another matter.
pub(super) fn parse(note: &str) -> Result<(Checkpoint, Note), Fault> {
    let signed = ::log::SignedCheckpoint::parse(note.as_bytes())?;
    Ok((Checkpoint::of_note(signed.checkpoint())?, signed.note().clone()))
}

impl From<NoteError> for Fault {
    fn from(error: NoteError) -> Self {
        let reason = match error {
            NoteError::Form(reason) => reason,
            _ => "the name of a key has spaces, `+` or control characters",
        };
        Self::Note { reason }
    }
}
