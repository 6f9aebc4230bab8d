//! The nodes of a tree that one must know to append to it.

use super::{Hash, ProofError, empty_root, node_hash};

/// The hashes of the complete subtrees that make up a log, largest first: one for each bit of the size
/// that is set. Enough to append, and to know the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactRange {
    size: u64,
    peaks: Vec<Hash>,
}

impl CompactRange {
    /// A log without leaves.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was stored of a log: [`CompactRange::size`] and [`CompactRange::peaks`].
    ///
    /// # Errors
    /// [`ProofError::Length`] for more or fewer subtrees than the size has.
    pub fn from_peaks(size: u64, peaks: Vec<Hash>) -> Result<Self, ProofError> {
        let (got, expected) = (peaks.len() as u64, u64::from(size.count_ones()));
        match got == expected {
            true => Ok(Self { size, peaks }),
            false => Err(ProofError::Length { got, expected }),
        }
    }

    /// Leaves of the log.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hashes of its complete subtrees, largest first.
    pub fn peaks(&self) -> &[Hash] {
        &self.peaks
    }

    /// Appends a leaf by its hash: one node on average.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        // Every complete subtree at the end that is as large as the new one is merged with it.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                hash = node_hash(&left, &hash);
            }
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    /// The root of the log.
    pub fn root(&self) -> Hash {
        let mut peaks = self.peaks.iter().rev().copied();
        let last = peaks.next().unwrap_or_else(empty_root);
        peaks.fold(last, |right, left| node_hash(&left, &right))
    }
}
