//! What is asked, in the one form that transcripts absorb.

use wire::{Decode, DecodeError, Encode, Reader};

use super::hierarchy::Hierarchy;
use crate::{
    Fault, Fraction, Kind, Refused, Schema, Table,
    checks::{TA_1, TA_2, Under as _},
    rank::Rank,
};

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

/// What is asked about the rows of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Counts and sums of all committed powers.
    Moments,
    /// One value by rank.
    Order(Rank),
    /// Count, threshold and sums of this fraction of the rows, the largest.
    Top(Fraction),
    /// Counts and sums between the schema's cuts.
    Histogram,
}

impl Statistic {
    /// The kind by which a policy names it.
    pub fn kind(self) -> Kind {
        match self {
            Self::Moments => Kind::Moments,
            Self::Order(_) => Kind::Order,
            Self::Top(_) => Kind::Top,
            Self::Histogram => Kind::Histogram,
        }
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The value column.
    pub column: u16,
    /// Which rows.
    pub region: Region,
    /// What about them.
    pub statistic: Statistic,
}

impl Query {
    /// Checks the query against schema, policy and log.
    ///
    /// # Errors
    /// [`Fault::Query`], [`Fault::Policy`], [`Fault::Hierarchy`].
    pub fn check(&self, table: &Table, log_size: u64) -> Result<(), Fault> {
        Ok(self.explain(table, log_size)?)
    }

    /// [`Query::check`], naming the check that fails.
    pub(super) fn explain(&self, table: &Table, log_size: u64) -> Result<(), Refused> {
        self.region.check(table, log_size).under(TA_1)?;
        self.check_policy(table.schema()).under(TA_2)
    }

    /// Checks the query against schema and policy, whatever rows there are.
    ///
    /// # Errors
    /// As [`Query::check`].
    pub(crate) fn check_policy(&self, schema: &Schema) -> Result<(), Fault> {
        let refused = |code, reason| Err(Fault::Policy { code, reason });
        let Some(column) = schema.value(self.column) else {
            return Err(Fault::Query { reason: "there is no such value column" });
        };
        let policy = &schema.policy;
        if self.statistic != Statistic::Moments && !column.ordered {
            return refused("order", "the column is not ordered");
        }
        if !policy.allows(self.statistic.kind()) {
            return refused("kind", "the policy does not allow answers of this kind");
        }
        let exact = matches!(self.statistic, Statistic::Top(_) | Statistic::Histogram);
        if policy.rounding.is_some() && exact {
            return refused("rounding", "the policy rounds sums, and this would show exact ones");
        }
        if let Some(hierarchy) = Hierarchy::of(schema) {
            hierarchy.find(&self.region)?;
            if exact {
                let reason = "the policy has a hierarchy, and parts of boxes could be subtracted";
                return refused("hierarchy", reason);
            }
        }
        let granted = |p: &Fraction| policy.quantiles.contains(p);
        match &self.statistic {
            Statistic::Order(Rank::Min | Rank::Max) if !policy.extremes => {
                refused("extremes", "the policy does not allow MIN and MAX")
            }
            Statistic::Order(Rank::Quantile(p)) | Statistic::Top(p) if !granted(p) => {
                refused("fraction", "the fraction is not one of the policy")
            }
            Statistic::Histogram if column.cuts.is_empty() => {
                refused("cuts", "the column has no cuts")
            }
            _ => Ok(()),
        }
    }

    /// The region whose keys an answer shows: its own, or all, from which a hierarchy withholds.
    pub(crate) fn shown(&self, schema: &Schema) -> Region {
        match schema.policy.hierarchy {
            None => self.region.clone(),
            Some(_) => Region::all(schema, self.region.from, self.region.to),
        }
    }

    /// The ordered column in whose trees the queried column stands, and its slots there.
    pub(crate) fn slots(&self, schema: &Schema) -> (u16, std::ops::Range<usize>) {
        let ordered = schema.value(self.column).is_some_and(|column| column.ordered);
        let tree = if ordered { self.column } else { schema.ordered().next().unwrap_or_default() };
        let slots = schema.slots(tree);
        let start = slots.iter().position(|slot| slot.column == self.column).unwrap_or_default();
        (tree, start..start + usize::from(schema.moments(self.column)))
    }
}

impl Encode for Fraction {
    fn encode(&self, out: &mut Vec<u8>) {
        self.part.encode(out);
        self.whole.encode(out);
    }
}

impl Decode for Fraction {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { part: reader.u32()?, whole: reader.u32()? })
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

impl Encode for Query {
    fn encode(&self, out: &mut Vec<u8>) {
        self.column.encode(out);
        self.region.encode(out);
        match &self.statistic {
            Statistic::Moments => out.push(0),
            Statistic::Order(Rank::Min) => out.push(1),
            Statistic::Order(Rank::Max) => out.push(2),
            Statistic::Order(Rank::Quantile(p)) => {
                out.push(3);
                p.encode(out);
            }
            Statistic::Top(p) => {
                out.push(4);
                p.encode(out);
            }
            Statistic::Histogram => out.push(5),
        }
    }
}

impl Decode for Query {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (column, region) = (reader.u16()?, Region::decode(reader)?);
        let statistic = match reader.u8()? {
            0 => Statistic::Moments,
            1 => Statistic::Order(Rank::Min),
            2 => Statistic::Order(Rank::Max),
            3 => Statistic::Order(Rank::Quantile(Fraction::decode(reader)?)),
            4 => Statistic::Top(Fraction::decode(reader)?),
            5 => Statistic::Histogram,
            _ => return Err(DecodeError::invalid("query", "unknown statistic")),
        };
        Ok(Self { column, region, statistic })
    }
}
