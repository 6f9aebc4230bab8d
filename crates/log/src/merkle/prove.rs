//! Roots and proofs from nodes.

use std::ops::Range;

use super::{Hash, Nodes, empty_root, node_hash, shape};

/// The hash of a node of a log: over its complete subtrees, from the right.
pub(super) fn node_of<N: Nodes>(nodes: &N, leaves: Range<u64>) -> Result<Hash, N::Error> {
    let mut right: Option<Hash> = None;
    for (level, index) in shape::peaks(leaves).rev() {
        let left = nodes.node(level, index)?;
        right = Some(right.map_or(left, |right| node_hash(&left, &right)));
    }
    Ok(right.unwrap_or_else(empty_root))
}

/// The root of the first `size` leaves.
///
/// # Errors
/// Those of the nodes.
pub fn root_of<N: Nodes>(nodes: &N, size: u64) -> Result<Hash, N::Error> {
    node_of(nodes, 0..size)
}

/// The siblings of a leaf in the log of the first `size` leaves, from the bottom; none if it has no such
/// leaf.
///
/// # Errors
/// Those of the nodes.
pub fn inclusion_proof<N: Nodes>(nodes: &N, index: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    if index >= size {
        return Ok(Vec::new());
    }
    let beside = shape::inclusion(index, size);
    beside.iter().map(|part| node_of(nodes, part.leaves())).collect()
}

/// Shows that the log of `old` leaves is the beginning of that of `new`; empty if `old` is 0 or not less
/// than `new`.
///
/// # Errors
/// Those of the nodes.
pub fn consistency_proof<N: Nodes>(nodes: &N, old: u64, new: u64) -> Result<Vec<Hash>, N::Error> {
    if old == 0 || old >= new {
        return Ok(Vec::new());
    }
    let (start, beside) = shape::consistency(old, new);
    let parts = start.into_iter().chain(beside.iter().map(shape::Beside::leaves));
    parts.map(|leaves| node_of(nodes, leaves)).collect()
}
