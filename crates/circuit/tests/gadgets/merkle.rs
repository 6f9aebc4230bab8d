//! Trees, and paths in them on wires.

use algebra::Scalar;
use circuit::{
    gadgets::{MerkleMembership, MerklePath, MerkleTree, Poseidon},
    synthesis::Circuit,
};

use crate::support::{S, check};

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

/// The tree is that of all leaves, zeros included.
#[test]
fn padding() {
    let mut padded = leaves(5);
    padded.resize(8, S::zero());
    let whole = MerkleTree::new(padded, 3).unwrap();
    assert_eq!(whole.root(), MerkleTree::new(leaves(5), 3).unwrap().root());
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
        assert_eq!(system.header().constraints, 3 * 242 + 1);
    }
}

/// A direction that is no bit would exchange leaves at will.
#[test]
fn directions_are_bits() {
    let tree = MerkleTree::new(leaves(2), 1).unwrap();
    let circuit = MerkleMembership::new(leaves(2)[0], tree.path(0).unwrap());
    let (system, mut witness) = (circuit.constraint_system(), circuit.witness());
    // One, the root, the leaf, the sibling, the direction.
    assert_eq!(witness[4], S::one());
    witness[4] = S::from_u64(2);
    assert_eq!(system.first_unsatisfied(&witness), Some(0));
}
