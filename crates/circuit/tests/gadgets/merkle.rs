//! Trees, and paths in them on wires.

use algebra::Scalar;
use circuit::{
    gadgets::{MerkleMembership, MerklePath, MerkleTree, Poseidon},
    synthesis::Circuit,
};

use super::support::{S, check};

fn leaves(count: u64) -> Vec<S> {
    (1..=count).map(|leaf| S::from_u64(leaf * 100)).collect()
}

#[test]
fn every_leaf_leads_to_the_root() {
    let poseidon = Poseidon::new();
    for (count, depth) in [(0, 0), (1, 0), (1, 3), (2, 1), (5, 3), (8, 3), (9, 4), (3, 20)] {
        let tree = MerkleTree::new(leaves(count), depth).unwrap();
        for (index, leaf) in leaves(count).into_iter().enumerate() {
            let path = tree.path(index).unwrap();
            assert_eq!(path.steps.len(), depth);
            assert_eq!(path.root(&poseidon, leaf), tree.root());
            assert_ne!(path.root(&poseidon, leaf + S::one()), tree.root());
        }
        assert!(tree.path(count as usize).is_none());
        assert!(MerkleTree::new(leaves((1 << depth) + 1), depth.min(4)).is_none());
    }
    assert!(MerkleTree::new(leaves(1), 41).is_none());
}

/// A tree is padded with zeros, whose paths anybody computes from the leaves. Zero is no leaf.
#[test]
fn the_empty_leaf_is_no_member() {
    let (poseidon, tree) = (Poseidon::new(), MerkleTree::new(leaves(5), 3).unwrap());
    let [zero, fifth] = [S::zero(), leaves(5)[4]];
    let left = tree.path(0).unwrap().root(&poseidon, leaves(1)[0]);
    assert_eq!(left, tree.root());
    // The path of the sixth leaf, which nobody put there, leads to the root.
    let mut path = tree.path(4).unwrap();
    path.steps[0] = (fifth, false);
    assert_eq!(path.root(&poseidon, zero), tree.root());
    let circuit = MerkleMembership::new(zero, path.clone());
    let (system, mut witness) = (circuit.constraint_system(), circuit.witness());
    // The constraint that the leaf has an inverse is the first; all others are content.
    assert_eq!(system.first_unsatisfied(&witness), Some(0));
    assert!(system.constraints()[1..].iter().all(|row| row.is_satisfied_by(&witness)));
    for inverse in [1, 2].map(S::from_u64) {
        witness[3] = inverse;
        assert_eq!(system.first_unsatisfied(&witness), Some(0));
    }
    // Nor is it given to a tree as one.
    assert!(MerkleTree::new(vec![fifth, zero], 3).is_none());
}

#[test]
fn on_wires() {
    let tree = MerkleTree::new(leaves(5), 3).unwrap();
    for index in 0..5 {
        let circuit = MerkleMembership::new(leaves(5)[index], tree.path(index).unwrap());
        let (system, outputs) = check(&circuit, 29);
        assert_eq!(outputs, [tree.root()]);
        let blank = MerkleMembership::new(S::zero(), MerklePath::blank(3));
        assert!(system == blank.constraint_system());
        assert_eq!(system.header().constraints, 3 * 242 + 2);
    }
}

/// A direction that is no bit would exchange leaves at will.
#[test]
fn directions_are_bits() {
    let tree = MerkleTree::new(leaves(2), 1).unwrap();
    let circuit = MerkleMembership::new(leaves(2)[0], tree.path(0).unwrap());
    let (system, mut witness) = (circuit.constraint_system(), circuit.witness());
    // One, the root, the leaf, its inverse, the sibling, the direction.
    assert_eq!(witness[5], S::one());
    witness[5] = S::from_u64(2);
    assert_eq!(system.first_unsatisfied(&witness), Some(1));
}
