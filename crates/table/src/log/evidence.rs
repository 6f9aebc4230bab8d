//! Evidence against an operator that anybody can check. An honest operator cannot be framed: every
//! kind needs signatures that it never gives.

use ::log::note::MAX_NOTE;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{LoggedEpoch, Receipt, Rotation, SignedCheckpoint, merkle};
use crate::{
    Fault, Hash, Refused, Table,
    checks::{TB_2, TB_3, TB_4, TB_5, TB_8, TB_15, TB_18, TB_19, Under as _},
    trie::{Absence, Member, id_leaf},
};

const MAX_ROTATIONS: usize = 1 << 12;

/// An offence, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A row with a receipt is not in its epoch.
    Omission {
        /// The promise.
        receipt: Receipt,
        /// The epoch as it was published.
        epoch: LoggedEpoch,
        /// The log.
        checkpoint: SignedCheckpoint,
        /// The pseudonym is not there.
        absence: Absence,
    },
    /// A row with a receipt is in its epoch with other values.
    Alteration {
        /// The promise.
        receipt: Receipt,
        /// The epoch as it was published.
        epoch: LoggedEpoch,
        /// The log.
        checkpoint: SignedCheckpoint,
        /// The hash of the leaf that stands there.
        leaf: Hash,
        /// The pseudonym is there with that leaf.
        member: Member,
    },
    /// The epoch of a row with a receipt was not in the log in time.
    Withholding {
        /// The promise.
        receipt: Receipt,
        /// A log without the epoch that a quorum saw after the deadline.
        checkpoint: SignedCheckpoint,
    },
    /// Two logs of one size.
    TwoRoots {
        /// One.
        one: SignedCheckpoint,
        /// The other.
        other: SignedCheckpoint,
    },
    /// A log that does not continue an older one.
    Fork {
        /// The older.
        old: SignedCheckpoint,
        /// The newer.
        new: SignedCheckpoint,
        /// Fits the newer log, and leads to another root for the older size.
        consistency: Vec<Hash>,
    },
    /// Two changes of one key, which is handed over once: no log records both.
    TwoSuccessors {
        /// One.
        one: Rotation,
        /// The other, to another key or in another epoch.
        other: Rotation,
    },
    /// A log that goes on under a key which was handed over before.
    RetiredKey {
        /// The change of the key.
        rotation: Rotation,
        /// A log beyond the epoch of the change, signed with the old key.
        checkpoint: SignedCheckpoint,
    },
}

impl Evidence {
    /// What two checkpoints of one operator prove, where the digests of the larger log are known;
    /// `None` if the one continues the other.
    pub fn between(
        table: &Table,
        one: &SignedCheckpoint,
        other: &SignedCheckpoint,
        digests: &[Hash],
    ) -> Option<Self> {
        let (old, new) = match one.checkpoint.size <= other.checkpoint.size {
            true => (one.clone(), other.clone()),
            false => (other.clone(), one.clone()),
        };
        // Beyond memory there are no digests, and without them no evidence.
        let size = usize::try_from(old.checkpoint.size).ok()?;
        let evidence = if old.checkpoint.size == new.checkpoint.size {
            Self::TwoRoots { one: old, other: new }
        } else {
            let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
            let known = merkle::root(leaves.get(..size)?);
            let start = size.is_power_of_two().then_some(known);
            let consistency = start.into_iter().chain(merkle::consistency(size, &leaves));
            Self::Fork { old, new, consistency: consistency.collect() }
        };
        evidence.verify(table).is_ok().then_some(evidence)
    }

    /// What a note proves that was signed with a key which the table knows to be handed over before.
    pub fn retired(table: &Table, note: &str) -> Option<Self> {
        table.rotations().iter().find_map(|rotation| {
            // What does not carry this key's signature proves nothing against it.
            let checkpoint = SignedCheckpoint::from_note_by(note, |_| rotation.old).ok()?;
            let evidence = Self::RetiredKey { rotation: rotation.clone(), checkpoint };
            evidence.verify(table).is_ok().then_some(evidence)
        })
    }

    /// What the operator did, in a word or two.
    pub fn offence(&self) -> &'static str {
        match self {
            Self::Omission { .. } => "omission",
            Self::Alteration { .. } => "alteration",
            Self::Withholding { .. } => "withholding",
            Self::TwoRoots { .. } => "two roots",
            Self::Fork { .. } => "fork",
            Self::TwoSuccessors { .. } => "two successors",
            Self::RetiredKey { .. } => "retired key",
        }
    }

    /// The evidence as it travels, with the changes of the operator's key that it needs.
    pub fn to_bytes(&self, table: &Table) -> Vec<u8> {
        let mut out = Vec::new();
        (table.rotations().len() as u32).encode(&mut out);
        table.rotations().iter().for_each(|rotation| rotation.encode(&mut out));
        let note = |signed: &SignedCheckpoint, out: &mut Vec<u8>| {
            put_bytes(out, signed.to_note().as_bytes());
        };
        match self {
            Self::Omission { receipt, epoch, checkpoint, absence } => {
                out.push(0);
                receipt.encode(&mut out);
                epoch.encode(&mut out);
                note(checkpoint, &mut out);
                absence.encode(&mut out);
            }
            Self::Alteration { receipt, epoch, checkpoint, leaf, member } => {
                out.push(1);
                receipt.encode(&mut out);
                epoch.encode(&mut out);
                note(checkpoint, &mut out);
                leaf.encode(&mut out);
                member.encode(&mut out);
            }
            Self::Withholding { receipt, checkpoint } => {
                out.push(2);
                receipt.encode(&mut out);
                note(checkpoint, &mut out);
            }
            Self::TwoRoots { one, other } => {
                out.push(3);
                note(one, &mut out);
                note(other, &mut out);
            }
            Self::Fork { old, new, consistency } => {
                out.push(4);
                note(old, &mut out);
                note(new, &mut out);
                merkle::encode_proof(consistency, &mut out);
            }
            Self::TwoSuccessors { one, other } => {
                out.push(5);
                one.encode(&mut out);
                other.encode(&mut out);
            }
            Self::RetiredKey { rotation, checkpoint } => {
                out.push(6);
                rotation.encode(&mut out);
                note(checkpoint, &mut out);
            }
        }
        out
    }

    /// Reads evidence about a table, and lets the table know the changes of key that come with it.
    ///
    /// # Errors
    /// [`Fault::Decode`], [`Fault::Note`], and as [`Table::rotate`].
    pub fn from_bytes(table: &mut Table, bytes: &[u8]) -> Result<Self, Fault> {
        Ok(Self::read(table, bytes)?)
    }

    /// [`Evidence::from_bytes`], naming the check that fails.
    pub(crate) fn read(table: &mut Table, bytes: &[u8]) -> Result<Self, Refused> {
        let mut reader = Reader::new(bytes);
        for _ in 0..reader.count("rotations", MAX_ROTATIONS).under(TB_8)? {
            let rotation = Rotation::decode(&mut reader).under(TB_8)?;
            table.rotate(&rotation).under(TB_8)?;
        }
        Self::read_parts(table, &mut reader).under(TB_5)
    }

    /// What follows the rotations. Notes are read here, and checked later.
    fn read_parts(table: &Table, reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let note = |reader: &mut Reader<'_>| {
            SignedCheckpoint::from_note(table, reader.text("checkpoint", MAX_NOTE)?)
        };
        let evidence = match reader.u8()? {
            0 => Self::Omission {
                receipt: Receipt::decode(reader)?,
                epoch: LoggedEpoch::decode(reader)?,
                checkpoint: note(reader)?,
                absence: Absence::decode(reader)?,
            },
            1 => Self::Alteration {
                receipt: Receipt::decode(reader)?,
                epoch: LoggedEpoch::decode(reader)?,
                checkpoint: note(reader)?,
                leaf: Hash::decode(reader)?,
                member: Member::decode(reader)?,
            },
            2 => Self::Withholding { receipt: Receipt::decode(reader)?, checkpoint: note(reader)? },
            3 => Self::TwoRoots { one: note(reader)?, other: note(reader)? },
            4 => Self::Fork {
                old: note(reader)?,
                new: note(reader)?,
                consistency: merkle::decode_proof(reader)?,
            },
            5 => Self::TwoSuccessors {
                one: Rotation::decode(reader)?,
                other: Rotation::decode(reader)?,
            },
            6 => {
                let rotation = Rotation::decode(reader)?;
                let note = reader.text("checkpoint", MAX_NOTE)?;
                let checkpoint = SignedCheckpoint::from_note_by(note, |_| rotation.old)?;
                Self::RetiredKey { rotation, checkpoint }
            }
            _ => return Err(DecodeError::invalid("evidence", "unknown kind").into()),
        };
        reader.finish()?;
        Ok(evidence)
    }

    /// Checks that the operator did it.
    ///
    /// # Errors
    /// [`Fault::NoOffence`] if the parts are genuine and show nothing; otherwise the [`Fault`] of
    /// the part that is not genuine.
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        Ok(self.check(table)?)
    }

    /// [`Evidence::verify`], naming the check that fails.
    pub(crate) fn check(&self, table: &Table) -> Result<(), Refused> {
        match self {
            Self::Omission { receipt, epoch, checkpoint, absence } => {
                let ids = promised(table, receipt, epoch, checkpoint)?;
                absence.verify(&ids, receipt.pseudonym.as_bytes()).under(TB_3)
            }
            Self::Alteration { receipt, epoch, checkpoint, leaf, member } => {
                let ids = promised(table, receipt, epoch, checkpoint)?;
                let pseudonym = &receipt.pseudonym;
                let own = id_leaf(pseudonym, leaf);
                member.verify(&ids, pseudonym.as_bytes(), &own).under(TB_2)?;
                offence(*leaf != receipt.leaf.hash(), "the row is as promised")
            }
            Self::Withholding { receipt, checkpoint } => {
                receipt.verify(table).under(TB_15)?;
                let time = checkpoint.check(table)?;
                let index = receipt.epoch.checked_sub(table.genesis().first_epoch);
                let index = index.ok_or(Fault::Bounds { what: "the epoch" }).under(TB_19)?;
                let index = u64::from(index);
                let late = time.is_some_and(|time| time > receipt.deadline);
                offence(late, "no quorum saw the log after the deadline")?;
                offence(checkpoint.checkpoint.size <= index, "the epoch is in the log")
            }
            Self::TwoRoots { one, other } => {
                one.check_operator(table)?;
                other.check_operator(table)?;
                let (one, other) = (&one.checkpoint, &other.checkpoint);
                offence(one.size == other.size, "the logs differ in size")?;
                offence(one.root != other.root, "the logs are the same")
            }
            Self::Fork { old, new, consistency } => {
                old.check_operator(table)?;
                new.check_operator(table)?;
                let (old, new) = (&old.checkpoint, &new.checkpoint);
                let (old, new) = ((old.size, &old.root), (new.size, &new.root));
                let differ = merkle::contradicts(old, new, consistency).under(TB_19)?;
                offence(differ, "the newer log continues the older one")
            }
            Self::TwoSuccessors { one, other } => {
                handed_over(table, one)?;
                handed_over(table, other)?;
                offence(one.old == other.old, "the rotations are of two keys")?;
                offence(!one.agrees(other), "the rotations are the same")
            }
            Self::RetiredKey { rotation, checkpoint } => {
                handed_over(table, rotation)?;
                checkpoint.verify_by(table, rotation.old)?;
                let beyond = checkpoint.checkpoint.size > table.last_size(rotation);
                offence(beyond, "the old key signs the log up to that epoch")
            }
        }
    }
}

/// Checks that a key of the table's operator was handed over. An honest operator consents to one
/// successor for each of its keys, in one epoch ([`Table::rotate`]).
fn handed_over(table: &Table, rotation: &Rotation) -> Result<(), Refused> {
    match table.was_operator(&rotation.old) {
        true => rotation.verify(table),
        false => Err(Fault::Mismatch { what: "the key that a rotation replaces" }),
    }
    .under(TB_18)
}

/// Checks receipt, log and epoch; the root of the pseudonyms that the receipt speaks of.
fn promised(
    table: &Table,
    receipt: &Receipt,
    epoch: &LoggedEpoch,
    checkpoint: &SignedCheckpoint,
) -> Result<Hash, Refused> {
    receipt.verify(table).under(TB_15)?;
    checkpoint.check_operator(table)?;
    epoch.verify(table, &checkpoint.checkpoint).under(TB_4)?;
    if epoch.header.core.epoch != receipt.epoch {
        return Err(Fault::NoOffence { reason: "the receipt is for another epoch" }).under(TB_18);
    }
    let position = table.schema().ordered().position(|column| column == receipt.column);
    let roots = position.and_then(|position| epoch.header.core.columns.get(position));
    roots.map(|roots| roots.ids).ok_or(Fault::Bounds { what: "the receipt's column" }).under(TB_18)
}

fn offence(shown: bool, otherwise: &'static str) -> Result<(), Refused> {
    let shown = if shown { Ok(()) } else { Err(Fault::NoOffence { reason: otherwise }) };
    shown.under(TB_19)
}
