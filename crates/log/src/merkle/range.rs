//! Many leaves in a row under one proof: which leaves are between two places of a log, and which are not.

use std::ops::Range;

use super::{Hash, Nodes, ProofError, empty_root, node_hash, prove::node_of, shape::children};

/// No proof of a range has more hashes: two beside every level.
pub const MAX_RANGE: usize = 128;

/// What of a node the leaves of a range are.
enum Part {
    None,
    Leaf,
    Some(Range<u64>, Range<u64>),
}

impl Part {
    fn of(node: &Range<u64>, range: &Range<u64>) -> Self {
        if node.end <= range.start || range.end <= node.start {
            Self::None
        } else if node.end - node.start == 1 {
            Self::Leaf
        } else {
            let (left, right) = children(node);
            Self::Some(left, right)
        }
    }
}

/// The nodes beside a range of leaves in the log of the first `size`, from left to right; none for a
/// range that is empty or beyond the log.
///
/// # Errors
/// Those of the nodes.
pub fn range_proof<N: Nodes>(
    nodes: &N,
    range: &Range<u64>,
    size: u64,
) -> Result<Vec<Hash>, N::Error> {
    fn visit<N: Nodes>(
        nodes: &N,
        node: Range<u64>,
        range: &Range<u64>,
        proof: &mut Vec<Hash>,
    ) -> Result<(), N::Error> {
        match Part::of(&node, range) {
            Part::None => proof.push(node_of(nodes, node)?),
            Part::Leaf => {}
            Part::Some(left, right) => {
                visit(nodes, left, range, proof)?;
                visit(nodes, right, range, proof)?;
            }
        }
        Ok(())
    }
    let mut proof = Vec::new();
    if range.start < range.end && range.end <= size {
        visit(nodes, 0..size, range, &mut proof)?;
    }
    Ok(proof)
}

/// The root to which the hashes of leaves from `first` on and the nodes beside them lead.
///
/// # Errors
/// [`ProofError::Index`] for no leaves, or leaves beyond the log; [`ProofError::Length`].
pub fn root_from_range(
    first: u64,
    size: u64,
    leaves: &[Hash],
    proof: &[Hash],
) -> Result<Hash, ProofError> {
    let end = first.saturating_add(leaves.len() as u64);
    if leaves.is_empty() || end > size {
        return Err(ProofError::Index { index: end, size });
    }
    let mut fold = Fold { range: first..end, leaves: leaves.iter(), proof: proof.iter(), used: 0 };
    let root = fold.node(0..size);
    match fold.used == proof.len() {
        true => Ok(root),
        false => {
            let (got, expected) = (proof.len() as u64, fold.used as u64);
            Err(ProofError::Length { got, expected })
        }
    }
}

struct Fold<'a> {
    range: Range<u64>,
    leaves: std::slice::Iter<'a, Hash>,
    proof: std::slice::Iter<'a, Hash>,
    /// Nodes that the shape asked for, also where the proof has no more.
    used: usize,
}

impl Fold<'_> {
    // A proof without more nodes is refused for its length (`used`); leaves are as many as the range has.
    fn node(&mut self, node: Range<u64>) -> Hash {
        match Part::of(&node, &self.range) {
            Part::None => {
                self.used += 1;
                self.proof.next().copied().unwrap_or_else(empty_root)
            }
            Part::Leaf => self.leaves.next().copied().unwrap_or_else(empty_root),
            Part::Some(left, right) => {
                let left = self.node(left);
                node_hash(&left, &self.node(right))
            }
        }
    }
}
