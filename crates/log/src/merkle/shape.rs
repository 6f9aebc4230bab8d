//! Which parts of a tree a proof shows: a function of sizes alone.

use std::ops::Range;

/// The largest power of two below `count`, for `count ≥ 2`.
fn split(count: u64) -> u64 {
    1 << (count - 1).ilog2()
}

/// The complete subtrees, as level and index, that make up the leaves of a range, from the left. The
/// range is a node of some log: it begins at a multiple of the power of two that it fits in.
pub(super) fn peaks(range: Range<u64>) -> impl DoubleEndedIterator<Item = (u8, u64)> {
    let count = range.end.saturating_sub(range.start);
    let levels = (0..64_u8).rev().filter(move |level| count >> level & 1 == 1);
    levels.map(move |level| {
        // What is above this level comes before it.
        let above = count >> level >> 1 << 1 << level;
        (level, (range.start + above) >> level)
    })
}

/// A part of the tree beside the path from the root to what is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Left(Range<u64>),
    Right(Range<u64>),
}

impl Beside {
    pub(super) fn leaves(&self) -> Range<u64> {
        let (Self::Left(leaves) | Self::Right(leaves)) = self;
        leaves.clone()
    }
}

/// Descends from the root to the smallest node that `done` accepts, to the side on which `point` is
/// the index of a leaf; what stood beside the path, from the bottom, and the leaves of the node.
fn descend(size: u64, leaf: u64, done: impl Fn(&Range<u64>) -> bool) -> (Range<u64>, Vec<Beside>) {
    let mut node = 0..size;
    let mut beside = Vec::new();
    while !done(&node) {
        let middle = node.start + split(node.end - node.start);
        if leaf < middle {
            beside.push(Beside::Right(middle..node.end));
            node.end = middle;
        } else {
            beside.push(Beside::Left(node.start..middle));
            node.start = middle;
        }
    }
    beside.reverse();
    (node, beside)
}

/// The parts beside a leaf, `index < size`.
pub(super) fn inclusion(index: u64, size: u64) -> Vec<Beside> {
    descend(size, index, |node| node.end - node.start == 1).1
}

/// The parts of a consistency proof, `0 < old < new`: the node that both logs end with at `old`, if it
/// is not all of the old log, and what is beside it.
pub(super) fn consistency(old: u64, new: u64) -> (Option<Range<u64>>, Vec<Beside>) {
    let (node, beside) = descend(new, old - 1, |node| node.end == old);
    ((node.start > 0).then_some(node), beside)
}

/// The two children of a node of more than one leaf.
pub(super) fn children(node: &Range<u64>) -> (Range<u64>, Range<u64>) {
    let middle = node.start + split(node.end - node.start);
    (node.start..middle, middle..node.end)
}
