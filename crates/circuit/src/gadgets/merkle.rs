//! Binary trees of scalars under [`Poseidon`], and paths in them.

use algebra::Scalar;
use rayon::prelude::*;

use super::{Bit, Poseidon};
use crate::synthesis::{Circuit, Linear, Synthesizer};

/// A tree with `2^depth` leaves; those beyond the given ones are zero, which is no leaf of anybody's.
///
/// Leaves should be hashes: nobody knows anything with hash zero.
#[derive(Clone, Debug)]
pub struct MerkleTree<S> {
    /// From the leaves to the root, without what stands above zeros only.
    levels: Vec<Vec<S>>,
    /// The node above zeros only, for every level.
    empty: Vec<S>,
}

impl<S: Scalar> MerkleTree<S> {
    /// The tree of at most `2^depth` leaves; `None` if there are more, one is zero, or `depth` is above
    /// 40.
    pub fn new(leaves: Vec<S>, depth: usize) -> Option<Self> {
        if depth > 40 || leaves.len() > 1 << depth || leaves.contains(&S::zero()) {
            return None;
        }
        let poseidon = Poseidon::<S, 2>::new();
        let (mut levels, mut empty) = (vec![leaves], vec![S::zero()]);
        for _ in 0..depth {
            let (nodes, zero) = (levels.last()?, *empty.last()?);
            let parent = |pair: &[S]| {
                let [left, right] = [0, 1].map(|at| pair.get(at).copied().unwrap_or(zero));
                poseidon.hash([left, right])
            };
            let parents = nodes.par_chunks(2).map(parent).collect();
            levels.push(parents);
            empty.push(poseidon.hash([zero, zero]));
        }
        Some(Self { levels, empty })
    }

    /// The root.
    pub fn root(&self) -> S {
        let depth = self.empty.len() - 1;
        self.node(depth, 0)
    }

    /// The path from leaf `index`; `None` if it was not given.
    pub fn path(&self, index: usize) -> Option<MerklePath<S>> {
        self.levels.first()?.get(index)?;
        let depth = self.empty.len() - 1;
        let step = |level| (self.node(level, index >> level ^ 1), index >> level & 1 == 0);
        Some(MerklePath { steps: (0..depth).map(step).collect() })
    }

    fn node(&self, level: usize, index: usize) -> S {
        let node = self.levels.get(level).and_then(|nodes| nodes.get(index)).copied();
        // Every level has its empty node, the root's included.
        node.or_else(|| self.empty.get(level).copied()).unwrap_or_default()
    }
}

/// The way from a leaf to the root: siblings, and whether each stands on the right.
///
/// (No `Debug`: it tells the leaf's position.)
#[derive(Clone)]
pub struct MerklePath<S> {
    /// From the leaf upwards.
    pub steps: Vec<(S, bool)>,
}

impl<S: Scalar> MerklePath<S> {
    /// A path of zeros, for the constraints of a circuit.
    pub fn blank(depth: usize) -> Self {
        Self { steps: vec![(S::zero(), false); depth] }
    }

    /// The root above a leaf.
    pub fn root(&self, poseidon: &Poseidon<S, 2>, leaf: S) -> S {
        self.steps.iter().fold(leaf, |node, &(sibling, is_right)| {
            poseidon.hash(if is_right { [node, sibling] } else { [sibling, node] })
        })
    }

    /// The root above a leaf on wires, with the path private: 242 constraints a level, one for the
    /// direction, one to exchange node and sibling, and the hash.
    ///
    /// Zero leads to the root of every tree that is not full. The caller sees to it that the leaf is
    /// another: a hash of what is known, or a wire with an inverse, as in [`MerkleMembership`].
    pub fn constrain_root(
        &self,
        cs: &mut Synthesizer<S>,
        poseidon: &Poseidon<S, 2>,
        leaf: &Linear<S>,
    ) -> Linear<S> {
        self.steps.iter().fold(leaf.clone(), |node, &(sibling, is_right)| {
            let (sibling, is_right) = (cs.private(sibling), Bit::private(cs, is_right));
            // is_right · (node − sibling) = left − sibling
            let difference = cs.product(is_right.linear(), &(&node - &sibling));
            let left = &sibling + &difference;
            let right = &node - &difference;
            poseidon.constrain(cs, [&left, &right])
        })
    }
}

/// "I know a leaf of the tree with this root, which is not zero."
///
/// The root is the only public output; leaf and path are private. Without the inverse that a leaf must
/// have, everybody would know one: the zeros that a tree is padded with.
pub struct MerkleMembership<S> {
    leaf: S,
    path: MerklePath<S>,
}

impl<S: Scalar> MerkleMembership<S> {
    /// For a leaf and its path, whose length is the circuit's parameter.
    pub fn new(leaf: S, path: MerklePath<S>) -> Self {
        Self { leaf, path }
    }
}

impl<S: Scalar> Circuit<S> for MerkleMembership<S> {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let leaf = cs.private(self.leaf);
        // Zero has no inverse, and then the constraint does not hold: it is no leaf.
        let inverse = cs.private(self.leaf.invert().unwrap_or_default());
        cs.enforce(&leaf, &inverse, &Linear::one());
        let root = self.path.constrain_root(cs, &Poseidon::new(), &leaf);
        cs.expose(&root);
    }
}
