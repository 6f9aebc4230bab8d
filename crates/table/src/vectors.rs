//! Known answers, computed from the format's description with another implementation of BLAKE3 (the
//! Python package `blake3`).

use algebra::Scalar as _;

use crate::{
    ColumnRoots, EpochCore, EpochHeader, Hash, Place, UserKeys,
    leaf::hash_leaf,
    sum_tree::Root,
    trie::{Trie, id_leaf, type_leaf},
};

fn bytes(byte: u8) -> Hash {
    [byte; 32].into()
}

#[test]
fn hashes_and_derivations() {
    let table = bytes(1);
    let keys: Vec<u8> = [[2; 32], [3; 32]].concat();
    let keys = UserKeys::from_bytes(keys.as_slice().try_into().unwrap());
    let place = Place { table: &table, epoch: 10, key: &[0, 0, 0, 5], column: 0 };
    let pseudonym = keys.pseudonym(&table, 10, 0, b"meter 7");
    let expect = |hash: Hash, hex: &str| assert_eq!(hash.to_string(), hex);
    expect(pseudonym, "fdc5520823dde5f2df8f8fd573ae8b29f806df31047758ad0dd5089d4a58bfff");
    let tag = place.tag(&pseudonym);
    expect(tag, "866c6d225e4ef44380026eebcd74a82d7ec2825ac60805616f526986d4feda7a");
    let leaf = hash_leaf(&tag, &[[4; 32], [5; 32]]);
    expect(leaf, "65342a727af6378448fc30bfe8f019843eea54c29ec0ebe52d8c524ebe941c6f");
    let record = Root { count: 3, doubles: vec![[6; 32]], hash: leaf }.record(&place);
    expect(record, "f8764850fe18e576e763808b8f01e17e56b08e4f1a3fca1af20b598491656c3f");
    let type_leaf = type_leaf(&record);
    expect(type_leaf, "c4fc327b8f17595b2154a8687f542039b4ba827a2ab4402b76723557ab7a132f");
    let id = id_leaf(&pseudonym, &leaf);
    expect(id, "78624d5cbda31ec94a4a8415164eedb69d0d10d45542cbafa6e29aa0ca8d56ff");
    let trie = Trie::build(1, std::iter::once((&[0x80][..], type_leaf))).unwrap();
    expect(trie.root(), "5e149463f3e631735dd6dde2c48bd9c6ab89a42c521dbabf3fcc727aaef33ce1");
    let blinding = Hash::from(keys.blinding(&place, 0, 1, 42).encode());
    expect(blinding, "e17b1b45743e3234981f1e58093dc573b05d11606387a7e470226aa7584f4b08");
    let core = EpochCore {
        epoch: 10,
        columns: vec![ColumnRoots { types: bytes(7), ids: bytes(8) }],
        rollups: bytes(9),
        rows: 3,
        aux: bytes(10),
        previous: bytes(11),
    };
    expect(core.hash(&table), "65308b38c4bc4330a738797b589d01a063dd29c1c4ab7e8cce397f0ddcb8e601");
    let digest = EpochHeader { core, audit: bytes(12) }.digest(&table);
    expect(digest, "aa8eb5f88b79f9c0a12c809c2d447d3a7de0709e468c871367846afa2b55a7bb");
}
