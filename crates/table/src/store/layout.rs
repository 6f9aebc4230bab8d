//! Where the nodes of an epoch's trees and tries are stored, and what is written of them.

use super::{Space, Write};
use crate::{
    BuiltColumn, BuiltEpoch,
    sum_tree::{TilePlace, tile_places},
    trie::Trie,
};

/// The version of a run of nodes: its first byte.
pub(super) const RUN: u8 = 1;

/// Which of the two tries of an ordered column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    /// Of keys, each with its rows.
    Types = 0,
    /// Of pseudonyms, each with its rank in its key.
    Ids = 1,
}

/// Where the nodes of a tree are; every part has its own place after it.
pub(super) fn place(epoch: u32, column: u16, key: &[u8]) -> Vec<u8> {
    [&epoch.to_be_bytes()[..], &column.to_be_bytes(), key].concat()
}

/// Where a tile is.
pub(super) fn tile_place(epoch: u32, column: u16, key: &[u8], tile: TilePlace) -> Vec<u8> {
    [&place(epoch, column, key)[..], &[tile.level], &tile.index.to_be_bytes()].concat()
}

/// Where the crown of a trie is; its blocks have their numbers after it.
pub(super) fn crown_place(epoch: u32, column: u16, which: Which) -> Vec<u8> {
    place(epoch, column, &[which as u8])
}

/// What stores the trees and tries of an epoch.
pub(super) fn nodes(built: &BuiltEpoch) -> Vec<Write> {
    let mut batch = Vec::new();
    for column in &built.columns {
        for key in &column.keys {
            for tile in tile_places(key.tree.count()) {
                let place = tile_place(built.core.epoch, column.column, &key.key, tile);
                batch.push((Space::Tiles, place, key.tree.tile(tile)));
            }
        }
        let counts = column.keys.iter().map(|key| key.tree.count());
        batch.extend(trie(built, column, (Which::Types, &column.types), counts));
        batch.extend(trie(built, column, (Which::Ids, &column.ids), column.ranks()));
    }
    batch
}

fn trie(
    built: &BuiltEpoch,
    column: &BuiltColumn,
    (which, trie): (Which, &Trie),
    numbers: impl Iterator<Item = u64>,
) -> Vec<Write> {
    let place = crown_place(built.core.epoch, column.column, which);
    let (crown, blocks) = trie.store(numbers);
    let block = |(number, block): (u32, Vec<u8>)| {
        (Space::Tries, [&place[..], &number.to_be_bytes()].concat(), Some(block))
    };
    let mut batch: Vec<Write> = (0_u32..).zip(blocks).map(block).collect();
    batch.push((Space::Tries, place.clone(), Some(crown)));
    batch
}

/// What earlier versions stored of all sum trees of an epoch, in parts of so many bytes.
#[cfg(test)]
pub(super) fn runs_in_parts(built: &BuiltEpoch, part_len: usize) -> Vec<Write> {
    let mut batch = Vec::new();
    for column in &built.columns {
        for key in &column.keys {
            let place = place(built.core.epoch, column.column, &key.key);
            let mut stored = vec![RUN];
            key.tree.encode_nodes(&mut stored);
            for (number, chunk) in (0_u32..).zip(stored.chunks(part_len)) {
                let place = [&place[..], &number.to_be_bytes()].concat();
                batch.push((Space::Nodes, place, Some(chunk.to_vec())));
            }
        }
    }
    batch
}
