//! Sum trees and epochs: rebuilt to the byte, opened by nobody else, and no path that lies.

use crate::support::*;
use table::sum_tree::{Path, Sibling};
use table::*;
use wire::{Encode, Reader};

fn built(count: usize) -> (Setup, BuiltEpoch) {
    let setup = setup(schema());
    let entries = entries(setup.table.schema(), count, 6, 1);
    let epoch = build(&setup, 10, entries, *setup.table.id());
    (setup, epoch)
}

#[test]
fn the_same_rows_give_the_same_bytes_in_any_order() {
    let (setup, epoch) = built(60);
    let mut again = epoch.entries.clone();
    again.reverse();
    assert_eq!(build(&setup, 10, again.clone(), *setup.table.id()).core, epoch.core);
    let hash = epoch.core.hash(setup.table.id());
    // Another value, epoch, predecessor or table gives another core.
    again[7].row.values[1] ^= 1;
    let other = build(&setup, 10, again, *setup.table.id()).core;
    assert_ne!(other.hash(setup.table.id()), hash);
    let other = build(&setup, 11, epoch.entries.clone(), *setup.table.id()).core;
    assert_ne!(other.columns, epoch.core.columns);
    let mut other = epoch.core.clone();
    other.previous = hash;
    assert_ne!(other.hash(setup.table.id()), hash);
    assert_ne!(epoch.core.hash(&hash), hash);
}

#[test]
fn rows_are_sorted_and_every_user_recomputes_its_leaf() {
    let (setup, epoch) = built(60);
    let column = &epoch.columns[0];
    let mut seen = 0;
    for key in &column.keys {
        assert!(key.rows.is_sorted_by_key(|row| row.value));
        let place = setup.table.place(10, &key.key, 0);
        for (rank, row) in key.rows.iter().enumerate() {
            let entry = &epoch.entries[row.entry as usize];
            let leaf = Leaf::recompute(setup.table.schema(), &place, &entry.keys, &entry.row);
            assert_eq!(leaf.unwrap(), key.tree.leaf(rank as u64).unwrap());
            seen += 1;
        }
    }
    assert_eq!(seen, 60);
    assert_eq!(setup.table.schema().slots(0).len(), 4);
}

#[test]
fn paths_lead_to_the_root_and_nothing_in_them_can_change() {
    let (_, epoch) = built(60);
    for key in &epoch.columns[0].keys {
        let root = key.tree.root();
        for rank in 0..root.count {
            let (leaf, path) = (key.tree.leaf(rank).unwrap(), key.tree.path(rank).unwrap());
            assert_eq!(path.sums(&leaf).unwrap().root, root);
            let mut bytes = Vec::new();
            path.encode(&mut bytes);
            let decoded = Path::decode(&mut Reader::new(&bytes), 4).unwrap();
            assert_eq!(decoded, path);
            // A byte in every 13, to keep the test short: all fields are longer than that.
            for at in (0..bytes.len()).step_by(13) {
                let mut bytes = bytes.clone();
                bytes[at] ^= 4;
                if let Ok(path) = Path::decode(&mut Reader::new(&bytes), 4) {
                    assert!(path.sums(&leaf).map(|sums| sums.root) != Ok(root.clone()), "{at}");
                }
            }
            let other = key.tree.leaf((rank + 1) % root.count).unwrap();
            assert!(root.count == 1 || path.sums(&other).unwrap().root != root);
        }
        assert!(key.tree.path(root.count).is_none());
    }
}

/// Attack B: a leaf moved by δ and its sibling by −δ leave the sum as it is.
#[test]
fn compensated_leaves_are_refused() {
    use algebra::{Group as _, Ristretto255 as Point};
    let (_, epoch) = built(60);
    let key = epoch.columns[0].keys.iter().find(|key| key.rows.len() >= 2).unwrap();
    let (mut leaf, mut path) = (key.tree.leaf(0).unwrap(), key.tree.path(0).unwrap());
    let delta = Point::hash_to_group(b"delta");
    let shift = |bytes: &mut [u8; 32], by: Point| {
        *bytes = (Point::decode(bytes).unwrap() + by).encode().try_into().unwrap();
    };
    shift(&mut leaf.commitments[0], delta);
    let Sibling::Leaf(sibling) = &mut path.siblings[0] else { panic!("two rows at least") };
    shift(&mut sibling.commitments[0], -delta);
    let sums = path.sums(&leaf).unwrap();
    assert_eq!(sums.root.doubles, key.tree.root().doubles);
    assert_ne!(sums.root.hash, key.tree.root().hash);
}

/// Siblings of the wrong kind, too many, too few, and of another width.
#[test]
fn paths_have_the_shape_of_index_and_count() {
    let (_, epoch) = built(60);
    let key = epoch.columns[0].keys.iter().find(|key| key.rows.len() >= 4).unwrap();
    let (leaf, path) = (key.tree.leaf(0).unwrap(), key.tree.path(0).unwrap());
    let refused = |change: &dyn Fn(&mut Path)| {
        let mut path = path.clone();
        change(&mut path);
        assert_eq!(path.sums(&leaf).map(|sums| sums.root), Err(Fault::PathShape));
    };
    refused(&|path| path.siblings.truncate(1));
    refused(&|path| path.siblings.push(path.siblings[0].clone()));
    refused(&|path| path.siblings.swap(0, 1));
    refused(&|path| path.index = path.count);
    refused(&|path| path.count = 0);
    refused(&|path| {
        let Sibling::Leaf(leaf) = &mut path.siblings[0] else { panic!() };
        leaf.commitments.pop();
    });
}

/// A row alone in its key: the record holds the doubled commitment, and no leaf hash passes as it.
#[test]
fn a_single_row_is_its_own_tree() {
    use algebra::{Group as _, Ristretto255 as Point};
    let setup = setup(schema());
    let epoch = build(&setup, 10, entries(setup.table.schema(), 1, 6, 3), *setup.table.id());
    let key = &epoch.columns[0].keys[0];
    let leaf = key.tree.leaf(0).unwrap();
    let sums = key.tree.path(0).unwrap().sums(&leaf).unwrap();
    assert_eq!(sums.root, key.tree.root());
    let double = Point::decode(&leaf.commitments[0]).unwrap().double().encode();
    assert_eq!(sums.root.doubles[0].as_slice(), double);
    assert_eq!(sums.root.hash, leaf.hash());
}

#[test]
fn an_epoch_without_rows_is_an_epoch() {
    let setup = setup(schema());
    let epoch = build(&setup, 10, Vec::new(), *setup.table.id());
    assert_eq!(epoch.core.rows, 0);
    assert_eq!(epoch.core.columns[0].types, epoch.core.columns[0].ids);
    assert_eq!(epoch.core.columns[0].types, epoch.core.rollups);
}

#[test]
fn rows_outside_of_the_schema_and_second_rows_are_refused() {
    let setup = setup(schema());
    let good = entries(setup.table.schema(), 2, 6, 3);
    let refuse = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = good.clone();
        change(&mut entries);
        let id = *setup.table.id();
        BuiltEpoch::build(&setup.table, &setup.secrets, 10, entries, &[], id)
            .map(|_| ())
            .unwrap_err()
    };
    let duplicate = refuse(&|entries| entries[1].row.user = entries[0].row.user.clone());
    assert_eq!(duplicate, BuildError::Duplicate { index: 1 });
    assert!(matches!(refuse(&|e| e[0].row.values[0] = 1001), BuildError::Row { index: 0, .. }));
    assert!(matches!(refuse(&|e| e[1].row.values.truncate(1)), BuildError::Row { .. }));
    assert!(matches!(refuse(&|e| e[1].row.key[4] = 2), BuildError::Row { .. }));
    assert!(matches!(refuse(&|e| e[1].row.user.clear()), BuildError::Row { .. }));
}

/// Two users whom the server gave the same keys still have two pseudonyms and two leaves.
#[test]
fn equal_keys_do_not_merge_users() {
    let setup = setup(schema());
    let mut entries = entries(setup.table.schema(), 2, 0, 3);
    entries[1].keys = entries[0].keys.clone();
    entries[1].row.key = entries[0].row.key.clone();
    let epoch = build(&setup, 10, entries, *setup.table.id());
    let tree = &epoch.columns[0].keys[0].tree;
    assert_ne!(tree.leaf_hashes()[0], tree.leaf_hashes()[1]);
}

/// What a changed value does to a blinding: two commitments of one place differ by more than
/// `(v − v')·G`.
#[test]
fn another_value_has_an_unrelated_blinding() {
    use algebra::{Group as _, Ristretto255 as Point, Scalar as _};
    let setup = setup(schema());
    let entry = &entries(setup.table.schema(), 1, 6, 3)[0];
    let place = setup.table.place(10, &entry.row.key, 0);
    let commitment = |value| {
        let row = Row { values: vec![value, 0], ..entry.row.clone() };
        let leaf = Leaf::recompute(setup.table.schema(), &place, &entry.keys, &row).unwrap();
        Point::decode(&leaf.commitments[0]).unwrap()
    };
    let base = Point::hash_to_group(b"subrosa/table/v1/G");
    let one = <Point as algebra::Group>::Scalar::from_u64(1);
    assert_ne!(commitment(6) - commitment(5), base.mul(&one));
    assert_eq!(commitment(6), commitment(6));
}

#[test]
fn schemas_that_could_wrap_and_weak_quorums_are_refused() {
    let refused = |change: &dyn Fn(&mut Schema)| {
        let mut schema = schema();
        change(&mut schema);
        assert!(schema.check().is_err());
    };
    assert!(schema().check().is_ok());
    refused(&|schema| schema.values[0] = column("power", i64::MIN, i64::MAX, 4, true));
    refused(&|schema| schema.values[0] = column("power", 0, 1 << 53, 4, true));
    refused(&|schema| schema.values[0] = column("power", 5, 5, 1, true));
    refused(&|schema| schema.values[0].ordered = false);
    refused(&|schema| schema.values[1].name = "power".to_owned());
    refused(&|schema| schema.policy.quantiles.push(Fraction { part: 2, whole: 2 }));
    let mut wide = schema();
    wide.values[0] = column("power", i64::MIN, i64::MAX, 3, true);
    assert!(wide.check().is_ok());
    assert_eq!(wide.values[0].bits(), 64);
    let setup = setup(schema());
    for (quorum, dishonest) in [(1, 0), (4, 0), (2, 1), (3, 3)] {
        let genesis = Genesis { quorum, dishonest, ..setup.table.genesis().clone() };
        assert!(genesis.check().is_err(), "{quorum} of 3, {dishonest} dishonest");
    }
}

#[test]
fn a_genesis_has_one_form_and_names_its_table() {
    let setup = setup(schema());
    let genesis = setup.table.genesis();
    let bytes = genesis.to_bytes();
    assert_eq!(&Genesis::from_bytes(&bytes).unwrap(), genesis);
    assert!(Genesis::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    let other = Genesis { nonce: [1; 32].into(), ..genesis.clone() };
    assert_ne!(other.table_id(), genesis.table_id());
    let mut out = Vec::new();
    setup.table.id().encode(&mut out);
    assert_eq!(out.len(), 32);
}
