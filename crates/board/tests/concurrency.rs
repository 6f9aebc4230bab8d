//! Many writers at once: each append wins its place or is told that it lost.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod common;

use std::{
    env, io,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use board::{AppendError, Board, DirectoryStore, Limits, MemoryStore, Store, StoreError};
use common::*;
use wire::{Address, Channel, Listener};

const EACH: usize = 100;

/// Appends 100 entries, and tries again whenever somebody else was first.
fn write_many(store: impl Store, author: u8) {
    let mut board = Board::open(store).unwrap();
    for number in 0..EACH {
        loop {
            match board.append(&identity(author), "test/line", &number.to_le_bytes()) {
                Ok(_) => break,
                Err(AppendError::Conflict { .. }) => drop(board.refresh().unwrap()),
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

/// Both wrote everything, in their order.
fn check(store: impl Store) {
    let board = Board::open(store).unwrap();
    assert_eq!(board.entries().len(), 1 + 2 * EACH);
    for author in [1, 2] {
        let author = identity(author).id();
        let by_author = board.entries().iter().filter(|entry| entry.author() == author);
        let written: Vec<_> = by_author.skip_while(|entry| entry.sequence() == 0).collect();
        assert_eq!(written.len(), EACH);
        for (number, entry) in written.iter().enumerate() {
            assert_eq!(entry.payload(), number.to_le_bytes());
        }
    }
}

fn race<S: Store>(open: impl Fn() -> S + Sync) {
    Board::create(open(), &identity(0), "test/open", b"").unwrap();
    thread::scope(|scope| {
        for author in [1, 2] {
            let open = &open;
            scope.spawn(move || write_many(open(), author));
        }
    });
    check(open());
}

#[test]
fn threads_in_memory() {
    let store = MemoryStore::new();
    race(|| store.clone());
}

#[test]
fn threads_in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    race(|| DirectoryStore::open(directory.path()).unwrap());
}

#[test]
fn threads_at_a_server() {
    served_tcp(MemoryStore::new(), |address| race(|| remote(address)));
}

#[test]
fn processes_in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let store = || DirectoryStore::open(directory.path()).unwrap();
    Board::create(store(), &identity(0), "test/open", b"").unwrap();
    let writers = [1, 2].map(|author: u8| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "one_process", "--ignored"]);
        command.env("BOARD_DIRECTORY", directory.path()).env("BOARD_AUTHOR", author.to_string());
        command.spawn().unwrap()
    });
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    check(store());
}

#[test]
#[ignore = "one of the processes of processes_in_a_directory"]
fn one_process() {
    let directory = env::var_os("BOARD_DIRECTORY").expect("run by processes_in_a_directory");
    let author = env::var("BOARD_AUTHOR").unwrap().parse().unwrap();
    write_many(DirectoryStore::open(directory).unwrap(), author);
}

#[test]
fn one_genesis_entry_wins() {
    let directory = tempfile::tempdir().unwrap();
    let create = |author| {
        let store = DirectoryStore::open(directory.path()).unwrap();
        Board::create(store, &identity(author), "test/open", &[author])
    };
    let outcomes: Vec<_> = thread::scope(|scope| {
        let creators: Vec<_> = (0..6).map(|author| scope.spawn(move || create(author))).collect();
        creators.into_iter().map(|creator| creator.join().unwrap()).collect()
    });
    let created: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(created.len(), 1);
    for outcome in &outcomes {
        assert!(matches!(outcome, Ok(_) | Err(AppendError::Conflict { sequence: 0 })));
    }
    let board = Board::open(DirectoryStore::open(directory.path()).unwrap()).unwrap();
    assert_eq!(board.id(), created[0].id());
}

#[test]
fn a_restarted_server_is_found_again() {
    let store = MemoryStore::new();
    let (address, mut board) = served_tcp(store.clone(), |address| {
        let board = Board::create(remote(address), &identity(0), "k", b"").unwrap();
        (address.clone(), board)
    });
    thread::scope(|scope| {
        let appending = scope.spawn(|| board.append(&identity(0), "k", b"").unwrap());
        thread::sleep(Duration::from_millis(200));
        let listener = Listener::bind(&address, None).unwrap();
        served(listener, store, |_| Ok(()), &Limits::default(), |_| appending.join().unwrap());
    });
}

/// Passes frames between a client and a server, and loses the first answer to an append.
fn lossy_proxy(listener: &Listener, server: &Address) {
    let mut lose = true;
    while let Ok(mut client) = listener.accept() {
        let mut server = Channel::connect(server, None, TIME).unwrap();
        while let Ok(request) = client.receive() {
            server.send(&request).unwrap();
            let answer = server.receive().unwrap();
            if request.get(1) == Some(&2) && std::mem::take(&mut lose) {
                break;
            }
            client.send(&answer).unwrap();
        }
    }
}

#[test]
fn an_append_whose_answer_was_lost_is_no_conflict() {
    let store = MemoryStore::new();
    served_tcp(store.clone(), |server| {
        let proxy = tcp();
        let stopper = proxy.stopper().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| lossy_proxy(&proxy, server));
            let mut board = Board::create(remote(proxy.address()), &identity(0), "k", b"").unwrap();
            board.append(&identity(0), "k", b"").unwrap();
            drop(board);
            stopper.stop();
        });
    });
    assert_eq!(store.len().unwrap(), 2);
}

#[test]
fn seats_are_limited_and_given_back() {
    let limits = Limits { connections: 2, ..Limits::default() };
    served(
        tcp(),
        board_of(1).store().clone(),
        |_| Ok(()),
        &limits,
        |address| {
            let (one, two) = (remote(address), remote(address));
            // Turned away again and again, until a seat is free.
            let third = thread::scope(|scope| {
                let third = scope.spawn(|| remote(address));
                thread::sleep(Duration::from_millis(300));
                assert_eq!(one.len().unwrap(), 1);
                drop(one);
                third.join().unwrap()
            });
            assert_eq!((two.len().unwrap(), third.len().unwrap()), (1, 1));
        },
    );
}

#[test]
fn a_peer_that_left_its_long_poll_frees_its_seat() {
    let limits = Limits { connections: 1, ..Limits::default() };
    served(
        tcp(),
        board_of(1).store().clone(),
        |_| Ok(()),
        &limits,
        |address| {
            let mut channel = Channel::connect(address, None, TIME).unwrap();
            let wait = [&[1, 3][..], &1_u64.to_le_bytes(), &u32::MAX.to_le_bytes()].concat();
            channel.send(&wait).unwrap();
            assert!(!channel.wait(Duration::from_millis(300)).unwrap());
            drop(channel);
            assert_eq!(remote(address).len().unwrap(), 1);
        },
    );
}

#[test]
fn a_server_that_is_gone_is_given_up() {
    let address = served_tcp(MemoryStore::new(), Address::clone);
    let start = Instant::now();
    let error = board::RemoteStore::connect(address, None, TIME).unwrap_err();
    let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    assert!(
        matches!(&error, StoreError::Channel(wire::ChannelError::Io(error)) if refused(error)),
        "{error:?}"
    );
    assert!(start.elapsed() > Duration::from_secs(1), "no pauses between attempts");
}
