//! A commitment holds one of these values.

use algebra::Scalar as _;
use circuit::{
    gadgets::{
        MerklePath, MerkleTree, Poseidon,
        baby_jubjub::{CommitmentKey, Fr, JubjubPoint, JubjubScalar},
    },
    synthesis::{Circuit, Linear, Synthesizer},
};
use rayon::prelude::*;

/// A set of values as a tree with leaves `Poseidon(0, v)`.
pub struct ValueSet {
    tree: MerkleTree<Fr>,
}

impl ValueSet {
    /// The set of at most `2^depth` values; `None` if there are more, or `depth` is above 40.
    pub fn new(values: &[JubjubScalar], depth: usize) -> Option<Self> {
        let poseidon = Poseidon::new();
        let leaf = |value: &JubjubScalar| poseidon.hash([Fr::zero(), value.value()]);
        let leaves = values.par_iter().map(leaf).collect();
        Some(Self { tree: MerkleTree::new(leaves, depth)? })
    }

    /// The root.
    pub fn root(&self) -> Fr {
        self.tree.root()
    }

    /// The path of value `index`.
    pub fn path(&self, index: usize) -> Option<MerklePath<Fr>> {
        self.tree.path(index)
    }
}

/// "I know the opening `v`, `r` of this commitment, and `v` is in the set with this root."
pub struct Forward<'a> {
    commitments: &'a CommitmentKey,
    value: JubjubScalar,
    randomness: JubjubScalar,
    path: MerklePath<Fr>,
}

impl<'a> Forward<'a> {
    /// For a value, the randomness of its commitment, and its path.
    pub fn new(
        commitments: &'a CommitmentKey,
        value: &JubjubScalar,
        randomness: &JubjubScalar,
        path: MerklePath<Fr>,
    ) -> Self {
        Self { commitments, value: value.clone(), randomness: randomness.clone(), path }
    }

    /// Without a witness, for the constraints of sets of at most `2^depth` values.
    pub fn blank(commitments: &'a CommitmentKey, depth: usize) -> Self {
        let zero = JubjubScalar::zero();
        Self::new(commitments, &zero, &zero, MerklePath::blank(depth))
    }

    /// The public inputs of a statement.
    pub fn public(commitment: &JubjubPoint, root: Fr) -> Vec<Fr> {
        let coordinates = JubjubPoint::coordinates(std::slice::from_ref(commitment));
        coordinates.into_iter().flatten().chain([root]).collect()
    }
}

impl Circuit<Fr> for Forward<'_> {
    fn synthesize(&self, cs: &mut Synthesizer<Fr>) {
        let poseidon = Poseidon::new();
        let commitment = self.commitments.constrain(cs, &self.value, &self.randomness);
        cs.expose(&commitment.point.x);
        cs.expose(&commitment.point.y);
        let leaf = poseidon.constrain(cs, [&Linear::zero(), &commitment.value.value()]);
        let root = self.path.constrain_root(cs, &poseidon, &leaf);
        cs.expose(&root);
    }
}
