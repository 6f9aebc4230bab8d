//! What an epoch's digest binds (`docs/spec/table.md`).

use wire::{Decode, DecodeError, Encode, Reader};

use crate::hash::{CORE, EPOCH, Hash};

/// The roots of one ordered column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRoots {
    /// The trie of keys.
    pub types: Hash,
    /// The trie of pseudonyms.
    pub ids: Hash,
}

/// Everything that an epoch commits to but the audit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochCore {
    /// The epoch.
    pub epoch: u32,
    /// Of every ordered column, in schema order.
    pub columns: Vec<ColumnRoots>,
    /// The trie of roll-ups.
    pub rollups: Hash,
    /// Rows.
    pub rows: u64,
    /// See [`hash_aux`](crate::hash_aux).
    pub aux: Hash,
    /// The digest of the epoch before; of the first, the table's name.
    pub previous: Hash,
}

impl EpochCore {
    /// `E_t`: the context of every proof of the audit.
    pub fn hash(&self, table: &Hash) -> Hash {
        let start = CORE.start().bytes(table.as_bytes()).number(self.epoch.into());
        let start = start.number(self.columns.len() as u64);
        let add = |hashing: crate::hash::Hashing, roots: &ColumnRoots| {
            hashing.bytes(roots.types.as_bytes()).bytes(roots.ids.as_bytes())
        };
        let columns = self.columns.iter().fold(start, add);
        let rest = columns.bytes(self.rollups.as_bytes()).number(self.rows);
        rest.bytes(self.aux.as_bytes()).bytes(self.previous.as_bytes()).finish()
    }
}

/// A published epoch: its core, and the hash of the bundle that audits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochHeader {
    /// What the rows hash to.
    pub core: EpochCore,
    /// The hash of the audit bundle.
    pub audit: Hash,
}

impl EpochHeader {
    /// `D_t = H_epoch(E_t, H(audit bundle))`: the leaf of the log.
    pub fn digest(&self, table: &Hash) -> Hash {
        let core = self.core.hash(table);
        EPOCH.start().bytes(core.as_bytes()).bytes(self.audit.as_bytes()).finish()
    }
}

impl Encode for EpochHeader {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { core, audit } = self;
        core.epoch.encode(out);
        (core.columns.len() as u16).encode(out);
        for roots in &core.columns {
            roots.types.encode(out);
            roots.ids.encode(out);
        }
        core.rollups.encode(out);
        core.rows.encode(out);
        core.aux.encode(out);
        core.previous.encode(out);
        audit.encode(out);
    }
}

impl Decode for EpochHeader {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epoch = reader.u32()?;
        let columns = reader.u16()?;
        let roots =
            |_| Ok(ColumnRoots { types: Hash::decode(reader)?, ids: Hash::decode(reader)? });
        let columns = (0..columns).map(roots).collect::<Result<_, DecodeError>>()?;
        let rollups = Hash::decode(reader)?;
        let rows = reader.u64()?;
        let (aux, previous) = (Hash::decode(reader)?, Hash::decode(reader)?);
        let core = EpochCore { epoch, columns, rollups, rows, aux, previous };
        Ok(Self { core, audit: Hash::decode(reader)? })
    }
}
