//! Trees of Goldreich, Goldwasser and Micali of which one party learns all leaves but one.

use subtle::{ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::prg::Doubler;

/// The XOR of all left children, and of all right children, of one level.
pub(crate) type LevelSums = [u128; 2];

/// The leaves under `root` and the sums of each level, from the top.
pub(crate) fn grow(
    doubler: &Doubler,
    root: u128,
    depth: usize,
) -> (Zeroizing<Vec<u128>>, Vec<LevelSums>) {
    let mut nodes = Zeroizing::new(vec![root]);
    let mut sums = Vec::with_capacity(depth);
    for _ in 0..depth {
        nodes = Zeroizing::new(doubler.double(&nodes));
        sums.push(level_sums(&nodes));
    }
    (nodes, sums)
}

/// All leaves but number `hole`, whose place gets zero. `opened` has, for each level from the top,
/// the sum of the side that the path to the hole does not take. Time and memory accesses do not
/// depend on the hole.
pub(crate) fn grow_punctured(
    doubler: &Doubler,
    hole: usize,
    opened: &[u128],
) -> Zeroizing<Vec<u128>> {
    let mut nodes = Zeroizing::new(vec![0]);
    for (above, opened) in (0..opened.len()).rev().zip(opened) {
        nodes = Zeroizing::new(doubler.double(&nodes));
        // Both children of the unknown node are unknown; one of them follows from the sum.
        let unknown = (hole >> above) as u64;
        let sibling = unknown ^ 1;
        for (i, node) in (0u64..).zip(nodes.iter_mut()) {
            let is_unknown = (i >> 1).ct_eq(&(unknown >> 1));
            node.conditional_assign(&0, is_unknown);
        }
        let [left, right] = level_sums(&nodes);
        let known = u128::conditional_select(&left, &right, ((sibling & 1) as u8).into());
        for (i, node) in (0u64..).zip(nodes.iter_mut()) {
            node.conditional_assign(&(opened ^ known), i.ct_eq(&sibling));
        }
    }
    nodes
}

fn level_sums(nodes: &[u128]) -> LevelSums {
    let (pairs, _) = nodes.as_chunks::<2>();
    pairs.iter().fold([0, 0], |[l, r], [left, right]| [l ^ left, r ^ right])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_but_the_hole() {
        let doubler = Doubler::new([1, 2]);
        for depth in [1, 2, 5] {
            let (leaves, sums) = grow(&doubler, 77, depth);
            assert_eq!(leaves.len(), 1 << depth);
            for hole in 0..leaves.len() {
                let side = |level: usize| hole >> (depth - 1 - level) & 1 ^ 1;
                let opened: Vec<_> = (0..depth).map(|level| sums[level][side(level)]).collect();
                let mut expected = leaves.to_vec();
                expected[hole] = 0;
                assert_eq!(*grow_punctured(&doubler, hole, &opened), expected);
            }
        }
    }
}
