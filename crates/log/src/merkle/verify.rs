//! Proofs, verified.

use thiserror::Error;

use super::{Hash, node_hash, shape, shape::Beside};

/// Why a proof about a log is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProofError {
    /// No such leaf.
    #[error("there is no leaf {index} in a log of {size}")]
    Index {
        /// The leaf, or the end of the range of leaves.
        index: u64,
        /// Leaves of the log.
        size: u64,
    },
    /// Sizes that no consistency proof is between.
    #[error("a log of {new} leaves does not continue one of {old}")]
    Sizes {
        /// Leaves of the older log.
        old: u64,
        /// Leaves of the newer log.
        new: u64,
    },
    /// More or fewer hashes than the shape of the tree has.
    #[error("the proof has {got} hashes, where there must be {expected}")]
    Length {
        /// How many came.
        got: u64,
        /// How many there must be.
        expected: u64,
    },
    /// The proof leads elsewhere.
    #[error("the proof does not lead to the root of the log")]
    Root,
}

fn require_length(got: usize, expected: usize) -> Result<(), ProofError> {
    let (got, expected) = (got as u64, expected as u64);
    if got == expected { Ok(()) } else { Err(ProofError::Length { got, expected }) }
}

/// The root to which a leaf's hash and its siblings lead in a log of `size` leaves.
///
/// # Errors
/// [`ProofError::Index`], [`ProofError::Length`].
pub fn root_from_inclusion(
    index: u64,
    size: u64,
    leaf: &Hash,
    proof: &[Hash],
) -> Result<Hash, ProofError> {
    if index >= size {
        return Err(ProofError::Index { index, size });
    }
    let beside = shape::inclusion(index, size);
    require_length(proof.len(), beside.len())?;
    let steps = beside.iter().zip(proof);
    Ok(steps.fold(*leaf, |hash, (side, sibling)| match side {
        Beside::Left(_) => node_hash(sibling, &hash),
        Beside::Right(_) => node_hash(&hash, sibling),
    }))
}

/// Checks that a log has a leaf at a place.
///
/// # Errors
/// [`ProofError`].
pub fn verify_inclusion(
    (index, leaf): (u64, &Hash),
    (size, root): (u64, &Hash),
    proof: &[Hash],
) -> Result<(), ProofError> {
    let reached = root_from_inclusion(index, size, leaf, proof)?;
    if reached == *root { Ok(()) } else { Err(ProofError::Root) }
}

/// The roots of the old and of the new log to which a consistency proof leads, `0 < old < new`. The root
/// of a complete old log is a node of the new one and no part of the proof: there `old_root` is the
/// start.
///
/// # Errors
/// [`ProofError::Sizes`], [`ProofError::Length`].
pub fn roots_from_consistency(
    old: u64,
    new: u64,
    old_root: &Hash,
    proof: &[Hash],
) -> Result<(Hash, Hash), ProofError> {
    if old == 0 || old >= new {
        return Err(ProofError::Sizes { old, new });
    }
    let (start, beside) = shape::consistency(old, new);
    require_length(proof.len(), beside.len() + usize::from(start.is_some()))?;
    let (start, siblings) = match (start, proof.split_first()) {
        (Some(_), Some((first, rest))) => (first, rest),
        _ => (old_root, proof),
    };
    let steps = beside.iter().zip(siblings);
    Ok(steps.fold((*start, *start), |(old, new), (side, sibling)| match side {
        Beside::Left(_) => (node_hash(sibling, &old), node_hash(sibling, &new)),
        Beside::Right(_) => (old, node_hash(&new, sibling)),
    }))
}

/// Checks that a log only grew.
///
/// # Errors
/// [`ProofError`].
pub fn verify_consistency(
    (old, old_root): (u64, &Hash),
    (new, new_root): (u64, &Hash),
    proof: &[Hash],
) -> Result<(), ProofError> {
    let roots = match old {
        0 if proof.is_empty() => return Ok(()),
        0 => return require_length(proof.len(), 0),
        _ if old == new => {
            require_length(proof.len(), 0)?;
            (*new_root, *old_root)
        }
        _ => roots_from_consistency(old, new, old_root, proof)?,
    };
    if roots == (*old_root, *new_root) { Ok(()) } else { Err(ProofError::Root) }
}

/// Whether a proof shows that a log of `new` leaves does *not* continue one of `old`: it leads to the
/// root of the newer log, and to another root than that of the older one. It is a consistency proof
/// within the newer log, before which, if `old` is a power of two, stands the root that the newer log
/// has at that size.
///
/// # Errors
/// [`ProofError`] for a proof that does not lead to the root of the newer log.
pub fn contradicts(
    (old, old_root): (u64, &Hash),
    (new, new_root): (u64, &Hash),
    proof: &[Hash],
) -> Result<bool, ProofError> {
    let (start, rest) = match (old.is_power_of_two(), proof.split_first()) {
        (true, Some((start, rest))) => (start, rest),
        _ => (old_root, proof),
    };
    let (shown, reached) = roots_from_consistency(old, new, start, rest)?;
    if reached == *new_root { Ok(shown != *old_root) } else { Err(ProofError::Root) }
}
