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
        assert_eq!(custodian.rollups(12).unwrap(), [predicate.clone()]);
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
        assert_eq!(custodian.find_rollup(&query, 2).unwrap(), None, "not in that log");
        assert_eq!(custodian.find_rollup(&query, 3).unwrap(), Some(12));
        digests.push(custodian.digests().unwrap()[2]);
        let (epochs, built) = custodian.load_rolled_up(12, &query, 3).unwrap();
        let signed = custodian.checkpoint(3).unwrap();
        let answer = crate::query::answer_rolled_up(
            &setup.table,
            &signed.checkpoint,
            query.clone(),
            (epochs, &built),
            vec![],
            &mut rng(1),
        );
        assert!(crate::query::verify(&setup.table, &signed, &answer.unwrap(), &[]).is_ok());
        assert_eq!(custodian.load(12).unwrap().core, built.core);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
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
