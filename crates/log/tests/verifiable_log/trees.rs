//! Trees against the definition of RFC 6962, section 2.1, and proofs with everything in them changed.

use log::{
    MemoryTiles, TileStore, Tree, TreeError,
    merkle::{
        self, CompactRange, Hash, Leaves, ProofError, contradicts, leaf_hash, node_hash,
        root_from_range, verify_consistency, verify_inclusion,
    },
    tile::{self, Tile},
};
use proptest::prelude::*;

/// The definitions, word for word: `k` is the largest power of two smaller than `n`.
mod definition {
    use super::*;

    fn split(n: usize) -> usize {
        let mut k = 1;
        while 2 * k < n {
            k *= 2;
        }
        k
    }

    pub(super) fn mth(d: &[Vec<u8>]) -> Hash {
        match d {
            [] => merkle::empty_root(),
            [only] => leaf_hash(only),
            _ => {
                let (left, right) = d.split_at(split(d.len()));
                node_hash(&mth(left), &mth(right))
            }
        }
    }

    pub(super) fn path(m: usize, d: &[Vec<u8>]) -> Vec<Hash> {
        if d.len() == 1 {
            return Vec::new();
        }
        let k = split(d.len());
        let (mut path, beside) = match m < k {
            true => (path(m, &d[..k]), mth(&d[k..])),
            false => (path(m - k, &d[k..]), mth(&d[..k])),
        };
        path.push(beside);
        path
    }

    pub(super) fn proof(m: usize, d: &[Vec<u8>]) -> Vec<Hash> {
        subproof(m, d, true)
    }

    fn subproof(m: usize, d: &[Vec<u8>], b: bool) -> Vec<Hash> {
        if m == d.len() {
            return if b { Vec::new() } else { vec![mth(d)] };
        }
        let k = split(d.len());
        let (mut proof, beside) = match m <= k {
            true => (subproof(m, &d[..k], b), mth(&d[k..])),
            false => (subproof(m - k, &d[k..], false), mth(&d[..k])),
        };
        proof.push(beside);
        proof
    }
}

fn data(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|at| format!("leaf {at}").into_bytes()).collect()
}

fn hashes(data: &[Vec<u8>]) -> Vec<Hash> {
    data.iter().map(|data| leaf_hash(data)).collect()
}

fn other() -> Hash {
    [99; 32].into()
}

/// The leaves and roots that the implementations of Certificate Transparency test with.
#[test]
fn known_roots() {
    let leaves: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    for (size, expected) in [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ] {
        assert_eq!(merkle::root(&leaves[..size]).to_string(), expected);
    }
}

#[test]
fn every_proof_of_small_logs_is_that_of_the_definition_and_fits_nothing_else() {
    let data = data(20);
    for new in 1..=20_usize {
        let new_root = definition::mth(&data[..new]);
        assert_eq!(merkle::root(&data[..new]), new_root);
        for index in 0..20 {
            let leaf = leaf_hash(&data[index]);
            let proof = merkle::inclusion(index, &data[..new]);
            let check = |index: usize, leaf: &Hash, size: usize, proof: &[Hash]| {
                verify_inclusion((index as u64, leaf), (size as u64, &new_root), proof)
            };
            if index >= new {
                assert_eq!(proof, []);
                assert!(check(index, &leaf, new, &proof).is_err());
                continue;
            }
            assert_eq!(proof, definition::path(index, &data[..new]));
            assert_eq!(check(index, &leaf, new, &proof), Ok(()));
            assert_eq!(check(index, &other(), new, &proof), Err(ProofError::Root));
            assert!(check(index, &leaf, index, &proof).is_err());
            assert!(index == 0 || check(index - 1, &leaf, new, &proof).is_err());
            let longer = [&proof[..], &[other()]].concat();
            assert!(matches!(check(index, &leaf, new, &longer), Err(ProofError::Length { .. })));
            for at in 0..proof.len() {
                let mut changed = proof.clone();
                changed[at] = other();
                assert_eq!(check(index, &leaf, new, &changed), Err(ProofError::Root));
                changed.remove(at);
                assert!(check(index, &leaf, new, &changed).is_err());
            }
        }
        for old in 0..=new {
            let old_root = definition::mth(&data[..old]);
            let proof = merkle::consistency(old, &data[..new]);
            if old > 0 {
                assert_eq!(proof, definition::proof(old, &data[..new]));
            }
            let check = |old_root: &Hash, new_root: &Hash, proof: &[Hash]| {
                verify_consistency((old as u64, old_root), (new as u64, new_root), proof)
            };
            assert_eq!(check(&old_root, &new_root, &proof), Ok(()), "{old} to {new}");
            assert!(check(&old_root, &new_root, &[&proof[..], &[other()]].concat()).is_err());
            assert!(old == 0 || check(&other(), &new_root, &proof).is_err());
            assert!(old == 0 || check(&old_root, &other(), &proof).is_err());
            for at in 0..proof.len() {
                let mut changed = proof.clone();
                changed[at] = other();
                assert!(check(&old_root, &new_root, &changed).is_err());
                changed.remove(at);
                assert!(check(&old_root, &new_root, &changed).is_err());
            }
        }
    }
    let refused = verify_consistency((3, &other()), (2, &other()), &[]);
    assert_eq!(refused, Err(ProofError::Sizes { old: 3, new: 2 }));
}

#[test]
fn every_range_of_small_logs_is_proven_and_fits_nothing_else() {
    let data = data(13);
    let hashes = hashes(&data);
    for size in 1..=13_u64 {
        let root = merkle::root(&data[..size as usize]);
        for (first, end) in
            (0..size).flat_map(|first| (first + 1..=size).map(move |end| (first, end)))
        {
            let Ok(proof) = merkle::range_proof(&Leaves(&data), &(first..end), size);
            let leaves = &hashes[first as usize..end as usize];
            assert_eq!(root_from_range(first, size, leaves, &proof), Ok(root));
            for at in 0..leaves.len() {
                let mut changed = leaves.to_vec();
                changed[at] = other();
                assert_ne!(root_from_range(first, size, &changed, &proof), Ok(root));
                changed.remove(at);
                assert_ne!(root_from_range(first, size, &changed, &proof), Ok(root));
            }
            for at in 0..proof.len() {
                let mut changed = proof.clone();
                changed[at] = other();
                assert_ne!(root_from_range(first, size, leaves, &changed), Ok(root));
                changed.remove(at);
                assert!(root_from_range(first, size, leaves, &changed).is_err());
            }
            let longer = [&proof[..], &[other()]].concat();
            assert!(root_from_range(first, size, leaves, &longer).is_err());
            assert!(first == 0 || root_from_range(first - 1, size, leaves, &proof) != Ok(root));
            assert!(root_from_range(size, size, leaves, &proof).is_err());
        }
        assert!(root_from_range(0, size, &[], &[root]).is_err());
    }
    // Numbers of an attacker cost nothing.
    assert!(root_from_range(u64::MAX, u64::MAX, &hashes, &[]).is_err());
    assert!(root_from_range(1 << 62, u64::MAX, &hashes, &[]).is_err());
}

#[test]
fn a_tree_on_tiles_is_reopened_at_every_size() {
    let data = data(600);
    let hashes = hashes(&data);
    let mut tree = Tree::new(MemoryTiles::default());
    let mut compact = CompactRange::new();
    for (size, hash) in hashes.iter().enumerate() {
        if matches!(size, 0 | 1 | 255..=257 | 511..=513) {
            let root = tree.root().unwrap();
            assert_eq!(root, merkle::root(&data[..size]));
            assert_eq!(compact.root(), root);
            let stored = CompactRange::from_peaks(compact.size(), compact.peaks().to_vec());
            assert_eq!(stored.unwrap(), compact);
            let reopened = Tree::open(tree.store().clone(), size as u64, &root).unwrap();
            assert_eq!((reopened.size(), reopened.root().unwrap()), (size as u64, root));
            let refused = Tree::open(tree.store().clone(), size as u64, &other());
            assert!(matches!(refused, Err(TreeError::Root { .. })));
        }
        tree.append(&[*hash]).unwrap();
        compact.push(*hash);
    }
    let root = tree.root().unwrap();
    let missing = Tree::open(tree.store().clone(), 601, &root).unwrap_err();
    assert_eq!(missing.to_string(), "tile 0/002.p/89 is missing or damaged: restore the store");
    assert!(matches!(Tree::open(tree.store().clone(), u64::MAX, &root), Err(TreeError::Full)));
    assert!(CompactRange::from_peaks(7, vec![other(); 2]).is_err());
    // A damaged full tile is found by whoever checks the proof.
    let mut store = tree.store().clone();
    store.put(&"0/000".parse().unwrap(), &[7; 8192]).unwrap();
    let damaged = Tree::open(store, 600, &root).unwrap();
    let proof = merkle::inclusion_proof(&damaged, 3, 600).unwrap();
    assert!(verify_inclusion((3, &hashes[3]), (600, &root), &proof).is_err());
}

/// A store that takes so many tiles and then fails.
#[derive(Clone)]
struct Failing(MemoryTiles, usize);

impl TileStore for Failing {
    type Error = &'static str;

    fn get(&self, tile: &Tile) -> Result<Option<Vec<u8>>, Self::Error> {
        let Ok(bytes) = self.0.get(tile);
        Ok(bytes)
    }

    fn put(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Self::Error> {
        self.1 = self.1.checked_sub(1).ok_or("full")?;
        let Ok(()) = self.0.put(tile, bytes);
        Ok(())
    }
}

#[test]
fn what_a_store_fails_to_keep_is_not_appended() {
    let data = data(600);
    for tiles in 0..4 {
        let mut tree = Tree::new(Failing(MemoryTiles::default(), tiles));
        assert_eq!(tree.append(&hashes(&data)), Err(TreeError::Store("full")));
        assert_eq!((tree.size(), tree.root().unwrap()), (0, merkle::empty_root()));
    }
    let mut tree = Tree::new(Failing(MemoryTiles::default(), 4));
    tree.append(&hashes(&data)).unwrap();
    assert_eq!(tree.root().unwrap(), merkle::root(&data));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// However a log grew, its tiles, roots and proofs are those of the definition.
    #[test]
    fn trees_are_those_of_the_definition(
        parts in prop::collection::vec(1..400_usize, 1..5),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        let count = parts.iter().sum();
        let data = data(count);
        let hashes = hashes(&data);
        let mut tree = Tree::new(MemoryTiles::default());
        let mut at = 0;
        for part in parts {
            let old = tree.size();
            tree.append(&hashes[at..at + part]).unwrap();
            at += part;
            for name in Tile::written(old, tree.size()) {
                let Ok(expected) = tile::hashes(&Leaves(&data), &name, tree.size());
                let Ok(stored) = tree.store().get(&name);
                prop_assert_eq!(stored, expected);
            }
        }
        let root = definition::mth(&data);
        prop_assert_eq!(tree.root().unwrap(), root);
        let size = count as u64;
        for pair in picks.chunks(2) {
            let (index, old) = (pair[0].index(count), 1 + pair[1].index(count));
            let inclusion = merkle::inclusion_proof(&tree, index as u64, size).unwrap();
            prop_assert_eq!(&inclusion, &definition::path(index, &data));
            let at = (index as u64, &hashes[index]);
            prop_assert_eq!(verify_inclusion(at, (size, &root), &inclusion), Ok(()));
            let proof = merkle::consistency_proof(&tree, old as u64, size).unwrap();
            prop_assert_eq!(&proof, &definition::proof(old, &data));
            let old_root = definition::mth(&data[..old]);
            let check = verify_consistency((old as u64, &old_root), (size, &root), &proof);
            prop_assert_eq!(check, Ok(()));
            let (first, end) = (index.min(old - 1), index.max(old - 1) + 1);
            let range = first as u64..end as u64;
            let proof = merkle::range_proof(&tree, &range, size).unwrap();
            let reached = root_from_range(range.start, size, &hashes[first..end], &proof);
            prop_assert_eq!(reached, Ok(root));
        }
    }

    /// Two logs that part somewhere contradict each other beyond, and an honest log never itself.
    #[test]
    fn forks_contradict_and_honest_logs_do_not(
        size in 2..200_usize,
        old in any::<prop::sample::Index>(),
        parted in any::<prop::sample::Index>(),
    ) {
        let old = 1 + old.index(size - 1);
        let honest = data(size);
        let mut forked = honest.clone();
        forked[parted.index(old)] = b"another".to_vec();
        let shown = |data: &[Vec<u8>]| {
            let start = old.is_power_of_two().then(|| merkle::root(&data[..old]));
            start.into_iter().chain(merkle::consistency(old, data)).collect::<Vec<Hash>>()
        };
        let old_root = merkle::root(&honest[..old]);
        let check = |data: &[Vec<u8>]| {
            let new_root = merkle::root(data);
            contradicts((old as u64, &old_root), (size as u64, &new_root), &shown(data))
        };
        prop_assert_eq!(check(&honest), Ok(false));
        prop_assert_eq!(check(&forked), Ok(true));
        // A proof of one log says nothing about another.
        let new_root = merkle::root(&honest);
        let proof = shown(&forked);
        let elsewhere = contradicts((old as u64, &old_root), (size as u64, &new_root), &proof);
        prop_assert!(elsewhere.is_err());
    }

    /// Hostile proofs about hostile sizes: an error, in no time.
    #[test]
    fn no_size_is_too_large_to_refuse(
        (one, two, leaf) in (any::<u64>(), any::<u64>(), any::<[u8; 32]>()),
        proof in prop::collection::vec(any::<[u8; 32]>(), 0..70),
    ) {
        let proof: Vec<Hash> = proof.into_iter().map(Hash::from).collect();
        let leaf = leaf.into();
        prop_assert!(verify_inclusion((one, &leaf), (two, &leaf), &proof).is_err());
        prop_assert!(one == 0 || one == two || verify_consistency((one, &leaf), (two, &leaf), &proof).is_err());
        let reached = root_from_range(one, two, &[leaf, leaf], &proof);
        prop_assert!(reached != Ok(leaf));
        prop_assert!(contradicts((one, &leaf), (two, &leaf), &proof).is_err());
    }
}
