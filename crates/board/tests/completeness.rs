//! Honest authors and stores: what is written is read.

use std::{fs, sync::Arc, thread, time::Duration};

use crate::common::*;
use board::{
    AppendError, AuthorId, Board, BoardError, DirectoryStore, Entry, EntryError, Identity,
    MAX_PAYLOAD, MemoryStore, Position, Store,
};
use proptest::prelude::*;
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use wire::{Decode, Digest, Encode};

/// The whole life of a board in an empty store.
fn story(store: impl Store, another: impl Store) {
    assert!(store.is_empty().unwrap());
    let mut board = Board::create(store, &identity(1), "test/open", b"hello").unwrap();
    let mut view = Board::open_expecting(another, board.id()).unwrap();
    assert_eq!(view.head(), board.id());
    let mut heads = vec![board.head()];
    for (number, payload) in [vec![], vec![0], vec![7; 100_000]].into_iter().enumerate() {
        let digest = board.append(&identity(number as u8), "test/line", &payload).unwrap();
        assert_eq!(board.head(), digest);
        heads.push(digest);
        let entry = board.entries().last().unwrap();
        assert_eq!((entry.payload(), entry.kind()), (&payload[..], "test/line"));
        assert_eq!(entry.author(), identity(number as u8).id());
        assert_eq!(entry.sequence(), number as u64 + 1);
    }
    let late = view.append(&identity(9), "test/line", b"late").unwrap_err();
    assert!(matches!(late, AppendError::Conflict { sequence: 1 }), "{late:?}");
    assert!(view.wait(TIME).unwrap());
    assert_eq!(view.entries(), board.entries());
    assert_eq!(view.entries().iter().map(Entry::digest).collect::<Vec<_>>(), heads);
    assert_eq!(view.refresh().unwrap(), 0);
    assert!(!view.wait(Duration::from_millis(20)).unwrap());
    view.append(&identity(9), "test/line", b"now").unwrap();
    assert_eq!(board.refresh().unwrap(), 1);
    assert_eq!(view.head(), board.head());
    assert_eq!(board.store().len().unwrap(), 5);
}

#[test]
fn in_memory() {
    let store = MemoryStore::new();
    story(store.clone(), store.clone());
    let again = Board::create(store, &identity(1), "test/open", b"").unwrap_err();
    assert!(matches!(again, AppendError::Conflict { sequence: 0 }));
}

#[test]
fn in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new").join("board");
    let open = || DirectoryStore::open(&path).unwrap();
    story(open(), open());
    let again = Board::create(open(), &identity(1), "test/open", b"").unwrap_err();
    assert!(matches!(again, AppendError::Conflict { sequence: 0 }));
    let mut names: Vec<_> =
        fs::read_dir(&path).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.first().unwrap(), "00000000.entry");
    assert_eq!(names.last().unwrap(), "00000004.entry");
    assert_eq!(names.len(), 5);
}

#[test]
fn stores_by_reference() {
    let store = MemoryStore::new();
    story(&store, Arc::new(store.clone()));
    let boxed: Box<dyn Store> = Box::new(store);
    assert_eq!(Board::open(boxed).unwrap().entries().len(), 5);
}

#[test]
fn going_on_verifies_only_what_is_new() {
    let mut board = board_of(5);
    let verified = Board::open(board.store().clone()).unwrap().into_verified();
    board.append(&identity(1), "test/line", b"new").unwrap();
    // Entries 1 to 3 are spoilt, and not looked at.
    let mut entries = raw(board.store());
    entries[1..4].iter_mut().for_each(Vec::clear);
    let resumed = Board::open_at(store_of(&entries), verified.clone()).unwrap();
    assert_eq!(resumed.entries(), board.entries());
    // The last one is, ...
    let other = board_of(3);
    let refused = Board::open_at(other.store().clone(), verified.clone()).unwrap_err();
    assert!(matches!(refused, BoardError::Missing { sequence: 4 }));
    entries.swap(4, 5);
    let refused = Board::open_at(store_of(&entries), verified.clone()).unwrap_err();
    assert!(matches!(refused, BoardError::Replaced { sequence: 4 }));
    // ... and so is what follows.
    let refused = Board::open_at(store_of(&entries[..5]), verified).unwrap_err();
    assert!(matches!(refused, BoardError::Replaced { sequence: 4 }));
}

#[test]
fn waiting_ends_with_the_first_new_entry() {
    let wait = |store: &(dyn Store + Sync), append: &mut (dyn FnMut() + Send)| {
        thread::scope(|scope| {
            let waiting = scope.spawn(|| within(TIME, || store.wait_beyond(1, TIME * 2).unwrap()));
            thread::sleep(Duration::from_millis(100));
            append();
            assert!(waiting.join().unwrap());
        });
        assert!(!store.wait_beyond(2, Duration::from_millis(1)).unwrap());
    };
    let mut board = board_of(1);
    wait(&board.store().clone(), &mut || {
        board.append(&identity(0), "k", b"").unwrap();
    });
}

#[test]
fn leftovers_of_crashed_writers_are_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let open = || DirectoryStore::open(directory.path()).unwrap();
    Board::create(open(), &identity(0), "k", b"").unwrap();
    for name in [".subrosa-abc.part", "00000007.entry.bak", "7.entry", "000000007.entry", "x.entry"]
    {
        fs::write(directory.path().join(name), b"half an ent").unwrap();
    }
    let mut board = Board::open(open()).unwrap();
    board.append(&identity(0), "k", b"").unwrap();
    assert_eq!(Board::open(open()).unwrap().head(), board.head());
}

#[test]
fn kinds_and_payloads_have_limits() {
    let sign = |kind: &str, payload: &[u8]| {
        Entry::sign(&identity(0), &Position::genesis(), kind, payload).map(drop)
    };
    let longest = "x".repeat(64);
    for kind in ["a", "vole/tag-1.2", "0", longest.as_str()] {
        assert_eq!(sign(kind, b""), Ok(()));
    }
    let too_long = "x".repeat(65);
    for kind in ["", "A", "a b", "a_b", "é", "a\n", too_long.as_str()] {
        assert_eq!(sign(kind, b""), Err(EntryError::Kind), "{kind}");
    }
    let too_large = EntryError::Payload { got: MAX_PAYLOAD + 1 };
    assert_eq!(sign("a", &vec![0; MAX_PAYLOAD + 1]), Err(too_large));
}

/// RFC 8032, test 1: the key of a seed.
#[test]
fn identities_are_ed25519_keys() {
    let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    let seed: Digest = seed.parse().unwrap();
    let identity = Identity::from_seed(seed.as_bytes());
    assert_eq!(identity.id().to_string(), public);
    assert_eq!(public.parse::<AuthorId>().unwrap(), identity.id());
    assert_eq!(&*identity.to_seed(), seed.as_bytes());
}

#[test]
fn generated_identities_differ() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (one, two) = (Identity::generate(&mut rng), Identity::generate(&mut rng));
    assert_ne!(one.id(), two.id());
}

/// Computed apart from this crate, by Python's hashlib and OpenSSL's Ed25519.
#[test]
fn the_format_is_what_it_was() {
    let board = board_of(2);
    assert_eq!(
        board.id().to_string(),
        "2481342149fada8e35421079210a5cc6217f93d1225ff54a18bc0898c4a7646c"
    );
    assert_eq!(
        board.head().to_string(),
        "c0fb4c26692917338d7df64d9e9255755033f1b66679b3831cb48d9449e151de"
    );
}

proptest! {
    #[test]
    fn entries_round_trip(
        author in 0..5_u8,
        sequence: u64,
        (id, previous) in any::<([u8; 32], [u8; 32])>(),
        kind in "[a-z0-9./-]{1,64}",
        payload in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let position = Position { board: id.into(), sequence, previous: previous.into() };
        let entry = Entry::sign(&identity(author), &position, &kind, &payload).unwrap();
        prop_assert!(entry.is_signed_for(position.board));
        let read = Entry::from_bytes(&entry.to_bytes()).unwrap();
        prop_assert_eq!(&read, &entry);
        prop_assert_eq!(read.digest(), entry.digest());
        prop_assert!(read.is_signed_for(position.board));
    }
}
