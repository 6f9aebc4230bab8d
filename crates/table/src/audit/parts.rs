//! An audit in parts, so that several auditors share it: the keys in ranges, and the users.
//!
//! A part of keys holds covers that show all keys of its range, their rows, and their proofs of order and powers. A
//! part of keys cannot show whether users are distinct. So the part of users lists every row's pseudonym and leaf, and
//! the tries of pseudonyms are built again from these. Both parts name, for every range, a hash over the keys,
//! pseudonyms and leaves that they saw. The audit is complete if the ranges together are all keys and the hashes agree
//! ([`Scope`]).
//!
//! Proofs are those of the epoch's bundle, cut out of it: parts need Bulletproofs, since a bit matrix
//! cannot be cut by keys, and an epoch without roll-ups.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{
    leaves::{self, ColumnLeaves, KeyLeaves, Rebuilt, rebuild},
    moments::Weights,
    order,
    run::{Run, runs},
    verify::{hash, powers, same_keys},
};
use crate::{
    EpochHeader, Fault, Hash, Refused, Schema, Table,
    checks::{TA_5, TC_4, TC_6, TC_9, TC_10, Under as _},
    epoch::ids_trie,
    hash::LINKS,
    log::{KeyRange, Scope},
    range::{self, CHUNK},
    trie::{Cover, empty_root, type_leaf},
};

const MAX_KEY: usize = 128;
const MAX_PARTS: usize = 1 << 12;
const MIN_KEY_BYTES: usize = 13;
/// A pseudonym and a leaf.
const USER_BYTES: usize = 64;
/// Kinds of parts.
const KEYS: u8 = 0;
const USERS: u8 = 1;

/// The keys of a column with pseudonyms and leaves, row by row.
type Users = Vec<(Vec<u8>, Vec<(Hash, Hash)>)>;

/// Cuts an epoch's bundle into the parts of `count` ranges of keys, about equal in rows, and the
/// part of users, which is last.
///
/// # Errors
/// [`Fault`] for a bundle that is not one of this epoch or cannot be cut, or into so many parts.
pub fn split(
    table: &Table,
    header: &EpochHeader,
    bundle: &[u8],
    count: usize,
) -> Result<Vec<Vec<u8>>, Fault> {
    let schema = table.schema();
    require_separable(schema, header)?;
    let mut reader = Reader::new(bundle);
    let columns = leaves::decode(&mut reader, schema)?;
    if order::by_matrix(schema, runs(schema, &columns, &[]).iter()) {
        return Err(Fault::Query { reason: "a bit matrix cannot be cut by keys" });
    }
    let epoch = header.core.epoch;
    let rebuilt: Vec<Rebuilt> =
        columns.iter().map(|column| rebuild(table, epoch, column)).collect::<Result<_, _>>()?;
    let ranges = ranges(columns.first(), count)?;
    let hashes: Vec<_> = rebuilt.iter().map(|column| column.leaf_hashes.clone()).collect();
    let proofs = Proofs::read(schema, &columns, &hashes, &mut reader)?;
    let users: Vec<Users> = columns.iter().zip(&rebuilt).map(|(a, b)| users_of(a, b)).collect();
    let keys = ranges.iter().map(|range| keys_part(range, &columns, &rebuilt, &proofs));
    Ok(keys.chain([users_part(&ranges, &users)]).collect())
}

fn require_separable(schema: &Schema, header: &EpochHeader) -> Result<(), Fault> {
    let (got, expected) = (header.core.columns.len() as u64, schema.ordered().count() as u64);
    if got != expected {
        return Err(Fault::Number { what: "columns of the epoch", got, expected });
    }
    match header.core.rollups == empty_root() {
        true => Ok(()),
        false => Err(Fault::Query { reason: "an epoch with roll-ups is audited as a whole" }),
    }
}

/// Ranges that make up all keys, cut where the rows are about equal.
fn ranges(column: Option<&ColumnLeaves>, count: usize) -> Result<Vec<KeyRange>, Fault> {
    let keys = column.map_or(&[][..], |column| &column.keys);
    if !(1..=keys.len().min(MAX_PARTS)).contains(&count) {
        let (got, expected) = (count as u64, keys.len() as u64);
        return Err(Fault::Number { what: "parts, of so many keys at most", got, expected });
    }
    let rows: usize = keys.iter().map(KeyLeaves::rows).sum();
    let (mut starts, mut seen) = (vec![Vec::new()], 0);
    for (index, key) in keys.iter().enumerate().skip(1) {
        seen += keys.get(index - 1).map_or(0, KeyLeaves::rows);
        let (made, left) = (starts.len(), keys.len() - index);
        // Enough rows for the parts so far, or just enough keys for those to come.
        if made < count && (seen * count >= rows * made || left == count - made) {
            starts.push(key.key.clone());
        }
    }
    let ends = starts.iter().skip(1).cloned().map(Some).chain([None]);
    Ok(starts.iter().cloned().zip(ends).map(|(from, until)| KeyRange { from, until }).collect())
}

/// The proofs of a bundle in its order, with the keys that they are about.
struct Proofs<'a> {
    order: Vec<(&'a [u8], &'a [u8])>,
    powers: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Proofs<'a> {
    fn read(
        schema: &Schema,
        columns: &'a [ColumnLeaves],
        hashes: &'a [Vec<Vec<Hash>>],
        reader: &mut Reader<'a>,
    ) -> Result<Self, Fault> {
        let order = runs(schema, columns, &[]).into_iter().map(|run: Run<'a>| {
            let full = (run.len() / CHUNK) * range::proof_len(run.bits, CHUNK);
            let rest = match run.len() % CHUNK {
                0 => 0,
                rest => range::proof_len(run.bits, rest),
            };
            Ok((run.key.key.as_slice(), reader.take(full + rest)?))
        });
        let order = order.collect::<Result<_, DecodeError>>()?;
        // Only the lengths of the proofs are asked for, which do not depend on the epoch.
        let core = Hash::from([0; 32]);
        let placed = powers(schema, &core, columns, hashes);
        let powers = placed.iter().map(|placed| {
            let key = columns.get(placed.tree).and_then(|column| column.keys.get(placed.index));
            let key = key.map_or(&[][..], |key| key.key.as_slice());
            Ok((key, reader.take(placed.proofs.len())?))
        });
        let powers = powers.collect::<Result<_, DecodeError>>()?;
        reader.finish()?;
        Ok(Self { order, powers })
    }
}

fn keys_part(
    range: &KeyRange,
    columns: &[ColumnLeaves],
    rebuilt: &[Rebuilt],
    proofs: &Proofs<'_>,
) -> Vec<u8> {
    let mut out = vec![KEYS];
    range.encode(&mut out);
    let overlaps = |key: &[u8], bits: u16| range.overlaps(key, bits);
    rebuilt.iter().for_each(|column| column.types.cover(&overlaps).encode(&mut out));
    for column in columns {
        let inside: Vec<_> = column.keys.iter().filter(|key| range.contains(&key.key)).collect();
        (inside.len() as u32).encode(&mut out);
        inside.iter().for_each(|key| leaves::encode_key(key, &mut out));
    }
    for (key, proof) in proofs.order.iter().chain(&proofs.powers) {
        if range.contains(key) {
            out.extend_from_slice(proof);
        }
    }
    out
}

fn users_part(ranges: &[KeyRange], columns: &[Users]) -> Vec<u8> {
    let mut out = vec![USERS];
    (ranges.len() as u32).encode(&mut out);
    ranges.iter().for_each(|range| range.encode(&mut out));
    for users in columns {
        (users.len() as u32).encode(&mut out);
        for (key, rows) in users {
            put_bytes(&mut out, key);
            (rows.len() as u64).encode(&mut out);
            for (pseudonym, leaf) in rows {
                pseudonym.encode(&mut out);
                leaf.encode(&mut out);
            }
        }
    }
    out
}

/// The rows of a column's keys, as both kinds of parts see them.
fn users_of(column: &ColumnLeaves, rebuilt: &Rebuilt) -> Users {
    let keys = column.keys.iter().zip(&rebuilt.leaf_hashes);
    let rows = keys.map(|(key, hashes)| {
        let rows = key.pseudonyms.iter().copied().zip(hashes.iter().copied());
        (key.key.clone(), rows.collect())
    });
    rows.collect()
}

/// `H_links`: the keys of a range in every ordered column, with pseudonyms and leaves.
fn links(range: &KeyRange, columns: &[Users]) -> Hash {
    let mut hashing = LINKS.start().bytes(&range.to_bytes()).number(columns.len() as u64);
    for users in columns {
        let inside: Vec<_> = users.iter().filter(|(key, _)| range.contains(key)).collect();
        hashing = hashing.number(inside.len() as u64);
        for (key, rows) in inside {
            hashing = hashing.bytes(key).number(rows.len() as u64);
            for (pseudonym, leaf) in rows {
                hashing = hashing.bytes(pseudonym.as_bytes()).bytes(leaf.as_bytes());
            }
        }
    }
    hashing.finish()
}

/// Audits a part; what an auditor may then vouch for.
///
/// # Errors
/// [`Fault`] naming what does not hold.
pub fn verify_part(table: &Table, header: &EpochHeader, part: &[u8]) -> Result<Scope, Fault> {
    Ok(check_part(table, header, part)?)
}

/// [`verify_part`], naming the check that fails.
pub(crate) fn check_part(
    table: &Table,
    header: &EpochHeader,
    part: &[u8],
) -> Result<Scope, Refused> {
    require_separable(table.schema(), header).under(TC_9)?;
    let mut reader = Reader::new(part);
    match reader.u8().under(TC_9)? {
        KEYS => verify_keys(table, header, part, &mut reader),
        USERS => verify_users(header, &mut reader).under(TC_10),
        _ => Err(DecodeError::invalid("part of an audit", "unknown kind")).under(TC_9),
    }
}

fn verify_keys(
    table: &Table,
    header: &EpochHeader,
    part: &[u8],
    reader: &mut Reader<'_>,
) -> Result<Scope, Refused> {
    let (schema, core) = (table.schema(), header.core.hash(table.id()));
    let range = KeyRange::decode(reader).under(TC_9)?;
    let covers = header.core.columns.iter().map(|_| Cover::decode(reader));
    let covers: Vec<Cover> = covers.collect::<Result<_, DecodeError>>().under(TC_9)?;
    let columns = leaves::decode(reader, schema).under(TC_9)?;
    same_keys(&columns).under(TC_9)?;
    let epoch = header.core.epoch;
    let rebuilt = columns.iter().map(|column| rebuild(table, epoch, column));
    let rebuilt: Vec<Rebuilt> = rebuilt.collect::<Result<_, Fault>>().under(TC_9)?;
    let overlaps = |key: &[u8], bits: u16| range.overlaps(key, bits);
    let shown = covers.iter().zip(&columns).zip(&rebuilt).zip(&header.core.columns);
    for (((cover, column), rebuilt), roots) in shown {
        let keyed = column.keys.iter().zip(&rebuilt.records);
        let leaves: Vec<_> =
            keyed.map(|(key, record)| (key.key.clone(), type_leaf(record))).collect();
        cover.verify(&roots.types, schema.key_len(), &leaves, &overlaps).under(TA_5)?;
    }
    order::verify_chunks(&core, &runs(schema, &columns, &[]), reader).under(TC_4)?;
    let users: Vec<Users> = columns.iter().zip(&rebuilt).map(|(a, b)| users_of(a, b)).collect();
    let hashes: Vec<_> = rebuilt.into_iter().map(|column| column.leaf_hashes).collect();
    let mut weights = Weights::new(&core, &hash(part));
    for powers in powers(schema, &core, &columns, &hashes) {
        powers.proofs.verify(reader, &mut weights).under(TC_6)?;
    }
    reader.finish().under(TC_9)?;
    let links = links(&range, &users);
    Ok(Scope::Keys { range, links })
}

fn verify_users(header: &EpochHeader, reader: &mut Reader<'_>) -> Result<Scope, Fault> {
    let count = reader.count("parts", MAX_PARTS)?;
    let ranges = (0..count).map(|_| KeyRange::decode(reader));
    let ranges: Vec<KeyRange> = ranges.collect::<Result<_, DecodeError>>()?;
    if !KeyRange::make_up_all(&ranges) {
        return Err(Fault::Bounds { what: "the ranges of keys" });
    }
    let columns = header.core.columns.iter().map(|_| read_users(reader));
    let columns: Vec<Users> = columns.collect::<Result<_, Fault>>()?;
    reader.finish()?;
    for (users, roots) in columns.iter().zip(&header.core.columns) {
        let rows = users.iter().flat_map(|(_, rows)| rows.iter().copied());
        let ids = ids_trie(rows).ok_or(Fault::Duplicate { what: "a pseudonym" })?;
        if ids.root() != roots.ids {
            return Err(Fault::Mismatch { what: "the pseudonyms of the epoch" });
        }
        let (got, expected) =
            (users.iter().map(|(_, rows)| rows.len() as u64).sum(), header.core.rows);
        if got != expected {
            return Err(Fault::Number { what: "rows", got, expected });
        }
    }
    let part = |range: KeyRange| {
        let links = links(&range, &columns);
        (range, links)
    };
    Ok(Scope::Users { parts: ranges.into_iter().map(part).collect() })
}

fn read_users(reader: &mut Reader<'_>) -> Result<Users, Fault> {
    let count = reader.count("keys", reader.remaining() / MIN_KEY_BYTES)?;
    let mut users: Users = Vec::with_capacity(count);
    for _ in 0..count {
        let key = reader.bytes("key", MAX_KEY)?.to_vec();
        let (rows, most) = (reader.u64()?, reader.remaining() / USER_BYTES);
        let too_long = DecodeError::TooLong { what: "rows", got: rows, limit: most as u64 };
        let rows = usize::try_from(rows).ok().filter(|rows| *rows <= most).ok_or(too_long)?;
        let (items, _) = reader.items(rows, USER_BYTES)?.as_chunks::<32>();
        let pairs = items.as_chunks::<2>().0.iter();
        users.push((key, pairs.map(|[pid, leaf]| ((*pid).into(), (*leaf).into())).collect()));
    }
    match users.is_sorted_by(|(a, _), (b, _)| a < b) {
        true => Ok(users),
        false => Err(Fault::Bounds { what: "the keys of a part" }),
    }
}
