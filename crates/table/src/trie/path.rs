//! Membership and absence: the verifier's side.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{Label, MAX_KEY_BITS, absent, hash_edge, hash_interior, hash_root};
use crate::{Fault, hash::Hash};

/// An edge on a path, and what is beside it. The sibling stays closed: opened, the last one would
/// often spell a stranger's pseudonym.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The edge's bits.
    pub label: Label,
    /// The other edge's hash; zeros if the root has no other.
    pub sibling: Hash,
}

/// Shows that a trie holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// From the root.
    pub steps: Vec<Step>,
}

/// Where a trie parts from a key that it does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// The root has no child on the key's side.
    Missing {
        /// The other side, zeros for an empty trie.
        sibling: Hash,
    },
    /// The edge on the key's side has other bits.
    Edge {
        /// Its bits.
        label: Label,
        /// What is below it.
        below: Hash,
        /// The edge beside it.
        sibling: Hash,
    },
}

/// Shows that a trie does not hold a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The edges that agree with the key, from the root.
    pub steps: Vec<Step>,
    /// What comes after them.
    pub end: Divergence,
}

impl Member {
    /// Checks that the trie with this root holds the key with this leaf.
    ///
    /// # Errors
    /// [`Fault::Trie`] and [`Fault::Mismatch`].
    pub fn verify(&self, root: &Hash, key: &[u8], leaf: &Hash) -> Result<(), Fault> {
        match follow(&self.steps, key)? == key_bits(key) {
            true if !self.steps.is_empty() => require(root, fold(&self.steps, *leaf)),
            _ => Err(Fault::Trie { reason: "the path does not end at the key" }),
        }
    }
}

impl Absence {
    /// Checks that the trie with this root does not hold the key.
    ///
    /// # Errors
    /// [`Fault::Trie`] and [`Fault::Mismatch`].
    pub fn verify(&self, root: &Hash, key: &[u8]) -> Result<(), Fault> {
        let depth = follow(&self.steps, key)?;
        let at_root = self.steps.is_empty();
        let (own, sibling, side) = match &self.end {
            Divergence::Missing { sibling } if at_root => (absent(), sibling, super::bit(key, 0)),
            Divergence::Missing { .. } => {
                return Err(Fault::Trie { reason: "only the root may have one child" });
            }
            Divergence::Edge { label, below, sibling } => {
                check_edge(label, sibling, at_root)?;
                let agreement = label.agreement(key, depth);
                // The first bit agrees, or the edge would stand on the other side.
                if agreement == 0
                    || agreement >= label.len()
                    || depth.saturating_add(label.len()) > key_bits(key)
                {
                    return Err(Fault::Trie { reason: "the last edge does not part from the key" });
                }
                (hash_edge(label, below), sibling, label.side())
            }
        };
        let (left, right) = if side { (sibling, &own) } else { (&own, sibling) };
        let top = if at_root { hash_root(left, right) } else { hash_interior(left, right) };
        require(root, fold(&self.steps, top))
    }
}

fn key_bits(key: &[u8]) -> u16 {
    // Keys have 128 bytes at most.
    u16::try_from(key.len().saturating_mul(8)).unwrap_or(u16::MAX)
}

/// Follows edges along a key; the bits that they have.
fn follow(steps: &[Step], key: &[u8]) -> Result<u16, Fault> {
    let mut depth = 0_u16;
    for (index, step) in steps.iter().enumerate() {
        check_edge(&step.label, &step.sibling, index == 0)?;
        let end = depth.saturating_add(step.label.len());
        if end > key_bits(key) || step.label.agreement(key, depth) != step.label.len() {
            return Err(Fault::Trie { reason: "an edge does not follow the key" });
        }
        depth = end;
    }
    Ok(depth)
}

fn check_edge(label: &Label, sibling: &Hash, at_root: bool) -> Result<(), Fault> {
    if label.len() == 0 {
        return Err(Fault::Trie { reason: "a label is empty" });
    }
    match *sibling == absent() && !at_root {
        true => Err(Fault::Trie { reason: "only the root may have one child" }),
        false => Ok(()),
    }
}

/// The hash at the top of steps, from that at their end.
fn fold(steps: &[Step], end: Hash) -> Hash {
    let mut hash = end;
    for (index, step) in steps.iter().enumerate().rev() {
        let own = hash_edge(&step.label, &hash);
        let (left, right) =
            if step.label.side() { (&step.sibling, &own) } else { (&own, &step.sibling) };
        hash = if index == 0 { hash_root(left, right) } else { hash_interior(left, right) };
    }
    hash
}

fn require(root: &Hash, found: Hash) -> Result<(), Fault> {
    match *root == found {
        true => Ok(()),
        false => Err(Fault::Mismatch { what: "the trie path" }),
    }
}

fn encode_steps(steps: &[Step], out: &mut Vec<u8>) {
    (steps.len() as u16).encode(out);
    for step in steps {
        step.label.encode(out);
        step.sibling.encode(out);
    }
}

fn decode_steps(reader: &mut Reader<'_>) -> Result<Vec<Step>, DecodeError> {
    let count = reader.u16()?;
    if count > MAX_KEY_BITS {
        return Err(DecodeError::out_of_bounds("trie path", "longer than any key"));
    }
    let step = |_| {
        let label = Label::decode(reader, MAX_KEY_BITS)?;
        Ok(Step { label, sibling: Hash::decode(reader)? })
    };
    (0..count).map(step).collect()
}

impl Encode for Member {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_steps(&self.steps, out);
    }
}

impl Decode for Member {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { steps: decode_steps(reader)? })
    }
}

impl Encode for Absence {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_steps(&self.steps, out);
        match &self.end {
            Divergence::Missing { sibling } => {
                out.push(0);
                sibling.encode(out);
            }
            Divergence::Edge { label, below, sibling } => {
                out.push(1);
                label.encode(out);
                below.encode(out);
                sibling.encode(out);
            }
        }
    }
}

impl Decode for Absence {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let steps = decode_steps(reader)?;
        let end = match reader.u8()? {
            0 => Divergence::Missing { sibling: Hash::decode(reader)? },
            1 => Divergence::Edge {
                label: Label::decode(reader, MAX_KEY_BITS)?,
                below: Hash::decode(reader)?,
                sibling: Hash::decode(reader)?,
            },
            _ => return Err(DecodeError::invalid("absence", "unknown kind of end")),
        };
        Ok(Self { steps, end })
    }
}
