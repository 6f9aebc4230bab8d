//! The roll-ups of an epoch as its bundle holds them: merged leaves, the key that each is of, covers
//! of the region in every epoch, and the epochs themselves.
//!
//! Nobody has to trust the list of keys. The merged leaves are distributed to their keys, whose trees are built again.
//! The covers show that these are all keys of the region. The epochs are those to which this epoch's link to its
//! predecessor leads.

use algebra::Group as _;
use rayon::prelude::*;
use wire::{Decode as _, DecodeError, Encode as _, Reader, put_bytes};

use super::leaves::KeyLeaves;
use crate::{
    BuiltEpoch, EpochCore, EpochHeader, Fault, Hash, Table,
    commitment::Point,
    rollup::{Part, Predicate, check_rows, rollup_leaf},
    sum_tree::SumTree,
    trie::{Cover, Trie, empty_root, type_leaf},
};

const MAX_ROLLUPS: usize = 1 << 12;
const MAX_KEY: usize = 128;
/// A key with its length: bounds what a count can reserve.
const MIN_KEY_BYTES: usize = 5;

/// A roll-up of the bundle.
pub(super) struct RolledLeaves {
    pub(super) predicate: Predicate,
    /// The merged rows, with the predicate's hash for a key and tags for pseudonyms.
    pub(super) leaves: KeyLeaves,
    parts: Vec<Part>,
    sources: Vec<u32>,
}

/// The roll-ups of the bundle.
pub(super) struct Rolled {
    pub(super) list: Vec<RolledLeaves>,
    /// From the first epoch that is covered to the one before.
    headers: Vec<EpochHeader>,
}

/// Appends the roll-ups of an epoch; nothing for an epoch without any.
pub(super) fn encode(built: &BuiltEpoch, out: &mut Vec<u8>) {
    if built.rollups.list.is_empty() {
        return;
    }
    (built.rollups.list.len() as u32).encode(out);
    for rollup in &built.rollups.list {
        rollup.predicate.encode(out);
        for Part { cover, keys } in &rollup.parts {
            cover.encode(out);
            (keys.len() as u32).encode(out);
            keys.iter().for_each(|key| put_bytes(out, key));
        }
        rollup.tree.count().encode(out);
        for (rank, source) in (0..).zip(&rollup.sources) {
            source.encode(out);
            if let Some(leaf) = rollup.tree.leaf(rank) {
                leaf.tag.encode(out);
                leaf.commitments.iter().for_each(|point| out.extend_from_slice(point));
            }
        }
    }
    built.rollups.headers.iter().for_each(|header| header.encode(out));
}

/// Reads the roll-ups that a core names, decoding every point.
pub(super) fn decode(
    reader: &mut Reader<'_>,
    table: &Table,
    core: &EpochCore,
) -> Result<Rolled, Fault> {
    if core.rollups == empty_root() {
        return Ok(Rolled { list: Vec::new(), headers: Vec::new() });
    }
    let count = reader.count("roll-ups", MAX_ROLLUPS)?;
    let list = (0..count).map(|_| read_rollup(reader, table, core.epoch));
    let list: Vec<_> = list.collect::<Result<_, Fault>>()?;
    let first = list.iter().map(|rolled| rolled.predicate.region.from).min();
    let first = first.ok_or(Fault::Number { what: "roll-ups", got: 0, expected: 1 })?;
    let headers = (first..core.epoch).map(|_| EpochHeader::decode(reader));
    Ok(Rolled { list, headers: headers.collect::<Result<_, DecodeError>>()? })
}

fn read_rollup(reader: &mut Reader<'_>, table: &Table, epoch: u32) -> Result<RolledLeaves, Fault> {
    let predicate = Predicate::decode(reader)?;
    predicate.check(table, epoch)?;
    let mut parts = Vec::new();
    for _ in predicate.region.from..=predicate.region.to {
        let cover = Cover::decode(reader)?;
        let count = reader.count("keys", reader.remaining() / MIN_KEY_BYTES)?;
        let keys = (0..count).map(|_| Ok(reader.bytes("key", MAX_KEY)?.to_vec()));
        parts.push(Part { cover, keys: keys.collect::<Result<_, DecodeError>>()? });
    }
    let slots = table.schema().slots(predicate.column).len();
    let (count, row) = (reader.u64()?, 36 + 32 * slots);
    let most = (reader.remaining() / row) as u64;
    let too_long = DecodeError::TooLong { what: "rows", got: count, limit: most };
    let count = usize::try_from(count).ok().filter(|count| *count as u64 <= most);
    let items = reader.items(count.ok_or(too_long)?, row)?;
    let (mut sources, mut tags, mut encodings) = (Vec::new(), Vec::new(), Vec::new());
    for row in items.chunks(row) {
        let mut reader = Reader::new(row);
        sources.push(reader.u32()?);
        tags.push(Hash::decode(&mut reader)?);
        encodings.extend_from_slice(reader.take_rest().as_chunks::<32>().0);
    }
    let points = Point::decode_all(encodings.as_flattened());
    let points = points.map_err(|_| Fault::Encoding { what: "a row's commitment" })?;
    let key = predicate.hash().as_bytes().to_vec();
    let leaves = KeyLeaves { key, pseudonyms: tags, encodings, points, slots };
    Ok(RolledLeaves { predicate, leaves, parts, sources })
}

impl Rolled {
    /// Checks that every roll-up holds the rows of its region, each once, and that the core holds
    /// the roll-ups; their records. That they are sorted is left to the proof of order.
    pub(super) fn verify(&self, table: &Table, core: &EpochCore) -> Result<Vec<Hash>, Fault> {
        self.check_headers(table, core)?;
        let record = |rolled: &RolledLeaves| {
            rolled.check_rows(table, &self.headers)?;
            let KeyLeaves { slots, pseudonyms, encodings, points, .. } = &rolled.leaves;
            let tags = pseudonyms.clone();
            let tree = SumTree::from_leaves(*slots, tags, encodings.clone(), points.clone());
            Ok(rolled.predicate.record(table, core.epoch, &tree.root()))
        };
        let records: Vec<Hash> = self.list.iter().map(record).collect::<Result<_, Fault>>()?;
        let keyed = self.list.iter().zip(&records);
        let entries = keyed.map(|(one, record)| (one.leaves.key.as_slice(), rollup_leaf(record)));
        let trie = Trie::build(32, entries).ok_or(Fault::Bounds { what: "the roll-ups" })?;
        match trie.root() == core.rollups {
            true => Ok(records),
            false => Err(Fault::Mismatch { what: "the roll-ups" }),
        }
    }

    /// The epochs are those to which the links from one to the one before lead.
    fn check_headers(&self, table: &Table, core: &EpochCore) -> Result<(), Fault> {
        let (mut previous, mut epoch) = (core.previous, core.epoch);
        for header in self.headers.iter().rev() {
            epoch = epoch.saturating_sub(1);
            if header.core.epoch != epoch || header.digest(table.id()) != previous {
                return Err(Fault::Mismatch { what: "the epoch before" });
            }
            previous = header.core.previous;
        }
        Ok(())
    }
}

impl RolledLeaves {
    /// Deals the rows out to their keys, builds the keys' trees again, and checks that they are all
    /// the keys of the region.
    fn check_rows(&self, table: &Table, headers: &[EpochHeader]) -> Result<(), Fault> {
        let (schema, Predicate { column, region }) = (table.schema(), &self.predicate);
        let count: usize = self.parts.iter().map(|part| part.keys.len()).sum();
        let mut ranks: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (rank, source) in self.sources.iter().enumerate() {
            let of_key = ranks.get_mut(*source as usize);
            of_key.ok_or(Fault::Bounds { what: "the key of a row" })?.push(rank);
        }
        let position = schema.ordered().position(|ordered| ordered == *column);
        let position = position.ok_or(Fault::Bounds { what: "the column" })?;
        let overlaps = |key: &[u8], bits: u16| region.overlaps(schema, key, bits);
        let mut ranks = ranks.iter();
        for (epoch, part) in (region.from..=region.to).zip(&self.parts) {
            let header = headers.iter().find(|header| header.core.epoch == epoch);
            let roots = header.and_then(|header| header.core.columns.get(position));
            let roots = roots.ok_or(Fault::Bounds { what: "the column" })?;
            let keyed: Vec<_> = part.keys.iter().zip(ranks.by_ref()).collect();
            let leaf = |(key, ranks): &(&Vec<u8>, &Vec<usize>)| {
                check_rows(table, ranks.len() as u64)?;
                let tree = self.tree_of(ranks).ok_or(Fault::PathShape)?;
                let record = tree.root().record(&table.place(epoch, key, *column));
                Ok(((*key).clone(), type_leaf(&record)))
            };
            let leaves: Vec<_> = keyed.par_iter().map(leaf).collect::<Result<_, Fault>>()?;
            part.cover.verify(&roots.types, schema.key_len(), &leaves, &overlaps)?;
        }
        Ok(())
    }

    /// The tree over some of the merged rows.
    fn tree_of(&self, ranks: &[usize]) -> Option<SumTree> {
        let KeyLeaves { slots, pseudonyms, encodings, points, .. } = &self.leaves;
        let (mut tags, mut codes, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for rank in ranks {
            tags.push(*pseudonyms.get(*rank)?);
            codes.extend_from_slice(encodings.get(rank * slots..(rank + 1) * slots)?);
            sums.extend_from_slice(points.get(rank * slots..(rank + 1) * slots)?);
        }
        Some(SumTree::from_leaves(*slots, tags, codes, sums))
    }
}
