//! The keeper's and the witnesses' side: real keepers and witnesses on disks that fail.

use log::{
    AccessError, AddCheckpoint, Delivered, Header, Identity, Keeper, KeeperError, KeeperStore as _,
    Leaf, LogAccess, MemoryWitness, Promise, SignedCheckpoint, Standing, Witness,
    WitnessMemory as _,
    merkle::{self, Hash},
    note::{NoteSignature, VerifierKey},
};
use wire::Digest;

use super::{
    Mutant,
    disk::{Fuse, KeeperDisk, Killed, Shared},
    world::{log_key, origin},
};

pub const KEEPER: u8 = 1;
/// Seconds within which a keeper promises to append.
const WITHIN: u64 = 20;

type Kept = Keeper<Shared<KeeperDisk>, Shared<KeeperDisk>>;

/// A keeper's process, and what everybody has seen of it.
pub struct Keeping {
    pub disk: Shared<KeeperDisk>,
    process: Option<Kept>,
    /// Copies of the disk.
    pub copies: Vec<KeeperDisk>,
    /// What left the process.
    pub shown: Vec<SignedCheckpoint>,
    pub promises: Vec<Promise>,
    mutant: Mutant,
}

impl Keeping {
    pub fn new(mutant: Mutant) -> Self {
        Self::on(KeeperDisk::default(), mutant)
    }

    pub fn on(disk: KeeperDisk, mutant: Mutant) -> Self {
        let disk = Shared::new(disk, mutant);
        let (shown, promises) = (Vec::new(), Vec::new());
        Self { disk, process: None, copies: Vec::new(), shown, promises, mutant }
    }

    pub fn kill(&mut self) {
        self.process = None;
        *self.disk.fuse.borrow_mut() = Fuse::default();
    }

    /// Begins the process, if all witnesses saw nothing but what is on the disk; else false.
    pub fn start(&mut self, witnesses: &[Bystander]) -> bool {
        self.kill();
        let identity = Identity::from_seed(&[KEEPER; 32]);
        let keeper = Keeper::open(identity, origin(), self.disk.clone(), self.disk.clone());
        let keeper = keeper.unwrap_or_else(|error| panic!("{error:?}"));
        let seen = witnesses.iter().filter_map(Bystander::seen);
        let same = seen.map(|seen| keeper.compare(&seen)).all(|compared| compared.is_ok());
        if !same && self.mutant != Mutant::NoWitnesses {
            return false;
        }
        self.process = Some(keeper);
        true
    }

    pub fn is_up(&self) -> bool {
        self.process.is_some()
    }

    /// Takes an entry.
    pub fn promise(&mut self, header: &Header, payload: &[u8], now: u64) {
        let Some(keeper) = &mut self.process else { return };
        let entry = Delivered::check(&origin(), header.clone(), payload).unwrap();
        match keeper.promise(&entry, now, WITHIN) {
            Ok(Standing::Promised(promise)) => self.promises.push(promise),
            Ok(Standing::Logged(_)) => {}
            Err(KeeperError::Unsettled) => self.kill(),
            Err(KeeperError::Store(Killed)) => {
                if self.mutant == Mutant::PromiseBeforeStore {
                    let identity = Identity::from_seed(&[KEEPER; 32]);
                    let due = (keeper.tree().size(), now.max(keeper.time()) + WITHIN);
                    self.promises.push(Promise::sign(&identity, &origin(), header, due));
                }
                self.kill();
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Whether an entry is on the disk.
    pub fn knows(&self, header: &Header) -> bool {
        let Ok(standing) = self.disk.disk.borrow().entries.standing(&header.digest());
        standing.is_some()
    }

    /// Appends; what is shown is what the store has kept.
    pub fn append(&mut self, now: u64, limit: usize, heartbeat: bool) {
        let Some(keeper) = &mut self.process else { return };
        if heartbeat && self.mutant == Mutant::HeartbeatFirst {
            self.heartbeat_first(now);
            return;
        }
        match keeper.append(now, limit, heartbeat) {
            Ok(signed) => self.shown.extend(signed),
            Err(_) => {
                if self.mutant == Mutant::ShowBeforeStore {
                    self.show_unstored(now, limit, heartbeat);
                }
                self.kill();
            }
        }
    }

    /// What the keeper would have signed.
    fn show_unstored(&mut self, now: u64, limit: usize, heartbeat: bool) {
        let disk = Shared::new(self.disk.copy(), Mutant::None);
        let identity = Identity::from_seed(&[KEEPER; 32]);
        let Ok(mut keeper) = Keeper::open(identity, origin(), disk.clone(), disk) else { return };
        if let Ok(signed) = keeper.append(now, limit, heartbeat) {
            self.shown.extend(signed);
        }
    }

    /// A heartbeat, while what was promised waits.
    fn heartbeat_first(&mut self, now: u64) {
        let mut disk = self.disk.copy();
        let waiting = disk.entries.clone();
        let Ok(promised) = waiting.promised(usize::MAX);
        let Some(keeper) = &mut self.process else { return };
        let identity = Identity::from_seed(&[KEEPER; 32]);
        let time = now.max(keeper.time());
        let leaf = Leaf { time, header: Header::tick(&identity, &origin(), time).unwrap() };
        let mut tree = log::Tree::new(disk.tiles.clone());
        if let Ok(Some(signed)) = waiting.signed() {
            let log = signed.checkpoint();
            tree = log::Tree::open(disk.tiles.clone(), log.size, &log.root).unwrap();
        }
        tree.append(&[leaf.hash()]).unwrap();
        let checkpoint = log::Checkpoint::new(origin(), tree.size(), tree.root().unwrap());
        let signed = checkpoint.sign(&identity).unwrap();
        let Ok(()) = log::KeeperStore::append(&mut disk.entries, &[leaf], &signed);
        disk.tiles = tree.store().clone();
        assert!(promised.len() < 1_000);
        *self.disk.disk.borrow_mut() = disk;
        self.shown.push(signed);
        let process = Keeper::open(identity, origin(), self.disk.clone(), self.disk.clone());
        self.process = process.ok();
    }

    /// The log as it is on the disk.
    pub fn leaves(&self) -> Vec<Leaf> {
        let disk = self.disk.disk.borrow();
        let leaf = |index| {
            let Ok(leaf) = disk.entries.leaf(index);
            leaf
        };
        (0..).map_while(leaf).collect()
    }

    pub fn signed(&self) -> Option<SignedCheckpoint> {
        let Ok(signed) = self.disk.disk.borrow().entries.signed();
        signed
    }
}

/// The tree over leaves.
pub fn tree_of(leaves: &[Leaf]) -> log::Tree<log::MemoryTiles> {
    let mut tree = log::Tree::new(log::MemoryTiles::default());
    tree.append(&leaves.iter().map(Leaf::hash).collect::<Vec<_>>()).unwrap();
    tree
}

/// A witness.
pub struct Bystander {
    witness: Witness,
    memory: MemoryWitness,
    mutant: Mutant,
}

impl Bystander {
    pub fn new(seed: u8, mutant: Mutant) -> Self {
        let name = format!("w.example/{seed}").parse().unwrap();
        let mut witness = Witness::new(name, Identity::from_seed(&[seed; 32]));
        witness.follow(origin(), Identity::from_seed(&[KEEPER; 32]).id()).unwrap();
        Self { witness, memory: MemoryWitness::default(), mutant }
    }

    pub fn key(&self) -> VerifierKey {
        self.witness.key()
    }

    pub fn seen(&self) -> Option<SignedCheckpoint> {
        let Ok(seen) = self.memory.latest(&origin());
        seen
    }

    pub fn kill(&mut self) {
        if self.mutant == Mutant::ForgetfulWitness {
            self.memory = MemoryWitness::default();
        }
    }

    /// A line under a checkpoint, or evidence.
    pub fn ask(
        &mut self,
        signed: &SignedCheckpoint,
        proof: impl Fn(u64) -> Option<Vec<Hash>>,
        now: u64,
    ) -> Result<NoteSignature, Option<Box<log::Evidence>>> {
        let old = self.seen().map_or(0, |seen| seen.checkpoint().size);
        let Some(proof) = proof(old) else { return Err(None) };
        let request = AddCheckpoint { old, proof, checkpoint: signed.clone() };
        let body = request.to_text();
        match self.witness.add_checkpoint(&mut self.memory, body.as_bytes(), now) {
            Ok(line) => Ok(NoteSignature::from_line(line.trim_end()).unwrap()),
            Err(refusal) => Err(refusal.evidence().cloned().map(Box::new)),
        }
    }
}

/// What a reader is shown.
pub struct Shown {
    pub key: VerifierKey,
    pub signed: SignedCheckpoint,
    pub leaves: Vec<Leaf>,
}

impl Shown {
    pub fn new(signed: SignedCheckpoint, leaves: Vec<Leaf>) -> Self {
        Self { key: log_key(), signed, leaves }
    }
}

impl LogAccess for Shown {
    fn key(&self) -> &VerifierKey {
        &self.key
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        Ok(Some(self.signed.clone()))
    }

    fn wait_beyond(&self, size: u64, _: std::time::Duration) -> Result<bool, AccessError> {
        Ok(self.leaves.len() as u64 > size)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        Ok(self.leaves.iter().skip(from as usize).take(limit).cloned().collect())
    }

    fn payload(&self, _: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        Ok(None)
    }

    fn submit(&self, _: &Header, _: &[u8]) -> Result<Standing, AccessError> {
        Err(AccessError::Store("nobody writes here".to_owned()))
    }

    fn standing(&self, _: &Digest) -> Result<Option<Standing>, AccessError> {
        Ok(None)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        Ok(merkle::consistency_proof(&tree_of(&self.leaves), from, to).unwrap())
    }
}
