//! Bytes from anywhere: decoders, servers and clients answer with errors.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod common;

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use board::{
    AuthorId, Board, BoardError, DirectoryStore, Entry, Limits, MAX_ENTRY, RemoteStore, Store,
    StoreError,
};
use common::*;
use proptest::prelude::*;
use wire::{Channel, ChannelError, Decode, DecodeError, Encode};

fn entry() -> Vec<u8> {
    board_of(2).entries()[1].to_bytes()
}

#[test]
fn entries_cut_short_or_with_more_behind() {
    let bytes = entry();
    for len in 0..bytes.len() {
        assert!(matches!(Entry::from_bytes(&bytes[..len]), Err(DecodeError::Truncated { .. })));
    }
    let more = [&bytes[..], &[0]].concat();
    assert_eq!(Entry::from_bytes(&more), Err(DecodeError::Trailing(1)));
}

#[test]
fn lengths_are_limited() {
    let bytes = entry();
    let kind = 1 + 8 + 32 + 32;
    let mut long_kind = bytes.clone();
    long_kind[kind..kind + 4].copy_from_slice(&65_u32.to_le_bytes());
    let refused = DecodeError::TooLong { what: "kind", got: 65, limit: 64 };
    assert_eq!(Entry::from_bytes(&long_kind), Err(refused));
    let payload = kind + 4 + "test/line".len();
    let mut long_payload = bytes;
    long_payload[payload..payload + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let refused = DecodeError::TooLong { what: "payload", got: u32::MAX.into(), limit: 256 << 20 };
    assert_eq!(Entry::from_bytes(&long_payload), Err(refused));
}

proptest! {
    #[test]
    fn any_bytes_as_an_entry(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(entry) = Entry::from_bytes(&bytes) {
            prop_assert_eq!(entry.to_bytes(), bytes);
        }
    }

    #[test]
    fn a_spoilt_entry(changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4)) {
        let original = entry();
        let mut bytes = original.clone();
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(entry) = Entry::from_bytes(&bytes) {
            prop_assert_eq!(entry.to_bytes(), &bytes[..]);
            let id = board_of(1).id();
            prop_assert_eq!(entry.is_signed_for(id), bytes == original);
        }
    }

    #[test]
    fn any_bytes_as_an_author(bytes: [u8; 32]) {
        if let Ok(author) = AuthorId::from_bytes(&bytes) {
            prop_assert_eq!(author.as_bytes(), &bytes);
            prop_assert_eq!(author.to_string().parse::<AuthorId>().unwrap(), author);
        }
    }

    #[test]
    fn any_bytes_in_a_store(
        entries in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50), 1..4)
    ) {
        let refused = Board::open(store_of(&entries)).map(drop).unwrap_err();
        let named = matches!(refused, BoardError::Malformed { sequence: 0, .. });
        prop_assert!(named, "{:?}", refused);
    }
}

#[test]
fn any_frame_to_a_server() {
    served_tcp(board_of(2).store().clone(), |address| {
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let frames = proptest::collection::vec(any::<u8>(), 0..60);
        proptest!(config, |(protocol in 0..3_u8, tag in 0..6_u8, rest in frames)| {
            let frame = [&[protocol, tag][..], &rest].concat();
            // A long-poll may be asked for; that one is answered late.
            prop_assume!(protocol != 1 || tag != 3);
            let mut channel = Channel::connect(address, None, TIME).unwrap();
            channel.send(&frame).unwrap();
            let answer = channel.receive().unwrap();
            prop_assert_eq!(answer.first(), Some(&1));
        });
        let mut channel = Channel::connect(address, None, TIME).unwrap();
        for frame in [&b""[..], &[1], &[9, 0], &[1, 9], &[1, 0, 0], &[1, 3, 0]] {
            channel.send(frame).unwrap();
            assert_eq!(channel.receive().unwrap().get(..2), Some(&[1, 8][..]), "{frame:?}");
        }
        // The server is still there for others.
        assert_eq!(remote(address).len().unwrap(), 2);
    });
}

#[test]
fn a_server_has_limits() {
    let limits = Limits {
        payload: 100,
        idle: Duration::from_millis(500),
        frame: Duration::from_millis(500),
        wait: Duration::from_millis(300),
        ..Limits::default()
    };
    served(
        tcp(),
        board_of(2).store().clone(),
        |_| Ok(()),
        &limits,
        |address| {
            let connect = || Channel::connect(address, None, TIME).unwrap();
            // A frame that is too large ends the connection.
            let mut channel = connect();
            channel.send(&[1; 1000]).unwrap();
            assert!(matches!(channel.receive(), Err(ChannelError::Closed)));
            // So does silence.
            assert!(matches!(within(TIME, || connect().receive()), Err(ChannelError::Closed)));
            // A long-poll ends when the server says.
            let mut channel = connect();
            let wait = [&[1, 3][..], &2_u64.to_le_bytes(), &u32::MAX.to_le_bytes()].concat();
            let start = Instant::now();
            channel.send(&wait).unwrap();
            assert_eq!(channel.receive().unwrap(), [1, 7, 0]);
            assert!(start.elapsed() >= limits.wait);
            // The store's own wait goes on nevertheless.
            let waiting = RemoteStore::connect(address.clone(), None, TIME).unwrap();
            let start = Instant::now();
            assert!(!waiting.wait_beyond(2, Duration::from_millis(700)).unwrap());
            assert!(start.elapsed() >= Duration::from_millis(700));
        },
    );
}

/// What a client gets from a server that says it has nine entries, and then gives this answer to
/// everything.
fn answered<T>(answer: &[u8], ask: impl FnOnce(RemoteStore) -> T) -> T {
    let listener = tcp();
    let store = thread::scope(|scope| {
        let connecting = scope.spawn(|| remote(listener.address()));
        let mut channel = listener.accept().unwrap();
        channel.receive().unwrap();
        channel.send(&[1, 0, 9, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        (connecting.join().unwrap(), channel)
    });
    let (store, mut channel) = store;
    thread::scope(|scope| {
        scope.spawn(move || {
            while channel.receive().is_ok() {
                channel.send(answer).unwrap();
            }
        });
        ask(store)
    })
}

#[test]
fn wrong_answers_from_a_server() {
    let is_refused = |outcome: Result<(), StoreError>| {
        matches!(
            outcome,
            Err(StoreError::Server { .. } | StoreError::Channel(ChannelError::Decode(_)))
        )
    };
    let entry = entry();
    let answers: [&[u8]; 9] = [
        b"",
        &[1],
        &[2, 0],
        &[1, 9],
        &[1, 2, 0],
        &[1, 7, 2],
        &[1, 8, 0, 0, 0, 0],
        &[1, 0],
        &[1, 1],
    ];
    for answer in answers {
        answered(answer, |store| {
            assert!(is_refused(store.len().map(drop)), "{answer:?}");
            assert!(is_refused(store.read(0).map(drop)), "{answer:?}");
            assert!(is_refused(store.append(0, &entry)), "{answer:?}");
            assert!(is_refused(store.wait_beyond(0, TIME).map(drop)), "{answer:?}");
        });
    }
    // A length over the limit of an entry, and the reason of a liar.
    let long = [&[1, 1][..], &u32::MAX.to_le_bytes()].concat();
    answered(&long, |store| assert!(is_refused(store.read(0).map(drop))));
    let failed = [&[1, 8][..], &4_u32.to_le_bytes(), b"\x1b\nno"].concat();
    answered(&failed, |store| {
        let error = store.len().unwrap_err();
        assert_eq!(error.to_string(), "the board's server: no");
    });
}

#[test]
fn a_server_that_promises_entries_and_has_none() {
    let promise = [&[1, 0][..], &u64::MAX.to_le_bytes()].concat();
    let refused = answered(&promise, |store| Board::open(store).map(drop).unwrap_err());
    assert!(matches!(refused, BoardError::Store(StoreError::Server { .. })), "{refused:?}");
}

#[test]
fn a_server_that_says_nothing() {
    let listener = tcp();
    let time = Duration::from_millis(200);
    let connect = || RemoteStore::connect(listener.address().clone(), None, time);
    let error = within(TIME, connect).unwrap_err();
    assert!(matches!(error, StoreError::Channel(ChannelError::TimedOut)), "{error:?}");
}

#[test]
fn odd_files_in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // No file at all.
    fs::create_dir(path("00000000.entry")).unwrap();
    let store = DirectoryStore::open(directory.path()).unwrap();
    assert!(matches!(store.read(0), Err(StoreError::Io(_))));
    // A file that is too large, though it takes no room.
    let large = fs::File::create(path("00000001.entry")).unwrap();
    large.set_len(MAX_ENTRY as u64 + 1).unwrap();
    assert!(matches!(store.read(1), Err(StoreError::TooLarge { sequence: 1 })));
    assert!(matches!(
        store.append(2, &vec![0; MAX_ENTRY + 1]),
        Err(StoreError::TooLarge { sequence: 2 })
    ));
    assert!(matches!(store.append(1, b""), Err(StoreError::Conflict { sequence: 1 })));
    assert!(matches!(store.append(3, b""), Err(StoreError::Gap { sequence: 3 })));
    // Numbers at the end of what there is.
    for name in ["18446744073709551614.entry", "18446744073709551615.entry"] {
        fs::write(path(name), b"").unwrap();
    }
    let store = DirectoryStore::open(directory.path()).unwrap();
    assert_eq!(store.len().unwrap(), u64::MAX);
    assert!(Board::open(store).is_err());
}
