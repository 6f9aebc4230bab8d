//! All keys of a region in one epoch.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use crate::{
    Fault, Hash, Table,
    log::{Checkpoint, LoggedEpoch},
    query::Query,
    sum_tree::{MAX_ROWS, Root},
    trie::{Cover, type_leaf},
};

const MAX_KEY: usize = 128;
/// A key with its root has at least so many bytes: bounds what a count can reserve.
const MIN_KEY_BYTES: usize = 76;

/// The keys of a region in one epoch, with the roots of their sum trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochCover {
    /// The epoch.
    pub epoch: LoggedEpoch,
    /// The part of its trie that leads into the region.
    pub cover: Cover,
    /// Ascending.
    pub keys: Vec<(Vec<u8>, Root)>,
}

/// A key that a cover showed.
#[derive(Clone, Debug)]
pub(crate) struct CoveredKey {
    pub(crate) epoch: u32,
    pub(crate) key: Vec<u8>,
    pub(crate) root: Root,
    pub(crate) record: Hash,
}

impl EpochCover {
    /// Checks epoch and cover; the keys.
    pub(crate) fn verify(
        &self,
        table: &Table,
        checkpoint: &Checkpoint,
        query: &Query,
    ) -> Result<(Hash, Vec<CoveredKey>), Fault> {
        let digest = self.epoch.verify(table, checkpoint)?;
        let core = &self.epoch.header.core;
        let schema = table.schema();
        let (tree, _) = query.slots(schema);
        let width = schema.slots(tree).len();
        let position = schema.ordered().position(|column| column == tree);
        let roots = position.and_then(|position| core.columns.get(position));
        let roots = roots.ok_or(Fault::Bounds { what: "the column" })?;
        let mut covered = Vec::with_capacity(self.keys.len());
        let mut leaves = Vec::with_capacity(self.keys.len());
        for (key, root) in &self.keys {
            if root.doubles.len() != width || root.count == 0 || root.count > MAX_ROWS {
                return Err(Fault::Bounds { what: "the record of a key" });
            }
            let record = root.record(&table.place(core.epoch, key, tree));
            leaves.push((key.clone(), type_leaf(&record)));
            let (key, root) = (key.clone(), root.clone());
            covered.push(CoveredKey { epoch: core.epoch, key, root, record });
        }
        let overlaps = |key: &[u8], bits: u16| query.region.overlaps(schema, key, bits);
        self.cover.verify(&roots.types, schema.key_len(), &leaves, &overlaps)?;
        Ok((digest, covered))
    }
}

impl Encode for EpochCover {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.cover.encode(out);
        (self.keys.len() as u32).encode(out);
        for (key, root) in &self.keys {
            put_bytes(out, key);
            root.encode(out);
        }
    }
}

impl Decode for EpochCover {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epoch = LoggedEpoch::decode(reader)?;
        let cover = Cover::decode(reader)?;
        let count = reader.count("keys", reader.remaining() / MIN_KEY_BYTES)?;
        let key = |_| Ok((reader.bytes("key", MAX_KEY)?.to_vec(), Root::decode(reader)?));
        let keys = (0..count).map(key).collect::<Result<_, DecodeError>>()?;
        Ok(Self { epoch, cover, keys })
    }
}
