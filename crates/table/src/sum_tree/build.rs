//! Building a sum tree and showing paths of it: the server's side, and the auditor's, who
//! rebuilds every tree from its leaves.

use algebra::{Group as _, encode_doubles};
use rayon::prelude::*;

use super::{Path, Root, Sibling, hash_node, shape};
use crate::{
    commitment::{Encoded, Point},
    hash::Hash,
    leaf::{Leaf, Opening, hash_leaf},
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
        let count = tags.len() as u64;
        let mut layers = vec![Layer::of_leaves(slots, &tags, encodings)];
        for layer in 1..shape::layers(count) {
            points = pair_up(slots, &points);
            // A lone node at the end keeps the encoding that it has below.
            let pairs = points.len().saturating_sub(slots * shape::lone(count, layer) as usize);
            // No more pairs than points.
            let sums = encode_doubles(points.get(..pairs).unwrap_or_default());
            let above = layers.last().map(|below| below.above(slots, (count, layer), sums));
            layers.extend(above);
        }
        Self { slots, tags, layers, doubles: encode_doubles(&points) }
    }

    /// The tree with these points, layer by layer from the leaves, without those of nodes that moved up;
    /// `None` if they are not about `total`.
    pub(super) fn from_layers(
        slots: usize,
        tags: Vec<Hash>,
        points: Vec<Vec<Encoded>>,
        total: &Opening,
    ) -> Option<Self> {
        let count = tags.len() as u64;
        let mut points = points.into_iter();
        let mut layers = vec![Layer::of_leaves(slots, &tags, points.next()?)];
        for (layer, sums) in (1..).zip(points) {
            let above = layers.last()?.above(slots, (count, layer), sums);
            layers.push(above);
        }
        let halves = Opening::commit_halves(std::slice::from_ref(total));
        let doubles = encode_doubles(&halves.iter().map(Point::double).collect::<Vec<_>>());
        let top = if count == 1 { encode_doubles(&halves) } else { doubles.clone() };
        (layers.last()?.encodings == top).then_some(Self { slots, tags, layers, doubles })
    }

    /// Appends every node's encodings as `Stored::Run` has them, which stores held before there were tiles.
    #[cfg(test)]
    pub(crate) fn encode_nodes(&self, out: &mut Vec<u8>) {
        let count = self.count();
        for (layer, nodes) in (0..).zip(&self.layers) {
            let own = nodes
                .encodings
                .len()
                .saturating_sub(self.slots * shape::lone(count, layer) as usize);
            out.extend_from_slice(nodes.encodings.get(..own).unwrap_or_default().as_flattened());
        }
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
        // Here and below: an index beyond memory is beyond the tree.
        let tag = *self.tags.get(usize::try_from(index).ok()?)?;
        Some(Leaf { tag, commitments: self.sums(0, index)?.to_vec() })
    }

    /// The path of a leaf; `None` if there is no such leaf.
    pub fn path(&self, index: u64) -> Option<Path> {
        let count = self.count();
        let sibling = |beside: shape::Beside| self.node(beside.layer, beside.index);
        let siblings: Option<_> = shape::beside(index, count).map(sibling).collect();
        (index < count).then_some(Path { index, count, siblings: siblings? })
    }

    /// A node as it stands beside a path.
    pub(super) fn node(&self, layer: u32, index: u64) -> Option<Sibling> {
        match shape::rows_below(self.count(), layer, index) {
            1 => self.leaf(index << layer).map(Sibling::Leaf),
            _ => {
                let doubles = self.sums(layer, index)?.to_vec();
                let (left, right) = self.children(layer, index)?;
                Some(Sibling::Node { doubles, left, right })
            }
        }
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

impl Layer {
    fn of_leaves(slots: usize, tags: &[Hash], encodings: Vec<Encoded>) -> Self {
        let leaves =
            tags.par_iter().with_min_len(PARALLEL_MIN).zip(encodings.par_chunks(slots.max(1)));
        let hashes = leaves.map(|(tag, commitments)| hash_leaf(tag, commitments)).collect();
        Self { encodings, hashes }
    }

    /// The layer above this one, with the encoded sums of its pairs.
    fn above(&self, slots: usize, (count, layer): (u64, u32), mut sums: Vec<Encoded>) -> Self {
        if shape::lone(count, layer) == 1 {
            let kept = self.encodings.len().saturating_sub(slots);
            // `kept` is at most the length.
            sums.extend_from_slice(self.encodings.get(kept..).unwrap_or_default());
        }
        let pairs = self.hashes.par_chunks(2).with_min_len(PARALLEL_MIN).enumerate();
        let hashes =
            pairs.zip(sums.par_chunks(slots.max(1))).map(|((index, pair), sums)| match pair {
                [left, right] => {
                    hash_node(shape::rows_below(count, layer, index as u64), sums, left, right)
                }
                [lone, ..] => *lone,
                [] => [0; 32].into(),
            });
        let hashes = hashes.collect();
        Self { encodings: sums, hashes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commitment::Scalar, sum_tree::Stored};

    /// A tree of so many rows, what its rows open to in all, and what is stored of it.
    fn stored(slots: usize, count: usize) -> (SumTree, Opening, Vec<u8>) {
        let number = |row: usize, slot: usize| Scalar::from((row * slots + slot + 1) as u64);
        let opening = |row| Opening {
            values: (0..slots).map(|slot| number(row, slot)).collect(),
            blindings: (0..slots).map(|slot| number(row, slot) * number(99, 0)).collect(),
        };
        let openings: Vec<Opening> = (0..count).map(opening).collect();
        let halves = Opening::commit_halves(&openings);
        let tree = SumTree::from_halves(slots, tags(count), &halves);
        let mut nodes = Vec::new();
        tree.encode_nodes(&mut nodes);
        (tree, Opening::sum(&openings), nodes)
    }

    fn tags(count: usize) -> Vec<Hash> {
        (0..count).map(|row| [row as u8; 32].into()).collect()
    }

    #[test]
    fn stored_nodes_give_the_same_tree() {
        for slots in [1, 3] {
            for count in 1..40 {
                let (tree, total, nodes) = stored(slots, count);
                assert_eq!(nodes.len(), (2 * count - 1) * slots * 32, "every node once");
                let stored = Stored::Run(nodes);
                let read = SumTree::from_stored(slots, tags(count), &stored, &total).unwrap();
                assert_eq!(read.root(), tree.root());
                for row in 0..count as u64 {
                    assert_eq!(read.leaf(row), tree.leaf(row));
                    assert_eq!(read.path(row), tree.path(row));
                }
            }
        }
    }

    #[test]
    fn no_byte_of_stored_nodes_can_change() {
        let (slots, count) = (2, 5);
        let (tree, total, nodes) = stored(slots, count);
        let read = |nodes: &[u8]| {
            SumTree::from_stored(slots, tags(count), &Stored::Run(nodes.to_vec()), &total)
        };
        for place in 0..nodes.len() {
            let mut changed = nodes.clone();
            changed[place] ^= 1;
            assert!(read(&changed).is_none_or(|read| read.root().hash != tree.root().hash));
        }
        for wrong in [&nodes[..nodes.len() - 32], &nodes[..nodes.len() - 1], &[]] {
            assert!(read(wrong).is_none());
        }
        assert!(read(&[&nodes[..], &[0]].concat()).is_none());
        assert!(read(&[&nodes[..], &nodes[..32]].concat()).is_none());
    }

    /// The hash of the root does not speak of openings; the total does.
    #[test]
    fn stored_nodes_are_about_the_rows_total() {
        for count in [1, 2, 7] {
            let (_, total, nodes) = stored(1, count);
            let nodes = Stored::Run(nodes);
            let two = Opening { values: total.values.clone(), blindings: vec![Scalar::ZERO] };
            let one = Opening { values: vec![Scalar::ZERO], blindings: total.blindings.clone() };
            for wrong in [one, two] {
                assert!(SumTree::from_stored(1, tags(count), &nodes, &wrong).is_none());
            }
        }
    }
}
