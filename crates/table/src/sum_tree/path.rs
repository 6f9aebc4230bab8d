//! Paths of a sum tree: the verifier's side.

use algebra::Group as _;
use wire::{DecodeError, Encode, Reader};

use super::{MAX_ROWS, MAX_SLOTS, Root, hash_node, shape};
use crate::{
    Fault,
    commitment::{Encoded, Point, decode, encode},
    hash::Hash,
    leaf::Leaf,
};

/// A node beside a path, opened one level, so that its hash is recomputed and never believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sibling {
    /// A single row.
    Leaf(Leaf),
    /// Several rows.
    Node {
        /// `enc(2C)` of every slot.
        doubles: Vec<Encoded>,
        /// The left child's hash.
        left: Hash,
        /// The right child's hash.
        right: Hash,
    },
}

/// The path of a leaf. Shape, sides and counts follow from index and count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The leaf's rank from 0.
    pub index: u64,
    /// Rows of the key.
    pub count: u64,
    /// From the bottom.
    pub siblings: Vec<Sibling>,
}

/// What a path shows: the root, the leaf, and twice the sums of the rows after it.
#[derive(Clone, Debug)]
pub struct PathSums {
    /// The root that the path leads to.
    pub root: Root,
    /// The leaf's commitments, slot by slot, not doubled.
    pub(crate) leaf: Vec<Point>,
    /// Twice the sums of the rows right of the leaf.
    pub(crate) after: Vec<Point>,
}

impl Path {
    /// Appends index, count and siblings.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.index.encode(out);
        self.count.encode(out);
        for sibling in &self.siblings {
            match sibling {
                Sibling::Leaf(leaf) => encode_leaf(leaf, out),
                Sibling::Node { doubles, left, right } => {
                    doubles.iter().for_each(|double| out.extend_from_slice(double));
                    left.encode(out);
                    right.encode(out);
                }
            }
        }
    }

    /// Reads a path in a tree with so many slots. The shape says what every sibling is.
    ///
    /// # Errors
    /// [`DecodeError`]; an index beyond the count is one.
    pub fn decode(reader: &mut Reader<'_>, slots: usize) -> Result<Self, DecodeError> {
        let (index, count) = (reader.u64()?, reader.u64()?);
        if index >= count || count > MAX_ROWS {
            return Err(DecodeError::out_of_bounds("path", "the index is not below the count"));
        }
        let siblings = shape::beside(index, count);
        let siblings = siblings.map(|beside| decode_sibling(reader, slots, beside.rows));
        Ok(Self { index, count, siblings: siblings.collect::<Result<_, _>>()? })
    }

    /// Appends what another path of the same tree does not show: the index, and the siblings below
    /// the node where the two meet.
    pub(crate) fn encode_beside(&self, other: &Self, out: &mut Vec<u8>) {
        let own = self.siblings.len().saturating_sub(shared(self.index, other.index, self.count));
        let siblings = self.siblings.iter().take(own).cloned().collect();
        let mut whole = Vec::new();
        Self { siblings, ..*self }.encode(&mut whole);
        // The count is the other path's.
        out.extend(whole.iter().take(8).chain(whole.iter().skip(16)));
    }

    /// Reads what [`Path::encode_beside`] appended.
    pub(crate) fn decode_beside(
        reader: &mut Reader<'_>,
        slots: usize,
        other: &Self,
    ) -> Result<Self, DecodeError> {
        let (index, count) = (reader.u64()?, other.count);
        if index >= count {
            return Err(DecodeError::out_of_bounds("path", "the index is not below the count"));
        }
        let shared = shared(index, other.index, count);
        let all: Vec<_> = shape::beside(index, count).collect();
        let own = all.len().saturating_sub(shared);
        let read = all.iter().take(own).map(|beside| decode_sibling(reader, slots, beside.rows));
        let mut siblings = read.collect::<Result<Vec<_>, _>>()?;
        let above = other.siblings.len().saturating_sub(shared);
        siblings.extend(other.siblings.iter().skip(above).cloned());
        Ok(Self { index, count, siblings })
    }

    /// Recomputes the root above a leaf, with the sums after the leaf.
    ///
    /// # Errors
    /// [`Fault`] for a sibling of the wrong kind, number or length, and for bytes that are no
    /// point.
    pub fn sums(&self, leaf: &Leaf) -> Result<PathSums, Fault> {
        let own = points(&leaf.commitments)?;
        let mut sums = own.clone();
        let slots = own.len();
        let mut hash = leaf.hash();
        let mut rows = 1;
        sums.iter_mut().for_each(|sum| *sum = sum.double());
        let mut after = vec![Point::identity(); slots];
        if self.count > MAX_ROWS || self.index >= self.count {
            return Err(Fault::PathShape);
        }
        let mut siblings = self.siblings.iter();
        let mut doubles = Vec::new();
        for beside in shape::beside(self.index, self.count) {
            let sibling = siblings.next().ok_or(Fault::PathShape)?;
            let (points, sibling_hash) = open(sibling, beside.rows, slots)?;
            if !beside.left {
                after.iter_mut().zip(&points).for_each(|(after, point)| *after += *point);
            }
            sums.iter_mut().zip(&points).for_each(|(sum, point)| *sum += *point);
            rows += beside.rows;
            doubles = sums.iter().map(encode).collect();
            hash = match beside.left {
                true => hash_node(rows, &doubles, &sibling_hash, &hash),
                false => hash_node(rows, &doubles, &hash, &sibling_hash),
            };
        }
        if siblings.next().is_some() {
            return Err(Fault::PathShape);
        }
        if rows == 1 {
            doubles = sums.iter().map(encode).collect();
        }
        Ok(PathSums { root: Root { count: rows, doubles, hash }, leaf: own, after })
    }
}

/// Siblings that the paths of two leaves have in common: those above the node where they meet.
fn shared(index: u64, other: u64, count: u64) -> usize {
    let met = |layer: u32| index >> layer == other >> layer;
    shape::beside(index, count).filter(|beside| met(beside.layer)).count()
}

fn decode_sibling(
    reader: &mut Reader<'_>,
    slots: usize,
    rows: u64,
) -> Result<Sibling, DecodeError> {
    if rows == 1 {
        return decode_leaf(reader, slots).map(Sibling::Leaf);
    }
    let doubles = encodings(reader, slots)?;
    let (left, right) = (reader.array()?.into(), reader.array()?.into());
    Ok(Sibling::Node { doubles, left, right })
}

/// Twice the sums of a sibling, and its hash.
fn open(sibling: &Sibling, rows: u64, slots: usize) -> Result<(Vec<Point>, Hash), Fault> {
    let (opened, hash) = match (sibling, rows) {
        (Sibling::Leaf(leaf), 1) => {
            let doubled = points(&leaf.commitments)?.iter().map(Point::double).collect();
            (doubled, leaf.hash())
        }
        (Sibling::Node { doubles, left, right }, 2..) => {
            (points(doubles)?, hash_node(rows, doubles, left, right))
        }
        _ => return Err(Fault::PathShape),
    };
    match opened.len() == slots {
        true => Ok((opened, hash)),
        false => Err(Fault::PathShape),
    }
}

fn points(encodings: &[Encoded]) -> Result<Vec<Point>, Fault> {
    encodings.iter().map(|encoded| decode("sum tree", encoded)).collect()
}

/// Appends tag and commitments.
pub(crate) fn encode_leaf(leaf: &Leaf, out: &mut Vec<u8>) {
    leaf.tag.encode(out);
    leaf.commitments.iter().for_each(|commitment| out.extend_from_slice(commitment));
}

/// Reads a leaf behind the number of its slots (u16).
pub(crate) fn decode_counted_leaf(reader: &mut Reader<'_>) -> Result<Leaf, DecodeError> {
    let slots = usize::from(reader.u16()?);
    if slots > MAX_SLOTS {
        return Err(DecodeError::out_of_bounds("leaf", "more slots than any schema has"));
    }
    decode_leaf(reader, slots)
}

/// Reads a leaf with so many slots.
pub(crate) fn decode_leaf(reader: &mut Reader<'_>, slots: usize) -> Result<Leaf, DecodeError> {
    let tag = reader.array()?.into();
    Ok(Leaf { tag, commitments: encodings(reader, slots)? })
}

/// Reads so many encoded points.
pub(crate) fn encodings(
    reader: &mut Reader<'_>,
    count: usize,
) -> Result<Vec<Encoded>, DecodeError> {
    let (chunks, _) = reader.items(count, 32)?.as_chunks::<32>();
    Ok(chunks.to_vec())
}
