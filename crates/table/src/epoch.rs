//! How the server builds an epoch from its rows (`docs/spec/table.md`).

use std::collections::BTreeMap;

use algebra::Group as _;
use rayon::prelude::*;

use crate::{
    BuildError, Row, Table,
    commitment::Point,
    hash::Hash,
    header::{ColumnRoots, EpochCore},
    keys::{TableKeys, UserKeys},
    leaf::{Leaf, Opening},
    record::{AuxRecord, hash_aux},
    rollup::Rollups,
    row::Place,
    sum_tree::{Stored, SumTree},
    trie::{Trie, empty_root, id_leaf, type_leaf},
};

/// A row and the keys of its user: what the server holds.
#[derive(Clone)]
pub struct Entry {
    /// The row.
    pub row: Row,
    /// The keys that the user has in the epoch's key period.
    pub keys: UserKeys,
}

/// One row of a sum tree, by rank.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// Its position among the epoch's entries.
    pub entry: u32,
    /// The value that it is sorted by.
    pub value: u64,
    /// Its pseudonym.
    pub pseudonym: Hash,
}

/// The rows of one key in one ordered column.
pub struct KeyTree {
    /// The key.
    pub key: Vec<u8>,
    /// The rows, ascending.
    pub rows: Vec<Ranked>,
    /// Their tree.
    pub tree: SumTree,
    /// How many of the rows were erased: their values are gone, and the root cannot be opened.
    pub erased: u64,
    /// What the root commits to; nothing if rows were erased.
    pub(crate) total: Opening,
}

/// What is left of an ordered column of an epoch of which rows were erased.
#[derive(Default)]
pub(crate) struct Remains {
    /// The pseudonyms of these rows.
    pub(crate) erased: Vec<Hash>,
    /// All leaves of every key that had such rows, in order.
    pub(crate) keys: BTreeMap<Vec<u8>, Vec<Leaf>>,
}

/// Stands for the entry of an erased row: no epoch has so many entries.
const GONE: u32 = u32::MAX;

/// One ordered column of an epoch.
pub struct BuiltColumn {
    /// Its position among all value columns.
    pub column: u16,
    /// Its keys, ascending.
    pub keys: Vec<KeyTree>,
    /// The trie of keys.
    pub types: Trie,
    /// The trie of pseudonyms.
    pub ids: Trie,
    /// By ascending pseudonym: the position of the row's key, and its rank there.
    places: Vec<(Hash, u32, u32)>,
}

/// An epoch with all its trees: the server's secret, but for the roots.
pub struct BuiltEpoch {
    /// What it commits to.
    pub core: EpochCore,
    /// The rows.
    pub entries: Vec<Entry>,
    /// The ordered columns.
    pub columns: Vec<BuiltColumn>,
    /// The roll-ups that it holds ([`BuiltEpoch::roll_up`]).
    pub rollups: Rollups,
}

impl BuiltEpoch {
    /// Builds the trees over an epoch's rows. The same rows give the same bytes, in whatever order
    /// they come, so that a build that was interrupted can be done again.
    ///
    /// # Errors
    /// [`BuildError`] for a row that the schema refuses and for two rows of one user.
    pub fn build(
        table: &Table,
        secrets: &TableKeys,
        epoch: u32,
        entries: Vec<Entry>,
        aux: &[AuxRecord],
        previous: Hash,
    ) -> Result<Self, BuildError> {
        let none = |_, _: &[u8]| Ok(None);
        let whole = BTreeMap::new();
        Self::assemble(table, secrets, (epoch, previous), (entries, &whole), aux, &none)
    }

    /// Builds the trees. Where `nodes` has a tree's nodes, by column and key, its sums are not computed again. Keys
    /// with erased rows are built from `remains`. Wrong nodes or leaves give another core.
    ///
    /// # Errors
    /// [`BuildError::Nodes`] for nodes that cannot be those of the rows, errors of `nodes`, and as
    /// [`BuiltEpoch::build`].
    pub(crate) fn assemble<E: From<BuildError> + Send>(
        table: &Table,
        secrets: &TableKeys,
        (epoch, previous): (u32, Hash),
        (mut entries, remains): (Vec<Entry>, &BTreeMap<u16, Remains>),
        aux: &[AuxRecord],
        nodes: &Nodes<'_, E>,
    ) -> Result<Self, E> {
        u32::try_from(entries.len()).map_err(|_| BuildError::TooManyRows)?;
        entries.par_sort_unstable_by(|a, b| a.row.user.cmp(&b.row.user));
        for (index, pair) in entries.windows(2).enumerate() {
            if let [a, b] = pair
                && a.row.user == b.row.user
            {
                return Err(BuildError::Duplicate { index: index + 1 }.into());
            }
        }
        let check = |(index, entry): (usize, &Entry)| {
            let checked = table.schema().check_row(&entry.row);
            checked.map_err(|error| BuildError::Row { index, error })
        };
        entries.par_iter().enumerate().try_for_each(check)?;
        let whole = Remains::default();
        let build = |column| {
            // Of a column without remains no row was erased.
            let rows = (entries.as_slice(), remains.get(&column).unwrap_or(&whole));
            BuiltColumn::build(table, secrets, epoch, rows, column, nodes)
        };
        let columns: Vec<_> = table.schema().ordered().map(build).collect::<Result<_, E>>()?;
        let roots = columns.iter().map(|column: &BuiltColumn| ColumnRoots {
            types: column.types.root(),
            ids: column.ids.root(),
        });
        // An erased row has a tombstone in every ordered column: the first column counts the rows.
        let erased = remains.values().next().map_or(0, |remains| remains.erased.len());
        let core = EpochCore {
            epoch,
            columns: roots.collect(),
            rollups: empty_root(),
            rows: (entries.len() + erased) as u64,
            aux: hash_aux(aux),
            previous,
        };
        Ok(Self { core, entries, columns, rollups: Rollups::default() })
    }

    /// An ordered column, by its position among all value columns.
    pub fn column(&self, column: u16) -> Option<&BuiltColumn> {
        self.columns.iter().find(|built| built.column == column)
    }

    /// What a row of a sum tree commits to.
    pub(crate) fn opening(
        &self,
        table: &Table,
        column: u16,
        key: &KeyTree,
        rank: usize,
    ) -> Option<Opening> {
        let entry = self.entries.get(key.rows.get(rank)?.entry as usize)?;
        let place = table.place(self.core.epoch, &key.key, column);
        Some(Opening::derive(table.schema(), &place, &entry.keys, &entry.row.values))
    }
}

impl KeyTree {
    /// The tree over leaves of which some rows were erased: it shows what it showed, and opens to nothing.
    fn remaining(
        slots: usize,
        place: Place<'_>,
        leaves: &[Leaf],
        (rows, erased): (impl Iterator<Item = Ranked>, &[Hash]),
    ) -> Option<Self> {
        let gone = |pseudonym: &Hash| Ranked { entry: GONE, value: 0, pseudonym: *pseudonym };
        let known = rows.chain(erased.iter().map(gone));
        let known: BTreeMap<Hash, Ranked> =
            known.map(|row| (place.tag(&row.pseudonym), row)).collect();
        let rows: Option<Vec<Ranked>> =
            leaves.iter().map(|leaf| known.get(&leaf.tag).copied()).collect();
        let rows = rows?;
        let tags = leaves.iter().map(|leaf| leaf.tag).collect();
        let encodings: Vec<_> = leaves.iter().flat_map(|leaf| &leaf.commitments).copied().collect();
        // Callers make `BuildError::Nodes` of `None`.
        let points = Point::decode_all(encodings.as_flattened()).ok()?;
        Some(Self {
            key: place.key.to_vec(),
            erased: rows.iter().filter(|row| row.entry == GONE).count() as u64,
            rows,
            tree: SumTree::from_leaves(slots, tags, encodings, points),
            total: Opening::sum(&[]),
        })
    }
}

/// Finds the nodes of the sum tree of an ordered column and a key, if they were stored.
pub(crate) type Nodes<'a, E> = dyn Fn(u16, &[u8]) -> Result<Option<Stored>, E> + Sync + 'a;

impl BuiltColumn {
    fn build<E: From<BuildError> + Send>(
        table: &Table,
        secrets: &TableKeys,
        epoch: u32,
        (entries, remains): (&[Entry], &Remains),
        column: u16,
        nodes: &Nodes<'_, E>,
    ) -> Result<Self, E> {
        let schema = table.schema();
        let rank = |(index, entry)| {
            let entry: &Entry = entry;
            let pseudonym = entry.keys.pseudonym(table.id(), epoch, column, &entry.row.user);
            let tie = secrets.tie(table.id(), epoch, column, &pseudonym);
            // `assemble` has held every row to the schema: it has a value of every column.
            let value = entry.row.values.get(usize::from(column)).copied().unwrap_or_default();
            let index: usize = index;
            let ranked = Ranked { entry: index as u32, value, pseudonym };
            (entry.row.key.as_slice(), tie, ranked)
        };
        let mut sorted: Vec<(&[u8], [u8; 16], Ranked)> =
            entries.par_iter().enumerate().map(rank).collect();
        sorted.par_sort_unstable_by(|(key_a, tie_a, a), (key_b, tie_b, b)| {
            (key_a, a.value, tie_a).cmp(&(key_b, b.value, tie_b))
        });
        let slots = schema.slots(column).len();
        let groups: Vec<_> = sorted.chunk_by(|(a, ..), (b, ..)| a == b).collect();
        let build = |group: &&[(&[u8], [u8; 16], Ranked)]| {
            // A group has one row at least.
            let key = group.first().map(|(key, ..)| key.to_vec()).unwrap_or_default();
            let place = table.place(epoch, &key, column);
            if let Some(leaves) = remains.keys.get(&key) {
                let rows = group.iter().map(|(.., ranked)| *ranked);
                let rebuilt = KeyTree::remaining(slots, place, leaves, (rows, &remains.erased));
                return rebuilt.ok_or(BuildError::Nodes.into());
            }
            let opening = |ranked: &Ranked| {
                let entry = entries.get(ranked.entry as usize)?;
                Some(Opening::derive(schema, &place, &entry.keys, &entry.row.values))
            };
            // Every rank was made from one of `entries`: none is left out.
            let openings = group.par_iter().filter_map(|(.., ranked)| opening(ranked));
            let openings: Vec<Opening> = openings.collect();
            let total = Opening::sum(&openings);
            let tags = group.par_iter().map(|(.., ranked)| place.tag(&ranked.pseudonym)).collect();
            let tree = match nodes(column, &key)? {
                Some(stored) => SumTree::from_stored(slots, tags, &stored, &total),
                None => {
                    let halves = Opening::commit_halves(&openings);
                    Some(SumTree::from_halves(slots, tags, &halves))
                }
            };
            let tree = tree.ok_or(BuildError::Nodes)?;
            let rows = group.iter().map(|(.., ranked)| *ranked).collect();
            Ok(KeyTree { rows, tree, erased: 0, key, total })
        };
        let mut keys: Vec<KeyTree> = groups.par_iter().map(build).collect::<Result<_, E>>()?;
        // Keys of which every row was erased.
        for (key, leaves) in &remains.keys {
            if let Err(at) = keys.binary_search_by(|known| known.key.cmp(key)) {
                let (place, none) = (table.place(epoch, key, column), std::iter::empty());
                let rebuilt = KeyTree::remaining(slots, place, leaves, (none, &remains.erased));
                keys.insert(at, rebuilt.ok_or(BuildError::Nodes)?);
            }
        }
        let records = keys.iter().map(|key| {
            let place = table.place(epoch, &key.key, column);
            (key.key.as_slice(), type_leaf(&key.tree.root().record(&place)))
        });
        let types = Trie::build(schema.key_len(), records).ok_or(BuildError::Trie)?;
        let ids = ids_trie(keys.iter().flat_map(|key| {
            let pseudonyms = key.rows.iter().map(|row| row.pseudonym);
            pseudonyms.zip(key.tree.leaf_hashes().iter().copied())
        }));
        let ids = ids.ok_or(BuildError::Trie)?;
        let rows = (0_u32..).zip(&keys).flat_map(|(index, key)| {
            (0..).zip(&key.rows).map(move |(rank, row)| (row.pseudonym, index, rank))
        });
        let mut places: Vec<_> = rows.collect();
        places.par_sort_unstable();
        Ok(Self { column, keys, types, ids, places })
    }

    /// The ranks of rows in their keys, by ascending pseudonym.
    #[cfg(feature = "store")]
    pub(crate) fn ranks(&self) -> impl Iterator<Item = u64> {
        self.places.iter().map(|(.., rank)| u64::from(*rank))
    }

    /// The key that holds a pseudonym's row, and the row's rank there.
    pub fn find(&self, pseudonym: &Hash) -> Option<(&KeyTree, u64)> {
        let at = self.places.binary_search_by(|(known, ..)| known.cmp(pseudonym)).ok()?;
        let (_, index, rank) = self.places.get(at)?;
        Some((self.keys.get(*index as usize)?, u64::from(*rank)))
    }
}

/// The trie of pseudonyms over rows in any order; `None` if a pseudonym is there twice.
pub(crate) fn ids_trie(rows: impl Iterator<Item = (Hash, Hash)>) -> Option<Trie> {
    let mut ids: Vec<_> = rows.collect();
    ids.par_sort_unstable();
    let leaves: Vec<Hash> = ids.par_iter().map(|(pid, leaf)| id_leaf(pid, leaf)).collect();
    let entries = ids.iter().zip(leaves);
    Trie::build(32, entries.map(|((pid, _), leaf)| (pid.as_bytes().as_slice(), leaf)))
}
