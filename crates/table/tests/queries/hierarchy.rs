//! A policy with a hierarchy, from question to verified answer: everything that is answered, taken
//! together, isolates nobody.

use proptest::prelude::*;
use table::{
    query::{Answer, KeyBox, Outcome, Query, Rank, Region, Statistic, Withheld},
    *,
};
use wire::{Decode, Encode};

use super::MEDIAN;
use crate::support::*;

/// By the flag first, then by district.
fn hierarchical(min_count: u64) -> Schema {
    let mut schema = schema();
    schema.policy.min_count = min_count;
    schema.policy.hierarchy = Some(vec![vec!["industrial".to_owned(), "district".to_owned()]]);
    schema
}

/// A question about a box, given by its path.
fn question(path: &[u64], (from, to): (u32, u32), statistic: Statistic) -> Query {
    let range = |depth: usize, most: u64| path.get(depth).map_or((0, most), |code| (*code, *code));
    let boxes = vec![KeyBox { ranges: vec![range(1, u32::MAX.into()), range(0, 1)] }];
    Query { column: 0, region: Region { from, to, boxes }, statistic }
}

/// All boxes above districts 0 to 2, and one without rows.
fn paths() -> Vec<Vec<u64>> {
    let inner = |flag: u64| (0..3).map(move |district| vec![flag, district]);
    let flags = [0, 1].into_iter();
    flags
        .clone()
        .map(|flag| vec![flag])
        .chain(flags.flat_map(inner))
        .chain([vec![], vec![1, 9]])
        .collect()
}

/// Asks, sends and verifies.
fn ask(world: &World, query: Query) -> Outcome {
    let answer = world.ask(query).unwrap();
    let bytes = answer.to_bytes();
    let answer = Answer::from_bytes(&bytes).unwrap();
    assert_eq!(answer.to_bytes(), bytes);
    world.check(&answer).unwrap().outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Every box in every interval of two epochs, asked forwards and backwards.
    #[test]
    fn what_is_answered_isolates_nobody(
        counts in prop::collection::vec(0_u64..5, 12),
        min_count in 2_u64..5,
    ) {
        let schema = hierarchical(min_count);
        let cells: Vec<([u64; 2], u64)> =
            (0..12).map(|cell| ([cell % 3, cell / 3 % 2], counts[cell as usize])).collect();
        let epochs: Vec<_> = [&cells[..6], &cells[6..]].into();
        let rows: Vec<_> = epochs.iter().map(|cells| entries_of(&schema, cells, 3)).collect();
        let world = World::new(schema, &rows);
        let intervals = [(10, 10), (11, 11), (10, 11)];
        let mut questions: Vec<_> =
            paths().into_iter().flat_map(|path| intervals.map(|epochs| (path.clone(), epochs))).collect();
        let ask = |(path, epochs): &(Vec<u64>, (u32, u32))| {
            ask(&world, question(path, *epochs, Statistic::Moments))
        };
        let outcomes: Vec<_> = questions.iter().map(ask).collect();
        let inside = |(path, (from, to)): &(Vec<u64>, (u32, u32))| -> Vec<bool> {
            let cells = (0..).zip(&cells).filter(|(_, (_, rows))| *rows > 0);
            cells
                .map(|(cell, ([district, flag], _))| {
                    let epoch = if cell < 6 { 10 } else { 11 };
                    [*flag, *district].starts_with(path) && (*from..=*to).contains(&epoch)
                })
                .collect()
        };
        let rows: Vec<u64> = counts.iter().copied().filter(|rows| *rows > 0).collect();
        let answered = questions.iter().zip(&outcomes);
        let answered = answered.filter(|(_, outcome)| !matches!(outcome, Outcome::Withheld(_)));
        let answered: Vec<_> = answered.map(|(question, _)| inside(question)).collect();
        prop_assert!(!isolates(&answered, &rows, min_count));
        // Each was answered with the rows of its box.
        for (question, outcome) in questions.iter().zip(&outcomes) {
            let inside = inside(question).into_iter().zip(&rows).filter(|(inside, _)| *inside);
            let total: u64 = inside.map(|(_, rows)| rows).sum();
            match outcome {
                Outcome::Moments(moments) => prop_assert_eq!(moments.count, total),
                Outcome::Empty => prop_assert_eq!(total, 0),
                Outcome::Withheld(_) => prop_assert!(total > 0),
                other => panic!("{other:?}"),
            }
        }
        questions.reverse();
        let again: Vec<_> = questions.iter().map(ask).rev().collect();
        prop_assert_eq!(again, outcomes);
    }
}

/// One epoch with a small district, one without.
fn two_epochs() -> World {
    let schema = hierarchical(3);
    let first = entries_of(&schema, &[([0, 0], 5), ([1, 0], 4), ([2, 0], 1), ([0, 1], 6)], 1);
    let second = entries_of(&schema, &[([0, 0], 5), ([1, 0], 4), ([2, 0], 3), ([0, 1], 6)], 2);
    World::new(schema, &[first, second])
}

#[test]
fn an_interval_is_answered_where_all_of_its_epochs_are() {
    let world = two_epochs();
    let median = Statistic::Order(Rank::Quantile(MEDIAN));
    for statistic in [Statistic::Moments, median] {
        let why = |path: &[u64], epochs| match ask(&world, question(path, epochs, statistic)) {
            Outcome::Withheld(why) => Some(why),
            _ => None,
        };
        let (small, complement) = (Some(Withheld::Small), Some(Withheld::Complement));
        for (epochs, expected) in [
            ((10, 10), [None, complement, small]),
            ((11, 11), [None; 3]),
            ((10, 11), [None, complement, small]),
        ] {
            assert_eq!([0, 1, 2].map(|district| why(&[0, district], epochs)), expected);
            // A rank would show where the one row of the small district stands.
            let parted = statistic == median && epochs.0 == 10;
            let parts = parted.then_some(Withheld::Parts);
            assert_eq!([why(&[], epochs), why(&[0], epochs)], [parts; 2]);
            assert_eq!(why(&[1, 0], epochs), None);
        }
    }
}

#[test]
fn keys_beside_the_region_cannot_change() {
    let world = two_epochs();
    for path in [&[0, 0][..], &[0, 1], &[0, 2], &[1, 9]] {
        let answer = world.ask(question(path, (10, 11), Statistic::Moments)).unwrap();
        assert!(world.check(&answer).is_ok());
        let refused = |what: &str, change: &dyn Fn(&mut Answer)| {
            let mut changed = answer.clone();
            change(&mut changed);
            assert!(changed != answer && world.check(&changed).is_err(), "{what}");
        };
        for epoch in [0, 1] {
            refused("a key left out", &|answer| {
                answer.covers[epoch].beside.pop();
            });
            refused("no keys", &|answer| answer.covers[epoch].beside.clear());
            refused("more rows", &|answer| answer.covers[epoch].beside[0].1.count += 5);
            refused("keys out of order", &|answer| answer.covers[epoch].beside.swap(0, 1));
            refused("a key twice", &|answer| {
                let cover = &mut answer.covers[epoch];
                cover.beside.insert(0, cover.beside[0].clone());
            });
            refused("a key of the region that is not in it", &|answer| {
                let cover = &mut answer.covers[epoch];
                let key = cover.beside.remove(0);
                cover.keys.insert(0, key);
                cover.keys.sort_by(|(a, _), (b, _)| a.cmp(b));
            });
            refused("a key outside of its region", &|answer| {
                let cover = &mut answer.covers[epoch];
                match cover.keys.pop() {
                    Some(key) => cover.beside.push(key),
                    None => cover.beside.clear(),
                }
                cover.beside.sort_by(|(a, _), (b, _)| a.cmp(b));
            });
        }
        let bytes = answer.to_bytes();
        let step = bytes.len() / 150 + 1;
        // Of another query that is withheld or about no rows, it would be a true answer.
        let query = answer.query.to_bytes().len();
        for at in (query..bytes.len()).step_by(step) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            if let Ok(changed) = Answer::from_bytes(&bytes) {
                assert!(world.check(&changed).is_err(), "byte {at}");
            }
        }
        for len in (0..bytes.len()).step_by(step) {
            assert!(Answer::from_bytes(&bytes[..len]).is_err());
        }
    }
    // Lists of keys beside that are all empty have another spelling.
    let whole = world.ask(question(&[], (10, 10), Statistic::Moments)).unwrap();
    assert!(whole.covers[0].beside.is_empty() && world.check(&whole).is_ok());
    let mut bytes = whole.to_bytes();
    let tag = whole.query.to_bytes().len();
    assert_eq!(bytes[tag], 0);
    bytes[tag] = 2;
    assert!(Answer::from_bytes(&bytes).is_err());
}
