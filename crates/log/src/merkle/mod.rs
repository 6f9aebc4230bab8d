//! The Merkle tree of RFC 6962, section 2.1, with SHA-256 as in every log of C2SP.
//!
//! What a proof shows follows from the sizes alone (`shape`); a prover fetches the hashes of that
//! shape from [`Nodes`], and a verifier folds them in the same order. Nodes come from leaves in
//! memory ([`Leaves`]) or from stored tiles ([`crate::Tree`]).

mod compact;
mod prove;
mod range;
mod shape;
mod verify;

use std::convert::Infallible;

use sha2::{Digest as _, Sha256};
use wire::{DecodeError, Encode, Reader};

pub use self::{
    compact::CompactRange,
    prove::{consistency_proof, inclusion_proof, root_of},
    range::{MAX_RANGE, range_proof, root_from_range},
    verify::{
        ProofError, contradicts, root_from_inclusion, roots_from_consistency, verify_consistency,
        verify_inclusion,
    },
};

/// A leaf's hash, a node, a root: 32 bytes.
pub type Hash = wire::Digest;

/// A log has less than `2^63` leaves.
pub const MAX_SIZE: u64 = (1 << 63) - 1;
/// No inclusion or consistency proof has more hashes.
pub const MAX_PROOF: usize = 64;

/// The hash of a leaf's data.
pub fn leaf_hash(data: &[u8]) -> Hash {
    let digest: [u8; 32] = Sha256::new().chain_update([0]).chain_update(data).finalize().into();
    digest.into()
}

/// The hash of an inner node.
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let start = Sha256::new().chain_update([1]).chain_update(left.as_bytes());
    let digest: [u8; 32] = start.chain_update(right.as_bytes()).finalize().into();
    digest.into()
}

/// The root of a log without leaves: the hash of nothing.
pub fn empty_root() -> Hash {
    <[u8; 32]>::from(Sha256::digest([])).into()
}

/// Hashes of complete subtrees.
pub trait Nodes {
    /// Why a hash is not to be had.
    type Error;

    /// The hash of the `2^level` leaves from leaf `index · 2^level` on.
    ///
    /// # Errors
    /// Where the nodes are kept, those of the store.
    fn node(&self, level: u8, index: u64) -> Result<Hash, Self::Error>;
}

/// The data of all leaves, in memory. Every hash is computed when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a, T>(pub &'a [T]);

impl<T: AsRef<[u8]>> Nodes for Leaves<'_, T> {
    type Error = Infallible;

    fn node(&self, level: u8, index: u64) -> Result<Hash, Infallible> {
        let first = (index << level) as usize;
        // Complete subtrees of the log are asked for, whose leaves are there.
        let leaves = self.0.get(first..).unwrap_or_default().iter().take(1 << level);
        let hashes: Vec<Hash> = leaves.map(|data| leaf_hash(data.as_ref())).collect();
        Ok(complete_root(hashes))
    }
}

/// The root of a complete tree over hashes, whose number is a power of two.
pub(crate) fn complete_root(mut hashes: Vec<Hash>) -> Hash {
    while hashes.len() > 1 {
        let (pairs, _) = hashes.as_chunks::<2>();
        hashes = pairs.iter().map(|[left, right]| node_hash(left, right)).collect();
    }
    // A complete tree has a leaf.
    hashes.first().copied().unwrap_or_else(empty_root)
}

/// The root over the data of leaves in order.
pub fn root<T: AsRef<[u8]>>(leaves: &[T]) -> Hash {
    let Ok(root) = root_of(&Leaves(leaves), leaves.len() as u64);
    root
}

/// The siblings of a leaf, from the bottom; none if there is no such leaf.
pub fn inclusion<T: AsRef<[u8]>>(index: usize, leaves: &[T]) -> Vec<Hash> {
    let Ok(proof) = inclusion_proof(&Leaves(leaves), index as u64, leaves.len() as u64);
    proof
}

/// Shows that the first `old` leaves are the log of that size; empty for sizes 0 and all.
pub fn consistency<T: AsRef<[u8]>>(old: usize, leaves: &[T]) -> Vec<Hash> {
    let Ok(proof) = consistency_proof(&Leaves(leaves), old as u64, leaves.len() as u64);
    proof
}

/// Appends an inclusion or consistency proof: its length in a byte, and its hashes.
pub fn encode_proof(proof: &[Hash], out: &mut Vec<u8>) {
    out.push(proof.len() as u8);
    proof.iter().for_each(|hash| hash.encode(out));
}

/// Reads what [`encode_proof`] wrote.
///
/// # Errors
/// [`DecodeError`], also for a proof of more than [`MAX_PROOF`] hashes.
pub fn decode_proof(reader: &mut Reader<'_>) -> Result<Vec<Hash>, DecodeError> {
    decode_hashes(reader, MAX_PROOF)
}

/// Reads the proof of a range, written by [`encode_proof`].
///
/// # Errors
/// [`DecodeError`], also for a proof of more than [`MAX_RANGE`] hashes.
pub fn decode_range_proof(reader: &mut Reader<'_>) -> Result<Vec<Hash>, DecodeError> {
    decode_hashes(reader, MAX_RANGE)
}

fn decode_hashes(reader: &mut Reader<'_>, limit: usize) -> Result<Vec<Hash>, DecodeError> {
    let len = usize::from(reader.u8()?);
    if len > limit {
        return Err(DecodeError::out_of_bounds("log proof", "longer than any log is deep"));
    }
    (0..len).map(|_| Ok(reader.array()?.into())).collect()
}
