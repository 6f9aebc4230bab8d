//! Nodes of sum trees in the store: read back as they were built, made anew where they are missing,
//! refused where they are wrong.

use super::*;
use crate::{
    BuildError, BuiltEpoch, Entry, Row,
    support::{entries, rng, schema, setup},
};

const EPOCH: u32 = 10;

/// A table without witnesses, with a sealed epoch of so many rows.
fn sealed(rows: usize) -> MemoryStore {
    let setup = setup(schema());
    let mut genesis = setup.table.genesis().clone();
    (genesis.witnesses, genesis.quorum, genesis.dishonest) = (Vec::new(), 0, 0);
    let store = MemoryStore::default();
    let master = MasterKey::from_bytes(&[3; 32]);
    let custodian = Custodian::create(&store, master, genesis, &mut rng(1)).unwrap();
    let rows = entries(setup.table.schema(), rows, 50, 1).into_iter();
    let mut rows: Vec<Row> = rows.map(|Entry { row, .. }| row).collect();
    // One is alone in its key.
    rows[0].key = setup.table.schema().encode_key(&[99, 0]).unwrap();
    custodian.ingest(EPOCH, &rows, &mut rng(2)).unwrap();
    custodian.seal_epoch(EPOCH, &setup.operator, &()).unwrap();
    drop(custodian);
    store
}

fn load(store: &MemoryStore) -> Result<BuiltEpoch, CustodyError> {
    Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap().load(EPOCH)
}

fn stored_in(space: Space, store: &MemoryStore) -> Vec<Pair> {
    store.scan(space, &EPOCH.to_be_bytes()).unwrap()
}

fn stored(store: &MemoryStore) -> Vec<Pair> {
    stored_in(Space::Tiles, store)
}

fn put_in(space: Space, store: &MemoryStore, key: &[u8], value: Option<Vec<u8>>) {
    store.commit(vec![(space, key.to_vec(), value)]).unwrap();
}

fn put(store: &MemoryStore, key: &[u8], value: Option<Vec<u8>>) {
    put_in(Space::Tiles, store, key, value);
}

/// Everything that answers are made of.
fn shown(built: &BuiltEpoch) -> Vec<Vec<u8>> {
    let mut shown = Vec::new();
    for key in built.columns.iter().flat_map(|column| &column.keys) {
        shown.push(wire::Encode::to_bytes(&key.tree.root()));
        for rank in 0..key.tree.count() {
            let mut path = Vec::new();
            key.tree.path(rank).unwrap().encode(&mut path);
            shown.push(path);
        }
        let total = key.total.values.iter().chain(&key.total.blindings);
        shown.extend(total.map(|scalar| scalar.to_bytes().to_vec()));
    }
    shown
}

#[test]
fn missing_nodes_are_made_anew() {
    let store = sealed(30);
    let read = load(&store).unwrap();
    let keys = stored(&store);
    assert_eq!(keys.len(), read.columns[0].keys.len(), "one part for every small tree");
    for (count, (key, _)) in (1..).zip(&keys) {
        put(&store, key, None);
        assert_eq!(stored(&store).len(), keys.len() - count);
        let built = load(&store).unwrap();
        assert!(built.core == read.core && shown(&built) == shown(&read));
    }
}

/// What earlier versions stored, in parts that end before, at and behind the end of a tree.
#[test]
fn runs_of_nodes_in_parts_of_every_length() {
    let store = sealed(30);
    let read = load(&store).unwrap();
    for (key, _) in stored(&store) {
        put(&store, &key, None);
    }
    store.commit(super::layout::runs_in_parts(&read, usize::MAX)).unwrap();
    let stored = |store: &MemoryStore| stored_in(Space::Nodes, store);
    let put = |store: &MemoryStore, key: &[u8], value| put_in(Space::Nodes, store, key, value);
    let whole = stored(&store);
    assert_eq!(whole.len(), read.columns[0].keys.len());
    let longest = whole.iter().map(|(_, part)| part.len()).max().unwrap();
    for part_len in [1, longest / 2, longest / 2 + 1, longest - 1, longest, longest + 1] {
        for (key, _) in stored(&store) {
            put(&store, &key, None);
        }
        store.commit(super::layout::runs_in_parts(&read, part_len)).unwrap();
        let parts = |(_, part): &Pair| part.len().div_ceil(part_len);
        assert_eq!(stored(&store).len(), whole.iter().map(parts).sum::<usize>());
        let built = load(&store).unwrap();
        assert!(built.core == read.core && shown(&built) == shown(&read), "{part_len}");
    }
}

#[test]
fn damaged_nodes_are_refused() {
    let store = sealed(6);
    let keys = stored(&store);
    assert!(keys.len() > 1);
    for (key, honest) in &keys {
        for place in 0..honest.len() {
            let mut changed = honest.clone();
            changed[place] ^= 0x10;
            put(&store, key, Some(changed));
            assert!(load(&store).is_err(), "byte {place}");
        }
        let cut = honest[..honest.len() - 32].to_vec();
        put(&store, key, Some(cut));
        assert!(matches!(load(&store), Err(CustodyError::Build(BuildError::Nodes))));
        let surplus = [&key[..key.len() - 1], &[1]].concat();
        put(&store, key, Some(honest.clone()));
        put(&store, &surplus, Some(vec![0]));
        assert!(matches!(load(&store), Err(CustodyError::Build(BuildError::Nodes))));
        put(&store, &surplus, None);
        assert!(load(&store).is_ok());
    }
    // Those of another key.
    put(&store, &keys[0].0, Some(keys[1].1.clone()));
    assert!(load(&store).is_err());
}

/// A row that is not the one committed to, although nothing that is hashed differs: the only row of
/// its key, with another value.
#[test]
fn rows_that_are_not_those_committed_to_are_refused() {
    let store = sealed(6);
    let custodian = Custodian::open(&store, MasterKey::from_bytes(&[3; 32])).unwrap();
    let built = custodian.load(EPOCH).unwrap();
    let alone = built.columns[0].keys.iter().find(|key| key.rows.len() == 1).unwrap();
    let row = &built.entries[alone.rows[0].entry as usize].row;
    let epoch = EPOCH.to_be_bytes().to_vec();
    let state = |state: EpochState| (Space::States, epoch.clone(), Some(vec![state as u8]));
    let replace = |row: &Row| {
        let place = custodian.place(Space::Rows, EPOCH, &row.user);
        store.commit(vec![state(EpochState::Open), (Space::Rows, place, None)]).unwrap();
        custodian.ingest(EPOCH, std::slice::from_ref(row), &mut rng(9)).unwrap();
        store.commit(vec![state(EpochState::Witnessed)]).unwrap();
    };
    for value in 0..row.values.len() {
        let mut other = row.clone();
        other.values[value] ^= 1;
        replace(&other);
        assert!(matches!(load(&store), Err(CustodyError::Build(BuildError::Nodes))));
        replace(row);
        assert!(load(&store).is_ok());
    }
}
