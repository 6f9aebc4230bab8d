//! A board that was tampered with is refused, and the error says where.

use std::fs;

use crate::common::*;
use board::{
    AuthorId, Board, BoardError, DirectoryStore, Entry, MemoryStore, Position, Store, StoreError,
};
use wire::{Decode, Digest, Encode};

fn open<B: AsRef<[u8]>>(entries: &[B]) -> Result<Board<MemoryStore>, BoardError> {
    Board::open(store_of(entries))
}

#[test]
fn every_byte_counts() {
    let board = board_of(3);
    let entries = raw(board.store());
    for sequence in 0..3 {
        for at in 0..entries[sequence].len() {
            for flip in [1, 0x80, 0xff] {
                let mut entries = entries.clone();
                entries[sequence][at] ^= flip;
                let error = open(&entries).map(drop).expect_err("accepted");
                let found = match error {
                    BoardError::Malformed { sequence, .. }
                    | BoardError::Sequence { sequence, .. }
                    | BoardError::Chain { sequence, .. }
                    | BoardError::Signature { sequence, .. } => sequence,
                    other => panic!("{other:?}"),
                };
                assert_eq!(found, sequence as u64, "byte {at}");
            }
        }
    }
}

#[test]
fn every_field_is_signed() {
    let board = board_of(3);
    let last = &board.entries()[2];
    let position =
        Position { board: board.id(), sequence: 2, previous: board.entries()[1].digest() };
    let author = identity(2);
    assert_eq!(last.author(), author.id());
    let sign = |position: &Position, kind: &str, payload: &[u8]| {
        Entry::sign(&author, position, kind, payload).unwrap()
    };
    // Signing is deterministic: this is the entry itself, and below one thing differs each time.
    assert_eq!(&sign(&position, last.kind(), last.payload()), last);
    let zeros = Digest::from([0; 32]);
    let others = [
        sign(&Position { board: zeros, ..position }, last.kind(), last.payload()),
        sign(&Position { sequence: 3, ..position }, last.kind(), last.payload()),
        sign(&Position { previous: zeros, ..position }, last.kind(), last.payload()),
        sign(&position, "test/other", last.payload()),
        sign(&position, last.kind(), b"other"),
        Entry::sign(&identity(1), &position, last.kind(), last.payload()).unwrap(),
    ];
    for other in others {
        assert_ne!(other.signature(), last.signature());
        let mut bytes = last.to_bytes();
        let at = bytes.len() - 64;
        bytes[at..].copy_from_slice(other.signature().unwrap());
        let forged = Entry::from_bytes(&bytes).unwrap();
        assert!(!forged.is_signed_for(board.id()));
        assert_ne!(forged.digest(), last.digest());
    }
}

#[test]
fn entries_reordered_dropped_or_repeated() {
    let entries = raw(board_of(5).store());
    let at = |order: &[usize]| {
        let entries: Vec<_> = order.iter().map(|index| &entries[*index]).collect();
        open(&entries).map(|board| board.entries().len())
    };
    assert_eq!(at(&[0, 1, 2, 3, 4]).unwrap(), 5);
    let refused: [(&[usize], u64, u64); 6] = [
        (&[0, 2, 1, 3, 4], 1, 2),
        (&[0, 1, 3, 4], 2, 3),
        (&[1, 2, 3, 4], 0, 1),
        (&[0, 0, 1, 2], 1, 0),
        (&[0, 1, 1, 2], 2, 1),
        (&[0, 1, 2, 3, 4, 0], 5, 0),
    ];
    for (order, expected, said) in refused {
        match at(order).unwrap_err() {
            BoardError::Sequence { sequence, got, author } => {
                assert_eq!((sequence, got), (expected, said));
                assert_eq!(author, identity((said % 3) as u8).id());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_entry_belongs_to_one_board() {
    let one = board_of(3);
    // Another board by the same author, which differs in its genesis entry only.
    let store = MemoryStore::new();
    let mut two = Board::create(store, &identity(0), "test/open", b"other").unwrap();
    two.append(&identity(1), "test/line", b"line 1").unwrap();
    let mut entries = raw(two.store());
    entries[1] = raw(one.store()).swap_remove(1);
    let refused = open(&entries).map(drop).unwrap_err();
    let author = identity(1).id();
    assert!(matches!(refused, BoardError::Chain { sequence: 1, author: by } if by == author));
    // Even one that names the right predecessor: the board is signed, too.
    let position = Position { board: one.id(), ..two_genesis(&two) };
    let replayed = Entry::sign(&identity(1), &position, "test/line", b"line 1").unwrap();
    entries[1] = replayed.to_bytes();
    let refused = open(&entries).map(drop).unwrap_err();
    assert!(matches!(refused, BoardError::Signature { sequence: 1, author: by } if by == author));
}

fn two_genesis(board: &Board<MemoryStore>) -> Position {
    Position { board: board.id(), sequence: 1, previous: board.id() }
}

#[test]
fn the_board_is_pinned() {
    let board = board_of(3);
    let store = board.store().clone();
    assert_eq!(Board::open_expecting(&store, board.id()).unwrap().head(), board.head());
    let refused = Board::open_expecting(&store, board.head()).map(drop).unwrap_err();
    match refused {
        BoardError::WrongBoard { expected, got } => {
            assert_eq!((expected, got), (board.head(), board.id()));
        }
        other => panic!("{other:?}"),
    }
    let empty = MemoryStore::new();
    assert!(matches!(Board::open_expecting(&empty, board.id()), Err(BoardError::Empty)));
    assert!(matches!(Board::open(&empty), Err(BoardError::Empty)));
}

#[test]
fn the_genesis_entry_is_signed_for_no_board() {
    let position = Position { board: Digest::from([1; 32]), ..Position::genesis() };
    let entry = Entry::sign(&identity(0), &position, "k", b"").unwrap();
    let refused = open(&[entry.to_bytes()]).map(drop).unwrap_err();
    assert!(matches!(refused, BoardError::Signature { sequence: 0, .. }));
}

#[test]
fn a_directory_that_lost_files() {
    let directory = tempfile::tempdir().unwrap();
    let open = || DirectoryStore::open(directory.path()).unwrap();
    let mut board = Board::create(open(), &identity(0), "k", b"").unwrap();
    for _ in 0..4 {
        board.append(&identity(0), "k", b"").unwrap();
    }
    let verified = Board::open(open()).unwrap().into_verified();
    let path = |sequence| directory.path().join(format!("{sequence:08}.entry"));
    // One in the middle.
    let bytes = fs::read(path(2)).unwrap();
    fs::remove_file(path(2)).unwrap();
    let refused = Board::open(open()).map(drop).unwrap_err();
    assert!(matches!(refused, BoardError::Missing { sequence: 2 }), "{refused:?}");
    // A file cut short.
    fs::write(path(2), &bytes[..bytes.len() - 1]).unwrap();
    let refused = Board::open(open()).map(drop).unwrap_err();
    assert!(matches!(refused, BoardError::Malformed { sequence: 2, .. }), "{refused:?}");
    fs::write(path(2), &bytes).unwrap();
    // The end: who knew it notices, and who did not cannot.
    fs::remove_file(path(4)).unwrap();
    assert_eq!(Board::open(open()).unwrap().entries().len(), 4);
    let refused = Board::open_at(open(), verified).map(drop).unwrap_err();
    assert!(matches!(refused, BoardError::Missing { sequence: 4 }), "{refused:?}");
}

/// A store that forgets.
struct Forgetful(MemoryStore, std::sync::atomic::AtomicU64);

impl Store for Forgetful {
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(sequence)
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.0.append(sequence, bytes)
    }

    fn len(&self) -> Result<u64, StoreError> {
        Ok(self.1.load(std::sync::atomic::Ordering::SeqCst))
    }
}

#[test]
fn a_store_that_was_rolled_back() {
    let store = Forgetful(board_of(5).store().clone(), 5.into());
    let mut board = Board::open(&store).unwrap();
    store.1.store(3, std::sync::atomic::Ordering::SeqCst);
    let refused = board.refresh().unwrap_err();
    assert!(matches!(refused, BoardError::RolledBack { known: 5, got: 3 }));
    store.1.store(u64::MAX, std::sync::atomic::Ordering::SeqCst);
    assert!(matches!(board.refresh().unwrap_err(), BoardError::Missing { sequence: 5 }));
    assert_eq!(board.entries().len(), 5);
}

#[test]
fn good_entries_before_a_bad_one_are_kept() {
    let board = board_of(4);
    let mut entries = raw(board.store());
    let store = store_of(&entries[..2]);
    let mut view = Board::open(store.clone()).unwrap();
    entries[3].pop();
    (2..4).for_each(|at| store.append(at as u64, &entries[at]).unwrap());
    assert!(matches!(view.refresh(), Err(BoardError::Malformed { sequence: 3, .. })));
    assert_eq!(view.entries(), &board.entries()[..3]);
    assert_eq!(view.head(), board.entries()[2].digest());
}

#[test]
fn weak_and_ambiguous_authors_are_refused() {
    let mut identity_point = [0; 32];
    identity_point[0] = 1;
    // y = 1 again, as p + 1.
    let mut unreduced = [0xff; 32];
    (unreduced[0], unreduced[31]) = (0xee, 0x7f);
    // y = p + 3, where y = 3 is of large order.
    let mut large = [0xff; 32];
    (large[0], large[31]) = (0xf0, 0x7f);
    let mut no_point = [0; 32];
    no_point[0] = 2;
    // y = 0: order four.
    for bytes in [identity_point, unreduced, large, no_point, [0; 32]] {
        assert!(AuthorId::try_from(bytes).is_err(), "{bytes:?}");
        assert!(AuthorId::from_bytes(&bytes).is_err());
        assert!(Digest::from(bytes).to_string().parse::<AuthorId>().is_err());
    }
    let id = identity(1).id();
    assert!(id.to_string().to_uppercase().parse::<AuthorId>().is_err());
    assert_eq!(AuthorId::from_bytes(&id.to_bytes()).unwrap(), id);
}
