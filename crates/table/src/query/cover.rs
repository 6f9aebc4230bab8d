//! All keys of a region in one epoch.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{Withheld, hierarchy::Hierarchy};
use crate::{
    Fault, Hash, Refused, Schema, Table,
    checks::{TA_4, TA_5, TB_4, Under as _},
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
    /// All other keys of the epoch, ascending, where the policy has a hierarchy; or none.
    pub beside: Vec<(Vec<u8>, Root)>,
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
    ) -> Result<(Hash, Vec<CoveredKey>), Refused> {
        let digest = self.epoch.verify(table, checkpoint).under(TB_4)?;
        let core = &self.epoch.header.core;
        let schema = table.schema();
        let (tree, _) = query.slots(schema);
        let width = schema.slots(tree).len();
        let position = schema.ordered().position(|column| column == tree);
        let roots = position.and_then(|position| core.columns.get(position));
        let roots = roots.ok_or(Fault::Bounds { what: "the column" }).under(TA_5)?;
        let mut covered = Vec::with_capacity(self.keys.len());
        let mut leaves = Vec::with_capacity(self.keys.len() + self.beside.len());
        let is_inside = |key: &[u8]| query.region.overlaps(schema, key, (8 * key.len()) as u16);
        for (key, root) in self.shown().under(TA_4)? {
            if root.doubles.len() != width || root.count == 0 || root.count > MAX_ROWS {
                return Err(Fault::Bounds { what: "the record of a key" }).under(TA_4);
            }
            let record = root.record(&table.place(core.epoch, key, tree));
            leaves.push((key.clone(), type_leaf(&record)));
            if is_inside(key) {
                let (key, root) = (key.clone(), root.clone());
                covered.push(CoveredKey { epoch: core.epoch, key, root, record });
            }
        }
        let shown = query.shown(schema);
        let overlaps = |key: &[u8], bits: u16| shown.overlaps(schema, key, bits);
        self.cover.verify(&roots.types, schema.key_len(), &leaves, &overlaps).under(TA_5)?;
        match covered.iter().map(|covered| &covered.key).eq(self.keys.iter().map(|(key, _)| key)) {
            true => Ok((digest, covered)),
            false => {
                Err(Fault::Trie { reason: "a key is not where the region puts it" }).under(TA_5)
            }
        }
    }

    /// All keys that are shown, in the trie's order.
    fn shown(&self) -> Result<Vec<&(Vec<u8>, Root)>, Fault> {
        let ascend = |keys: &[(Vec<u8>, Root)]| keys.is_sorted_by(|(a, _), (b, _)| a < b);
        if !ascend(&self.keys) || !ascend(&self.beside) {
            return Err(Fault::Trie { reason: "keys must ascend" });
        }
        let mut all: Vec<_> = self.keys.iter().chain(&self.beside).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(all)
    }

    /// With the keys beside the region, or without.
    pub(super) fn encode(&self, beside: bool, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.cover.encode(out);
        encode_keys(&self.keys, out);
        if beside {
            encode_keys(&self.beside, out);
        }
    }

    /// With the keys beside the region, or without.
    pub(super) fn decode(beside: bool, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epoch = LoggedEpoch::decode(reader)?;
        let cover = Cover::decode(reader)?;
        let keys = decode_keys(reader)?;
        let beside = if beside { decode_keys(reader)? } else { Vec::new() };
        Ok(Self { epoch, cover, keys, beside })
    }
}

/// Why the policy's hierarchy withholds the region of a query, if it does.
pub(super) fn withheld(
    covers: &[EpochCover],
    schema: &Schema,
    query: &Query,
) -> Result<Option<Withheld>, Fault> {
    let Some(hierarchy) = Hierarchy::of(schema) else { return Ok(None) };
    let mut found = None;
    for cover in covers {
        let keys = cover.keys.iter().chain(&cover.beside);
        let asked = (&query.region, query.statistic.kind());
        let why = hierarchy.rule(asked, keys.map(|(key, root)| (key.as_slice(), root.count)))?;
        found = [found, why].into_iter().flatten().min();
    }
    Ok(found)
}

fn encode_keys(keys: &[(Vec<u8>, Root)], out: &mut Vec<u8>) {
    (keys.len() as u32).encode(out);
    for (key, root) in keys {
        put_bytes(out, key);
        root.encode(out);
    }
}

fn decode_keys(reader: &mut Reader<'_>) -> Result<Vec<(Vec<u8>, Root)>, DecodeError> {
    let count = reader.count("keys", reader.remaining() / MIN_KEY_BYTES)?;
    let key = |_| Ok((reader.bytes("key", MAX_KEY)?.to_vec(), Root::decode(reader)?));
    (0..count).map(key).collect()
}
