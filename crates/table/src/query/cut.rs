//! Cutting every key's rows at a value, and proving that the cut is there.

use algebra::{Group as _, Scalar as _};
use wire::{DecodeError, Encode as _, Reader};

use super::cover::CoveredKey;
use crate::{
    Fault, Leaf,
    commitment::{BASES, Point, Scalar, decode},
    sum_tree::{Path, PathSums, decode_leaf, encode_leaf},
};

/// A rank in every key, with the leaves on one side of it or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Rows of each key before the cut.
    pub ranks: Vec<u64>,
    /// The last row before the cut, of every key that has one.
    pub below: Vec<(Leaf, Path)>,
    /// The first row after the cut, of every key that has one.
    pub above: Vec<(Leaf, Path)>,
}

/// What the sides of a cut are compared with; `None` for a side that is not shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Rows before the cut are at most this.
    pub(super) below: Option<u64>,
    /// Rows after it are at least this.
    pub(super) above: Option<u64>,
}

/// The rows after a cut.
pub(super) struct Above {
    pub(super) count: u64,
    /// Twice the sums, slot by slot, over all keys.
    pub(super) doubles: Vec<Point>,
}

impl Cut {
    /// The leaves that are shown.
    pub(crate) fn shown(&self) -> usize {
        self.below.len() + self.above.len()
    }

    /// Checks the paths, and adds what the range proofs must show to `statements`.
    pub(super) fn verify(
        &self,
        keys: &[CoveredKey],
        bounds: Bounds,
        statements: &mut Vec<Point>,
    ) -> Result<(), Fault> {
        self.walk(keys, bounds, statements, |_, _| Ok(()))
    }

    /// [`Cut::verify`], and the rows after a cut whose lower side is shown.
    pub(super) fn verify_above(
        &self,
        keys: &[CoveredKey],
        bounds: Bounds,
        statements: &mut Vec<Point>,
    ) -> Result<Above, Fault> {
        let slots = keys.first().map_or(0, |key| key.root.doubles.len());
        let mut above = Above { count: 0, doubles: vec![Point::identity(); slots] };
        let mut ranks = self.ranks.iter();
        self.walk(keys, bounds, statements, |key, sums| {
            // `walk` has checked that every key has a rank.
            let rank = ranks.next().copied().unwrap_or_default();
            let after = match sums {
                Some(sums) => sums.after,
                // Nothing before the cut: all of the key is after it.
                None => {
                    key.root.doubles.iter().map(|d| decode("root", d)).collect::<Result<_, _>>()?
                }
            };
            above.count = above.count.saturating_add(key.root.count.saturating_sub(rank));
            above.doubles.iter_mut().zip(after).for_each(|(sum, point)| *sum += point);
            Ok(())
        })?;
        Ok(above)
    }

    fn walk(
        &self,
        keys: &[CoveredKey],
        bounds: Bounds,
        statements: &mut Vec<Point>,
        mut each: impl FnMut(&CoveredKey, Option<PathSums>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (got, expected) = (self.ranks.len() as u64, keys.len() as u64);
        if got != expected {
            return Err(Fault::Number { what: "ranks of a cut", got, expected });
        }
        let (mut below, mut above) = (self.below.iter(), self.above.iter());
        for (key, &rank) in keys.iter().zip(&self.ranks) {
            let count = key.root.count;
            if rank > count {
                return Err(Fault::Bounds { what: "the rank of a cut" });
            }
            let mut last = None;
            if let (Some(bound), Some(index)) = (bounds.below, rank.checked_sub(1)) {
                let sums = open(key, below.next(), index)?;
                statements.push(BASES.value.mul(&Scalar::from_u64(bound)) - first(&sums)?);
                last = Some(sums);
            }
            if let Some(bound) = bounds.above
                && rank < count
            {
                let sums = open(key, above.next(), rank)?;
                statements.push(first(&sums)? - BASES.value.mul(&Scalar::from_u64(bound)));
            }
            each(key, last)?;
        }
        let (got, expected) = (below.len() + above.len(), 0);
        match got {
            0 => Ok(()),
            _ => Err(Fault::Number { what: "surplus leaves of a cut", got: got as u64, expected }),
        }
    }

    /// Appends ranks and leaves; `counts` are the rows of the keys.
    pub(super) fn encode(&self, counts: &[u64], out: &mut Vec<u8>) {
        encode_ranks(&self.ranks, out);
        encode_leaves((&self.ranks, &self.below), (&self.ranks, &self.above), counts, out);
    }

    pub(super) fn decode(
        reader: &mut Reader<'_>,
        slots: usize,
        counts: &[u64],
    ) -> Result<Self, DecodeError> {
        let ranks = decode_ranks(reader, counts)?;
        let (below, above) = decode_leaves(reader, slots, &ranks, &ranks, counts)?;
        Ok(Self { ranks, below, above })
    }
}

/// Two one-sided cuts that pin a value of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderPart {
    /// Rows at most the value.
    pub below: Cut,
    /// Rows at least the value.
    pub above: Cut,
}

impl OrderPart {
    /// The leaves that are shown.
    pub(crate) fn shown(&self) -> usize {
        self.below.shown() + self.above.shown()
    }

    pub(super) fn encode(&self, counts: &[u64], out: &mut Vec<u8>) {
        let Self { below, above } = self;
        encode_ranks(&below.ranks, out);
        encode_ranks(&above.ranks, out);
        encode_leaves((&below.ranks, &below.below), (&above.ranks, &above.above), counts, out);
    }

    pub(super) fn decode(
        reader: &mut Reader<'_>,
        slots: usize,
        counts: &[u64],
    ) -> Result<Self, DecodeError> {
        let (before, after) = (decode_ranks(reader, counts)?, decode_ranks(reader, counts)?);
        let (below, above) = decode_leaves(reader, slots, &before, &after, counts)?;
        let below = Cut { ranks: before, below, above: Vec::new() };
        Ok(Self { below, above: Cut { ranks: after, below: Vec::new(), above } })
    }
}

type Shown = (Leaf, Path);

fn encode_ranks(ranks: &[u64], out: &mut Vec<u8>) {
    ranks.iter().for_each(|rank| rank.encode(out));
}

fn decode_ranks(reader: &mut Reader<'_>, counts: &[u64]) -> Result<Vec<u64>, DecodeError> {
    let rank = |count: &u64| match reader.u64()? {
        rank if rank <= *count => Ok(rank),
        _ => Err(DecodeError::out_of_bounds("cut", "a rank beyond the rows of its key")),
    };
    counts.iter().map(rank).collect()
}

/// Key by key, the leaf before the lower rank and the leaf after the upper one, where there are any.
/// The second path of a key leaves out what the first has shown.
fn encode_leaves(
    (before, below): (&[u64], &[Shown]),
    (after, above): (&[u64], &[Shown]),
    counts: &[u64],
    out: &mut Vec<u8>,
) {
    let (mut below, mut above) = (below.iter(), above.iter());
    for ((before, after), count) in before.iter().zip(after).zip(counts) {
        let first = if *before > 0 { below.next() } else { None };
        if let Some((leaf, path)) = first {
            encode_leaf(leaf, out);
            path.encode(out);
        }
        let second = if after < count { above.next() } else { None };
        if let Some((leaf, path)) = second {
            encode_leaf(leaf, out);
            match first {
                Some((_, shown)) => path.encode_beside(shown, out),
                None => path.encode(out),
            }
        }
    }
}

fn decode_leaves(
    reader: &mut Reader<'_>,
    slots: usize,
    before: &[u64],
    after: &[u64],
    counts: &[u64],
) -> Result<(Vec<Shown>, Vec<Shown>), DecodeError> {
    let (mut below, mut above): (Vec<Shown>, Vec<Shown>) = (Vec::new(), Vec::new());
    for ((before, after), count) in before.iter().zip(after).zip(counts) {
        if *before > 0 {
            below.push((decode_leaf(reader, slots)?, Path::decode(reader, slots)?));
        }
        if after < count {
            let leaf = decode_leaf(reader, slots)?;
            let path = match below.last().filter(|_| *before > 0) {
                Some((_, shown)) => Path::decode_beside(reader, slots, shown)?,
                None => Path::decode(reader, slots)?,
            };
            above.push((leaf, path));
        }
    }
    Ok((below, above))
}

/// Opens the leaf of an index below a key's root.
fn open(key: &CoveredKey, shown: Option<&(Leaf, Path)>, index: u64) -> Result<PathSums, Fault> {
    let missing = Fault::Number { what: "leaves of a cut", got: 0, expected: 1 };
    let (leaf, path) = shown.ok_or(missing)?;
    if path.index != index || path.count != key.root.count {
        return Err(Fault::PathShape);
    }
    let sums = path.sums(leaf)?;
    match sums.root == key.root {
        true => Ok(sums),
        false => Err(Fault::Mismatch { what: "the path of a leaf" }),
    }
}

/// The commitment to the value that rows are sorted by.
fn first(sums: &PathSums) -> Result<Point, Fault> {
    sums.leaf.first().copied().ok_or(Fault::PathShape)
}
