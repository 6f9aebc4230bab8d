//! Attacks on small tables, where everything can be tried; and that what is attacked is what answers show.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

use std::collections::BTreeSet;

use rand_core::Rng as _;

use super::{facts::questions, *};
use crate::{
    Fraction, Policy, TypeColumn, TypeKind,
    query::{Outcome, Proof},
    support::{World, column, entries_of, rng, schema},
};

/// Values are 0, 1 and 2.
const MOST: u64 = 2;

/// Two type columns of two and three values.
fn small(min_count: u64, hierarchy: Option<&[&[&str]]>) -> Schema {
    let kind = |name: &str, count: usize| TypeColumn {
        name: name.to_owned(),
        kind: TypeKind::Enum((0..count).map(|value| value.to_string()).collect()),
    };
    let orders = |orders: &[&[&str]]| {
        let names = |order: &&[&str]| order.iter().map(|name| (*name).to_owned()).collect();
        orders.iter().map(names).collect()
    };
    Schema {
        types: vec![kind("a", 2), kind("b", 3)],
        values: vec![column("wage", 0, MOST as i64, 1, true)],
        policy: Policy {
            min_count,
            extremes: true,
            quantiles: vec![Fraction { part: 1, whole: 2 }, Fraction { part: 1, whole: 3 }],
            hierarchy: hierarchy.map(orders),
            ..Policy::default()
        },
        ..schema()
    }
}

/// At most six rows.
fn some_rows(schema: &Schema, seed: u64) -> Vec<Row> {
    let rng = &mut rng(seed);
    let row = |number: u64, rng: &mut rand_chacha::ChaCha20Rng| Row {
        user: number.to_string().into_bytes(),
        key: schema.encode_key(&[rng.next_u64() % 2, rng.next_u64() % 3]).unwrap(),
        values: vec![rng.next_u64() % (MOST + 1)],
    };
    (0..1 + rng.next_u64() % 6).map(|number| row(number, rng)).collect()
}

/// All ways to choose so many values, which are ascending.
fn choices(count: usize) -> Vec<Vec<u64>> {
    (0..count).fold(vec![Vec::new()], |shorter, _| {
        let longer = |values: &Vec<u64>| {
            let from = values.last().copied().unwrap_or(0);
            (from..=MOST).map(|value| [values.as_slice(), &[value]].concat()).collect::<Vec<_>>()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// The values that somebody of a cell may have for all that answers tell, cell by cell: of all tables with
/// the same rows by key, those of which the same is told.
fn possible(schema: &Schema, cells: &[Cell], told: &Facts) -> Vec<BTreeSet<u64>> {
    let mut possible = vec![BTreeSet::new(); cells.len()];
    let mut tables: Vec<Vec<Vec<u64>>> = vec![Vec::new()];
    for cell in cells {
        let choices = choices(cell.values.len());
        let more = |table: &Vec<Vec<u64>>| {
            let with =
                |values: &Vec<u64>| [table.as_slice(), std::slice::from_ref(values)].concat();
            choices.iter().map(with).collect::<Vec<_>>()
        };
        tables = tables.iter().flat_map(more).collect();
    }
    for table in tables {
        let other: Vec<Cell> =
            cells.iter().zip(&table).map(|(cell, values)| cell.with(values.clone())).collect();
        if Facts::gather(schema, 0, &other).unwrap() == *told {
            possible.iter_mut().zip(table).for_each(|(possible, values)| possible.extend(values));
        }
    }
    possible
}

/// Whether somebody's value is known better than those of `least` people are: what it may be, may be that
/// of fewer.
fn singles_out(schema: &Schema, rows: &[Row], least: u64) -> bool {
    let cells = Cell::of(schema, 0, rows).unwrap();
    let told = Facts::gather(schema, 0, &cells).unwrap();
    let mut alike: BTreeMap<BTreeSet<u64>, u64> = BTreeMap::new();
    for (possible, cell) in possible(schema, &cells, &told).into_iter().zip(&cells) {
        *alike.entry(possible).or_default() += cell.values.len() as u64;
    }
    let everything: BTreeSet<u64> = (0..=MOST).collect();
    alike.into_iter().any(|(possible, rows)| possible != everything && rows < least)
}

/// Tables under a hierarchy, attacked by all attacks; how many were answered about at all.
fn attack(seeds: std::ops::Range<u64>) -> usize {
    let hierarchies: [&[&[&str]]; 5] =
        [&[], &[&["a"]], &[&["a", "b"]], &[&["b"], &["a"]], &[&["b", "a"], &["a", "b"]]];
    let mut answered = 0;
    for seed in seeds {
        let schema = small(2 + seed % 2, Some(hierarchies[seed as usize % 5]));
        let rows = some_rows(&schema, seed);
        let exposure = examine(&schema, 0, &rows, schema.policy.min_count).unwrap();
        assert_eq!((&exposure.findings[..], exposure.complete), (&[][..], true), "table {seed}");
        assert!(
            exposure.crowd.is_none_or(|crowd| crowd >= schema.policy.min_count),
            "table {seed}"
        );
        assert!(!singles_out(&schema, &rows, schema.policy.min_count), "table {seed}");
        answered += usize::from(exposure.answered > 0);
    }
    answered
}

#[test]
fn nobody_is_singled_out_under_a_hierarchy() {
    assert!(attack(0..200) > 100);
}

#[test]
#[ignore = "5,000 tables: minutes"]
fn long_nobody_is_singled_out_under_a_hierarchy() {
    assert!(attack(200..5200) > 2500);
}

/// The attacks do find what is there: with `min_count` alone, and with nothing.
#[test]
fn min_count_alone_singles_people_out() {
    let (mut by_linear, mut by_enumeration, mut by_intervals) = (0, 0, 0);
    for seed in 0..60 {
        let lenient = small(3, None);
        let rows = some_rows(&lenient, seed);
        let exposure = examine(&lenient, 0, &rows, 3).unwrap();
        let enumerated = singles_out(&lenient, &rows, 3);
        by_linear += usize::from(!exposure.findings.is_empty());
        by_enumeration += usize::from(enumerated);
        let nothing = examine(&small(0, Some(&[])), 0, &rows, 3).unwrap().findings;
        by_intervals += usize::from(!nothing.is_empty());
    }
    assert!(by_linear > 10 && by_enumeration > 10 && by_intervals > 5);
}

/// Wages of four people, one of whom is alone in her key.
#[test]
fn a_wage_is_a_difference_of_two_sums_and_a_rank_is_a_bound() {
    let mut schema = small(3, None);
    schema.values = vec![column("wage", 0, 1000, 1, true)];
    let row = |(user, codes, wage): &(&str, [u64; 2], u64)| Row {
        user: user.as_bytes().to_vec(),
        key: schema.encode_key(codes).unwrap(),
        values: vec![*wage],
    };
    let people =
        [("ada", [1, 0], 512), ("bob", [0, 1], 431), ("eve", [0, 1], 440), ("joe", [0, 1], 498)];
    let rows: Vec<Row> = people.iter().map(row).collect();
    let wage = Exact { numerator: 512.into(), denominator: 1.into(), scale: 0 };
    let ada = Finding::Sum { rows: 1, keys: vec![vec![1, 0]], sum: Some(wage) };
    assert_eq!(examine(&schema, 0, &rows, 3).unwrap().findings, [ada]);

    // The median of all, where the policy does not ask of every key that it has three rows.
    schema.policy = Policy { min_count: 0, hierarchy: Some(vec![]), ..schema.policy };
    let bound = Finding::Bracket { rows: 1, keys: vec![vec![1, 0]], low: 512, high: 512 };
    assert_eq!(examine(&schema, 0, &rows, 3).unwrap().findings[..1], [bound]);
    schema.policy.extremes = false;
    let bound = Finding::Bracket { rows: 1, keys: vec![vec![1, 0]], low: 440, high: 1000 };
    assert_eq!(examine(&schema, 0, &rows, 3).unwrap().findings, [bound]);

    // Rounded sums still tell her apart, but not to the unit.
    schema.policy = Policy { min_count: 3, hierarchy: None, rounding: Some(8), ..schema.policy };
    let rounded = Finding::Sum { rows: 1, keys: vec![vec![1, 0]], sum: None };
    assert_eq!(examine(&schema, 0, &rows, 3).unwrap().findings, [rounded]);

    // A hierarchy withholds what shows it.
    schema.policy =
        Policy { rounding: None, hierarchy: Some(vec![vec!["a".to_owned()]]), ..schema.policy };
    let exposure = examine(&schema, 0, &rows, 3).unwrap();
    assert_eq!((exposure.findings, exposure.crowd, exposure.complete), (vec![], Some(4), true));
}

/// Combinations that no single question is, and of which no basis consists.
#[test]
fn combinations_are_searched_beyond_a_basis() {
    let equation = |weights: &[i64], value: i64| linear::Equation {
        weights: weights.iter().map(|weight| (*weight).into()).collect(),
        value: value.into(),
    };
    // Three sums of pairs hold each of the three: half of x + y + x + z - (y + z).
    let pairs = [equation(&[1, 1, 0], 3), equation(&[0, 1, 1], 5), equation(&[1, 0, 1], 4)];
    let search = linear::search(&pairs, &[1, 1, 1], 2);
    let values: Vec<BigInt> =
        search.found.iter().map(|one| &one.value / one.weights.iter().sum::<BigInt>()).collect();
    assert_eq!((values, search.complete), ([1, 2, 3].map(BigInt::from).to_vec(), true));
    assert!(linear::search(&pairs[..2], &[1, 1, 1], 2).found.is_empty());
    // A space of dimension 2, of which only the sum of its basis is about few rows.
    let space = [equation(&[1, 0, 1, 1, 1], 7), equation(&[0, 1, -1, -1, -1], 1)];
    let search = linear::search(&space, &[1, 1, 1, 1, 1], 3);
    assert!(search.complete && search.found.iter().any(|one| one.value == 8.into()));
    // Nothing is about less than a segment with enough rows.
    assert!(linear::search(&pairs, &[2, 2, 2], 2).found.is_empty());
}

/// What is attacked is what provers answer, verifiers accept, and proofs show.
#[test]
fn answers_show_what_is_examined() {
    let mut answered = 0;
    for (seed, hierarchy) in [(1, None), (2, Some(&[&["b"][..], &["a"]][..])), (3, Some(&[][..]))] {
        let schema = small(2, hierarchy);
        let rows = [([0, 0], 3), ([0, 2], 2), ([1, 1], 4), ([1, 2], 1)];
        let entries = entries_of(&schema, &rows, seed);
        let plain: Vec<Row> = entries.iter().map(|entry| entry.row.clone()).collect();
        let cells = Cell::of(&schema, 0, &plain).unwrap();
        let world = World::new(schema.clone(), &[entries]);
        for mut query in questions(&schema, 0, &cells) {
            let mut told = Facts::default();
            let gives = matches!(told.ask(&schema, &query, &cells), Ok(true));
            (query.region.from, query.region.to) = (10, 10);
            let Ok(answer) = world.ask(query.clone()) else {
                assert!(!gives, "{query:?}");
                continue;
            };
            let value = match world.check(&answer).unwrap().outcome {
                Outcome::Moments(moments) => {
                    assert_eq!(told.sums[0].value, moments.sums()[0].clone().into());
                    None
                }
                Outcome::Order { value, .. } => Some(value),
                Outcome::Empty | Outcome::Withheld(_) => {
                    assert!(!gives, "{query:?}");
                    continue;
                }
                other => panic!("{other:?}"),
            };
            assert!(gives, "{query:?}");
            answered += 1;
            if let Proof::Order { order, .. } = &answer.proof {
                for (at, standing) in told.standings.iter().enumerate() {
                    assert_eq!(Some(standing.value), value);
                    assert!([0, standing.up_to as u64].contains(&order.below.ranks[at]));
                    let count = cells[standing.cell].values.len() as u64;
                    assert!([standing.below as u64, count].contains(&order.above.ranks[at]));
                }
            }
        }
    }
    assert!(answered > 30, "{answered}");
}
