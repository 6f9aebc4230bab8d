//! Rows looked up from the store: as from the built epoch, and refused where anything stored was changed.

use super::*;
use crate::{
    AbsenceProof, Entry, Hash, Lookup, Row,
    log::LoggedEpoch,
    support::{entries, rng, schema, setup},
};

const EPOCH: u32 = 10;

/// A table without witnesses, and of its rows one alone in its key.
fn sealed(count: usize) -> (Custodian<MemoryStore>, Vec<Row>) {
    let setup = setup(schema());
    let mut genesis = setup.table.genesis().clone();
    (genesis.witnesses, genesis.quorum, genesis.dishonest) = (Vec::new(), 0, 0);
    let master = MasterKey::from_bytes(&[3; 32]);
    let custodian =
        Custodian::create(MemoryStore::default(), master, genesis, &mut rng(1)).unwrap();
    let rows = entries(setup.table.schema(), count, 50, 1).into_iter();
    let mut rows: Vec<Row> = rows.map(|Entry { row, .. }| row).collect();
    rows[0].key = setup.table.schema().encode_key(&[99, 0]).unwrap();
    // Somebody has keys and no row.
    let away = Row { user: b"away".to_vec(), ..rows[1].clone() };
    custodian.ingest(EPOCH + 1, &[away], &mut rng(2)).unwrap();
    custodian.ingest(EPOCH, &rows, &mut rng(2)).unwrap();
    custodian.seal_epoch(EPOCH, &setup.operator, &()).unwrap();
    (custodian, rows)
}

fn place(custodian: &Custodian<MemoryStore>) -> LoggedEpoch {
    custodian.logged(EPOCH, 1).unwrap()
}

fn pseudonym(custodian: &Custodian<MemoryStore>, user: &[u8]) -> Hash {
    let keys = custodian.user_keys(EPOCH, user).unwrap().unwrap();
    keys.pseudonym(custodian.table().id(), EPOCH, 0, user)
}

#[test]
fn rows_are_found_as_in_the_built_epoch() {
    let (custodian, rows) = sealed(700);
    assert!(custodian.is_indexed(EPOCH).unwrap() && !custodian.is_indexed(EPOCH + 1).unwrap());
    let built = custodian.load(EPOCH).unwrap();
    let signed = custodian.checkpoint(1).unwrap();
    for row in rows.iter().step_by(23).chain(&rows[..1]) {
        let found = custodian.look_up(place(&custodian), 0, &row.user).unwrap().unwrap();
        let named = pseudonym(&custodian, &row.user);
        assert_eq!(Some(&found), Lookup::find(&built, place(&custodian), 0, &named).as_ref());
        let keys = custodian.user_keys(EPOCH, &row.user).unwrap().unwrap();
        assert_eq!(found.verify_own(custodian.table(), &signed, row, &keys), Ok(()));
        assert!(custodian.show_absence(place(&custodian), 0, named).unwrap().is_none());
    }
    assert!(custodian.look_up(place(&custodian), 0, b"away").unwrap().is_none());
    for named in [pseudonym(&custodian, b"away"), [0; 32].into(), [255; 32].into()] {
        let shown = custodian.show_absence(place(&custodian), 0, named).unwrap();
        assert_eq!(shown, AbsenceProof::show(&built, place(&custodian), 0, named));
        assert_eq!(shown.unwrap().verify(custodian.table(), &signed), Ok(()));
    }
}

#[test]
fn what_was_changed_in_the_store_is_never_shown() {
    let (custodian, rows) = sealed(300);
    let (user, away) = (rows[5].user.clone(), pseudonym(&custodian, b"away"));
    let honest = custodian.look_up(place(&custodian), 0, &user).unwrap();
    let absent = custodian.show_absence(place(&custodian), 0, away).unwrap();
    assert!(honest.is_some() && absent.is_some());
    let mut refused = 0;
    for space in [Space::Tiles, Space::Tries] {
        for (key, value) in custodian.store.scan(space, &EPOCH.to_be_bytes()).unwrap() {
            let put = |value| custodian.store.commit(vec![(space, key.clone(), value)]).unwrap();
            let mut wrong = vec![None, Some(value[..value.len() / 2].to_vec())];
            for at in (0..value.len()).step_by(value.len() / 12 + 1) {
                let mut changed = value.clone();
                changed[at] ^= 1;
                wrong.push(Some(changed));
            }
            for changed in wrong {
                put(changed);
                match custodian.look_up(place(&custodian), 0, &user) {
                    Ok(found) => assert_eq!(found, honest),
                    Err(_) => refused += 1,
                }
                match custodian.show_absence(place(&custodian), 0, away) {
                    Ok(shown) => assert_eq!(shown, absent),
                    Err(_) => refused += 1,
                }
            }
            put(Some(value.clone()));
        }
    }
    assert!(refused > 50, "{refused}");
    assert_eq!(custodian.look_up(place(&custodian), 0, &user).unwrap(), honest);
}

/// Keys for somebody that never sent a row: an absence needs a name to speak of.
#[test]
fn who_never_sent_a_row_is_shown_that_there_is_none() {
    let (custodian, rows) = sealed(20);
    assert!(custodian.user_keys(EPOCH, b"stranger").unwrap().is_none());
    let keys = custodian.issue_keys(EPOCH, b"stranger", &mut rng(5)).unwrap();
    let again = custodian.issue_keys(EPOCH + 1, b"stranger", &mut rng(6)).unwrap();
    assert_eq!(*keys.to_bytes(), *again.to_bytes(), "those of the key period");
    let signed = custodian.checkpoint(1).unwrap();
    let named = keys.pseudonym(custodian.table().id(), EPOCH, 0, b"stranger");
    let shown = custodian.show_absence(place(&custodian), 0, named).unwrap().unwrap();
    assert_eq!(shown.verify(custodian.table(), &signed), Ok(()));
    // Who has keys keeps them, and a row that comes later is under the keys that were issued.
    let known = custodian.user_keys(EPOCH, &rows[0].user).unwrap().unwrap();
    let kept = custodian.issue_keys(EPOCH, &rows[0].user, &mut rng(7)).unwrap();
    assert_eq!(*kept.to_bytes(), *known.to_bytes());
    let row = Row { user: b"stranger".to_vec(), ..rows[1].clone() };
    let used = custodian.ingest(EPOCH + 1, &[row], &mut rng(8)).unwrap();
    assert_eq!(*used[0].to_bytes(), *keys.to_bytes());
    for (epoch, user) in [(EPOCH - 1, &b"early"[..]), (EPOCH, b""), (EPOCH, &[b'a'; 5000])] {
        assert!(custodian.issue_keys(epoch, user, &mut rng(9)).is_err());
    }
}

#[test]
fn nothing_is_shown_of_epochs_that_are_not_sealed() {
    let (custodian, rows) = sealed(10);
    let state = |state: EpochState| {
        let write = (Space::States, EPOCH.to_be_bytes().to_vec(), Some(vec![state as u8]));
        custodian.store.commit(vec![write]).unwrap();
    };
    state(EpochState::Logged);
    let refused = custodian.look_up(place(&custodian), 0, &rows[0].user);
    assert!(matches!(refused, Err(CustodyError::State { state: EpochState::Logged, .. })));
    assert!(custodian.show_absence(place(&custodian), 0, [9; 32].into()).is_err());
}
