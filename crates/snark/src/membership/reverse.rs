//! A value is held by one of these commitments.

use circuit::{
    gadgets::{
        MerklePath, MerkleTree, Poseidon,
        baby_jubjub::{CommitmentKey, Fr, JubjubPoint, JubjubScalar},
    },
    synthesis::{Circuit, Synthesizer},
};
use rayon::prelude::*;

/// A set of commitments as a tree with leaves `Poseidon(x, y)`.
pub struct CommitmentSet {
    tree: MerkleTree<Fr>,
}

impl CommitmentSet {
    /// The set of at most `2^depth` commitments; `None` if there are more, or `depth` is above 40.
    pub fn new(commitments: &[JubjubPoint], depth: usize) -> Option<Self> {
        let poseidon = Poseidon::new();
        let coordinates = JubjubPoint::coordinates(commitments);
        let leaves = coordinates.into_par_iter().map(|point| poseidon.hash(point)).collect();
        Some(Self { tree: MerkleTree::new(leaves, depth)? })
    }

    /// The root.
    pub fn root(&self) -> Fr {
        self.tree.root()
    }

    /// The path of commitment `index`.
    pub fn path(&self, index: usize) -> Option<MerklePath<Fr>> {
        self.tree.path(index)
    }
}

/// "I know `r` such that the commitment to this `v` with `r` is in the set with this root."
pub struct Reverse<'a> {
    commitments: &'a CommitmentKey,
    value: JubjubScalar,
    randomness: JubjubScalar,
    path: MerklePath<Fr>,
}

impl<'a> Reverse<'a> {
    /// For a value, the randomness of its commitment, and the commitment's path.
    pub fn new(
        commitments: &'a CommitmentKey,
        value: &JubjubScalar,
        randomness: &JubjubScalar,
        path: MerklePath<Fr>,
    ) -> Self {
        Self { commitments, value: value.clone(), randomness: randomness.clone(), path }
    }

    /// Without a witness, for the constraints of sets of at most `2^depth` commitments.
    pub fn blank(commitments: &'a CommitmentKey, depth: usize) -> Self {
        let zero = JubjubScalar::zero();
        Self::new(commitments, &zero, &zero, MerklePath::blank(depth))
    }

    /// The public inputs of a statement.
    pub fn public(value: &JubjubScalar, root: Fr) -> Vec<Fr> {
        vec![value.value(), root]
    }
}

impl Circuit<Fr> for Reverse<'_> {
    fn synthesize(&self, cs: &mut Synthesizer<Fr>) {
        let poseidon = Poseidon::new();
        let commitment = self.commitments.constrain(cs, &self.value, &self.randomness);
        cs.expose(&commitment.value.value());
        let leaf = poseidon.constrain(cs, [&commitment.point.x, &commitment.point.y]);
        let root = self.path.constrain_root(cs, &poseidon, &leaf);
        cs.expose(&root);
    }
}
