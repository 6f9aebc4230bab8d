//! Which rows a question is about: keys in boxes, of some epochs.

use wire::{Decode, DecodeError, Encode, Reader};

use crate::{Fault, Schema, Table};

/// Boxes of a query, and epochs: bounds for decoding.
const MAX_BOXES: usize = 1 << 12;
const MAX_FIELDS: usize = 1 << 7;

/// Keys by an interval of every type column, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyBox {
    /// In schema order; none for a table without types.
    pub ranges: Vec<(u64, u64)>,
}

impl KeyBox {
    /// All keys.
    pub fn all(schema: &Schema) -> Self {
        Self { ranges: schema.types.iter().map(|column| (0, column.max())).collect() }
    }

    fn meets(&self, other: &Self) -> bool {
        let mut pairs = self.ranges.iter().zip(&other.ranges);
        pairs.all(|((low, high), (other_low, other_high))| low <= other_high && other_low <= high)
    }
}

/// Which rows a query is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first epoch.
    pub from: u32,
    /// The last epoch.
    pub to: u32,
    /// Pairwise disjoint, ascending.
    pub boxes: Vec<KeyBox>,
}

impl Region {
    /// All keys of some epochs.
    pub fn all(schema: &Schema, from: u32, to: u32) -> Self {
        Self { from, to, boxes: vec![KeyBox::all(schema)] }
    }

    /// Checks that epochs are in the log, and boxes in the schema, in order and disjoint: a box
    /// that is named twice would double every sum.
    ///
    /// # Errors
    /// [`Fault::Query`].
    pub fn check(&self, table: &Table, log_size: u64) -> Result<(), Fault> {
        let refused = |reason| Err(Fault::Query { reason });
        let first = table.genesis().first_epoch;
        let logged = |epoch: u32| epoch >= first && u64::from(epoch - first) < log_size;
        if self.from > self.to || !logged(self.from) || !logged(self.to) {
            return refused("the interval of epochs is empty or not in the log");
        }
        if self.boxes.is_empty() || !self.boxes.is_sorted_by(|a, b| a < b) {
            return refused("boxes must ascend");
        }
        let types = &table.schema().types;
        for (index, key_box) in self.boxes.iter().enumerate() {
            let inside = |((low, high), column): (&(u64, u64), &crate::TypeColumn)| {
                low <= high && *high <= column.max()
            };
            if key_box.ranges.len() != types.len() || !key_box.ranges.iter().zip(types).all(inside)
            {
                return refused("a box is empty or outside of the schema");
            }
            if self.boxes.iter().take(index).any(|other| other.meets(key_box)) {
                return refused("two boxes overlap");
            }
        }
        Ok(())
    }

    /// Whether keys of the region may begin with the first `bits` bits of a key.
    pub(crate) fn overlaps(&self, schema: &Schema, key: &[u8], bits: u16) -> bool {
        let mut start = 0;
        let mut spans = Vec::with_capacity(schema.types.len());
        for column in &schema.types {
            let width = column.width();
            // Keys are as long as those of the schema.
            let bytes = key.get(start..start + width).unwrap_or_default();
            let value = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
            let known = usize::from(bits).saturating_sub(8 * start).min(8 * width);
            let free = 8 * width - known;
            let unknown = if free >= 64 { u64::MAX } else { (1 << free) - 1 };
            spans.push((value & !unknown, value | unknown));
            start += width;
        }
        let prefix = KeyBox { ranges: spans };
        self.boxes.iter().any(|key_box| key_box.meets(&prefix))
    }
}

impl Encode for Region {
    fn encode(&self, out: &mut Vec<u8>) {
        self.from.encode(out);
        self.to.encode(out);
        (self.boxes.len() as u32).encode(out);
        for key_box in &self.boxes {
            (key_box.ranges.len() as u32).encode(out);
            for (low, high) in &key_box.ranges {
                low.encode(out);
                high.encode(out);
            }
        }
    }
}

impl Decode for Region {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (from, to) = (reader.u32()?, reader.u32()?);
        let mut boxes = Vec::new();
        for _ in 0..reader.count("boxes", MAX_BOXES)? {
            let fields = reader.count("type columns", MAX_FIELDS)?;
            let ranges = (0..fields).map(|_| Ok((reader.u64()?, reader.u64()?)));
            boxes.push(KeyBox { ranges: ranges.collect::<Result<_, DecodeError>>()? });
        }
        Ok(Self { from, to, boxes })
    }
}
