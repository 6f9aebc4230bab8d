//! Building an epoch from what is stored: from its rows, which determine everything, and from the
//! nodes of its sum trees, which are kept because forming them anew costs a commitment a row.
//!
//! The nodes are written in the transaction that makes an epoch `Built`. They are checked whenever they are read: they
//! must lead to the epoch's core, or they are refused. For epochs from versions that kept no nodes, the nodes are
//! computed again. Trees are stored in tiles and tries in blocks, so a row can be looked up without building the epoch
//! ([`Custodian::look_up`]). Older epochs have a run of nodes for each tree instead.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    Custodian, CustodyError, EpochState, Pair, Space, Store,
    layout::{RUN, Which, crown_place, place, tile_place},
};
use crate::{
    BuildError, BuiltEpoch, Entry, Hash, Leaf,
    epoch::Remains,
    sum_tree::{MAX_ROWS, Stored, leaves_in_tiles, lowest_tiles},
    trie::decode_block,
};

impl<S: Store> Custodian<S> {
    /// Builds an epoch that is in the log once more, without its roll-ups, to answer queries from.
    ///
    /// # Errors
    /// [`CustodyError::State`] for an epoch that is not ready to be served: witnessed, where the
    /// table has witnesses; [`CustodyError::Damaged`] if rows and nodes do not give the stored core,
    /// or [`BuildError::Nodes`].
    pub fn load(&self, epoch: u32) -> Result<BuiltEpoch, CustodyError> {
        match self.state(epoch)? {
            EpochState::Witnessed => {}
            state => return Err(CustodyError::State { epoch, state }),
        }
        self.rebuild(epoch)
    }

    /// Builds an epoch that is in the log once more, without its roll-ups.
    pub(super) fn rebuild(&self, epoch: u32) -> Result<BuiltEpoch, CustodyError> {
        if self.is_lost(epoch)? {
            return Err(CustodyError::Lost { epoch });
        }
        let header = self.header(epoch)?;
        let mut built = self.build(epoch, header.core.previous)?;
        built.core.rollups = header.core.rollups;
        match built.core == header.core {
            true => Ok(built),
            false => Err(CustodyError::Damaged("the rows or nodes of an epoch have changed")),
        }
    }

    /// Builds an epoch, without its roll-ups, from its rows and the nodes that are there. Whoever
    /// calls compares the core.
    pub(super) fn build(&self, epoch: u32, previous: Hash) -> Result<BuiltEpoch, CustodyError> {
        let (table, secrets) = (&self.table, &self.secrets);
        let (entries, records) = (self.entries(epoch)?, self.records(epoch)?);
        let remains = self.remains(epoch, &entries)?;
        let nodes = |column, key: &[u8]| self.stored_nodes(epoch, column, key);
        let rows = (entries, &remains);
        BuiltEpoch::assemble(table, secrets, (epoch, previous), rows, &records, &nodes)
    }

    /// What is left of an epoch's columns where rows were erased.
    fn remains(
        &self,
        epoch: u32,
        entries: &[Entry],
    ) -> Result<BTreeMap<u16, Remains>, CustodyError> {
        let erased = self.tombstones_in(epoch)?;
        let mut remains = BTreeMap::new();
        if erased.is_empty() {
            return Ok(remains);
        }
        let mut rows: BTreeMap<&[u8], u64> = BTreeMap::new();
        for entry in entries {
            *rows.entry(&entry.row.key).or_default() += 1;
        }
        for column in self.table.schema().ordered() {
            let mut left = Remains::default();
            let of = erased.iter().filter(|one| one.column == column);
            left.erased.extend(of.map(|one| one.pseudonym));
            for (key, count) in self.counts(epoch, column)? {
                if rows.get(key.as_slice()) != Some(&count) {
                    let leaves = self.leaves((epoch, column), &key, count)?;
                    left.keys.insert(key, leaves);
                }
            }
            remains.insert(column, left);
        }
        Ok(remains)
    }

    /// The keys of a column, each with its rows, as they were sealed.
    fn counts(&self, epoch: u32, column: u16) -> Result<Vec<(Vec<u8>, u64)>, CustodyError> {
        let crown = crown_place(epoch, column, Which::Types);
        let mut counts = Vec::new();
        for (place, block) in self.store.scan(Space::Tries, &crown)? {
            if place != crown {
                let kept = decode_block(&block, self.table.schema().key_len())?;
                counts.extend(kept.into_iter().map(|(key, _, rows)| (key, rows)));
            }
        }
        Ok(counts)
    }

    /// The leaves of a key, in order.
    fn leaves(
        &self,
        (epoch, column): (u32, u16),
        key: &[u8],
        count: u64,
    ) -> Result<Vec<Leaf>, CustodyError> {
        if count > MAX_ROWS {
            return Err(BuildError::Nodes.into());
        }
        let tile = |tile| {
            let stored = self.store.get(Space::Tiles, &tile_place(epoch, column, key, tile))?;
            stored.ok_or_else(|| CustodyError::from(BuildError::Nodes))
        };
        let tiles: Vec<Vec<u8>> = lowest_tiles(count).map(tile).collect::<Result<_, _>>()?;
        let slots = self.table.schema().slots(column).len();
        leaves_in_tiles(slots, count, &tiles).ok_or(BuildError::Nodes.into())
    }

    /// The nodes of a tree, if they were stored.
    fn stored_nodes(
        &self,
        epoch: u32,
        column: u16,
        key: &[u8],
    ) -> Result<Option<Stored>, CustodyError> {
        let place = place(epoch, column, key);
        let tiles = self.store.scan(Space::Tiles, &place)?;
        if !tiles.is_empty() {
            return Ok(Some(Stored::Tiles(tiles.into_iter().map(|(_, tile)| tile).collect())));
        }
        let chunks = self.store.scan(Space::Nodes, &place)?;
        let chunks: Vec<&[u8]> = chunks.iter().map(|(_, chunk)| chunk.as_slice()).collect();
        let mut stored = chunks.concat();
        match stored.first() {
            None => Ok(None),
            Some(&RUN) => Ok(Some(Stored::Run(stored.split_off(1)))),
            Some(_) => Err(BuildError::Nodes.into()),
        }
    }

    /// The rows of an epoch.
    pub(super) fn entries(&self, epoch: u32) -> Result<Vec<Entry>, CustodyError> {
        let stored = self.store.scan(Space::Rows, &epoch.to_be_bytes())?;
        let entry = |(key, sealed): &Pair| {
            let row = self.open_row(key, sealed)?;
            let keys = self.user_keys(epoch, &row.user)?;
            let keys = keys.ok_or(CustodyError::Damaged("a row's user has no keys"))?;
            Ok(Entry { row, keys })
        };
        stored.par_iter().map(entry).collect()
    }
}
