//! Answers: equal to plain computation, and every lie refused.

mod hierarchy;
mod lies;
mod plain;

use crate::support::*;
use table::{
    query::{Query, Rank, Region, Statistic},
    *,
};

const MEDIAN: Fraction = Fraction { part: 1, whole: 2 };
const TWENTIETH: Fraction = Fraction { part: 1, whole: 20 };

const STATISTICS: [Statistic; 6] = [
    Statistic::Moments,
    Statistic::Order(Rank::Min),
    Statistic::Order(Rank::Max),
    Statistic::Order(Rank::Quantile(MEDIAN)),
    Statistic::Top(MEDIAN),
    Statistic::Histogram,
];

fn world(sizes: &[usize], distinct: u64) -> World {
    let mut schema = schema();
    schema.policy.min_count = 0;
    let epoch = |(seed, size): (usize, &usize)| entries(&schema, *size, distinct, seed as u64);
    let rows: Vec<_> = sizes.iter().enumerate().map(epoch).collect();
    World::new(schema, &rows)
}

fn all(world: &World, statistic: Statistic) -> Query {
    let last = 9 + world.epochs.len() as u32;
    Query { column: 0, region: Region::all(world.setup.table.schema(), 10, last), statistic }
}
