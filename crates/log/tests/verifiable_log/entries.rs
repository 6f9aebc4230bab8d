//! Headers, leaves, promises and stretches: every byte counts, and hostile bytes are refused.

use log::{EntryError, Header, Leaf, MAX_HEADER, MAX_LEAF, Promise, Stretch};
use proptest::prelude::*;
use wire::{Decode, Encode};

use super::{AUTHOR, KEEPER, Kept, entry, identity, origin};

#[test]
fn a_header_is_bounded_whatever_the_payload() {
    let kind = "a".repeat(log::MAX_KIND);
    let slot = (kind.as_str(), [7; log::MAX_SUBJECT].as_slice());
    let header = Header::sign(&identity(AUTHOR), &origin(), slot, u64::MAX, &[1; 5_000]).unwrap();
    assert_eq!(header.to_bytes().len(), MAX_HEADER);
    assert_eq!(Leaf { time: 1, header: header.clone() }.to_bytes().len(), MAX_LEAF);
    assert_eq!((header.length(), header.author()), (5_000, identity(AUTHOR).id()));
    header.verify(&origin()).unwrap();
    header.verify_payload(&[1; 5_000]).unwrap();
    assert_eq!(header.verify_payload(&[1; 4_999]), Err(EntryError::OtherPayload));
    assert_eq!(header.verify_payload(&[2; 5_000]), Err(EntryError::OtherPayload));
    let elsewhere = header.verify(&"example.com/elsewhere".parse().unwrap());
    assert_eq!(elsewhere, Err(EntryError::Signature { author: identity(AUTHOR).id() }));
    let sign = |kind: &str, subject: &[u8]| {
        Header::sign(&identity(AUTHOR), &origin(), (kind, subject), 0, b"").unwrap_err()
    };
    assert_eq!(sign("", b""), EntryError::Kind);
    assert_eq!(sign("Ballot", b""), EntryError::Kind);
    assert_eq!(sign(&"a".repeat(65), b""), EntryError::Kind);
    assert_eq!(sign("a", &[0; 129]), EntryError::Subject { got: 129 });
}

/// Every bit of a header is signed, and decodes to another header or to none.
#[test]
fn no_bit_of_a_header_can_be_changed() {
    let header = entry("slot", b"payload");
    let bytes = header.to_bytes();
    assert_eq!(Header::from_bytes(&bytes).unwrap(), header);
    for at in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[at / 8] ^= 1 << (at % 8);
        if let Ok(other) = Header::from_bytes(&changed) {
            assert_ne!(other.digest(), header.digest());
            assert!(other.verify(&origin()).is_err(), "bit {at}");
        }
    }
    for cut in 0..bytes.len() {
        assert!(Header::from_bytes(&bytes[..cut]).is_err());
    }
    assert!(Header::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn a_leaf_binds_its_time() {
    let header = entry("slot", b"payload");
    let [one, two] = [5, 6].map(|time| Leaf { time, header: header.clone() });
    assert_ne!(one.hash(), two.hash());
    assert_eq!(Leaf::from_bytes(&one.to_bytes()).unwrap(), one);
    let mut other = one.to_bytes();
    other[0] = 2;
    assert!(Leaf::from_bytes(&other).is_err());
    let tick = Header::tick(&identity(KEEPER), &origin(), 7).unwrap();
    let keeper = identity(KEEPER).id();
    assert!(Leaf { time: 7, header: tick.clone() }.is_tick(&keeper));
    assert!(!Leaf { time: 7, header: tick }.is_tick(&identity(AUTHOR).id()));
    assert!(!one.is_tick(&keeper));
}

#[test]
fn an_author_accepts_only_a_promise_that_binds() {
    let (keeper, header) = (identity(KEEPER), entry("slot", b"payload"));
    let promise = Promise::sign(&keeper, &origin(), &header, (10, 100));
    let accept = |promise: &Promise, header: &Header, bounds| {
        promise.accept(&origin(), &keeper.id(), header, bounds)
    };
    assert_eq!(accept(&promise, &header, (10, 100)), Ok(()));
    assert!(accept(&promise, &entry("slot", b"other"), (10, 100)).is_err());
    assert!(accept(&promise, &header, (9, 100)).is_err());
    assert!(accept(&promise, &header, (10, 99)).is_err());
    assert!(promise.verify(&origin(), &identity(AUTHOR).id()).is_err());
    assert!(promise.verify(&"example.com/elsewhere".parse().unwrap(), &keeper.id()).is_err());
    let bytes = promise.to_bytes();
    assert_eq!(Promise::from_bytes(&bytes).unwrap(), promise);
    for at in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[at / 8] ^= 1 << (at % 8);
        let changed = Promise::from_bytes(&changed).unwrap();
        assert!(changed.verify(&origin(), &keeper.id()).is_err(), "bit {at}");
    }
}

#[test]
fn stretches_are_read_as_they_are_written() {
    let kept = Kept::of_ticks(0..9);
    let signed = kept.signed();
    let log = signed.checkpoint();
    let stretch = kept.stretch(2..6);
    assert_eq!(stretch.verify(log.size, &log.root), Ok(()));
    let bytes = stretch.to_bytes();
    assert_eq!(Stretch::from_bytes(&bytes).unwrap(), stretch);
    assert!(Stretch::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    // A count of leaves that are not there costs nothing.
    let mut hostile = bytes.clone();
    hostile[8..12].copy_from_slice(&[255, 255, 255, 0]);
    assert!(Stretch::from_bytes(&hostile).is_err());
}

proptest! {
    #[test]
    fn hostile_bytes_are_refused_or_canonical(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(header) = Header::from_bytes(&bytes) {
            prop_assert_eq!(header.to_bytes(), bytes.clone());
        }
        if let Ok(leaf) = Leaf::from_bytes(&bytes) {
            prop_assert_eq!(leaf.to_bytes(), bytes.clone());
        }
        if let Ok(stretch) = Stretch::from_bytes(&bytes) {
            prop_assert_eq!(stretch.to_bytes(), bytes);
        }
    }
}
