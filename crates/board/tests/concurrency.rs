//! Many writers at once: each append wins its place or is told that it lost.

use std::{env, process::Command, thread};

use crate::common::*;
use board::{AppendError, Board, DirectoryStore, MemoryStore, Store};

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
fn processes_in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let store = || DirectoryStore::open(directory.path()).unwrap();
    Board::create(store(), &identity(0), "test/open", b"").unwrap();
    let writers = [1, 2].map(|author: u8| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "concurrency::one_process", "--ignored"]);
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
