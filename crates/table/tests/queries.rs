//! Answers: equal to plain computation, and every lie refused.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

mod support;

use algebra::{Group as _, Ristretto255 as Point, Scalar as _};
use proptest::prelude::*;
use support::*;
use table::{
    log::Attestation,
    query::{Answer, Assurance, KeyBox, Outcome, Proof, Query, Rank, Region, Statistic, Summary},
    *,
};
use wire::{Decode, Encode};

type Scalar = <Point as algebra::Group>::Scalar;

const MEDIAN: Fraction = Fraction { part: 1, whole: 2 };
const TWENTIETH: Fraction = Fraction { part: 1, whole: 20 };

fn world(sizes: &[usize], distinct: u64) -> World {
    let schema = schema();
    let epoch = |(seed, size): (usize, &usize)| entries(&schema, *size, distinct, seed as u64);
    let rows: Vec<_> = sizes.iter().enumerate().map(epoch).collect();
    World::new(schema, &rows)
}

fn all(world: &World, statistic: Statistic) -> Query {
    let last = 9 + world.epochs.len() as u32;
    Query { column: 0, region: Region::all(world.setup.table.schema(), 10, last), statistic }
}

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

const STATISTICS: [Statistic; 6] = [
    Statistic::Moments,
    Statistic::Order(Rank::Min),
    Statistic::Order(Rank::Max),
    Statistic::Order(Rank::Quantile(MEDIAN)),
    Statistic::Top(MEDIAN),
    Statistic::Histogram,
];

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
    assert!((summary.skewness.unwrap() - skewness).abs() < 1e-9);
    assert!((summary.deviation.unwrap() - (central(2) / (n - 1.0)).sqrt()).abs() < 1e-9);
}

#[test]
fn queries_outside_of_schema_policy_and_log_are_refused() {
    let world = world(&[20, 20], 5);
    let reason = |query: Query| match world.ask(query) {
        Err(Fault::Query { reason } | Fault::Policy { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let base = all(&world, Statistic::Moments);
    let region = |change: &dyn Fn(&mut Region)| {
        let mut query = base.clone();
        change(&mut query.region);
        reason(query)
    };
    let epochs = "the interval of epochs is empty or not in the log";
    assert_eq!(region(&|region| region.to = 12), epochs);
    assert_eq!(region(&|region| region.from = 9), epochs);
    assert_eq!(region(&|region| region.from = 12), epochs);
    let key_box = KeyBox { ranges: vec![(1, 1), (0, 1)] };
    let twice = vec![key_box.clone(), key_box.clone()];
    assert_eq!(region(&|region| region.boxes = twice.clone()), "boxes must ascend");
    let overlapping = vec![key_box.clone(), KeyBox { ranges: vec![(1, 2), (0, 0)] }];
    assert_eq!(region(&|region| region.boxes = overlapping.clone()), "two boxes overlap");
    let outside = "a box is empty or outside of the schema";
    for ranges in [vec![(2, 1), (0, 1)], vec![(0, 1), (0, 2)], vec![(0, 1)]] {
        assert_eq!(
            region(&|region| region.boxes = vec![KeyBox { ranges: ranges.clone() }]),
            outside
        );
    }
    let mut query = all(&world, Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 3 })));
    assert_eq!(reason(query.clone()), "the fraction is not one of the policy");
    query.statistic = Statistic::Order(Rank::Max);
    query.column = 1;
    assert_eq!(reason(query.clone()), "the column is not ordered");
    // Over tied rows an operator could pick those with more of an extra column.
    query.statistic = Statistic::Top(MEDIAN);
    assert_eq!(reason(query.clone()), "the column is not ordered");
    query.column = 2;
    assert_eq!(reason(query), "there is no such value column");
    let mut schema = schema();
    schema.policy.extremes = false;
    schema.policy.min_count = 21;
    let strict = World::new(schema.clone(), &[entries(&schema, 20, 5, 0)]);
    let refused = strict.ask(all(&strict, Statistic::Order(Rank::Max)));
    assert_eq!(
        refused,
        Err(Fault::Policy { code: "extremes", reason: "the policy does not allow MIN and MAX" })
    );
    let refused = strict.ask(all(&strict, Statistic::Moments));
    assert_eq!(
        refused,
        Err(Fault::Policy { code: "min-count", reason: "fewer rows than the policy's min_count" })
    );
}

/// An honest answer with one thing changed.
fn refused(world: &World, answer: &Answer, what: &str, change: &dyn Fn(&mut Answer)) {
    let mut changed = answer.clone();
    change(&mut changed);
    assert!(changed != *answer, "{what}: nothing was changed");
    assert!(world.check(&changed).is_err(), "{what}");
}

#[test]
fn no_byte_of_an_answer_can_change() {
    let world = world(&[12, 9], 4);
    for statistic in STATISTICS {
        let answer = world.ask(all(&world, statistic)).unwrap();
        let bytes = answer.to_bytes();
        assert!(world.check(&answer).is_ok());
        let step = bytes.len() / 60 + 1;
        for at in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(8)..bytes.len()) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            if let Ok(changed) = Answer::from_bytes(&bytes) {
                assert!(world.check(&changed).is_err(), "{statistic:?}: byte {at}");
            }
        }
        for len in (0..bytes.len()).step_by(step) {
            assert!(Answer::from_bytes(&bytes[..len]).is_err());
        }
    }
}

/// Attack A, the forgotten factor 2, `V + l` (no canonical scalar), and sums beyond `N·MAX`.
#[test]
fn sums_are_the_sums() {
    let world = world(&[20], 5);
    let answer = world.ask(all(&world, Statistic::Moments)).unwrap();
    let claim = |answer: &mut Answer, at: usize, change: &dyn Fn(&mut [u8])| {
        // Outcome: kind, count, number of sums, sums of 32 bytes.
        let mut bytes = answer.outcome.to_bytes();
        change(&mut bytes[10 + 32 * at..42 + 32 * at]);
        answer.outcome = Outcome::from_bytes(&bytes).unwrap();
    };
    for at in 0..3 {
        refused(&world, &answer, "another sum", &|answer| claim(answer, at, &|sum| sum[0] ^= 1));
        refused(&world, &answer, "half the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                let half = value * Scalar::from_u64(2).invert();
                sum.copy_from_slice(&half.encode());
            });
        });
        refused(&world, &answer, "twice the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                sum.copy_from_slice(&(value + value).encode());
            });
        });
        refused(&world, &answer, "minus the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                sum.copy_from_slice(&(-value).encode());
            });
        });
    }
    // `V + l`: congruent to the sum, and no canonical scalar.
    let mut bytes = answer.outcome.to_bytes();
    let order = (-Scalar::from_u64(1)).encode();
    let mut carry = 1_u16;
    for (byte, order) in bytes[10..42].iter_mut().zip(order.iter()) {
        let sum = u16::from(*byte) + u16::from(*order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert!(carry == 0 && Outcome::from_bytes(&bytes).is_err());
    // A root whose sums were replaced.
    refused(&world, &answer, "another commitment", &|answer| {
        let double = &mut answer.covers[0].keys[0].1.doubles[0];
        let moved = Point::decode(double).unwrap() + Point::generator();
        *double = moved.encode().try_into().unwrap();
    });
    refused(&world, &answer, "a count off by one", &|answer| answer.covers[0].keys[0].1.count += 1);
    refused(&world, &answer, "a key without rows", &|answer| answer.covers[0].keys[0].1.count = 0);
    refused(&world, &answer, "an omitted key", &|answer| {
        answer.covers[0].keys.remove(1);
    });
    refused(&world, &answer, "no epochs", &|answer| answer.covers.clear());
    refused(&world, &answer, "an epoch twice", &|answer| {
        answer.covers.push(answer.covers[0].clone());
    });
    refused(&world, &answer, "no openings", &|answer| {
        answer.proof = world.ask(Query { column: 1, ..answer.query.clone() }).unwrap().proof;
    });
}

/// Attack F: the median for the 5th percentile, and any other wrong value of a rank.
#[test]
fn values_have_their_rank() {
    let world = world(&[30], 900);
    let ask = |rank| world.ask(all(&world, Statistic::Order(rank))).unwrap();
    let ranks = [Rank::Min, Rank::Max, Rank::Quantile(MEDIAN), Rank::Quantile(TWENTIETH)];
    for rank in ranks {
        for other in ranks {
            let mut answer = ask(rank);
            answer.query.statistic = Statistic::Order(other);
            assert_eq!(world.check(&answer).is_ok(), rank == other, "{rank:?} for {other:?}");
        }
        let answer = ask(rank);
        for delta in [1, u64::MAX, 2000] {
            refused(&world, &answer, "another value", &|answer| {
                let Outcome::Order { value, .. } = &mut answer.outcome else { panic!() };
                *value = value.wrapping_add(delta);
            });
        }
        refused(&world, &answer, "an inflated rank", &|answer| {
            let Proof::Order { order, .. } = &mut answer.proof else { panic!() };
            order.below.ranks[0] += 1;
        });
        refused(&world, &answer, "missing range proofs", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            ranges.clear();
        });
        refused(&world, &answer, "surplus range proofs", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            ranges.push(ranges[0].clone());
        });
        refused(&world, &answer, "a shorter range proof", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            let len = ranges[0].len() - 64;
            ranges[0].truncate(len);
        });
    }
}

#[test]
fn cuts_cannot_move() {
    let world = world(&[30], 900);
    let answer = world.ask(all(&world, Statistic::Top(MEDIAN))).unwrap();
    // One more row here and one less there: the count stays.
    refused(&world, &answer, "a moved cut", &|answer| {
        let Proof::Top { cut, .. } = &mut answer.proof else { panic!() };
        let keys = cut.ranks.len();
        let from = (0..keys).find(|key| cut.ranks[*key] > 1).unwrap();
        let to = (0..keys).rfind(|key| *key != from && cut.ranks[*key] > 0).unwrap();
        cut.ranks[from] -= 1;
        cut.ranks[to] += 1;
    });
    let histogram = world.ask(all(&world, Statistic::Histogram)).unwrap();
    for side in 0..2 {
        refused(&world, &histogram, "an edge shown on one side", &|answer| {
            let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
            let cut = &mut cuts[3];
            [&mut cut.below, &mut cut.above][side].clear();
        });
    }
    refused(&world, &histogram, "cuts swapped", &|answer| {
        let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
        cuts.swap(2, 3);
    });
    refused(&world, &histogram, "a missing cut", &|answer| {
        let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
        cuts.pop();
    });
}

/// Proofs are bound to table, log and epoch.
#[test]
fn answers_of_another_table_or_log_are_refused() {
    let world = world(&[20, 20], 5);
    let mut query = all(&world, Statistic::Moments);
    query.region.to = 10;
    let answer = world.ask(query).unwrap();
    assert!(world.check(&answer).is_ok());
    let verify =
        |table: &Table, size| table::query::verify(table, &world.checkpoint(size), &answer, &[]);
    assert!(verify(&world.setup.table, 1).is_err(), "an older log");
    let genesis = Genesis { nonce: [9; 32].into(), ..world.setup.table.genesis().clone() };
    assert!(verify(&Table::new(genesis).unwrap(), 2).is_err(), "another table");
    refused(&world, &answer, "another epoch", &|answer| {
        answer.query.region.from = 11;
        answer.query.region.to = 11;
        answer.covers[0].epoch = world.logged(1, 2);
    });
}

#[test]
fn only_the_wanted_auditors_make_an_answer_verified() {
    let world = world(&[20, 20], 5);
    let mut answer = world.ask(all(&world, Statistic::Order(Rank::Min))).unwrap();
    let wanted = PublicKey::of(&world.setup.auditor);
    let table = &world.setup.table;
    let verify = |answer: &Answer| table::query::verify(table, &world.newest(), answer, &[wanted]);
    let attest = |epoch: u32| {
        let digest = world.digests[epoch as usize - 10];
        Attestation::sign(&world.setup.auditor, table, epoch, digest)
    };
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::CommittedOnly);
    answer.attestations = vec![attest(10)];
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::CommittedOnly);
    answer.attestations.push(attest(11));
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::Audited);
    answer.attestations[0].digest = world.digests[1];
    assert!(verify(&answer).is_err());
}

/// Attack D: nothing but the statement is the same in two proofs of it.
#[test]
fn two_proofs_of_one_statement_share_no_mask() {
    let world = world(&[20], 5);
    let size = world.digests.len();
    let source = || [query::Source { logged: world.logged(0, size), built: &world.epochs[0] }];
    let ask = |seed| {
        let query = all(&world, Statistic::Order(Rank::Quantile(MEDIAN)));
        let checkpoint = world.newest().checkpoint;
        let table = &world.setup.table;
        query::answer(table, &checkpoint, query, &source(), vec![], &mut rng(seed)).unwrap()
    };
    let (Proof::Order { ranges: one, .. }, Proof::Order { ranges: two, .. }) =
        (ask(1).proof, ask(2).proof)
    else {
        panic!()
    };
    let (one, _) = one[0][1..].as_chunks::<32>();
    let (two, _) = two[0][1..].as_chunks::<32>();
    assert!(one.iter().zip(two).all(|(one, two)| one != two));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_bytes_are_no_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let world = std::sync::LazyLock::force(&SMALL);
        if let Ok(answer) = Answer::from_bytes(&bytes) {
            prop_assert!(world.check(&answer).is_err());
        }
    }
}

static SMALL: std::sync::LazyLock<World> = std::sync::LazyLock::new(|| world(&[3], 5));
