//! A table as its verifiers know it, and changes of its operator's signing key (`docs/spec/table.md`): a record of
//! an epoch, signed by the old key and by the new one. Checkpoints beyond that epoch, and receipts given after it,
//! verify under the new key only.

use board::Identity;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{Fault, Genesis, Hash, Place, PublicKey, Schema, SchemaError};

const DOMAIN: &str = "subrosa/table/rotation";

/// The operator hands over to a new key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The epoch that records it: the last one that the old key signs into the log.
    pub epoch: u32,
    /// The key until then.
    pub old: PublicKey,
    /// The key from then on.
    pub new: PublicKey,
    /// The old key's consent, over table, epoch and both keys.
    pub consent: [u8; 64],
    /// The new key's, over the same.
    pub acceptance: [u8; 64],
}

fn message(table: &Table, epoch: u32, old: &PublicKey, new: &PublicKey) -> Digest {
    let mut bytes = table.id().to_bytes();
    epoch.encode(&mut bytes);
    old.encode(&mut bytes);
    new.encode(&mut bytes);
    Digest::of(DOMAIN, &bytes)
}

impl Rotation {
    /// Signs with both keys.
    pub fn sign(table: &Table, epoch: u32, old: &Identity, new: &Identity) -> Self {
        let (old_key, new_key) = (PublicKey::of(old), PublicKey::of(new));
        let message = message(table, epoch, &old_key, &new_key);
        let [consent, acceptance] = [old, new].map(|signer| signer.sign(DOMAIN, message));
        Self { epoch, old: old_key, new: new_key, consent, acceptance }
    }

    /// Whether both hand over in the same epoch to the same key.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        (self.epoch, self.old, self.new) == (other.epoch, other.old, other.new)
    }

    /// Checks both signatures. Whether the old key is the table's says [`Table::rotate`].
    ///
    /// # Errors
    /// [`Fault::Signature`].
    pub fn verify(&self, table: &Table) -> Result<(), Fault> {
        let Self { epoch, old, new, consent, acceptance } = self;
        let message = message(table, *epoch, old, new);
        let genuine =
            old.0.verify(DOMAIN, message, consent) && new.0.verify(DOMAIN, message, acceptance);
        genuine.then_some(()).ok_or(Fault::Signature { what: "rotation" })
    }
}

impl Encode for Rotation {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.old.encode(out);
        self.new.encode(out);
        out.extend_from_slice(&self.consent);
        out.extend_from_slice(&self.acceptance);
    }
}

impl Decode for Rotation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            epoch: reader.u32()?,
            old: PublicKey::decode(reader)?,
            new: PublicKey::decode(reader)?,
            consent: reader.array()?,
            acceptance: reader.array()?,
        })
    }
}

/// A table as its verifiers know it: what its name binds, and the changes of the operator's key
/// that they have seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    genesis: Genesis,
    id: Hash,
    /// By ascending epochs.
    rotations: Vec<Rotation>,
}

impl Table {
    /// Checks a genesis and names the table.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn new(genesis: Genesis) -> Result<Self, SchemaError> {
        genesis.check()?;
        let id = genesis.table_id();
        Ok(Self { genesis, id, rotations: Vec::new() })
    }

    /// The same name for another schema: an operator that does not keep to what the name binds.
    #[cfg(test)]
    pub(crate) fn pretending(&self, schema: Schema) -> Self {
        Self { genesis: Genesis { schema, ..self.genesis.clone() }, ..self.clone() }
    }

    /// What the name binds.
    pub fn genesis(&self) -> &Genesis {
        &self.genesis
    }

    /// Types, values and policy.
    pub fn schema(&self) -> &Schema {
        &self.genesis.schema
    }

    /// The name that clients pin.
    pub fn id(&self) -> &Hash {
        &self.id
    }

    /// The key under which a checkpoint of this size verifies.
    pub fn operator(&self, size: u64) -> PublicKey {
        let known = self.rotations.iter().rfind(|rotation| size > self.last_size(rotation));
        known.map_or(self.genesis.operator, |rotation| rotation.new)
    }

    /// The changes of the operator's key that are known.
    pub fn rotations(&self) -> &[Rotation] {
        &self.rotations
    }

    /// Whether a key is or was the operator's, as far as is known.
    pub(crate) fn was_operator(&self, key: &PublicKey) -> bool {
        let mut later = self.rotations.iter().map(|rotation| &rotation.new);
        self.genesis.operator == *key || later.any(|new| new == key)
    }

    /// The log's size with the epoch that records a rotation: the last that the old key signs.
    pub(crate) fn last_size(&self, rotation: &Rotation) -> u64 {
        u64::from(rotation.epoch.saturating_sub(self.genesis.first_epoch)) + 1
    }

    /// Lets the table know a change of the operator's key. It has no effect on the log up to the
    /// epoch that records it.
    ///
    /// # Errors
    /// [`Fault::Signature`]; [`Fault::Bounds`] for an epoch before the table's first or not after
    /// the last change; [`Fault::Mismatch`] for the change of another key; [`Fault::Duplicate`] for a
    /// new key that was the operator's before: a key is handed over once.
    pub fn rotate(&mut self, rotation: &Rotation) -> Result<(), Fault> {
        rotation.verify(self)?;
        let early = self.rotations.last().is_some_and(|last| last.epoch >= rotation.epoch);
        if early || rotation.epoch < self.genesis.first_epoch {
            return Err(Fault::Bounds { what: "the epoch of a rotation" });
        }
        if self.operator(self.last_size(rotation)) != rotation.old {
            return Err(Fault::Mismatch { what: "the key that a rotation replaces" });
        }
        if self.was_operator(&rotation.new) {
            return Err(Fault::Duplicate { what: "a key of the operator" });
        }
        self.rotations.push(rotation.clone());
        Ok(())
    }

    /// The place of a key's sum tree.
    pub fn place<'a>(&'a self, epoch: u32, key: &'a [u8], column: u16) -> Place<'a> {
        Place { table: &self.id, epoch, key, column }
    }
}
