//! Rows that were erased: what goes, what stays, and what a copy from before must not bring back.

use std::collections::BTreeMap;

use super::*;
use crate::{
    AbsenceProof, AuxRecord, Fault, Row, UserKeys,
    log::{ErasureProof, SignedCheckpoint},
    query::{self, Query, Region, Source, Statistic},
    support::{Setup, entries, rng, schema, setup},
};
use wire::{Decode as _, Encode as _};

/// Key periods of two epochs: 10 and 11, 12 and 13.
fn house() -> (Setup, Vec<Row>) {
    let mut schema = schema();
    schema.key_period = 2;
    schema.values[1].ordered = true;
    let mut setup = setup(schema);
    let mut genesis = setup.table.genesis().clone();
    (genesis.witnesses, genesis.quorum, genesis.dishonest) = (Vec::new(), 0, 0);
    setup.table = crate::Table::new(genesis).unwrap();
    let key = setup.table.schema().encode_key(&[99, 0]).unwrap();
    let rows = entries(setup.table.schema(), 40, 50, 1).into_iter().map(|entry| entry.row);
    // Two rows of a key of their own.
    let own = |(index, row): (usize, Row)| match index {
        0 | 1 => Row { key: key.clone(), ..row },
        _ => row,
    };
    let rows = rows.enumerate().map(own).collect();
    (setup, rows)
}

fn create<S: Store>(store: S, setup: &Setup) -> Custodian<S> {
    let master = MasterKey::from_bytes(&[3; 32]);
    Custodian::create(store, master, setup.table.genesis().clone(), &mut rng(1)).unwrap()
}

fn open<S: Store>(store: S) -> Result<Custodian<S>, CustodyError> {
    Custodian::open(store, MasterKey::from_bytes(&[3; 32]))
}

fn seal<S: Store>(custodian: &Custodian<S>, setup: &Setup, epoch: u32) -> SignedCheckpoint {
    custodian.seal_epoch(epoch, &setup.operator, &()).unwrap()
}

fn sum<S: Store>(
    custodian: &Custodian<S>,
    region: Region,
) -> Result<(SignedCheckpoint, query::Answer), Fault> {
    let signed = custodian.checkpoint(custodian.served_size().unwrap()).unwrap();
    let epoch = region.from;
    let built = custodian.load(epoch).unwrap();
    let logged = custodian.logged(epoch, signed.checkpoint.size).unwrap();
    let query = Query { column: 0, region, statistic: Statistic::Moments };
    let sources = [Source { logged, built: &built }];
    let table = custodian.table();
    let answer =
        query::answer(table, &signed.checkpoint, query, &sources, Vec::new(), &mut rng(5))?;
    Ok((signed, answer))
}

fn copy(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::default();
    let spaces = [
        Space::Meta,
        Space::Users,
        Space::Rows,
        Space::States,
        Space::Headers,
        Space::Bundles,
        Space::Log,
        Space::Checkpoints,
        Space::Records,
        Space::Promises,
        Space::Batches,
        Space::Tiles,
        Space::Tries,
        Space::Secrets,
        Space::Tombstones,
        Space::Erased,
    ];
    for space in spaces {
        let pairs = store.scan(space, &[]).unwrap().into_iter();
        copy.commit(pairs.map(|(key, value)| (space, key, Some(value))).collect()).unwrap();
    }
    copy
}

#[test]
fn an_erased_row_is_gone_and_what_was_shown_before_holds() {
    let (setup, rows) = house();
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    let batch = Batch { name: b"all", epoch: 10, rows: &rows, deadline: 9 };
    custodian.accept(&batch, &mut rng(2)).unwrap();
    seal(&custodian, &setup, 10);
    let (table, ada) = (custodian.table(), rows[0].user.clone());
    let keys = custodian.user_keys(10, &ada).unwrap().unwrap();
    let others = custodian.user_keys(10, &rows[7].user).unwrap().unwrap();
    let (before, answer) = sum(&custodian, Region::all(table.schema(), 10, 10)).unwrap();
    let lookup = custodian.look_up(custodian.logged(10, 1).unwrap(), 0, &ada).unwrap().unwrap();
    let bundle = custodian.bundle(10).unwrap();
    let whole = custodian.load(10).unwrap();
    let nodes = |store: &MemoryStore| -> BTreeMap<Vec<u8>, Vec<u8>> {
        store.scan(Space::Secrets, &[]).unwrap().into_iter().collect()
    };
    let secret = nodes(&store);
    assert_eq!(custodian.erase(10, &ada, false, &mut rng(3)).unwrap(), [10]);

    // Of the row there is nothing, nor a batch's hash of it, and its keys cannot be derived: not from the node that
    // was the secret, which is gone, and in no new process.
    for custodian in [custodian, open(&store).unwrap()] {
        assert!(custodian.row(10, &ada).unwrap().is_none());
        assert!(custodian.promise(10, &ada).unwrap().is_none());
        assert!(custodian.user_keys(10, &ada).unwrap().is_none());
        assert!(store.get(Space::Batches, b"all").unwrap().is_none());
        assert!(secret.keys().all(|place| !nodes(&store).contains_key(place)));
        let again = custodian.issue_keys(11, &ada, &mut rng(4));
        assert!(matches!(again, Err(CustodyError::Erased { epoch: 11 })));
        let again = custodian.ingest(11, &rows[..1], &mut rng(4));
        assert!(matches!(again, Err(CustodyError::Erased { epoch: 11 })));
        let twice = custodian.erase(10, &ada, false, &mut rng(3));
        assert!(matches!(twice, Err(CustodyError::Erased { epoch: 10 })));
        let other = custodian.user_keys(10, &rows[7].user).unwrap().unwrap();
        assert_eq!(*other.to_bytes(), *others.to_bytes());
        // In the next key period the user starts anew.
        assert!(custodian.issue_keys(12, &ada, &mut rng(4)).is_ok());
        let refused = custodian.look_up(custodian.logged(10, 1).unwrap(), 0, &ada);
        assert!(matches!(refused, Err(CustodyError::Erased { epoch: 10 })));
    }

    // The epoch is what it was, and what was shown holds.
    let custodian = open(&store).unwrap();
    let built = custodian.load(10).unwrap();
    assert_eq!(built.core, whole.core);
    assert!(query::verify(&setup.table, &before, &answer, &[]).is_ok());
    assert_eq!(lookup.verify_own(&setup.table, &before, &rows[0], &keys), Ok(()));
    let header = custodian.header(10).unwrap();
    assert!(crate::audit::verify(&setup.table, &header, &bundle, &()).is_ok());
    assert_eq!(custodian.bundle(10).unwrap(), bundle);
    for row in &rows[1..] {
        let found = custodian.look_up(custodian.logged(10, 1).unwrap(), 0, &row.user).unwrap();
        let keys = custodian.user_keys(10, &row.user).unwrap().unwrap();
        assert_eq!(found.unwrap().verify_own(&setup.table, &before, row, &keys), Ok(()));
    }
    for column in [0, 1] {
        let named = keys.pseudonym(setup.table.id(), 10, column, &ada);
        let logged = custodian.logged(10, 1).unwrap();
        assert!(AbsenceProof::show(&built, logged, column, named).is_none(), "it was there");
    }

    // Groups with erased rows are not answered any more; others are as before.
    let schema = setup.table.schema();
    assert_eq!(sum(&custodian, Region::all(schema, 10, 10)).err(), Some(Fault::ERASED));
    let of = |district: u64| {
        let ranges = vec![(district, district), (0, 1)];
        Region { from: 10, to: 10, boxes: vec![query::KeyBox { ranges }] }
    };
    assert_eq!(sum(&custodian, of(99)).err(), Some(Fault::ERASED));
    let (signed, answer) = sum(&custodian, of(2)).unwrap();
    assert!(query::verify(&setup.table, &signed, &answer, &[]).is_ok());
}

#[test]
fn the_log_counts_what_was_erased_and_shows_it() {
    let (setup, rows) = house();
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    custodian.ingest(10, &rows, &mut rng(2)).unwrap();
    seal(&custodian, &setup, 10);
    custodian.ingest(11, &rows[1..], &mut rng(2)).unwrap();
    let (ada, bob) = (&rows[0].user, &rows[1].user);
    // Rows that are to be in the log stay until they are; and all of a key period go, or none.
    let open_row = custodian.erase(10, bob, true, &mut rng(3));
    assert!(matches!(open_row, Err(CustodyError::State { epoch: 11, .. })), "{open_row:?}");
    let nobody = custodian.erase(10, b"nobody", true, &mut rng(3));
    assert!(matches!(nobody, Err(CustodyError::Unerasable { .. })));
    let keys = custodian.user_keys(10, ada).unwrap().unwrap();
    custodian.erase(10, ada, false, &mut rng(3)).unwrap();
    let signed = custodian.checkpoint(1).unwrap();
    assert!(custodian.show_erasure(&signed, 10, ada).unwrap().is_none(), "not in the log yet");
    seal(&custodian, &setup, 11);
    let refused = custodian.erase(11, bob, false, &mut rng(3));
    assert!(matches!(refused, Err(CustodyError::WholePeriod { epochs }) if epochs == [10, 11]));
    custodian.erase(11, bob, true, &mut rng(3)).unwrap();
    seal(&custodian, &setup, 12);

    // Two columns: one row, and then two more.
    let counted = |epoch| custodian.records(epoch).unwrap().iter().find_map(AuxRecord::erasures);
    assert_eq!(counted(10), None);
    assert_eq!(counted(11).unwrap().0, 2);
    assert_eq!(counted(12).unwrap().0, 6);
    let signed = custodian.checkpoint(3).unwrap();
    let proofs = custodian.show_erasure(&signed, 10, ada).unwrap().unwrap();
    assert_eq!(proofs.len(), 2);
    for (proof, column) in proofs.iter().zip([0, 1]) {
        assert_eq!(proof.verify(&setup.table, &signed.checkpoint), Ok(6));
        let named = keys.pseudonym(setup.table.id(), 10, column, ada);
        assert_eq!((proof.tombstone.column, proof.tombstone.pseudonym), (column, named));
    }
    assert_eq!(custodian.show_erasure(&signed, 11, bob).unwrap().unwrap().len(), 2);
    assert!(custodian.show_erasure(&signed, 11, ada).is_err());

    // Nothing in a proof can change.
    let bytes = proofs[0].to_bytes();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let verified = ErasureProof::from_bytes(&changed)
            .map(|proof| proof.verify(&setup.table, &signed.checkpoint).is_ok());
        assert!(!verified.is_ok_and(|holds| holds), "byte {at}");
    }
    assert!(proofs[0].verify(&setup.table, &custodian.checkpoint(2).unwrap().checkpoint).is_err());
}

/// A copy from before brings nothing back: once it knows the log it is opened only to erase the rows once more.
#[test]
fn a_copy_without_the_erasures_is_not_used() {
    let (setup, rows) = house();
    let store = MemoryStore::default();
    let mut custodian = create(&store, &setup);
    custodian.ingest(10, &rows, &mut rng(2)).unwrap();
    seal(&custodian, &setup, 10);
    let old = copy(&store);
    custodian.erase(10, &rows[0].user, false, &mut rng(3)).unwrap();
    custodian.erase(10, &rows[5].user, false, &mut rng(3)).unwrap();
    let seen = seal(&custodian, &setup, 11);
    let list = custodian.tombstones().unwrap();
    let lost = LostEpoch {
        header: custodian.header(11).unwrap(),
        audit: custodian.bundle(11).unwrap(),
        records: custodian.records(11).unwrap(),
    };
    let digest = custodian.load(10).unwrap().core;

    // Before the log is known to it, the copy is as it was; and with the records left out it learns of no log.
    let mut restored = open(&old).unwrap();
    assert!(restored.row(10, &rows[0].user).unwrap().is_some());
    restored.begin_restore().unwrap();
    assert!(restored.compare(&seen, &[]).is_err());
    let silent = LostEpoch { records: Vec::new(), ..lost.clone() };
    assert!(restored.adopt(&seen, &[], &[silent]).is_err());
    assert_eq!(restored.adopt(&seen, &[], &[lost]).unwrap(), [11]);
    let unerased = |error: Option<CustodyError>| {
        assert!(matches!(error, Some(CustodyError::Unerased { log: 4, stored: 0 })), "{error:?}");
    };
    unerased(restored.resume().err());
    unerased(open(&old).err());

    // Lists that are shorter, in another order, or of rows that nobody has do not help.
    restored = Custodian::open_copy(&old, MasterKey::from_bytes(&[3; 32])).unwrap();
    let mut strange = list.clone();
    strange[1].pseudonym = [7; 32].into();
    assert!(restored.erase_again(&strange, &mut rng(4)).is_err());
    assert_eq!(restored.tombstones().unwrap(), []);
    assert_eq!(restored.erase_again(&list, &mut rng(4)).unwrap(), 4);
    assert_eq!(restored.erase_again(&list, &mut rng(4)).unwrap(), 0);
    restored.resume().unwrap();
    custodian = open(&store).unwrap();
    for restored in [restored, open(&old).unwrap()] {
        assert_eq!(restored.tombstones().unwrap(), custodian.tombstones().unwrap());
        for user in [&rows[0].user, &rows[5].user] {
            assert!(restored.row(10, user).unwrap().is_none());
            assert!(restored.user_keys(10, user).unwrap().is_none());
        }
        assert_eq!(restored.load(10).unwrap().core, digest);
    }
    let restored = open(&old).unwrap();
    let signed = seal(&restored, &setup, 12);
    assert_eq!(restored.show_erasure(&signed, 10, &rows[5].user).unwrap().unwrap().len(), 2);

    // A list that was rewritten is no list of this log.
    let swapped = vec![
        (Space::Tombstones, 0_u64.to_be_bytes().to_vec(), Some(list[2].to_bytes())),
        (Space::Tombstones, 2_u64.to_be_bytes().to_vec(), Some(list[0].to_bytes())),
    ];
    old.commit(swapped).unwrap();
    assert!(matches!(open(&old), Err(CustodyError::Damaged(_))));
}

/// Erasing is one transaction: after a crash the row is there, or it is gone with its keys.
#[test]
fn an_erasure_that_fails_leaves_everything() {
    let (setup, rows) = house();
    let store = MemoryStore::default();
    let custodian = create(&store, &setup);
    custodian.ingest(10, &rows, &mut rng(2)).unwrap();
    seal(&custodian, &setup, 10);
    drop(custodian);
    let failing = open(Failing(&store)).unwrap();
    assert!(failing.erase(10, &rows[3].user, false, &mut rng(3)).is_err());
    let custodian = open(&store).unwrap();
    assert_eq!(custodian.row(10, &rows[3].user).unwrap().as_ref(), Some(&rows[3]));
    assert!(custodian.user_keys(10, &rows[3].user).unwrap().is_some());
    assert!(custodian.tombstones().unwrap().is_empty());
    drop(custodian);
    assert!(failing.user_keys(10, &rows[3].user).unwrap().is_some());
}

/// Users that a store names plainly, with keys that were drawn for them, leave nothing either.
#[test]
fn what_earlier_versions_stored_is_erased_too() {
    let (setup, rows) = house();
    let store = MemoryStore::default();
    drop(create(&store, &setup));
    store.commit(vec![(Space::Meta, custodian::ALIASED.to_vec(), None)]).unwrap();
    let custodian = open(&store).unwrap();
    let (ada, drawn) = (&rows[0].user, UserKeys::generate(&mut rng(9)));
    custodian.restore_keys(10, ada, &drawn, &mut rng(8)).unwrap();
    custodian.ingest(10, &rows, &mut rng(2)).unwrap();
    assert_eq!(*custodian.user_keys(10, ada).unwrap().unwrap().to_bytes(), *drawn.to_bytes());
    seal(&custodian, &setup, 10);
    custodian.erase(10, ada, false, &mut rng(3)).unwrap();
    let custodian = open(&store).unwrap();
    assert!(custodian.row(10, ada).unwrap().is_none());
    assert!(custodian.user_keys(10, ada).unwrap().is_none());
    let again = custodian.issue_keys(10, ada, &mut rng(4));
    assert!(matches!(again, Err(CustodyError::Erased { epoch: 10 })));
    assert_eq!(custodian.load(10).unwrap().core, custodian.header(10).unwrap().core);
    let shows = |bytes: &[u8]| bytes.windows(ada.len()).any(|window| window == ada);
    for space in [Space::Users, Space::Rows, Space::Promises, Space::Tombstones, Space::Erased] {
        let pairs = store.scan(space, &[]).unwrap();
        assert!(pairs.iter().all(|(key, value)| !shows(key) && !shows(value)), "{space:?}");
    }
}

/// Writes nothing.
struct Failing<'a>(&'a MemoryStore);

impl Store for Failing<'_> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(space, key)
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        self.0.scan(space, prefix)
    }

    fn commit(&self, _: Vec<Write>) -> Result<(), StoreError> {
        Err(StoreError("full".into()))
    }
}
