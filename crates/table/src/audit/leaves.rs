//! The rows of an epoch as its bundle holds them: pseudonyms and commitments, nothing interior.

use algebra::Group as _;
use rayon::prelude::*;
use wire::{DecodeError, Encode as _, Reader, put_bytes};

use crate::{
    BuiltEpoch, ColumnRoots, Fault, Hash, Schema, Table,
    commitment::{Encoded, Point},
    epoch::ids_trie,
    sum_tree::SumTree,
    trie::{Trie, type_leaf},
};

/// Bytes of a row, at least: bounds what counts can reserve.
const MIN_ROW_BYTES: usize = 64;
const MIN_KEY_BYTES: usize = 13;
const MAX_KEY: usize = 128;

/// The rows of a key, ascending.
pub(super) struct KeyLeaves {
    pub(super) key: Vec<u8>,
    pub(super) pseudonyms: Vec<Hash>,
    /// Slot by slot, row by row.
    pub(super) encodings: Vec<Encoded>,
    pub(super) points: Vec<Point>,
    pub(super) slots: usize,
}

impl KeyLeaves {
    pub(super) fn rows(&self) -> usize {
        self.pseudonyms.len()
    }

    /// The commitments of a slot, row by row.
    pub(super) fn slot(&self, slot: usize) -> impl Iterator<Item = &Point> {
        self.points.iter().skip(slot).step_by(self.slots)
    }
}

/// The keys of an ordered column.
pub(super) struct ColumnLeaves {
    pub(super) column: u16,
    pub(super) keys: Vec<KeyLeaves>,
}

/// Appends the rows of an epoch.
pub(super) fn encode(built: &BuiltEpoch, out: &mut Vec<u8>) {
    for column in &built.columns {
        (column.keys.len() as u32).encode(out);
        for key in &column.keys {
            put_bytes(out, &key.key);
            key.tree.count().encode(out);
            for (rank, row) in (0..).zip(&key.rows) {
                row.pseudonym.encode(out);
                let leaf = key.tree.leaf(rank);
                let commitments = leaf.iter().flat_map(|leaf| &leaf.commitments);
                commitments.for_each(|commitment| out.extend_from_slice(commitment));
            }
        }
    }
}

/// Appends the rows of a key that have been read.
pub(super) fn encode_key(leaves: &KeyLeaves, out: &mut Vec<u8>) {
    put_bytes(out, &leaves.key);
    (leaves.rows() as u64).encode(out);
    for (pseudonym, row) in leaves.pseudonyms.iter().zip(leaves.encodings.chunks(leaves.slots)) {
        pseudonym.encode(out);
        out.extend_from_slice(row.as_flattened());
    }
}

/// Reads the rows of an epoch, with keys in order, decoding every point.
pub(super) fn decode(reader: &mut Reader<'_>, schema: &Schema) -> Result<Vec<ColumnLeaves>, Fault> {
    let column = |column| {
        let slots = schema.slots(column).len();
        let count = reader.count("keys", reader.remaining() / MIN_KEY_BYTES)?;
        let keys =
            (0..count).map(|_| read_key(reader, slots)).collect::<Result<_, DecodeError>>()?;
        Ok(ColumnLeaves { column, keys })
    };
    let mut columns: Vec<_> = schema.ordered().map(column).collect::<Result<_, DecodeError>>()?;
    for ColumnLeaves { keys, .. } in &mut columns {
        if !keys.is_sorted_by(|a, b| a.key < b.key)
            || keys.iter().any(|key| schema.decode_key(&key.key).is_none() || key.rows() == 0)
        {
            return Err(Fault::Bounds { what: "the keys of the audit bundle" });
        }
        keys.par_iter_mut().try_for_each(|key| {
            let points = Point::decode_all(key.encodings.as_flattened());
            key.points = points.map_err(|_| Fault::Encoding { what: "a row's commitment" })?;
            Ok::<_, Fault>(())
        })?;
    }
    Ok(columns)
}

fn read_key(reader: &mut Reader<'_>, slots: usize) -> Result<KeyLeaves, DecodeError> {
    let key = reader.bytes("key", MAX_KEY)?.to_vec();
    let count = reader.u64()?;
    let most = reader.remaining() / MIN_ROW_BYTES;
    let too_long = DecodeError::TooLong { what: "rows", got: count, limit: most as u64 };
    let count = usize::try_from(count).ok().filter(|count| *count <= most).ok_or(too_long)?;
    let (items, _) = reader.items(count, 32 * (1 + slots))?.as_chunks::<32>();
    let (mut pseudonyms, mut encodings) = (Vec::new(), Vec::new());
    for row in items.chunks(1 + slots) {
        let Some((pseudonym, commitments)) = row.split_first() else { continue };
        pseudonyms.push(Hash::from(*pseudonym));
        encodings.extend_from_slice(commitments);
    }
    Ok(KeyLeaves { key, pseudonyms, encodings, points: Vec::new(), slots })
}

/// What rebuilding a column gives: its roots, and the record of every key.
pub(super) struct Rebuilt {
    pub(super) roots: ColumnRoots,
    pub(super) types: Trie,
    pub(super) records: Vec<Hash>,
    /// `h_leaf`, key by key.
    pub(super) leaf_hashes: Vec<Vec<Hash>>,
}

/// Rebuilds every tree of a column from its rows.
pub(super) fn rebuild(table: &Table, epoch: u32, leaves: &ColumnLeaves) -> Result<Rebuilt, Fault> {
    let tree = |key: &KeyLeaves| {
        let place = table.place(epoch, &key.key, leaves.column);
        let tags = key.pseudonyms.par_iter().map(|pseudonym| place.tag(pseudonym)).collect();
        let tree = SumTree::from_leaves(key.slots, tags, key.encodings.clone(), key.points.clone());
        (tree.root().record(&place), tree.leaf_hashes().to_vec())
    };
    let (records, leaf_hashes): (Vec<_>, Vec<_>) = leaves.keys.par_iter().map(tree).unzip();
    let keyed = leaves.keys.iter().zip(&records);
    let entries = keyed.map(|(key, record)| (key.key.as_slice(), type_leaf(record)));
    let types = Trie::build(table.schema().key_len(), entries);
    let types = types.ok_or(Fault::Bounds { what: "the keys of the audit bundle" })?;
    let pseudonyms = leaves.keys.iter().flat_map(|key| key.pseudonyms.iter().copied());
    let hashes = leaf_hashes.iter().flatten().copied();
    let ids = ids_trie(pseudonyms.zip(hashes)).ok_or(Fault::Duplicate { what: "a pseudonym" })?;
    let roots = ColumnRoots { types: types.root(), ids: ids.root() };
    Ok(Rebuilt { roots, types, records, leaf_hashes })
}
