//! A keeper that is killed at every step of its stores, and restored from old copies: it signs one root of
//! one size, and keeps what it promised.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use log::{
    Delivered, Evidence, Header, Keeper, KeeperError, KeeperStore, Leaf, MemoryTiles, Offence,
    Promise, SignedCheckpoint, Standing, Stretch, TileStore, merkle, tile::Tile,
};
use proptest::prelude::*;
use wire::Digest;

use super::{KEEPER, entry, identity, log_key, origin};

/// What survives a process, and how many more steps it takes before the process is killed: in half of
/// the cases after the step was kept.
#[derive(Clone, Default)]
struct Disk {
    signed: Option<SignedCheckpoint>,
    leaves: Vec<Leaf>,
    promised: Vec<(Header, Promise)>,
    logged: BTreeMap<Digest, u64>,
    tiles: MemoryTiles,
    steps: Option<usize>,
    kept: bool,
}

impl Disk {
    /// Whether the step is kept, and whether the process learns it.
    fn step(&mut self) -> (bool, bool) {
        match &mut self.steps {
            None => (true, true),
            Some(0) => (self.kept, false),
            Some(left) => {
                *left -= 1;
                (true, true)
            }
        }
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Disk>>);

type Kill = &'static str;
const KILLED: Kill = "killed";

impl Shared {
    fn write(&self, change: impl FnOnce(&mut Disk)) -> Result<(), Kill> {
        let disk = &mut *self.0.borrow_mut();
        let (kept, learnt) = disk.step();
        if kept {
            change(disk);
        }
        learnt.then_some(()).ok_or(KILLED)
    }
}

impl TileStore for Shared {
    type Error = Kill;

    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, Kill> {
        let Ok(bytes) = self.0.borrow().tiles.get(tile);
        Ok(bytes)
    }

    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Kill> {
        self.write(|disk| {
            let Ok(()) = disk.tiles.put(tile, bytes);
        })
    }
}

impl KeeperStore for Shared {
    type Error = Kill;

    fn signed(&self) -> Result<Option<SignedCheckpoint>, Kill> {
        Ok(self.0.borrow().signed.clone())
    }

    fn leaf(&self, index: u64) -> Result<Option<Leaf>, Kill> {
        Ok(self.0.borrow().leaves.get(index as usize).cloned())
    }

    fn payload(&self, _: &Header) -> Result<Option<Vec<u8>>, Kill> {
        Ok(Some(Vec::new()))
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, Kill> {
        let disk = self.0.borrow();
        let promised = disk.promised.iter().find(|(_, promise)| promise.entry == *entry);
        let promised = promised.map(|(_, promise)| Standing::Promised(promise.clone()));
        Ok(disk.logged.get(entry).copied().map(Standing::Logged).or(promised))
    }

    fn promised(&self, limit: usize) -> Result<Vec<Header>, Kill> {
        let disk = self.0.borrow();
        Ok(disk.promised.iter().take(limit).map(|(header, _)| header.clone()).collect())
    }

    fn promise(&mut self, header: &Header, _: &[u8], promise: &Promise) -> Result<(), Kill> {
        self.write(|disk| disk.promised.push((header.clone(), promise.clone())))
    }

    fn append(&mut self, leaves: &[Leaf], signed: &SignedCheckpoint) -> Result<(), Kill> {
        self.write(|disk| {
            for leaf in leaves {
                disk.logged.insert(leaf.header.digest(), disk.leaves.len() as u64);
                disk.leaves.push(leaf.clone());
            }
            assert_eq!(disk.leaves.len() as u64, signed.checkpoint().size);
            disk.promised.retain(|(header, _)| !leaves.iter().any(|leaf| leaf.header == *header));
            disk.signed = Some(signed.clone());
        })
    }
}

fn open(disk: &Shared) -> Keeper<Shared, Shared> {
    Keeper::open(identity(KEEPER), origin(), disk.clone(), disk.clone()).unwrap()
}

fn deliver(header: &Header) -> Delivered<'static> {
    Delivered::check(&origin(), header.clone(), b"").unwrap()
}

/// What everybody has seen of a keeper.
#[derive(Default)]
struct World {
    disk: Shared,
    seen: Vec<SignedCheckpoint>,
    promises: Vec<Promise>,
    written: u32,
}

impl World {
    /// One step of the keeper; a process that is killed is started again.
    fn step(&mut self, keeper: &mut Keeper<Shared, Shared>, step: &Step, now: u64) {
        let killed = match step {
            Step::Promise => {
                self.written += 1;
                let header = entry(&self.written.to_string(), b"");
                match keeper.promise(&deliver(&header), now, 10) {
                    Ok(Standing::Promised(promise)) => {
                        self.promises.push(promise);
                        false
                    }
                    Ok(Standing::Logged(_)) => panic!("a new entry is in the log"),
                    Err(error) => {
                        assert_eq!(error, KeeperError::Store(KILLED));
                        true
                    }
                }
            }
            Step::Append(limit, heartbeat) => match keeper.append(now, *limit, *heartbeat) {
                Ok(signed) => {
                    self.seen.extend(signed);
                    false
                }
                // The process lives on, and so does its store.
                Err(_) => {
                    self.disk.0.borrow_mut().steps = None;
                    match keeper.append(now, *limit, *heartbeat) {
                        Ok(signed) => {
                            self.seen.extend(signed);
                            false
                        }
                        Err(error) => {
                            assert_eq!(error, KeeperError::Unsettled);
                            let promise = keeper.promise(&deliver(&entry("late", b"")), now, 10);
                            assert_eq!(promise, Err(KeeperError::Unsettled));
                            true
                        }
                    }
                }
            },
            Step::Kill => true,
        };
        if killed {
            self.disk.0.borrow_mut().steps = None;
            *keeper = open(&self.disk);
        }
    }

    /// Nothing that was seen convicts the keeper, and everything leads to its log now.
    fn judge(&self, keeper: &Keeper<Shared, Shared>) {
        let tree = keeper.tree();
        let size = tree.size();
        for seen in &self.seen {
            keeper.compare(seen).unwrap();
            let log = seen.checkpoint();
            let proof = merkle::consistency_proof(tree, log.size, size).unwrap();
            let now = (size, &tree.root().unwrap());
            merkle::verify_consistency((log.size, &log.root), now, &proof).unwrap();
        }
        let disk = self.disk.0.borrow();
        assert!(disk.leaves.is_sorted_by_key(|leaf| leaf.time));
        let Some(log) = disk.signed.clone() else { return };
        for promise in &self.promises {
            // The first heartbeat after the deadline, if there is one.
            let late = |leaf: &Leaf| leaf.is_tick(&keeper.id()) && leaf.time > promise.deadline;
            let Some(last) = disk.leaves.iter().position(late) else { continue };
            assert!(last as u64 >= promise.size);
            let range = promise.size..last as u64 + 1;
            let leaves = disk.leaves[range.start as usize..=last].to_vec();
            let proof = merkle::range_proof(tree, &range, size).unwrap();
            let leaves = Stretch { first: range.start, leaves, proof };
            let offence =
                Offence::Withholding { promise: promise.clone(), log: log.clone(), leaves };
            let judged = Evidence { log: log_key(), offence }.verify();
            assert_eq!(
                judged.unwrap_err().to_string(),
                "this is no evidence: the entry is in the log"
            );
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Promise,
    Append(usize, bool),
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Promise),
        3 => (1..6_usize, any::<bool>()).prop_map(|(limit, tick)| Step::Append(limit, tick)),
        1 => Just(Step::Kill),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whenever the process is killed, with clocks that stand, jump and go back.
    #[test]
    fn a_killed_keeper_signs_one_history_and_keeps_its_promises(
        steps in prop::collection::vec((step(), -5..40_i64, prop::option::weighted(0.3, 0..5_usize), any::<bool>()), 1..16),
    ) {
        let mut world = World::default();
        let mut keeper = open(&world.disk);
        let mut now = 1_000_u64;
        for (step, passed, kill, kept) in steps {
            now = now.saturating_add_signed(passed);
            {
                let mut disk = world.disk.0.borrow_mut();
                (disk.steps, disk.kept) = (kill, kept);
            }
            world.step(&mut keeper, &step, now);
            world.disk.0.borrow_mut().steps = None;
            world.judge(&keeper);
        }
    }
}

#[test]
fn an_entry_is_promised_once() {
    let disk = Shared::default();
    let mut keeper = open(&disk);
    let header = entry("a", b"");
    let first = keeper.promise(&deliver(&header), 100, 10).unwrap();
    let Standing::Promised(promise) = &first else { panic!() };
    assert_eq!((promise.size, promise.deadline), (0, 110));
    assert_eq!(keeper.promise(&deliver(&header), 200, 10).unwrap(), first);
    assert_eq!(keeper.append(300, 8, false).unwrap().unwrap().checkpoint().size, 1);
    assert_eq!(keeper.promise(&deliver(&header), 400, 10).unwrap(), Standing::Logged(0));
    assert_eq!(keeper.append(400, 8, false).unwrap(), None);
    // The host's clock goes back: the log's does not, and no promise is due before it.
    let second = keeper.promise(&deliver(&entry("b", b"")), 50, 10).unwrap();
    assert!(matches!(second, Standing::Promised(promise) if promise.deadline == 310));
    keeper.append(50, 8, true).unwrap();
    let leaves = disk.0.borrow().leaves.clone();
    assert_eq!(leaves.iter().map(|leaf| leaf.time).collect::<Vec<_>>(), [300, 300, 300]);
    assert!(leaves[2].is_tick(&keeper.id()));
}

/// A heartbeat waits for everything that was promised, whatever the limit.
#[test]
fn a_heartbeat_never_overtakes_a_promise() {
    let mut keeper = open(&Shared::default());
    for at in 0..5 {
        keeper.promise(&deliver(&entry(&at.to_string(), b"")), 100, 10).unwrap();
    }
    let mut is_tick = Vec::new();
    for _ in 0..4 {
        keeper.append(1_000, 2, true).unwrap();
    }
    for leaf in &keeper.store().0.borrow().leaves {
        is_tick.push(leaf.is_tick(&keeper.id()));
    }
    assert_eq!(is_tick, [false, false, false, false, false, true, true]);
}

/// An hour-old copy of the store: what a witness remembers shows it before anything is signed.
#[test]
fn a_restored_copy_is_found_out_by_a_witness() {
    let disk = Shared::default();
    let mut keeper = open(&disk);
    let early = keeper.append(100, 8, true).unwrap().unwrap();
    let backup = Shared(Rc::new(RefCell::new(disk.0.borrow().clone())));
    let late = keeper.append(200, 8, true).unwrap().unwrap();
    keeper.compare(&early).unwrap();
    keeper.compare(&late).unwrap();
    let restored = open(&backup);
    restored.compare(&early).unwrap();
    let refused = restored.compare(&late).unwrap_err();
    assert_eq!(refused, KeeperError::RolledBack { seen: 2, stored: 1 });
    // Had it signed, the two checkpoints would convict it.
    let mut restored = restored;
    let second = restored.append(300, 8, true).unwrap().unwrap();
    assert!(Evidence::two_roots(&log_key(), &late, &second).is_some());
    assert!(matches!(restored.compare(&late), Err(KeeperError::RolledBack { .. })));
    // Another key's checkpoint says nothing.
    let forged = late.checkpoint().clone().sign(&identity(7)).unwrap();
    assert!(matches!(restored.compare(&forged), Err(KeeperError::Note(_))));
}

#[test]
fn a_keeper_opens_its_own_log_only() {
    let disk = Shared::default();
    open(&disk).append(100, 8, true).unwrap();
    let other = Keeper::open(identity(7), origin(), disk.clone(), disk.clone());
    assert!(matches!(other.err(), Some(KeeperError::Note(_))));
    let elsewhere = "example.com/elsewhere".parse().unwrap();
    let other = Keeper::open(identity(KEEPER), elsewhere, disk.clone(), disk.clone());
    assert!(matches!(other.err(), Some(KeeperError::Note(_))));
    let empty = Keeper::open(identity(KEEPER), origin(), disk.clone(), Shared::default());
    assert!(matches!(empty.err(), Some(KeeperError::Tiles(_))));
    disk.0.borrow_mut().leaves.clear();
    let lost = Keeper::open(identity(KEEPER), origin(), disk.clone(), disk.clone());
    assert!(matches!(lost.err(), Some(KeeperError::Leaf(0))));
}
