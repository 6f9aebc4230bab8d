//! Every way of showing a trie, and every way of lying about one.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wire::{Decode, Encode};

use super::*;
use crate::Fault;

fn leaf(key: &[u8]) -> Hash {
    type_leaf(&Hash::of("test", key))
}

fn trie(keys: &BTreeSet<Vec<u8>>) -> Trie {
    Trie::build(2, keys.iter().map(|key| (key.as_slice(), leaf(key)))).unwrap()
}

/// Whether a prefix leads to keys in `low..=high`.
fn within(low: u16, high: u16) -> impl Fn(&[u8], u16) -> bool {
    move |key, bits| {
        let prefix = u32::from(u16::from_be_bytes([key[0], key[1]]));
        let rest = 0xffff_u32 >> bits;
        let (least, most) = (prefix & !rest, prefix | rest);
        most >= u32::from(low) && least <= u32::from(high)
    }
}

fn leaves(keys: &BTreeSet<Vec<u8>>, low: u16, high: u16) -> Vec<(Vec<u8>, Hash)> {
    let number = |key: &[u8]| u16::from_be_bytes([key[0], key[1]]);
    let inside = keys.iter().filter(|key| (low..=high).contains(&number(key)));
    inside.map(|key| (key.clone(), leaf(key))).collect()
}

fn keys(numbers: &[u16]) -> BTreeSet<Vec<u8>> {
    numbers.iter().map(|number| number.to_be_bytes().to_vec()).collect()
}

proptest! {
    #[test]
    fn every_key_is_either_a_member_or_absent(
        numbers in prop::collection::btree_set(0_u16..400, 0..40), probe in 0_u16..400,
    ) {
        let keys = keys(&numbers.iter().copied().collect::<Vec<_>>());
        let trie = trie(&keys);
        let key = probe.to_be_bytes();
        match (trie.member(&key), trie.absence(&key)) {
            (Some(member), None) => {
                let member = Member::from_bytes(&member.to_bytes()).unwrap();
                prop_assert!(numbers.contains(&probe));
                prop_assert_eq!(member.verify(&trie.root(), &key, &leaf(&key)), Ok(()));
                prop_assert!(member.verify(&trie.root(), &key, &leaf(b"other")).is_err());
                prop_assert!(member.verify(&absent(), &key, &leaf(&key)).is_err());
            }
            (None, Some(absence)) => {
                let absence = Absence::from_bytes(&absence.to_bytes()).unwrap();
                prop_assert!(!numbers.contains(&probe));
                prop_assert_eq!(absence.verify(&trie.root(), &key), Ok(()));
                for number in &numbers {
                    prop_assert!(absence.verify(&trie.root(), &number.to_be_bytes()).is_err());
                }
            }
            _ => prop_assert!(false, "both or neither"),
        }
    }

    #[test]
    fn covers_hold_exactly_the_keys_of_a_region(
        numbers in prop::collection::vec(any::<u16>(), 0..40), a: u16, b: u16,
    ) {
        let keys = keys(&numbers);
        let trie = trie(&keys);
        let (low, high) = (a.min(b), a.max(b));
        let overlaps = within(low, high);
        let cover = Cover::from_bytes(&trie.cover(&overlaps).to_bytes()).unwrap();
        let inside = leaves(&keys, low, high);
        prop_assert_eq!(cover.verify(&trie.root(), 2, &inside, &overlaps), Ok(()));
        for omitted in 0..inside.len() {
            let mut fewer = inside.clone();
            fewer.remove(omitted);
            prop_assert!(cover.verify(&trie.root(), 2, &fewer, &overlaps).is_err());
        }
        let mut more = inside;
        more.push((vec![0xff, 0xff], leaf(b"extra")));
        prop_assert!(cover.verify(&trie.root(), 2, &more, &overlaps).is_err());
    }

    #[test]
    fn no_bit_of_a_proof_can_change(flip in any::<prop::sample::Index>(), bit in 0..8) {
        let keys = keys(&[1, 2, 3, 500, 501, 40_000, 65_535]);
        let trie = trie(&keys);
        let overlaps = within(2, 501);
        let flipped = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let at = flip.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            bytes
        };
        let inside = leaves(&keys, 2, 501);
        if let Ok(cover) = Cover::from_bytes(&flipped(&trie.cover(&overlaps).to_bytes())) {
            prop_assert!(cover.verify(&trie.root(), 2, &inside, &overlaps).is_err());
        }
        let key = 500_u16.to_be_bytes();
        if let Ok(member) = Member::from_bytes(&flipped(&trie.member(&key).unwrap().to_bytes())) {
            prop_assert!(member.verify(&trie.root(), &key, &leaf(&key)).is_err());
        }
        let gone = 499_u16.to_be_bytes();
        let bytes = flipped(&trie.absence(&gone).unwrap().to_bytes());
        if let Ok(absence) = Absence::from_bytes(&bytes) {
            prop_assert!(absence.verify(&trie.root(), &gone).is_err());
        }
    }
}

/// Attack N: cut an in-range subtree to a stub and give it a label out of range.
#[test]
fn a_relabelled_stub_hides_nothing() {
    let keys = keys(&[1, 2, 0x8001, 0x8002]);
    let trie = trie(&keys);
    let all = within(0, u16::MAX);
    let honest = trie.cover(&all);
    let [left, right] = honest.sides.clone().map(Option::unwrap);
    let CoverNode::Interior(edges) = &right.below else { panic!("two keys on the right") };
    let [below_left, below_right] = edges.as_ref();
    let hash = hash_interior(
        &hash_edge(&below_left.label, &leaf(&[0x80, 1])),
        &hash_edge(&below_right.label, &leaf(&[0x80, 2])),
    );
    let low = leaves(&keys, 0, 0x7fff);
    let stub = |label: Label| Cover {
        sides: [Some(left.clone()), Some(CoverEdge { label, below: CoverNode::Stub(hash) })],
    };
    // The true label is in range; another leads to another root; one on the wrong side is refused.
    let refused = stub(right.label.clone()).verify(&trie.root(), 2, &low, &all);
    assert_eq!(refused, Err(Fault::Trie { reason: "a stub hides keys of the region" }));
    let region = within(0, 0xbfff);
    let relabelled = stub(Label::of(&[0xff, 0xff], 0, right.label.len()));
    let refused = relabelled.verify(&trie.root(), 2, &low, &region);
    assert_eq!(refused, Err(Fault::Mismatch { what: "the cover of the region" }));
    let wrong_side = stub(Label::of(&[0, 0], 0, right.label.len()));
    let refused = wrong_side.verify(&trie.root(), 2, &low, &region);
    assert_eq!(refused, Err(Fault::Trie { reason: "a label is empty or on the wrong side" }));
    // Lengthened beyond the key, and empty.
    for label in [Label::of(&[0xff, 0xff, 0xff], 0, 17), Label::raw(0, &[])] {
        assert!(stub(label).verify(&trie.root(), 2, &low, &region).is_err());
    }
}

#[test]
fn labels_have_one_encoding() {
    let reader = |bytes: &[u8]| Label::decode(&mut wire::Reader::new(bytes), 16).is_ok();
    assert!(reader(&[3, 0, 0b1010_0000]));
    assert!(!reader(&[3, 0, 0b1010_0001]), "padding");
    assert!(!reader(&[3, 0, 0b1011_0000]), "padding");
    assert!(!reader(&[0, 0]), "empty");
    assert!(!reader(&[17, 0, 0, 0, 0]), "too long");
}

#[test]
fn keys_must_ascend() {
    let build = |keys: &[&[u8]]| Trie::build(1, keys.iter().map(|key| (*key, absent()))).is_some();
    assert!(build(&[&[1], &[2]]) && build(&[]));
    assert!(!build(&[&[2], &[1]]) && !build(&[&[1], &[1]]) && !build(&[&[1, 2]]));
}
