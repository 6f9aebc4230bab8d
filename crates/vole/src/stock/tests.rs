//! Stocks over several sessions, their deaths, and their copies.

use std::{collections::BTreeSet, io, thread};

use board::Identity;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wire::Channel;

use super::*;
use crate::{Bit, Prover, Session, Setup, Verifier};

const BITS: usize = 4_000;
const VALUES: usize = 40;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn keys() -> [Identity; 2] {
    [1, 2].map(|seed| Identity::generate(&mut rng(seed)))
}

/// What lies on a disk: the newest version, and all that there were.
#[derive(Clone, Default)]
struct Disk {
    versions: Vec<Vec<u8>>,
    /// How many writes succeed.
    writes: Option<usize>,
}

/// A party between sessions: its key, and its disk.
struct Holder {
    key: Identity,
    disk: Disk,
    seed: u64,
}

struct At<'a> {
    key: &'a Identity,
    disk: &'a mut Disk,
    rng: ChaCha20Rng,
}

impl Keeper for At<'_> {
    fn keep(&mut self, stock: &Stock) -> io::Result<()> {
        if let Some(left) = &mut self.disk.writes {
            *left = left.checked_sub(1).ok_or_else(|| io::Error::other("the disk is full"))?;
        }
        self.disk.versions.push(stock.seal(self.key, &mut self.rng)?);
        Ok(())
    }
}

impl Holder {
    fn stock(&self) -> Stock {
        Stock::open(self.disk.versions.last().unwrap(), &self.key).unwrap()
    }

    fn at(&mut self) -> At<'_> {
        self.seed += 1;
        At { key: &self.key, disk: &mut self.disk, rng: rng(self.seed) }
    }
}

/// Both parties of a stock.
struct Pair {
    prover: Holder,
    verifier: Holder,
    runs: u64,
}

/// What a session does.
#[derive(Clone, Copy, Default)]
struct Plan {
    /// Correlations that are claimed.
    take: usize,
    /// The prover's claim is false.
    lies: bool,
    /// The parties stop before the check.
    stops: bool,
}

/// MACs that the prover used, and how each party ended.
type Ended = (Vec<u64>, Result<(), VoleError>, Result<(), VoleError>);

impl Pair {
    fn new() -> Self {
        let (mut left, mut right) = Channel::pair();
        let [prover, verifier] = keys();
        let (of_prover, of_verifier) = ((&prover, verifier.id()), (&verifier, prover.id()));
        let set = ParameterSet::NoLpn;
        let (own, other) = thread::scope(|scope| {
            let own = scope.spawn(move || {
                let count = (BITS, VALUES);
                Stock::make_prover(&mut left, set, of_prover, count, &mut rng(3), |_| {}).unwrap()
            });
            let count = (BITS, VALUES);
            let mut rng = rng(4);
            let other = Stock::make_verifier(&mut right, set, of_verifier, count, &mut rng, |_| {})
                .unwrap();
            (own.join().unwrap(), other)
        });
        assert_eq!(own.record().id, other.record().id);
        assert_eq!(own.record().peer, verifier.id());
        assert_eq!(other.record().peer, prover.id());
        let holder = |key: Identity, stock: &Stock, seed| {
            let mut holder = Holder { key, disk: Disk::default(), seed };
            holder.at().keep(stock).unwrap();
            holder
        };
        let (prover, verifier) = (holder(prover, &own, 1_000), holder(verifier, &other, 2_000));
        Self { prover, verifier, runs: 0 }
    }

    /// A session from what lies on both disks: the prover commits to bits and shows a sum of them.
    fn run(&mut self, plan: Plan) -> Ended {
        fn script<S: Session>(session: &mut S, plan: Plan) -> Result<(), VoleError> {
            let bits = Bit::commit(session, plan.take - 64, || vec![true; plan.take - 64])?;
            if plan.stops {
                return Err(VoleError::Ended);
            }
            bits[0].shift(session, !plan.lies).assert_zero(session)?;
            Bit::assert_product(session, [bits[1], bits[2]], bits[3])?;
            session.check().map(|_| ())
        }
        let (mut left, mut right) = Channel::pair();
        let [mut own_rng, mut other_rng] = [10, 11].map(|seed| rng(100 * self.runs + seed));
        self.runs += 1;
        let count = Position::new(plan.take, 1);
        let Self { prover, verifier, .. } = self;
        thread::scope(|scope| {
            let own = scope.spawn(move || {
                let (mut stock, peer) = (prover.stock(), prover.stock().record().peer);
                let key = Identity::from_seed(&prover.key.to_seed());
                let meeting = Meeting::about(b"a sum").signed_by(&key).with(peer);
                let mut macs = Vec::new();
                let stock = (&mut stock, &mut prover.at() as &mut dyn Keeper);
                let setup = Setup::default();
                let ended = Prover::run_from(
                    &mut left,
                    setup,
                    meeting,
                    stock,
                    count,
                    &mut own_rng,
                    |prover| {
                        prover.even_if_false();
                        macs = prover.unused_macs();
                        script(prover, plan)
                    },
                );
                (macs, ended)
            });
            let (mut stock, peer) = (verifier.stock(), verifier.stock().record().peer);
            let key = Identity::from_seed(&verifier.key.to_seed());
            let meeting = Meeting::about(b"a sum").signed_by(&key).with(peer);
            let other = {
                let stock = (&mut stock, &mut verifier.at() as &mut dyn Keeper);
                let setup = Setup::default();
                Verifier::run_from(
                    &mut right,
                    setup,
                    meeting,
                    stock,
                    count,
                    &mut other_rng,
                    |verifier| script(verifier, plan),
                )
            };
            drop(right);
            let (macs, own) = own.join().unwrap();
            (macs, own, other)
        })
    }

    fn used(&self) -> [u64; 2] {
        [&self.prover, &self.verifier].map(|party| party.stock().record().used.bits)
    }
}

const HONEST: Plan = Plan { take: 200, lies: false, stops: false };

#[test]
fn a_stock_serves_several_sessions() {
    let mut pair = Pair::new();
    let mut seen = BTreeSet::new();
    for session in 1..=5 {
        let (macs, prover, verifier) = pair.run(HONEST);
        assert!(prover.is_ok() && verifier.is_ok(), "{prover:?} {verifier:?}");
        assert_eq!(macs.len(), 200);
        assert!(macs.into_iter().all(|mac| seen.insert(mac)));
        assert_eq!(pair.used(), [200 * session; 2]);
    }
    // What was used is no longer in the file.
    let left = pair.prover.stock().record().left;
    assert_eq!(left, Position::new(BITS - 1_000, VALUES - 5));
    let (_, prover, verifier) = pair.run(Plan { take: BITS, ..HONEST });
    for ended in [prover, verifier] {
        assert!(matches!(ended, Err(VoleError::Exhausted { field: "bits", left: 3_000, .. })));
    }
}

/// Either party dies at any of its writes, or both before the check: what comes next takes
/// correlations that nobody has seen.
#[test]
fn no_death_makes_a_correlation_used_twice() {
    let mut pair = Pair::new();
    let mut seen = BTreeSet::new();
    let mut survived = 0;
    for (own, other, stops) in [
        (Some(0), None, false),
        (None, Some(0), false),
        (None, None, false),
        (None, Some(1), false),
        (None, None, true),
        (Some(0), Some(1), false),
        (Some(0), Some(0), true),
        (None, None, false),
    ] {
        (pair.prover.disk.writes, pair.verifier.disk.writes) = (own, other);
        let (macs, prover, verifier) = pair.run(Plan { stops, ..HONEST });
        let dies = own.is_some() || other.is_some() || stops;
        assert_eq!(prover.is_ok() && verifier.is_ok(), !dies, "{prover:?} {verifier:?}");
        assert!(macs.into_iter().all(|mac| seen.insert(mac)));
        survived += usize::from(!dies);
        // Nothing of a claim that was not written was used.
        (pair.prover.disk.writes, pair.verifier.disk.writes) = (None, None);
    }
    assert_eq!(survived, 2);
    // One party was ahead after half of these: both go on from the larger place.
    let [own, other] = pair.used();
    assert_eq!(own, other);
}

/// A copy that is older than what its peer has been told is refused by both. If both are restored to
/// the same time, the correlations come again: nothing in the files can tell.
#[test]
fn restored_copies_are_refused() {
    let mut pair = Pair::new();
    let [old_own, old_other] = [&pair.prover, &pair.verifier].map(|party| party.disk.clone());
    let (first, ..) = pair.run(HONEST);
    let [own, other] = [&pair.prover, &pair.verifier].map(|party| party.disk.clone());

    pair.prover.disk = old_own.clone();
    let (macs, prover, verifier) = pair.run(HONEST);
    assert!(macs.is_empty());
    assert!(matches!(prover, Err(VoleError::Restored { whose: "this party's" })));
    assert!(matches!(verifier, Err(VoleError::Restored { whose: "the peer's" })));

    (pair.prover.disk, pair.verifier.disk) = (own, old_other.clone());
    let (macs, prover, verifier) = pair.run(HONEST);
    assert!(macs.is_empty());
    assert!(matches!(prover, Err(VoleError::Restored { whose: "the peer's" })));
    assert!(matches!(verifier, Err(VoleError::Restored { whose: "this party's" })));

    // The refusals used nothing.
    pair.verifier.disk = other;
    let (macs, prover, verifier) = pair.run(HONEST);
    assert!(prover.is_ok() && verifier.is_ok());
    assert!(macs.iter().all(|mac| !first.contains(mac)));

    (pair.prover.disk, pair.verifier.disk) = (old_own, old_other);
    let (again, prover, verifier) = pair.run(HONEST);
    assert!(prover.is_ok() && verifier.is_ok());
    assert_eq!(again, first);
}

/// The verifier's half is gone before the prover hears that it was refused.
#[test]
fn a_failed_check_burns_the_stock() {
    let mut pair = Pair::new();
    let (_, prover, verifier) = pair.run(Plan { lies: true, ..HONEST });
    assert!(matches!(verifier, Err(VoleError::Cheating { check: "claims" })));
    assert!(matches!(prover, Err(VoleError::Refused)));
    for party in [&pair.prover, &pair.verifier] {
        let stock = party.stock();
        assert!(stock.record().burnt && stock.record().left == Position::default());
        if let Half::Verifier { deltas, .. } = &stock.half {
            assert!(deltas.values == Fp::default());
        }
    }
    let (_, prover, verifier) = pair.run(HONEST);
    assert!(matches!((prover, verifier), (Err(VoleError::Burnt), Err(VoleError::Burnt))));
}

/// A verifier that cannot erase its stock says nothing.
#[test]
fn no_verdict_before_the_stock_is_burnt() {
    let mut pair = Pair::new();
    pair.verifier.disk.writes = Some(2);
    let (_, prover, verifier) = pair.run(Plan { lies: true, ..HONEST });
    assert!(matches!(verifier, Err(VoleError::Unkept(_))));
    assert!(matches!(prover, Err(VoleError::Channel(_))));
}

/// A prover that hears of its refusal, and cannot erase its stock, says both.
#[test]
fn a_stock_that_is_not_burnt_is_told_of() {
    let mut pair = Pair::new();
    pair.prover.disk.writes = Some(1);
    let (_, prover, _) = pair.run(Plan { lies: true, ..HONEST });
    let Err(VoleError::Unburnt { failed, unkept }) = prover else { panic!("{prover:?}") };
    assert!(matches!((*failed, *unkept), (VoleError::Refused, VoleError::Unkept(_))));
    assert!(!pair.prover.stock().record().burnt);
}

/// Another key, any other byte, any other length.
#[test]
fn changed_files_are_refused() {
    let pair = Pair::new();
    for party in [&pair.prover, &pair.verifier] {
        let file = party.disk.versions.last().unwrap();
        let other = Identity::generate(&mut rng(9));
        assert!(Stock::open(file, &other).is_err());
        let len = file.len();
        for place in (0..300).chain((300..len).step_by(997)).chain(len - 20..len) {
            let mut changed = file.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(Stock::open(&changed, &party.key).is_err(), "byte {place}");
        }
        for cut in [0, 10, 100, len - 1] {
            assert!(Stock::open(&file[..cut], &party.key).is_err());
        }
        assert!(Stock::open(&[&file[..], &[0]].concat(), &party.key).is_err());
        let record = StockRecord::read(file).unwrap();
        assert!(record == *party.stock().record());
    }
}

/// No two versions are encrypted alike, and correlations are not in the file as they are.
#[test]
fn files_show_no_secrets() {
    let mut pair = Pair::new();
    let stock = pair.prover.stock();
    pair.prover.at().keep(&stock).unwrap();
    let [.., before, after] = pair.prover.disk.versions.as_slice() else { panic!() };
    let pairs = before.iter().zip(after).skip(300);
    assert!(pairs.filter(|(a, b)| a == b).count() < before.len() / 100);
    let Half::Prover { bits, .. } = &stock.half else { panic!() };
    let mac = bits[0].to_u64().to_le_bytes();
    assert!(!before.windows(8).any(|window| window == mac));
}

/// Two halves of different stocks, and a stranger: nothing is claimed.
#[test]
fn halves_of_different_stocks_do_not_meet() {
    let (mut pair, other) = (Pair::new(), Pair::new());
    let mut stock = pair.verifier.stock();
    stock.record.id = Digest::of("another", b"");
    pair.verifier.at().keep(&stock).unwrap();
    let (macs, prover, verifier) = pair.run(HONEST);
    assert!(macs.is_empty());
    for ended in [prover, verifier] {
        assert!(matches!(ended, Err(VoleError::Mismatch { what: "stock" })));
    }
    assert_eq!(pair.used(), [0, 0]);
    let mut pair = other;
    let mut stock = pair.verifier.stock();
    stock.record.peer = pair.verifier.key.id();
    pair.verifier.at().keep(&stock).unwrap();
    let (_, prover, verifier) = pair.run(HONEST);
    assert!(prover.is_err() && matches!(verifier, Err(VoleError::Stranger { .. })));
    assert_eq!(pair.used(), [0, 0]);
}
