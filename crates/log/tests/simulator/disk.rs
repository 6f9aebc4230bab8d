//! What survives a process: stores that are killed at any of their writes.

use std::{cell::RefCell, rc::Rc};

use log::{
    Header, KeeperStore, Leaf, MemoryEntries, MemoryTiles, OutboxStore, Promise, SignedCheckpoint,
    Standing, TileStore, tile::Tile,
};
use wire::Digest;

use super::Mutant;

/// The process was killed in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killed;

impl std::fmt::Display for Killed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("killed")
    }
}

/// How many writes a process has before it is killed, and whether the last is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fuse {
    pub left: Option<usize>,
    pub kept: bool,
}

impl Fuse {
    /// Whether a write is kept, and whether the process learns it.
    fn burn(&mut self) -> (bool, bool) {
        match &mut self.left {
            None => (true, true),
            Some(0) => (self.kept, false),
            Some(left) => {
                *left -= 1;
                (true, true)
            }
        }
    }
}

/// The disk of a keeper.
#[derive(Clone, Default)]
pub struct KeeperDisk {
    pub entries: MemoryEntries,
    pub tiles: MemoryTiles,
}

/// The disk of a party.
#[derive(Clone, Default)]
pub struct PartyDisk(pub Vec<(Header, Vec<u8>)>);

/// A disk that a process works on, with what is written while it lives.
#[derive(Clone)]
pub struct Shared<D> {
    pub disk: Rc<RefCell<D>>,
    pub fuse: Rc<RefCell<Fuse>>,
    pub mutant: Mutant,
}

impl<D: Clone> Shared<D> {
    pub fn new(disk: D, mutant: Mutant) -> Self {
        Self { disk: Rc::new(RefCell::new(disk)), fuse: Rc::default(), mutant }
    }

    pub fn copy(&self) -> D {
        self.disk.borrow().clone()
    }

    fn write(&self, change: impl FnOnce(&mut D)) -> Result<(), Killed> {
        let (kept, learnt) = self.fuse.borrow_mut().burn();
        if kept {
            change(&mut self.disk.borrow_mut());
        }
        if learnt { Ok(()) } else { Err(Killed) }
    }
}

fn fine<T>(result: Result<T, std::convert::Infallible>) -> T {
    let Ok(value) = result;
    value
}

impl TileStore for Shared<KeeperDisk> {
    type Error = Killed;

    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, Killed> {
        Ok(fine(self.disk.borrow().tiles.get(tile)))
    }

    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Killed> {
        self.write(|disk| fine(disk.tiles.put(tile, bytes)))
    }
}

impl KeeperStore for Shared<KeeperDisk> {
    type Error = Killed;

    fn signed(&self) -> Result<Option<SignedCheckpoint>, Killed> {
        Ok(fine(self.disk.borrow().entries.signed()))
    }

    fn leaf(&self, index: u64) -> Result<Option<Leaf>, Killed> {
        let mut leaf = fine(self.disk.borrow().entries.leaf(index));
        if self.mutant == Mutant::TimeGoesBack {
            // The keeper learns its log's time from here when it is opened.
            leaf = leaf.map(|leaf| Leaf { time: 0, ..leaf });
        }
        Ok(leaf)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, Killed> {
        Ok(fine(self.disk.borrow().entries.payload(header)))
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, Killed> {
        Ok(fine(self.disk.borrow().entries.standing(entry)))
    }

    fn promised(&self, limit: usize) -> Result<Vec<Header>, Killed> {
        Ok(fine(self.disk.borrow().entries.promised(limit)))
    }

    fn promise(
        &mut self,
        header: &Header,
        payload: &[u8],
        promise: &Promise,
    ) -> Result<(), Killed> {
        self.write(|disk| fine(disk.entries.promise(header, payload, promise)))
    }

    fn append(&mut self, leaves: &[Leaf], signed: &SignedCheckpoint) -> Result<(), Killed> {
        self.write(|disk| fine(disk.entries.append(leaves, signed)))
    }
}

impl OutboxStore for Shared<PartyDisk> {
    type Error = Killed;

    fn headers(&self) -> Result<Vec<Header>, Killed> {
        Ok(self.disk.borrow().0.iter().map(|(header, _)| header.clone()).collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, Killed> {
        let disk = self.disk.borrow();
        let found = disk.0.iter().find(|(stored, _)| stored == header);
        Ok(found.map(|(_, payload)| payload.clone()))
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), Killed> {
        self.write(|disk| disk.0.push((header.clone(), payload.to_vec())))
    }
}
