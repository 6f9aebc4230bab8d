//! Patricia tries over keys of one length: of types, of pseudonyms, of roll-ups (`docs/spec/table.md`).
//!
//! `e = H_edge(len, label, h)`, interior `h = H_tnode(e_L, e_R)`, root `H_troot(e_L, e_R)` with 32
//! zero bytes for an absent child. **The parent binds the labels of its edges**, so that a subtree
//! shown as a stub cannot be relabelled to look out of range (defect N of the reference).
//!
//! Proofs show three things about a trie: that it has a key ([`Member`]), that it does not have a key ([`Absence`]),
//! and all its keys in a region ([`Cover`]).

mod build;
mod cover;
mod label;
mod path;
#[cfg(feature = "store")]
mod stored;

pub use build::Trie;
pub use cover::{Cover, CoverEdge, CoverNode};
pub use label::Label;
pub use path::{Absence, Divergence, Member, Step};
#[cfg(feature = "store")]
pub(crate) use stored::{Crown, Found, decode_block};

use crate::hash::{EDGE, Hash, ID_LEAF, TRIE_NODE, TRIE_ROOT, TYPE_LEAF};

/// Bits of the longest key.
pub(crate) const MAX_KEY_BITS: u16 = 1024;

/// What stands for an absent child of the root.
fn absent() -> Hash {
    Hash::from([0; 32])
}

fn hash_edge(label: &Label, below: &Hash) -> Hash {
    EDGE.start().number(label.len().into()).bytes(label.bytes()).bytes(below.as_bytes()).finish()
}

fn hash_interior(left: &Hash, right: &Hash) -> Hash {
    TRIE_NODE.start().bytes(left.as_bytes()).bytes(right.as_bytes()).finish()
}

/// The root of a trie without keys.
pub(crate) fn empty_root() -> Hash {
    hash_root(&absent(), &absent())
}

fn hash_root(left: &Hash, right: &Hash) -> Hash {
    TRIE_ROOT.start().bytes(left.as_bytes()).bytes(right.as_bytes()).finish()
}

/// The leaf of a key's root record in the trie of types.
pub(crate) fn type_leaf(record: &Hash) -> Hash {
    TYPE_LEAF.start().bytes(record.as_bytes()).finish()
}

/// The leaf of a pseudonym: neither rank nor key in the clear.
pub(crate) fn id_leaf(pseudonym: &Hash, leaf: &Hash) -> Hash {
    ID_LEAF.start().bytes(pseudonym.as_bytes()).bytes(leaf.as_bytes()).finish()
}

/// Bit `index` of a key, most significant first.
fn bit(key: &[u8], index: u16) -> bool {
    // Indices are those of bits that keys have.
    let byte = key.get(usize::from(index / 8)).copied().unwrap_or_default();
    byte >> (7 - index % 8) & 1 == 1
}

/// Bits that two keys share at the front.
fn common_bits(left: &[u8], right: &[u8]) -> u16 {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let differing = left.get(same).zip(right.get(same));
    let bits = differing.map_or(0, |(left, right)| (left ^ right).leading_zeros());
    (8 * same) as u16 + bits as u16
}

#[cfg(test)]
mod tests;
