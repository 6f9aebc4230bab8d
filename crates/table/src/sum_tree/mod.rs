//! The sum tree of a key: its rows in ascending order of value, with counts and commitments to
//! sums in every node (`docs/spec/table.md`).
//!
//! The shape is that of RFC 6962: nodes are paired layer by layer and an odd one at the end moves up
//! unchanged. Hence index and count fix every sibling's place, side and number of rows, and a
//! path carries neither flags nor counts.

mod build;
mod path;
mod shape;
#[cfg_attr(
    not(feature = "store"),
    allow(dead_code, unused_imports, reason = "without a store every tree is in memory")
)]
mod tiles;

pub use build::SumTree;
pub use path::{Path, PathSums, Sibling};
pub(crate) use path::{decode_counted_leaf, decode_leaf, encode_leaf, encodings};
pub(crate) use tiles::Stored;
#[cfg(feature = "store")]
pub(crate) use tiles::{
    TilePlace, leaves as leaves_in_tiles, lowest as lowest_tiles, on_path, path as path_in_tiles,
    places as tile_places,
};

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    commitment::Encoded,
    hash::{Hash, NODE, ROOT},
    row::Place,
};

/// Rows of one key; more than any epoch has.
pub(crate) const MAX_ROWS: u64 = 1 << 40;

/// Slots of a leaf.
const MAX_SLOTS: usize = 1 << 8;

/// `h = H_node(count, 2C_1..2C_w, h_L, h_R)`.
fn hash_node(count: u64, doubles: &[Encoded], left: &Hash, right: &Hash) -> Hash {
    let start = NODE.start().number(count).list(doubles.iter());
    start.bytes(left.as_bytes()).bytes(right.as_bytes()).finish()
}

/// The root of a sum tree: what the record of its key binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Rows below.
    pub count: u64,
    /// `enc(2C)` of every slot, also where there is a single row.
    pub doubles: Vec<Encoded>,
    /// The hash of the top node.
    pub hash: Hash,
}

impl Root {
    /// `R_key = H_root(table, t, key, column, count, enc(2C_1).., h)`: the value in the trie.
    pub fn record(&self, place: &Place<'_>) -> Hash {
        let start = ROOT.start().bytes(place.table.as_bytes()).number(place.epoch.into());
        let start = start.bytes(place.key).number(place.column.into()).number(self.count);
        start.list(self.doubles.iter()).bytes(self.hash.as_bytes()).finish()
    }
}

impl Encode for Root {
    fn encode(&self, out: &mut Vec<u8>) {
        self.count.encode(out);
        (self.doubles.len() as u32).encode(out);
        self.doubles.iter().for_each(|double| out.extend_from_slice(double));
        self.hash.encode(out);
    }
}

impl Decode for Root {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.u64()?;
        let slots = reader.count("slots", MAX_SLOTS)?;
        let doubles = encodings(reader, slots)?;
        Ok(Self { count, doubles, hash: Hash::decode(reader)? })
    }
}
