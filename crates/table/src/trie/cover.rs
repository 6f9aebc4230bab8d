//! All keys of a region: the verifier's side.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{Label, MAX_KEY_BITS, absent, hash_edge, hash_interior, hash_root};
use crate::{Fault, hash::Hash};

/// The part of a trie that leads into a region: every other branch is a labelled stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// The edges of the root.
    pub sides: [Option<CoverEdge>; 2],
}

/// An edge of a cover. Both edges of every opened node are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverEdge {
    /// Its bits.
    pub label: Label,
    /// What it leads to.
    pub below: CoverNode,
}

/// What an edge of a cover leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverNode {
    /// Out of the region.
    Stub(Hash),
    /// A key of the region; its leaf follows from the record shown beside the cover.
    Leaf,
    /// A node with two edges.
    Interior(Box<[CoverEdge; 2]>),
}

impl Cover {
    /// Checks that `leaves`, in order, are all the keys of a region in the trie with this root.
    /// `overlaps` takes a key whose first bits are a prefix, and their number.
    ///
    /// # Errors
    /// [`Fault::Trie`], [`Fault::Number`] and [`Fault::Mismatch`].
    pub fn verify(
        &self,
        root: &Hash,
        key_len: usize,
        leaves: &[(Vec<u8>, Hash)],
        overlaps: &impl Fn(&[u8], u16) -> bool,
    ) -> Result<(), Fault> {
        let mut leaves_left = leaves.iter();
        let mut walk = Walk { key: vec![0; key_len], leaves: &mut leaves_left, overlaps };
        let mut edges = [absent(); 2];
        for (side, (edge, hash)) in self.sides.iter().zip(&mut edges).enumerate() {
            if let Some(edge) = edge {
                *hash = walk.edge(edge, 0, side == 1)?;
            }
        }
        if leaves_left.next().is_some() {
            return Err(Fault::Trie { reason: "a key is not in the region" });
        }
        let [left, right] = &edges;
        match hash_root(left, right) == *root {
            true => Ok(()),
            false => Err(Fault::Mismatch { what: "the cover of the region" }),
        }
    }
}

struct Walk<'a, 'b, F> {
    /// The bits on the way down; those beyond the current depth do not matter.
    key: Vec<u8>,
    leaves: &'b mut std::slice::Iter<'a, (Vec<u8>, Hash)>,
    overlaps: &'b F,
}

impl<F: Fn(&[u8], u16) -> bool> Walk<'_, '_, F> {
    fn edge(&mut self, edge: &CoverEdge, depth: u16, side: bool) -> Result<Hash, Fault> {
        // Keys have 128 bytes at most.
        let bits = u16::try_from(self.key.len() * 8).unwrap_or(u16::MAX);
        let refused = |reason| Err(Fault::Trie { reason });
        let end = depth.saturating_add(edge.label.len());
        if edge.label.len() == 0 || edge.label.side() != side {
            return refused("a label is empty or on the wrong side");
        }
        if end > bits {
            return refused("a label is longer than the key");
        }
        edge.label.write_to(&mut self.key, depth);
        let inside = (self.overlaps)(&self.key, end);
        let below = match &edge.below {
            CoverNode::Stub(_) if inside => return refused("a stub hides keys of the region"),
            CoverNode::Stub(hash) => *hash,
            _ if !inside => return refused("a branch outside of the region is opened"),
            CoverNode::Leaf if end == bits => match self.leaves.next() {
                Some((key, leaf)) if *key == self.key => *leaf,
                _ => return refused("a key of the region is missing or out of order"),
            },
            CoverNode::Interior(edges) if end < bits => {
                let [left, right] = edges.as_ref();
                let (left, right) = (self.edge(left, end, false)?, self.edge(right, end, true)?);
                hash_interior(&left, &right)
            }
            _ => return refused("a leaf is not at the end of a key"),
        };
        Ok(hash_edge(&edge.label, &below))
    }
}

impl Encode for Cover {
    fn encode(&self, out: &mut Vec<u8>) {
        for side in &self.sides {
            out.push(side.is_some().into());
            if let Some(edge) = side {
                encode_edge(edge, out);
            }
        }
    }
}

fn encode_edge(edge: &CoverEdge, out: &mut Vec<u8>) {
    edge.label.encode(out);
    match &edge.below {
        CoverNode::Stub(hash) => {
            out.push(0);
            hash.encode(out);
        }
        CoverNode::Leaf => out.push(1),
        CoverNode::Interior(edges) => {
            out.push(2);
            edges.iter().for_each(|edge| encode_edge(edge, out));
        }
    }
}

impl Decode for Cover {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut side = || match reader.u8()? {
            0 => Ok(None),
            1 => decode_edge(reader, MAX_KEY_BITS).map(Some),
            _ => Err(DecodeError::invalid("cover", "neither absent nor present")),
        };
        Ok(Self { sides: [side()?, side()?] })
    }
}

/// Every label has a bit, so that the depth of the recursion is below the bits of a key.
fn decode_edge(reader: &mut Reader<'_>, bits_left: u16) -> Result<CoverEdge, DecodeError> {
    let label = Label::decode(reader, bits_left)?;
    let left = bits_left - label.len();
    let below = match reader.u8()? {
        0 => CoverNode::Stub(Hash::decode(reader)?),
        1 => CoverNode::Leaf,
        2 => {
            let edges = [decode_edge(reader, left)?, decode_edge(reader, left)?];
            CoverNode::Interior(Box::new(edges))
        }
        _ => return Err(DecodeError::invalid("cover", "unknown kind of node")),
    };
    Ok(CoverEdge { label, below })
}
