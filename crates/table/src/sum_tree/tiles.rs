//! Sum trees in tiles: what is stored of them, so that a path is shown without the whole tree.
//!
//! Tile `(g, i)` holds eight layers, from layer `8g` on, below node `i` of layer `8g + 8`. Its lowest nodes
//! stand with what their hashes are computed from, and those above them with their points only: their
//! hashes follow. A path needs one tile of every eight layers, and 255 hashes for each.

use super::{
    MAX_ROWS, Path, Sibling, SumTree, decode_leaf, encode_leaf, encodings, hash_node, shape,
};
use crate::{
    commitment::Encoded,
    hash::Hash,
    leaf::{Leaf, Opening},
};
use wire::{DecodeError, Encode as _, Reader};

/// Layers of a tile.
const LAYERS: u32 = 8;
/// The version of a tile: its first byte.
const VERSION: u8 = 1;

/// What is stored of a tree.
pub(crate) enum Stored {
    /// Points of all nodes, layer by layer from the leaves, without those of nodes that moved up.
    Run(Vec<u8>),
    /// Tiles, by level and index.
    Tiles(Vec<Vec<u8>>),
}

impl Stored {
    /// The points of every layer, from the leaves, without those of a node that moved up; `None` if there are
    /// others than a tree over rows with these tags has.
    fn layers(&self, slots: usize, tags: &[Hash]) -> Option<Vec<Vec<Encoded>>> {
        match self {
            Self::Run(bytes) => run(bytes, slots, tags.len() as u64),
            Self::Tiles(tiles) => gather(tiles, slots, tags),
        }
    }
}

fn run(bytes: &[u8], slots: usize, count: u64) -> Option<Vec<Vec<Encoded>>> {
    let (mut points, rest) = bytes.as_chunks::<32>();
    let mut take = |layer| {
        let nodes = shape::width(count, layer) - shape::lone(count, layer);
        // More than fits is more than is there.
        let (taken, left) = points.split_at_checked(usize::try_from(nodes).ok()? * slots)?;
        points = left;
        Some(taken.to_vec())
    };
    let layers: Option<_> = (0..shape::layers(count)).map(&mut take).collect();
    layers.filter(|_| points.is_empty() && rest.is_empty())
}

fn gather(tiles: &[Vec<u8>], slots: usize, tags: &[Hash]) -> Option<Vec<Vec<Encoded>>> {
    let count = tags.len() as u64;
    let mut layers = vec![Vec::new(); shape::layers(count) as usize];
    let (mut tiles, mut tags) = (tiles.iter(), tags.iter());
    for place in places(count) {
        // What does not decode is no tile of this tree.
        let tile = Tile::decode(tiles.next()?, slots, count, place).ok()?;
        for (layer, nodes) in (place.layer()..).zip(&tile.layers) {
            // A node that moved up is there once, below.
            let own = nodes.iter().filter(|(index, _)| !moved_up(count, layer, *index));
            let points = layers.get_mut(layer as usize)?;
            for (_, node) in own {
                points.extend_from_slice(node.points());
                if let (0, Sibling::Leaf(leaf)) = (layer, node) {
                    (tags.next()? == &leaf.tag).then_some(())?;
                }
            }
        }
    }
    tiles.next().is_none().then_some(layers)
}

fn moved_up(count: u64, layer: u32, index: u64) -> bool {
    shape::lone(count, layer) == 1 && index + 1 == shape::width(count, layer)
}

/// Where a tile stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePlace {
    /// Eighths of its lowest layer.
    pub(crate) level: u8,
    /// From the left.
    pub(crate) index: u32,
}

impl TilePlace {
    fn layer(self) -> u32 {
        u32::from(self.level) * LAYERS
    }

    /// The nodes of a layer that are in the tile.
    fn nodes(self, count: u64, layer: u32) -> std::ops::Range<u64> {
        let below = LAYERS - (layer - self.layer());
        let end = shape::width(count, layer).min((u64::from(self.index) + 1) << below);
        u64::from(self.index) << below..end
    }

    /// The layers of a tile in a tree of so many rows.
    fn layers(self, count: u64) -> std::ops::Range<u32> {
        self.layer()..(self.layer() + LAYERS).min(shape::layers(count))
    }
}

/// All tiles of a tree of so many rows, by level and index.
pub(crate) fn places(count: u64) -> impl Iterator<Item = TilePlace> {
    let levels = shape::layers(count).div_ceil(LAYERS);
    (0..levels).flat_map(move |level| {
        let tiles = shape::width(count, level * LAYERS).div_ceil(1 << LAYERS);
        (0..tiles).map(move |index| TilePlace { level: level as u8, index: index as u32 })
    })
}

/// All leaves of a tree of so many rows, in order, from its lowest tiles; `None` for tiles of another tree.
#[cfg(feature = "store")]
pub(crate) fn leaves(slots: usize, count: u64, tiles: &[Vec<u8>]) -> Option<Vec<Leaf>> {
    let mut leaves = Vec::new();
    let mut tiles = tiles.iter();
    for place in lowest(count) {
        // As in `gather`.
        let tile = Tile::decode(tiles.next()?, slots, count, place).ok()?;
        for (_, node) in tile.layers.first()? {
            let Sibling::Leaf(leaf) = node else { return None };
            leaves.push(leaf.clone());
        }
    }
    Some(leaves)
}

/// The tiles of the lowest layers, from the left.
#[cfg(feature = "store")]
pub(crate) fn lowest(count: u64) -> impl Iterator<Item = TilePlace> {
    places(count).take_while(|place| place.level == 0)
}

/// The tiles that the path of a leaf crosses, from the bottom.
pub(crate) fn on_path(index: u64, count: u64) -> impl Iterator<Item = TilePlace> {
    let levels = shape::layers(count).div_ceil(LAYERS);
    (0..levels).map(move |level| {
        let index = (index >> (level * LAYERS)) >> LAYERS;
        TilePlace { level: level as u8, index: index as u32 }
    })
}

impl Sibling {
    fn points(&self) -> &[Encoded] {
        match self {
            Self::Leaf(leaf) => &leaf.commitments,
            Self::Node { doubles, .. } => doubles,
        }
    }

    fn hash(&self, rows: u64) -> Hash {
        match self {
            Self::Leaf(leaf) => leaf.hash(),
            Self::Node { doubles, left, right } => hash_node(rows, doubles, left, right),
        }
    }
}

impl SumTree {
    /// The tree whose nodes were stored, without their sums being formed again; `None` if they are not as
    /// many as there are tags, or are not about `total`.
    ///
    /// Whether they are the right ones shows in the hash of the root, which binds all of them. What
    /// the rows open to is in no hash; but blindings are derived from the values, so that other
    /// values have another total.
    pub(crate) fn from_stored(
        slots: usize,
        tags: Vec<Hash>,
        stored: &Stored,
        total: &Opening,
    ) -> Option<Self> {
        let layers = stored.layers(slots, &tags)?;
        Self::from_layers(slots, tags, layers, total)
    }

    /// A tile as it is stored; `None` if the tree has none there.
    #[cfg(feature = "store")]
    pub(crate) fn tile(&self, place: TilePlace) -> Option<Vec<u8>> {
        let count = self.count();
        let mut out = vec![VERSION];
        for index in place.nodes(count, place.layer()) {
            match self.node(place.layer(), index)? {
                Sibling::Leaf(leaf) => encode_leaf(&leaf, &mut out),
                Sibling::Node { doubles, left, right } => {
                    left.encode(&mut out);
                    right.encode(&mut out);
                    out.extend_from_slice(doubles.as_flattened());
                }
            }
        }
        for layer in place.layers(count).skip(1) {
            for index in place.nodes(count, layer).filter(|at| !moved_up(count, layer, *at)) {
                out.extend_from_slice(self.node(layer, index)?.points().as_flattened());
            }
        }
        Some(out)
    }
}

/// Eight layers of a tree below one node: every node by its index.
struct Tile {
    place: TilePlace,
    layers: Vec<Vec<(u64, Sibling)>>,
}

impl Tile {
    fn decode(
        bytes: &[u8],
        slots: usize,
        count: u64,
        place: TilePlace,
    ) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != VERSION {
            return Err(DecodeError::invalid("tile", "of another version"));
        }
        let mut nodes = Vec::new();
        for index in place.nodes(count, place.layer()) {
            let node = match shape::rows_below(count, place.layer(), index) {
                1 => Sibling::Leaf(decode_leaf(&mut reader, slots)?),
                _ => {
                    let (left, right) = (reader.array()?.into(), reader.array()?.into());
                    Sibling::Node { doubles: encodings(&mut reader, slots)?, left, right }
                }
            };
            nodes.push((index, node));
        }
        let mut layers = vec![nodes];
        for layer in place.layers(count).skip(1) {
            // There is a layer from the start.
            let below = layers.last().map(Vec::as_slice).unwrap_or_default();
            let above = below.chunks(2).map(|pair| match pair {
                [(index, left), (_, right)] => {
                    let hash = |index, node: &Sibling| {
                        node.hash(shape::rows_below(count, layer - 1, index))
                    };
                    let (left, right) = (hash(*index, left), hash(index + 1, right));
                    let doubles = encodings(&mut reader, slots)?;
                    Ok((index / 2, Sibling::Node { doubles, left, right }))
                }
                [(index, lone)] => Ok((index / 2, lone.clone())),
                _ => Err(DecodeError::invalid("tile", "a node is missing")),
            });
            let above = above.collect::<Result<_, _>>()?;
            layers.push(above);
        }
        reader.finish()?;
        Ok(Self { place, layers })
    }

    fn node(&self, layer: u32, index: u64) -> Option<&Sibling> {
        let nodes = self.layers.get(layer.checked_sub(self.place.layer())? as usize)?;
        let first = nodes.first()?.0;
        // An index beyond memory is beyond the tile.
        nodes.get(usize::try_from(index.checked_sub(first)?).ok()?).map(|(_, node)| node)
    }
}

/// A leaf and its path, from the tiles that it crosses ([`on_path`]); `None` if these are not they.
pub(crate) fn path(
    slots: usize,
    (index, count): (u64, u64),
    tiles: &[Vec<u8>],
) -> Option<(Leaf, Path)> {
    let places: Vec<_> = on_path(index, count).collect();
    if index >= count || count > MAX_ROWS || places.len() != tiles.len() {
        return None;
    }
    let decode =
        |(bytes, place): (&Vec<u8>, &TilePlace)| Tile::decode(bytes, slots, count, *place).ok();
    let tiles: Vec<Tile> = tiles.iter().zip(&places).map(decode).collect::<Option<_>>()?;
    let node = |layer: u32, index| tiles.get((layer / LAYERS) as usize)?.node(layer, index);
    let Sibling::Leaf(leaf) = node(0, index)? else { return None };
    let beside = shape::beside(index, count);
    let siblings = beside.map(|beside| node(beside.layer, beside.index).cloned());
    Some((leaf.clone(), Path { index, count, siblings: siblings.collect::<Option<_>>()? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commitment::Scalar, leaf::Opening};

    /// A tree of so many rows, with what they open to in all.
    fn tree(slots: usize, count: usize) -> (SumTree, Opening) {
        let number = |row: usize, slot: usize| Scalar::from((row * slots + slot + 1) as u64);
        let opening = |row| Opening {
            values: (0..slots).map(|slot| number(row, slot)).collect(),
            blindings: (0..slots).map(|slot| number(row, slot) * number(99, 0)).collect(),
        };
        let openings: Vec<Opening> = (0..count).map(opening).collect();
        let halves = Opening::commit_halves(&openings);
        (SumTree::from_halves(slots, tags(count), &halves), Opening::sum(&openings))
    }

    fn tags(count: usize) -> Vec<Hash> {
        (0..count as u64)
            .map(|row| *blake3::hash(&row.to_le_bytes()).as_bytes())
            .map(Hash::from)
            .collect()
    }

    fn tiles(tree: &SumTree) -> Vec<Vec<u8>> {
        places(tree.count()).map(|place| tree.tile(place).unwrap()).collect()
    }

    /// Sizes about the borders of tiles, one of three levels among them.
    const COUNTS: [usize; 14] = [1, 2, 3, 7, 255, 256, 257, 258, 511, 512, 513, 769, 1025, 65_537];

    #[test]
    fn tiles_show_every_path_of_the_tree() {
        for (slots, counts) in [(1, &COUNTS[..]), (3, &COUNTS[..10])] {
            for &count in counts {
                let (tree, _) = tree(slots, count);
                let rows = count as u64;
                let indices =
                    (0..rows).filter(|row| rows < 600 || row % 251 == 0 || row + 3 > rows);
                for index in indices {
                    let crossed: Vec<_> =
                        on_path(index, rows).map(|place| tree.tile(place).unwrap()).collect();
                    let (leaf, path) = path(slots, (index, rows), &crossed).unwrap();
                    assert_eq!(Some(&leaf), tree.leaf(index).as_ref(), "{index} of {count}");
                    assert_eq!(Some(path), tree.path(index), "{index} of {count}");
                }
            }
        }
    }

    #[test]
    fn tiles_give_the_tree_back() {
        for &count in &COUNTS[..13] {
            let (tree, total) = tree(1, count);
            let stored = Stored::Tiles(tiles(&tree));
            let read = SumTree::from_stored(1, tags(count), &stored, &total).unwrap();
            assert_eq!(read.root(), tree.root());
            assert_eq!(read.path(count as u64 / 2), tree.path(count as u64 / 2));
        }
    }

    #[test]
    fn tiles_are_as_many_and_as_long_as_the_tree_has() {
        let (tree, total) = tree(2, 300);
        let honest = tiles(&tree);
        let read = |tiles: &[Vec<u8>]| {
            SumTree::from_stored(2, tags(300), &Stored::Tiles(tiles.to_vec()), &total)
        };
        assert!(read(&honest).is_some());
        assert!(read(&honest[1..]).is_none() && read(&honest[..2]).is_none());
        assert!(read(&[&honest[..], &honest[..1]].concat()).is_none());
        for (tile, bytes) in honest.iter().enumerate() {
            let mut changed = honest.clone();
            for wrong in [&bytes[..bytes.len() - 1], &bytes[..bytes.len() - 32], &[], &[2]] {
                changed[tile] = wrong.to_vec();
                assert!(read(&changed).is_none());
                assert!(path(2, (299, 300), &changed[1..]).is_none() || tile == 0);
            }
            changed[tile] = [&bytes[..], &[0]].concat();
            assert!(read(&changed).is_none());
        }
        assert!(path(2, (300, 300), &honest[1..]).is_none());
    }
}
