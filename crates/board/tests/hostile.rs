//! Bytes from anywhere: decoders and stores answer with errors.

use std::fs;

use crate::common::*;
use board::{AuthorId, Board, BoardError, DirectoryStore, Entry, MAX_ENTRY, Store, StoreError};
use proptest::prelude::*;
use wire::{Decode, DecodeError, Encode};

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
