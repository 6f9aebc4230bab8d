//! Custody with crashes: every commit is a point at which the process may end.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::{Entry, Genesis, Hash, Row, Table, log::Cosignature, query::Query, rollup::Predicate};

use crate::support::{Setup, TIME, entries, rng, schema, setup};

/// Fails for ever from the commit with this number on.
struct Crashing<'a> {
    store: &'a dyn Store,
    left: AtomicUsize,
}

impl Store for Crashing<'_> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(space, key)
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        self.store.scan(space, prefix)
    }

    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match left {
            Ok(_) => self.store.commit(batch),
            Err(_) => Err(StoreError("crashed".into())),
        }
    }
}

fn genesis(setup: &Setup) -> Genesis {
    setup.table.genesis().clone()
}

fn rows(table: &Table, count: usize, seed: u64) -> Vec<Row> {
    entries(table.schema(), count, 5, seed).into_iter().map(|Entry { row, .. }| row).collect()
}

fn create<S: Store>(store: S, setup: &Setup) -> Custodian<S> {
    let master = MasterKey::from_bytes(&[3; 32]);
    Custodian::create(store, master, genesis(setup), &mut rng(1)).unwrap()
}

fn witness<S: Store>(custodian: &Custodian<S>, setup: &Setup, size: u64) -> EpochState {
    let checkpoint = custodian.checkpoint(size).unwrap().checkpoint;
    let cosign = |witness| -> Cosignature { checkpoint.cosign(witness, TIME) };
    let states = setup.witnesses.iter().map(|w| custodian.cosign(size, cosign(w)).unwrap());
    states.last().unwrap()
}

fn lifecycle(store: &dyn Store) {
    let setup = setup(schema());
    let custodian = create(store, &setup);
    for epoch in 10..12 {
        let rows = rows(custodian.table(), 6, epoch.into());
        let keys = custodian.ingest(epoch, &rows, &mut rng(2)).unwrap();
        // The same rows once more, as a client does that got no answer; and receipts for them.
        let again = custodian.ingest(epoch, &rows, &mut rng(3)).unwrap();
        for ((row, keys), again) in rows.iter().zip(&keys).zip(&again) {
            assert_eq!(*keys.to_bytes(), *again.to_bytes());
            let receipts = custodian.receipts(&setup.operator, epoch, (row, keys), TIME).unwrap();
            assert_eq!(receipts[0].accept(custodian.table(), row, keys), Ok(()));
        }
        let mut changed = rows.clone();
        changed[2].values[1] ^= 1;
        let refused = custodian.ingest(epoch, &changed, &mut rng(3));
        assert!(matches!(refused, Err(CustodyError::Duplicate { index: 2, .. })));
        let early = custodian.seal_epoch(epoch + 1, &setup.operator, &());
        assert!(matches!(early, Err(CustodyError::OutOfOrder { .. })));
        assert!(custodian.seal_epoch(epoch, &setup.auditor, &()).is_err(), "another's key");
        let signed = custodian.seal_epoch(epoch, &setup.operator, &()).unwrap();
        assert_eq!(signed.verify_operator(custodian.table()), Ok(()));
        let late = custodian.ingest(epoch, &rows, &mut rng(3));
        assert!(matches!(late, Err(CustodyError::State { state: EpochState::Logged, .. })));
        assert!(custodian.load(epoch).is_err(), "served only when witnessed");
        assert_eq!(witness(&custodian, &setup, signed.checkpoint.size), EpochState::Witnessed);
        let built = custodian.load(epoch).unwrap();
        assert_eq!(built.core.rows, 6);
        let logged = custodian.logged(epoch, signed.checkpoint.size).unwrap();
        let digest = logged.verify(custodian.table(), &signed.checkpoint).unwrap();
        let auditor =
            crate::log::Attestation::sign(&setup.auditor, custodian.table(), epoch, digest);
        custodian.attest(&auditor).unwrap();
        assert_eq!(custodian.attestations(epoch).unwrap(), [auditor]);
        let bundle = custodian.bundle(epoch).unwrap();
        assert!(crate::audit::verify(custodian.table(), &logged.header, &bundle, &()).is_ok());
    }
    drop(custodian);
    let wrong = Custodian::open(store, MasterKey::from_bytes(&[4; 32]));
    assert!(matches!(wrong, Err(CustodyError::WrongKey)));
    let custodian = Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap();
    assert_eq!(custodian.digests().unwrap().len(), 2);
    let again =
        Custodian::create(store, MasterKey::from_bytes(&[3; 32]), genesis(&setup), &mut rng(1));
    assert!(matches!(again, Err(CustodyError::Occupied)));
}

#[test]
fn tables_live_in_memory_and_in_a_file() {
    lifecycle(&MemoryStore::default());
    let directory = tempfile::tempdir().unwrap();
    lifecycle(&RedbStore::open(&directory.path().join("table.redb")).unwrap());
}

/// Ends the process before every commit of a table's life in turn: no acknowledged row is lost, and
/// the digest is that of an undisturbed run.
#[test]
fn crashes_lose_nothing_and_change_nothing() {
    let setup = setup(schema());
    let all = rows(&setup.table, 5, 1);
    let finish = |store: &MemoryStore| -> Hash {
        let custodian = Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap();
        if custodian.state(10).unwrap() == EpochState::Open {
            custodian.ingest(10, &all, &mut SameKeys).unwrap();
        }
        let first = custodian.seal_epoch(10, &setup.operator, &()).unwrap();
        assert_eq!(custodian.seal_epoch(10, &setup.operator, &()).unwrap(), first);
        assert_eq!(custodian.header(10).unwrap().core.rows, 5);
        custodian.digests().unwrap()[0]
    };
    let undisturbed = {
        let store = MemoryStore::default();
        create(&store, &setup);
        finish(&store)
    };
    for commits in 0..7 {
        let store = MemoryStore::default();
        create(&store, &setup);
        let crashing = Crashing { store: &store, left: commits.into() };
        let custodian = Custodian::open(&crashing, MasterKey::from_bytes(&[3; 32])).unwrap();
        let (one, two) = all.split_at(2);
        let acknowledged = [one, two].map(|rows| custodian.ingest(10, rows, &mut SameKeys).is_ok());
        let sealed = custodian.seal_epoch(10, &setup.operator, &()).map(|signed| signed.checkpoint);
        assert_eq!(acknowledged, [commits > 0, commits > 1]);
        // Two batches, then Closing, Built, Proved and Logged.
        assert_eq!(sealed.is_ok(), commits >= 6, "{commits}");
        let digest = finish(&store);
        assert_eq!(digest, undisturbed, "after {commits} commits");
    }
}

/// Roll-ups are fixed when their epoch closes; a crash changes nothing about them, either.
#[test]
fn roll_ups_are_held_by_the_epoch_that_closes_next() {
    let mut schema = schema();
    schema.policy.rollups = true;
    schema.policy.min_count = 0;
    let setup = setup(schema);
    let median = crate::query::Statistic::Order(crate::query::Rank::Quantile(crate::Fraction {
        part: 1,
        whole: 2,
    }));
    let region = crate::query::Region::all(setup.table.schema(), 10, 11);
    let query = Query { column: 0, region, statistic: median };
    let predicate = Predicate::of(setup.table.schema(), &query);
    let begin = |store: &MemoryStore| {
        let custodian = create(store, &setup);
        for epoch in 10..13 {
            let rows = rows(&setup.table, 6, epoch.into());
            custodian.ingest(epoch, &rows, &mut SameKeys).unwrap();
        }
        let early = custodian.add_rollups(std::slice::from_ref(&predicate));
        assert!(early.is_err(), "nothing is in the log");
        for (size, epoch) in (1..).zip(10..12) {
            custodian.seal_epoch(epoch, &setup.operator, &()).unwrap();
            witness(&custodian, &setup, size);
        }
        assert_eq!(custodian.add_rollups(std::slice::from_ref(&predicate)).unwrap(), 12);
        assert_eq!(custodian.add_rollups(std::slice::from_ref(&predicate)).unwrap(), 12);
        assert_eq!(custodian.rollups(12).unwrap(), std::slice::from_ref(&predicate));
    };
    fn open<S: Store>(store: S) -> Custodian<S> {
        Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap()
    }
    let mut digests = Vec::new();
    for commits in 0..5 {
        let store = MemoryStore::default();
        begin(&store);
        let crashing = Crashing { store: &store, left: commits.into() };
        let sealed = open(crashing).seal_epoch(12, &setup.operator, &());
        assert_eq!(sealed.is_ok(), commits >= 4);
        let custodian = open(&store);
        custodian.seal_epoch(12, &setup.operator, &()).unwrap();
        witness(&custodian, &setup, 3);
        assert_eq!(custodian.rollups(13).unwrap(), []);
        digests.push(custodian.digests().unwrap()[2]);
        let ask = |size| {
            let signed = custodian.checkpoint(size).unwrap();
            let answer = custodian.answer_rolled_up(&signed, &query, &mut rng(1)).unwrap();
            answer.map(|answer| crate::query::verify(&setup.table, &signed, &answer, &[]).unwrap())
        };
        assert!(ask(2).is_none(), "not in that log");
        assert_eq!(ask(3).unwrap().keys, 1);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
}

/// A batch whose answer is lost is sent again: also after its epoch is sealed it gets the same
/// promises, and its name never stands for other rows.
#[test]
fn batches_are_accepted_once() {
    let setup = setup(schema());
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    let all = rows(&setup.table, 5, 1);
    let batch = Batch { name: b"one", epoch: 10, rows: &all, deadline: TIME };
    let bytes = |accepted: Vec<Accepted>| -> Vec<_> {
        accepted.iter().map(|(keys, promise)| (*keys.to_bytes(), *promise)).collect()
    };
    let first = bytes(custodian.accept(&batch, &mut rng(1)).unwrap());
    assert!(first.iter().all(|(_, promise)| *promise == Promise { log_size: 0, deadline: TIME }));
    let other = Batch { rows: &all[1..], ..batch };
    assert!(matches!(custodian.accept(&other, &mut rng(2)), Err(CustodyError::Reused)));
    let renamed = Batch { name: b"two", deadline: TIME + 9, ..batch };
    assert_eq!(bytes(custodian.accept(&renamed, &mut rng(3)).unwrap()), first);
    custodian.seal_epoch(10, &setup.operator, &()).unwrap();
    let late = Batch { deadline: TIME + 9, ..batch };
    assert_eq!(bytes(custodian.accept(&late, &mut rng(4)).unwrap()), first);
    let new = Batch { name: b"three", ..batch };
    assert!(matches!(custodian.accept(&new, &mut rng(5)), Err(CustodyError::State { .. })));
    assert_eq!(custodian.row(10, &all[3].user).unwrap().as_ref(), Some(&all[3]));
    assert!(custodian.row(11, &all[3].user).unwrap().is_none());
}

/// Names are kept until the epoch is in the log, and some time after the deadline.
#[test]
fn names_of_batches_are_forgotten() {
    let setup = setup(schema());
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    let all = rows(&setup.table, 5, 1);
    let batch = Batch { name: b"one", epoch: 10, rows: &all, deadline: TIME };
    custodian.accept(&batch, &mut rng(1)).unwrap();
    // As older versions stored them: the hash alone.
    let stored = store.get(Space::Batches, b"one").unwrap().unwrap();
    let old = (Space::Batches, b"old".to_vec(), Some(stored[..32].to_vec()));
    store.commit(vec![old]).unwrap();
    let (keep, late) = (100, TIME + 100);
    let again = |name: &'static [u8]| custodian.accept(&Batch { name, ..batch }, &mut rng(2));
    assert_eq!(custodian.forget_batches(u64::MAX, keep).unwrap(), 0, "the epoch is open");
    assert!(again(b"one").is_ok() && again(b"old").is_ok());
    custodian.seal_epoch(10, &setup.operator, &()).unwrap();
    assert_eq!(custodian.forget_batches(late - 1, keep).unwrap(), 0);
    assert!(again(b"one").is_ok(), "the deadline is not long past");
    assert_eq!(custodian.forget_batches(late, keep).unwrap(), 1);
    assert!(matches!(again(b"one"), Err(CustodyError::State { .. })), "as for a closed epoch");
    assert!(custodian.promise(10, &all[0].user).unwrap().is_some());
    // Its time started at the first look, far in the future.
    assert!(again(b"old").is_ok());
    assert_eq!(custodian.forget_batches(u64::MAX, 0).unwrap(), 1);
    assert!(again(b"old").is_err());
}

/// Threads that bring rows in and seal at the same time: an acknowledged row is in the epoch, and of
/// two rows of one user one is.
#[test]
fn threads_share_a_custodian() {
    let setup = setup(schema());
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    let all = rows(&setup.table, 12, 1);
    let mut other = all.clone();
    other.iter_mut().for_each(|row| row.values[1] ^= 1);
    let accepted = std::thread::scope(|scope| {
        let ingest = |rows: &[Row], seed| {
            let one = |row: &Row| custodian.ingest(10, std::slice::from_ref(row), &mut rng(seed));
            rows.iter().filter(|row| one(row).is_ok()).cloned().collect::<Vec<_>>()
        };
        let (all, other) = (&all, &other);
        let ingesting =
            [(all, 1), (other, 2)].map(|(rows, seed)| scope.spawn(move || ingest(rows, seed)));
        let sealing: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| custodian.seal_epoch(10, &setup.operator, &()).unwrap()))
            .collect();
        let sealed: Vec<_> = sealing.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(sealed[0], sealed[1]);
        ingesting.map(|thread| thread.join().unwrap()).concat()
    });
    assert_eq!(custodian.header(10).unwrap().core.rows, accepted.len() as u64);
    for row in &accepted {
        assert_eq!(custodian.row(10, &row.user).unwrap().as_ref(), Some(row));
    }
}

/// The user's keys are the only randomness of a digest: the same for every run.
struct SameKeys;

impl rand_core::TryRng for SameKeys {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(7)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(7)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(7);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for SameKeys {}

/// Whoever has the file alone finds nobody's name in it, and nobody twice; stores of before name users plainly, and
/// are used on.
#[test]
fn users_are_named_by_keyed_hashes() {
    let setup = setup(schema());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.redb");
    let custodian = create(RedbStore::open(&path).unwrap(), &setup);
    let rows = rows(custodian.table(), 6, 1);
    let fill = |custodian: &Custodian<RedbStore>| {
        for epoch in [10, 11] {
            custodian.accept_from((epoch, TIME), &rows, None, &mut rng(2)).unwrap();
        }
        custodian.seal_epoch(10, &setup.operator, &()).unwrap();
    };
    fill(&custodian);
    let names = |custodian: &Custodian<RedbStore>| {
        let spaces = [Space::Users, Space::Rows, Space::Promises].into_iter();
        let pairs = spaces.flat_map(|space| custodian.store.scan(space, &[]).unwrap());
        pairs.map(|(key, _)| key[4..].to_vec()).collect::<Vec<_>>()
    };
    let hashed = names(&custodian);
    // A row and a promise in each of two epochs, and keys of a period.
    assert_eq!(hashed.len(), 6 * 5);
    assert_eq!(hashed.iter().collect::<std::collections::BTreeSet<_>>().len(), 6 * 5);
    drop(custodian);
    let bytes = std::fs::read(&path).unwrap();
    let shows = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    assert!(rows.iter().all(|row| !shows(&row.user)) && shows(setup.table.id().as_bytes()));

    let path = directory.path().join("before.redb");
    let store = create(RedbStore::open(&path).unwrap(), &setup).into_store();
    let aliased = |value| vec![(Space::Meta, super::custodian::ALIASED.to_vec(), value)];
    store.commit(aliased(None)).unwrap();
    let before = Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap();
    fill(&before);
    assert!(
        rows.iter().all(|row| names(&before).iter().filter(|name| **name == row.user).count() == 5)
    );
    let (row, keys) = (&rows[3], before.user_keys(10, &rows[3].user).unwrap().unwrap());
    assert_eq!(before.row(10, &row.user).unwrap().as_ref(), Some(row));
    let store = before.into_store();
    let again = Custodian::open(&store, MasterKey::from_bytes(&[3; 32])).unwrap();
    assert_eq!(*again.user_keys(10, &row.user).unwrap().unwrap().to_bytes(), *keys.to_bytes());
    store.commit(aliased(Some(vec![2]))).unwrap();
    let refused = Custodian::open(&store, MasterKey::from_bytes(&[3; 32])).err();
    assert!(matches!(refused, Some(CustodyError::Damaged(_))));
}
