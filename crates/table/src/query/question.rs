//! What is asked, in the one form that transcripts absorb.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{Region, hierarchy::Hierarchy};
use crate::{
    Fault, Fraction, Kind, Refused, Schema, Table,
    checks::{TA_1, TA_2, Under as _},
    rank::Rank,
};

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
        // A schema has an ordered column, and in the first of them stand all that are not (`columns_in`).
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
