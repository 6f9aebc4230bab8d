//! Building a sum tree and showing paths of it: the server's side, and the auditor's, who
//! rebuilds every tree from its leaves.

use algebra::{Group as _, encode_doubles};
use rayon::prelude::*;

use super::{Path, Root, Sibling, hash_node, shape};
use crate::{
    commitment::{Encoded, Point},
    hash::Hash,
    row::{Leaf, hash_leaf},
};

/// Nodes below which a layer is not worth a second thread.
const PARALLEL_MIN: usize = 256;

/// A sum tree with all its nodes, encoded: 64 bytes and more a node.
pub struct SumTree {
    /// Slots of a leaf.
    slots: usize,
    tags: Vec<Hash>,
    /// `enc(C)` at leaves and wherever a lone leaf moved up; `enc(2C)` elsewhere.
    layers: Vec<Layer>,
    /// `enc(2C)` of the root.
    doubles: Vec<Encoded>,
}

struct Layer {
    encodings: Vec<Encoded>,
    hashes: Vec<Hash>,
}

impl SumTree {
    /// Builds the tree over leaves in order, from tags and half commitments, slot by slot.
    pub(crate) fn from_halves(slots: usize, tags: Vec<Hash>, halves: &[Point]) -> Self {
        let encodings = encode_doubles(halves);
        let points: Vec<Point> = halves.iter().map(Point::double).collect();
        Self::build(slots, tags, encodings, points)
    }

    /// Rebuilds the tree over leaves in order whose commitments have been decoded.
    pub(crate) fn from_leaves(
        slots: usize,
        tags: Vec<Hash>,
        encodings: Vec<Encoded>,
        points: Vec<Point>,
    ) -> Self {
        Self::build(slots, tags, encodings, points)
    }

    fn build(
        slots: usize,
        tags: Vec<Hash>,
        encodings: Vec<Encoded>,
        mut points: Vec<Point>,
    ) -> Self {
        let leaves =
            tags.par_iter().with_min_len(PARALLEL_MIN).zip(encodings.par_chunks(slots.max(1)));
        let hashes = leaves.map(|(tag, commitments)| hash_leaf(tag, commitments)).collect();
        let count = tags.len() as u64;
        let mut layers = vec![Layer { encodings, hashes }];
        for layer in 1..shape::layers(count) {
            points = pair_up(slots, &points);
            let below = layers.last().map(|below| next_layer(slots, count, layer, below, &points));
            layers.extend(below);
        }
        Self { slots, tags, layers, doubles: encode_doubles(&points) }
    }

    /// Rows.
    pub fn count(&self) -> u64 {
        self.tags.len() as u64
    }

    /// The root; of no use for a tree without rows.
    pub fn root(&self) -> Root {
        let top = self.layers.last().and_then(|layer| layer.hashes.first());
        let hash = top.copied().unwrap_or_else(|| [0; 32].into());
        Root { count: self.count(), doubles: self.doubles.clone(), hash }
    }

    /// `h_leaf` of every leaf, in order.
    pub fn leaf_hashes(&self) -> &[Hash] {
        self.layers.first().map_or(&[], |leaves| &leaves.hashes)
    }

    /// A leaf as it travels.
    pub fn leaf(&self, index: u64) -> Option<Leaf> {
        let tag = *self.tags.get(usize::try_from(index).ok()?)?;
        Some(Leaf { tag, commitments: self.sums(0, index)?.to_vec() })
    }

    /// The path of a leaf; `None` if there is no such leaf.
    pub fn path(&self, index: u64) -> Option<Path> {
        let count = self.count();
        let sibling = |beside: shape::Beside| match beside.rows {
            1 => self.leaf(beside.index << beside.layer).map(Sibling::Leaf),
            _ => {
                let sums = self.sums(beside.layer, beside.index)?.to_vec();
                let (left, right) = self.children(beside.layer, beside.index)?;
                Some(Sibling::Node { doubles: sums, left, right })
            }
        };
        let siblings: Option<_> = shape::beside(index, count).map(sibling).collect();
        (index < count).then_some(Path { index, count, siblings: siblings? })
    }

    fn sums(&self, layer: u32, index: u64) -> Option<&[Encoded]> {
        let encodings = &self.layers.get(layer as usize)?.encodings;
        let start = usize::try_from(index).ok()?.checked_mul(self.slots)?;
        encodings.get(start..start.checked_add(self.slots)?)
    }

    /// The two children of an interior node: below a lone child that moved up, its own.
    fn children(&self, layer: u32, index: u64) -> Option<(Hash, Hash)> {
        let below = layer.checked_sub(1)?;
        let hashes = &self.layers.get(below as usize)?.hashes;
        let left = usize::try_from(index.checked_mul(2)?).ok()?;
        match hashes.get(left + 1) {
            Some(right) => Some((*hashes.get(left)?, *right)),
            None => self.children(below, index * 2),
        }
    }
}

/// The sums of pairs; an odd one at the end stays.
fn pair_up(slots: usize, points: &[Point]) -> Vec<Point> {
    let pairs = points.par_chunks((2 * slots).max(1)).with_min_len(PARALLEL_MIN);
    let sums = pairs.flat_map_iter(|pair| {
        let (left, right) = pair.split_at(slots.min(pair.len()));
        let mut sums = left.to_vec();
        sums.iter_mut().zip(right).for_each(|(sum, right)| *sum += *right);
        sums
    });
    sums.collect()
}

fn next_layer(slots: usize, count: u64, layer: u32, below: &Layer, points: &[Point]) -> Layer {
    let mut encodings = encode_doubles(points);
    let lone = below.hashes.len() % 2 == 1;
    if lone {
        // What moves up keeps its encoding, which for a leaf is not that of a sum.
        let kept = below.encodings.len().saturating_sub(slots);
        let start = encodings.len().saturating_sub(slots);
        encodings.truncate(start);
        encodings.extend_from_slice(below.encodings.get(kept..).unwrap_or_default());
    }
    let pairs = below.hashes.par_chunks(2).with_min_len(PARALLEL_MIN).enumerate();
    let hashes =
        pairs.zip(encodings.par_chunks(slots.max(1))).map(|((index, pair), sums)| match pair {
            [left, right] => {
                hash_node(shape::rows_below(count, layer, index as u64), sums, left, right)
            }
            [lone, ..] => *lone,
            [] => [0; 32].into(),
        });
    Layer { hashes: hashes.collect(), encodings }
}
