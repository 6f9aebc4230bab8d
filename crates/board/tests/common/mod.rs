//! Identities and boards for tests.

use std::time::{Duration, Instant};

use board::{Board, Identity, MemoryStore, Store};

pub(crate) const TIME: Duration = Duration::from_secs(20);

/// The same identity for the same number.
pub(crate) fn identity(number: u8) -> Identity {
    Identity::from_seed(&[number; 32])
}

/// A board of `len` entries, by authors 0, 1, 2, 0, ...
pub(crate) fn board_of(len: u64) -> Board<MemoryStore> {
    let store = MemoryStore::new();
    let mut board = Board::create(store, &identity(0), "test/open", b"hello").unwrap();
    for sequence in 1..len {
        let author = identity((sequence % 3) as u8);
        board.append(&author, "test/line", format!("line {sequence}").as_bytes()).unwrap();
    }
    board
}

/// The encoded entries of a store.
pub(crate) fn raw(store: &impl Store) -> Vec<Vec<u8>> {
    (0..store.len().unwrap()).map(|sequence| store.read(sequence).unwrap().unwrap()).collect()
}

/// A store that holds whatever it is given.
pub(crate) fn store_of<B: AsRef<[u8]>>(entries: impl IntoIterator<Item = B>) -> MemoryStore {
    let store = MemoryStore::new();
    for (sequence, bytes) in entries.into_iter().enumerate() {
        store.append(sequence as u64, bytes.as_ref()).unwrap();
    }
    store
}

/// Fails if `run` takes `most` or more.
pub(crate) fn within<T>(most: Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    assert!(start.elapsed() < most, "took {:?}", start.elapsed());
    value
}
