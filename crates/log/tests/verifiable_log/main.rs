//! The log, as honest parties use it and as others try to.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

mod admission;
#[cfg(feature = "store")]
mod directories;
mod entries;
mod evidence;
mod keepers;
#[cfg(feature = "store")]
mod keyfiles;
mod notes;
mod trees;
mod vectors;
mod witnesses;

use log::{
    Checkpoint, Header, Identity, Leaf, MemoryTiles, Origin, SignedCheckpoint, Tree,
    merkle::{self, Hash},
};

/// Signs with the same key in every test.
fn identity(seed: u8) -> Identity {
    Identity::from_seed(&[seed; 32])
}

const KEEPER: u8 = 1;
const AUTHOR: u8 = 9;

fn origin() -> Origin {
    "example.com/behind-the-sofa".parse().unwrap()
}

/// A keeper's log, in memory.
#[derive(Clone)]
struct Kept {
    leaves: Vec<Leaf>,
    tree: Tree<MemoryTiles>,
}

impl Kept {
    fn new() -> Self {
        Self { leaves: Vec::new(), tree: Tree::new(MemoryTiles::default()) }
    }

    /// One heartbeat at each of these times.
    fn of_ticks(times: impl IntoIterator<Item = u64>) -> Self {
        let mut kept = Self::new();
        times.into_iter().for_each(|time| kept.tick(time));
        kept
    }

    fn append(&mut self, time: u64, header: Header) {
        let leaf = Leaf { time, header };
        self.tree.append(&[leaf.hash()]).unwrap();
        self.leaves.push(leaf);
    }

    fn tick(&mut self, time: u64) {
        self.append(time, Header::tick(&identity(KEEPER), &origin(), time).unwrap());
    }

    fn size(&self) -> u64 {
        self.tree.size()
    }

    fn signed_at(&self, size: u64) -> SignedCheckpoint {
        let root = merkle::root_of(&self.tree, size).unwrap();
        Checkpoint::new(origin(), size, root).sign(&identity(KEEPER)).unwrap()
    }

    fn signed(&self) -> SignedCheckpoint {
        self.signed_at(self.size())
    }

    fn stretch(&self, range: std::ops::Range<u64>) -> log::Stretch {
        let proof = merkle::range_proof(&self.tree, &range, self.size()).unwrap();
        let leaves = self.leaves[range.start as usize..range.end as usize].to_vec();
        log::Stretch { first: range.start, leaves, proof }
    }

    fn consistency(&self, old: u64) -> Vec<Hash> {
        merkle::consistency_proof(&self.tree, old, self.size()).unwrap()
    }
}

/// An author's entry.
fn entry(subject: &str, payload: &[u8]) -> Header {
    let slot = ("test/entry", subject.as_bytes());
    Header::sign(&identity(AUTHOR), &origin(), slot, 1_000, payload).unwrap()
}

fn log_key() -> log::note::VerifierKey {
    log::log_key(&origin(), identity(KEEPER).id()).unwrap()
}
