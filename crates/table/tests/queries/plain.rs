//! Answers equal plain computation: with ties, extremes, single rows, powers, and a million rows.

use proptest::prelude::*;
use table::{
    query::{Answer, Assurance, KeyBox, Outcome, Query, Rank, Region, Statistic, Summary},
    *,
};
use wire::{Decode, Encode};

use super::{STATISTICS, all, world};
use crate::support::*;

/// The values of a column in a region, by plain iteration, ascending.
fn values(world: &World, query: &Query) -> Vec<u64> {
    let schema = world.setup.table.schema();
    let epochs = world
        .epochs
        .iter()
        .filter(|epoch| (query.region.from..=query.region.to).contains(&epoch.core.epoch));
    let inside = |entry: &&Entry| {
        let codes = schema.decode_key(&entry.row.key).unwrap();
        query.region.boxes.iter().any(|key_box| {
            let mut fields = key_box.ranges.iter().zip(&codes);
            fields.all(|((low, high), code)| low <= code && code <= high)
        })
    };
    let entries = epochs.flat_map(|epoch| epoch.entries.iter().filter(inside));
    let mut values: Vec<_> =
        entries.map(|entry| entry.row.values[usize::from(query.column)]).collect();
    values.sort_unstable();
    values
}

fn sums(values: &[u64], powers: u32) -> Vec<num_bigint::BigUint> {
    let power = |j| values.iter().map(|v| num_bigint::BigUint::from(*v).pow(j)).sum();
    (1..=powers).map(power).collect()
}

/// Asks, sends, verifies, and compares with plain computation.
fn cross_check(world: &World, query: Query) {
    cross_check_with(world, query, -100);
}

/// The same for a first column whose values begin at `min`.
fn cross_check_with(world: &World, query: Query, min: i128) {
    let answer = world.ask(query.clone()).unwrap();
    let answer = Answer::from_bytes(&answer.to_bytes()).unwrap();
    let verified = world.check(&answer).unwrap();
    assert_eq!(verified.assurance, Assurance::CommittedOnly);
    let values = values(world, &query);
    let count = values.len() as u64;
    let powers = u32::from(world.setup.table.schema().moments(query.column));
    match (query.statistic, verified.outcome) {
        (_, Outcome::Empty) => assert_eq!(count, 0),
        (Statistic::Moments, Outcome::Moments(moments)) => {
            assert_eq!((moments.count, moments.sums()), (count, sums(&values, powers)));
        }
        (Statistic::Order(rank), Outcome::Order { count: claimed, value }) => {
            let rank = match rank {
                Rank::Min => 1,
                Rank::Max => values.len(),
                Rank::Quantile(p) => {
                    (values.len() * p.part as usize).div_ceil(p.whole as usize).max(1)
                }
            };
            assert_eq!((claimed, value), (count, values[rank - 1]));
        }
        (Statistic::Top(p), Outcome::Top { threshold, top, .. }) => {
            let kept = (p.whole - p.part) as usize;
            let below = (values.len() * kept).div_ceil(p.whole as usize).max(1);
            assert_eq!(threshold, values[below - 1]);
            assert_eq!(top.sums(), sums(&values[below..], powers));
        }
        (Statistic::Histogram, Outcome::Histogram(parts)) => {
            let cuts = &world.setup.table.schema().values[0].cuts;
            let edges: Vec<i128> = cuts.iter().map(|cut| i128::from(*cut) - min).collect();
            for (index, part) in parts.iter().enumerate() {
                let low = index.checked_sub(1).map_or(i128::MIN, |below| edges[below]);
                let high = edges.get(index).copied().unwrap_or(i128::MAX);
                let inside = |value: &&u64| (low..high).contains(&i128::from(**value));
                let inside: Vec<u64> = values.iter().filter(inside).copied().collect();
                let expected = (inside.len() as u64, sums(&inside, powers));
                assert_eq!((part.count, part.sums()), expected);
            }
        }
        (statistic, outcome) => panic!("{statistic:?} answered with {outcome:?}"),
    }
}

#[test]
fn answers_equal_plain_computation() {
    for (sizes, distinct) in [(&[40, 25][..], 5), (&[31], 1000), (&[2], 0), (&[0], 1), (&[9], 1)] {
        let mut schema = schema();
        schema.policy.min_count = 0;
        let epoch = |(seed, size): (usize, &usize)| entries(&schema, *size, distinct, seed as u64);
        let rows: Vec<_> = sizes.iter().enumerate().map(epoch).collect();
        let world = World::new(schema.clone(), &rows);
        for statistic in STATISTICS {
            cross_check(&world, all(&world, statistic));
        }
        cross_check(&world, Query { column: 1, ..all(&world, Statistic::Moments) });
        // Two boxes of one epoch.
        let mut query = all(&world, Statistic::Moments);
        query.region.to = 10;
        query.region.boxes =
            vec![KeyBox { ranges: vec![(0, 1), (1, 1)] }, KeyBox { ranges: vec![(2, 3), (0, 1)] }];
        cross_check(&world, query);
    }
}

#[test]
fn one_row_and_no_types_are_no_special_cases() {
    let mut schema = schema();
    schema.types.clear();
    schema.policy.min_count = 0;
    schema.values[0] = column("power", i64::MIN, i64::MIN + 1000, 3, true);
    schema.values[0].cuts = vec![i64::MIN, i64::MIN + 3, i64::MAX];
    for size in [1, 7] {
        let world = World::new(schema.clone(), &[entries(&schema, size, 900, 4)]);
        for statistic in STATISTICS.into_iter().take(5) {
            cross_check(&world, all(&world, statistic));
        }
        let answer = world.ask(all(&world, Statistic::Histogram)).unwrap();
        let Outcome::Histogram(parts) = world.check(&answer).unwrap().outcome else { panic!() };
        assert_eq!((parts.len(), parts[0].count, parts[3].count), (4, 0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Random tables, with ties, extremes and single rows; random epochs and boxes.
    #[test]
    fn random_tables_answer_as_plain_computation_does(
        sizes in prop::collection::vec(0_usize..14, 1..4),
        distinct in prop::sample::select(vec![0_u64, 1, 2, 5, 1000]),
        seed in any::<u64>(),
        (low, high) in (0_u64..4, 0_u64..4),
        industrial in prop::sample::select(vec![(0_u64, 0_u64), (1, 1), (0, 1)]),
        (from, to) in (0_usize..3, 0_usize..3),
    ) {
        let mut schema = schema();
        schema.policy.min_count = 0;
        let rows: Vec<_> = (0..)
            .zip(&sizes)
            .map(|(epoch, size)| entries(&schema, *size, distinct, seed.wrapping_add(epoch)))
            .collect();
        let world = World::new(schema, &rows);
        let last = sizes.len() - 1;
        let (from, to) = (from.min(to).min(last) as u32, from.max(to).min(last) as u32);
        let key_box = KeyBox { ranges: vec![(low.min(high), low.max(high)), industrial] };
        let region = Region { from: 10 + from, to: 10 + to, boxes: vec![key_box] };
        for statistic in STATISTICS {
            cross_check(&world, Query { column: 0, region: region.clone(), statistic });
        }
        let statistic = Statistic::Moments;
        cross_check(&world, Query { column: 1, region, statistic });
    }
}

/// The four powers of offsets below 2^52, from the least number there is.
#[test]
fn four_powers_of_large_values_are_exact() {
    let mut schema = schema();
    schema.policy.min_count = 0;
    let widest = i64::MIN + (1 << 52) - 1;
    schema.values[0] = column("power", i64::MIN, widest, 4, true);
    schema.values[0].cuts = vec![0];
    let world = World::new(schema.clone(), &[entries(&schema, 7, 1 << 51, 4)]);
    for statistic in STATISTICS {
        cross_check_with(&world, all(&world, statistic), i128::from(i64::MIN));
    }
    let answer = world.ask(all(&world, Statistic::Moments)).unwrap();
    let Outcome::Moments(moments) = world.check(&answer).unwrap().outcome else { panic!() };
    let sum = Summary::of(&schema.values[0], &moments).sum.to_decimal(0);
    let plain: i128 = values(&world, &answer.query)
        .iter()
        .map(|value| i128::from(*value) + i128::from(i64::MIN))
        .sum();
    assert_eq!(sum, plain.to_string());
}

#[test]
fn summaries_are_exact() {
    let world = world(&[40], 300);
    let answer = world.ask(all(&world, Statistic::Moments)).unwrap();
    let Outcome::Moments(moments) = world.check(&answer).unwrap().outcome else { panic!() };
    let column = &world.setup.table.schema().values[0];
    let summary = Summary::of(column, &moments);
    let plain: Vec<f64> = values(&world, &answer.query).iter().map(|v| *v as f64 - 100.0).collect();
    let n = plain.len() as f64;
    let mean = plain.iter().sum::<f64>() / n;
    let central = |j| plain.iter().map(|v| (v - mean).powi(j)).sum::<f64>();
    let close = |text: String, plain: f64| {
        assert!((text.parse::<f64>().unwrap() - plain).abs() < 1e-4, "{text} {plain}");
    };
    close(summary.sum.to_decimal(6), mean * n);
    close(summary.mean.unwrap().to_decimal(6), mean);
    close(summary.variance.unwrap().to_decimal(6), central(2) / (n - 1.0));
    let skewness = central(3) / n / (central(2) / n).powf(1.5);
    close(summary.skewness.unwrap().to_decimal(9), skewness);
    close(summary.deviation.unwrap().to_decimal(9), (central(2) / (n - 1.0)).sqrt());
}

#[test]
#[ignore = "a minute: every row is committed to"]
fn a_million_rows_answer_as_plain_computation_does() {
    let mut schema = schema();
    schema.values.truncate(1);
    (schema.values[0].max, schema.values[0].moments) = (10_000_000, 1);
    let world = World::new(schema.clone(), &[entries(&schema, 1_000_000, 1_000_000, 1)]);
    for statistic in STATISTICS {
        cross_check(&world, all(&world, statistic));
    }
}
