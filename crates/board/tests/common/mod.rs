//! Identities, boards and servers for tests.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses some of it")]

use std::{
    thread,
    time::{Duration, Instant},
};

use board::{Board, Entry, Identity, Limits, MemoryStore, RemoteStore, Store, serve_with};
use wire::{Address, Listener, TlsClient, TlsServer};

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

/// A certificate for localhost, shown and trusted.
pub(crate) fn certificate() -> (TlsServer, TlsClient) {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let server = TlsServer::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    (server, TlsClient::from_pem(certificate.as_bytes()).unwrap())
}

/// Runs a server at `listener` for as long as `run` takes.
pub(crate) fn served<S: Store + Sync, T>(
    listener: Listener,
    store: S,
    policy: impl Fn(&Entry) -> Result<(), String> + Send + Sync,
    limits: &Limits,
    run: impl FnOnce(&Address) -> T,
) -> T {
    let stopper = listener.stopper().unwrap();
    thread::scope(|scope| {
        let server = scope.spawn(|| serve_with(&listener, store, policy, limits));
        // Also when `run` panics: the scope would wait for the server for ever.
        let stop = Stop(stopper);
        let value = run(listener.address());
        drop(stop);
        server.join().unwrap().unwrap();
        value
    })
}

struct Stop(wire::ListenerStop);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// [`served`] over TCP, with the default limits and everything allowed.
pub(crate) fn served_tcp<S: Store + Sync, T>(store: S, run: impl FnOnce(&Address) -> T) -> T {
    served(tcp(), store, |_| Ok(()), &Limits::default(), run)
}

pub(crate) fn tcp() -> Listener {
    Listener::bind(&"tcp://127.0.0.1:0".parse().unwrap(), None).unwrap()
}

pub(crate) fn remote(address: &Address) -> RemoteStore {
    RemoteStore::connect(address.clone(), None, TIME).unwrap()
}

/// Fails if `run` takes `most` or more.
pub(crate) fn within<T>(most: Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    assert!(start.elapsed() < most, "took {:?}", start.elapsed());
    value
}
