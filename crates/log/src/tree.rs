//! The tree of a log on tiles: appending hashes a leaf once, and a proof reads as many tiles as the log
//! has levels of them.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{
    merkle::{Hash, MAX_SIZE, Nodes, complete_root, root_of},
    tile::{Content, TILE_HEIGHT, TILE_LEVELS, TILE_WIDTH, Tile, read_hashes},
};

/// Where tiles are kept. A tile that is not full may be dropped once a wider one of its number is there.
pub trait TileStore {
    /// Why the store does not answer.
    type Error;

    /// The bytes of a tile of this very width, if they are there.
    ///
    /// # Errors
    /// Those of the store.
    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Keeps the bytes of a tile, for good before a checkpoint of a log with it is signed.
    ///
    /// # Errors
    /// Those of the store.
    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Self::Error>;
}

/// Tiles in memory: all that were ever written.
#[derive(Clone, Debug, Default)]
pub struct MemoryTiles(BTreeMap<Tile, Vec<u8>>);

impl TileStore for MemoryTiles {
    type Error = std::convert::Infallible;

    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, Self::Error> {
        Ok(self.0.get(tile).cloned())
    }

    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.insert(*tile, bytes.to_vec());
        Ok(())
    }
}

/// Why a tree on tiles does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError<E> {
    /// The store does not answer.
    #[error(transparent)]
    Store(E),
    /// A tile that the size asks for is not in the store, or is not as wide as its name says.
    #[error("tile {0} is missing or damaged: restore the store")]
    Tile(Tile),
    /// The tiles at the end of the log do not lead to its root.
    #[error("the stored tiles are not those of the log: its root is {expected}, theirs {got}")]
    Root {
        /// The root that was asked for.
        expected: Hash,
        /// The root of the tiles.
        got: Hash,
    },
    /// More leaves than a log can have.
    #[error("a log has less than 2^63 leaves")]
    Full,
}

/// The tree of a log.
#[derive(Clone, Debug)]
pub struct Tree<S> {
    store: S,
    size: u64,
    /// The hashes of the tile at the end of every level that is not full.
    edge: Vec<Vec<Hash>>,
}

impl<S: TileStore> Tree<S> {
    /// A log without leaves.
    pub fn new(store: S) -> Self {
        Self { store, size: 0, edge: vec![Vec::new(); TILE_LEVELS.into()] }
    }

    /// The log of a size and root, as its checkpoint says, from its tiles. Tiles beyond are ignored: a
    /// process that was killed between writing tiles and signing leaves some.
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn open(store: S, size: u64, root: &Hash) -> Result<Self, TreeError<S::Error>> {
        if size > MAX_SIZE {
            return Err(TreeError::Full);
        }
        let mut tree = Self::new(store);
        for (level, edge) in (0..TILE_LEVELS).zip(&mut tree.edge) {
            let hashes = size >> (TILE_HEIGHT * level);
            let (number, width) = (hashes / TILE_WIDTH as u64, hashes % TILE_WIDTH as u64);
            if let Some(tile) = Tile::new(Content::Hashes(level), number, width as usize) {
                *edge = read(&tree.store, &tile)?;
            }
        }
        tree.size = size;
        match tree.root()? {
            got if got == *root => Ok(tree),
            got => Err(TreeError::Root { expected: *root, got }),
        }
    }

    /// Leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root.
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn root(&self) -> Result<Hash, TreeError<S::Error>> {
        root_of(self, self.size)
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Appends leaves by their hashes. If the store fails nothing is appended, and trying again is right.
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn append(&mut self, leaves: &[Hash]) -> Result<(), TreeError<S::Error>> {
        let size = self.size.checked_add(leaves.len() as u64).filter(|size| *size <= MAX_SIZE);
        let size = size.ok_or(TreeError::Full)?;
        let mut edge = self.edge.clone();
        let mut written = BTreeMap::new();
        let mut rising = leaves.to_vec();
        for (level, row) in (0..TILE_LEVELS).zip(&mut edge) {
            if rising.is_empty() {
                break;
            }
            let old = self.size >> (TILE_HEIGHT * level);
            let mut number = old / TILE_WIDTH as u64;
            row.append(&mut rising);
            while row.len() >= TILE_WIDTH {
                let rest = row.split_off(TILE_WIDTH);
                let full = std::mem::replace(row, rest);
                written.extend(named(level, number, &full));
                rising.push(complete_root(full));
                number += 1;
            }
            written.extend(named(level, number, row));
        }
        for (tile, bytes) in &written {
            self.store.put(tile, bytes).map_err(TreeError::Store)?;
        }
        (self.size, self.edge) = (size, edge);
        Ok(())
    }
}

/// A tile of these hashes with its bytes; none without hashes.
fn named(level: u8, number: u64, hashes: &[Hash]) -> Option<(Tile, Vec<u8>)> {
    let tile = Tile::new(Content::Hashes(level), number, hashes.len())?;
    Some((tile, hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()))
}

fn read<S: TileStore>(store: &S, tile: &Tile) -> Result<Vec<Hash>, TreeError<S::Error>> {
    let bytes = store.get(tile).map_err(TreeError::Store)?;
    bytes.and_then(|bytes| read_hashes(tile, &bytes)).ok_or(TreeError::Tile(*tile))
}

impl<S: TileStore> Nodes for Tree<S> {
    type Error = TreeError<S::Error>;

    fn node(&self, level: u8, index: u64) -> Result<Hash, Self::Error> {
        let (row, within) = (level / TILE_HEIGHT, level % TILE_HEIGHT);
        let first = index << within;
        let (number, offset) = (first / TILE_WIDTH as u64, (first % TILE_WIDTH as u64) as usize);
        let tile = Tile { content: Content::Hashes(row), number, width: TILE_WIDTH };
        let is_last = number == (self.size >> (TILE_HEIGHT * row)) / TILE_WIDTH as u64;
        let hashes = match self.edge.get(usize::from(row)) {
            Some(edge) if is_last => edge.clone(),
            _ => read(&self.store, &tile)?,
        };
        let part = hashes.get(offset..offset + (1 << within)).ok_or(TreeError::Tile(tile))?;
        Ok(complete_root(part.to_vec()))
    }
}
