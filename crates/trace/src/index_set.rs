//! Sets of rows.

use std::{fmt, str::FromStr};

use shuffle::MAX_ROWS;
use wire::{Decode, DecodeError, Encode, Reader};

use crate::TraceError;

/// A set of rows of the inputs or the outputs, counted from 0, in increasing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSet(Vec<u32>);

impl IndexSet {
    /// Takes indices in any order.
    ///
    /// # Errors
    /// [`TraceError::RepeatedIndex`].
    pub fn new(indices: impl IntoIterator<Item = u32>) -> Result<Self, TraceError> {
        let mut indices: Vec<u32> = indices.into_iter().collect();
        indices.sort_unstable();
        let mut pairs = indices.iter().zip(indices.iter().skip(1));
        match pairs.find(|(index, next)| index == next) {
            Some((&index, _)) => Err(TraceError::RepeatedIndex { index }),
            None => Ok(Self(indices)),
        }
    }

    /// All of the first `rows` rows.
    pub fn all(rows: u32) -> Self {
        Self((0..rows).collect())
    }

    /// The rows below `rows` that are not in the set.
    #[must_use]
    pub fn complement(&self, rows: u32) -> Self {
        Self((0..rows).filter(|index| !self.contains(*index)).collect())
    }

    /// Whether a row is in the set.
    pub fn contains(&self, index: u32) -> bool {
        self.0.binary_search(&index).is_ok()
    }

    /// The number of rows in the set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// Takes indices that are increasing already.
    pub fn from_sorted(indices: Vec<u32>) -> Self {
        Self(indices)
    }

    /// Requires that every index is below `rows`; `set` is I or J.
    pub fn require_below(&self, set: &'static str, rows: usize) -> Result<(), TraceError> {
        match self.0.last() {
            Some(&index) if index as usize >= rows => {
                Err(TraceError::IndexRange { set, index, rows })
            }
            _ => Ok(()),
        }
    }
}

/// Reads runs of rows, such as `0-99, 105`, in any order; nothing is the empty set.
impl FromStr for IndexSet {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let refused = |part: &str| {
            TraceError::malformed("rows", format!("`{part}` is not a row or a run such as 0-99"))
        };
        let row = |part: &str| -> Result<u32, TraceError> {
            let row = part.trim().parse().map_err(|_| refused(part))?;
            if row as usize >= MAX_ROWS { Err(refused(part)) } else { Ok(row) }
        };
        let mut indices = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (start, end) = part.split_once('-').unwrap_or((part, part));
            let (start, end) = (row(start)?, row(end)?);
            if start > end || indices.len() > MAX_ROWS {
                return Err(refused(part));
            }
            indices.extend(start..=end);
        }
        Self::new(indices)
    }
}

/// Runs of rows, such as `0-99, 105`.
impl fmt::Display for IndexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for index in self.iter() {
            match runs.last_mut() {
                Some((_, end)) if end.checked_add(1) == Some(index) => *end = index,
                _ => runs.push((index, index)),
            }
        }
        for (number, (start, end)) in runs.into_iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            match start == end {
                true => write!(f, "{comma}{start}")?,
                false => write!(f, "{comma}{start}-{end}")?,
            }
        }
        Ok(())
    }
}

/// A 32-bit count and the indices, 32 bits each, strictly increasing.
impl Encode for IndexSet {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.0.len() as u32).encode(out);
        self.0.iter().for_each(|index| index.encode(out));
    }
}

impl Decode for IndexSet {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("indices", MAX_ROWS)?;
        let (words, _) = reader.items(count, 4)?.as_chunks::<4>();
        let indices: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        match indices.iter().zip(indices.iter().skip(1)).all(|(index, next)| index < next) {
            true => Ok(Self(indices)),
            false => Err(DecodeError::invalid("indices", "not strictly increasing")),
        }
    }
}
