//! Trees of Goldreich, Goldwasser and Micali of which one party learns all leaves but one.

use crate::prg::Doubler;

/// The XOR of all left children, and of all right children, of one level.
pub(crate) type LevelSums = [u128; 2];

/// The leaves under `root`, of which there are a power of two, and the sums of each level from the
/// top.
pub(crate) fn grow(doubler: &Doubler, root: u128, leaves: &mut [u128]) -> Vec<LevelSums> {
    let mut sums = Vec::new();
    if let Some(first) = leaves.first_mut() {
        *first = root;
    }
    let mut width = 2;
    while let Some((nodes, _)) = leaves.split_at_mut_checked(width) {
        doubler.double(nodes);
        sums.push(level_sums(nodes));
        width *= 2;
    }
    sums
}

/// All leaves but number `hole`, whose place gets zero. `opened` has, for each level from the top,
/// the sum of the side that the path to the hole does not take. Time and memory accesses do not
/// depend on the hole.
pub(crate) fn grow_punctured(doubler: &Doubler, hole: usize, opened: &[u128], leaves: &mut [u128]) {
    if let Some(first) = leaves.first_mut() {
        *first = 0;
    }
    let mut width = 2;
    for (above, opened) in (0..opened.len()).rev().zip(opened) {
        let Some((nodes, _)) = leaves.split_at_mut_checked(width) else { return };
        doubler.double(nodes);
        // The node above is unknown and stood as zero: both its children are wrong. One of them
        // follows from the sum.
        let unknown = (hole >> above) as u64;
        let right = u128::from(unknown & 1).wrapping_neg();
        let [[wrong_left, wrong_right], sums] =
            [children_of(nodes, unknown >> 1), level_sums(nodes)];
        let [left, right_sum] = sums;
        let known = (left ^ wrong_left) & right | (right_sum ^ wrong_right) & !right;
        let sibling = opened ^ known;
        let (pairs, _) = nodes.as_chunks_mut::<2>();
        for (i, [l, r]) in (0u64..).zip(pairs) {
            let here = equal_mask(i, unknown >> 1);
            *l = *l & !here | sibling & right & here;
            *r = *r & !here | sibling & !right & here;
        }
        width *= 2;
    }
}

/// The pair of number `place`, read without telling which.
fn children_of(nodes: &[u128], place: u64) -> LevelSums {
    let (pairs, _) = nodes.as_chunks::<2>();
    (0u64..).zip(pairs).fold([0, 0], |[l, r], (i, [left, right])| {
        let here = equal_mask(i, place);
        [l | left & here, r | right & here]
    })
}

/// All ones if the numbers are equal, else zero. The numbers are below 2^63.
#[inline]
pub(crate) fn equal_mask(a: u64, b: u64) -> u128 {
    let difference = a ^ b;
    u128::from(difference.wrapping_sub(1) >> 63).wrapping_neg()
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
            let mut leaves = vec![0; 1 << depth];
            let sums = grow(&doubler, 77, &mut leaves);
            assert_eq!(sums.len(), depth);
            for hole in 0..leaves.len() {
                let side = |level: usize| hole >> (depth - 1 - level) & 1 ^ 1;
                let opened: Vec<_> = (0..depth).map(|level| sums[level][side(level)]).collect();
                let mut expected = leaves.to_vec();
                expected[hole] = 0;
                let mut punctured = vec![0; 1 << depth];
                grow_punctured(&doubler, hole, &opened, &mut punctured);
                assert_eq!(punctured, expected);
            }
        }
    }
}
