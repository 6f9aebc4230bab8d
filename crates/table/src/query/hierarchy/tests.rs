//! What is withheld, by brute force and by example; and operators that do not withhold it.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

use proptest::prelude::*;

use super::*;
use crate::{
    TypeColumn, TypeKind,
    query::{KeyBox, Outcome, Proof, Query, Rank, Statistic, tests::Forger},
    support::{entries_of, isolates, schema},
};

/// Three of four columns, from the last to the first; the second is in no box.
fn deep(min_count: u64) -> Schema {
    let column = |name: &str| TypeColumn { name: name.to_owned(), kind: TypeKind::U32 };
    let mut schema = schema();
    schema.types = ["a", "b", "c", "d"].map(column).to_vec();
    schema.policy.min_count = min_count;
    schema.policy.hierarchy = Some(["d", "c", "a"].map(str::to_owned).to_vec());
    schema.check().unwrap();
    schema
}

/// Rows by the codes of all four columns.
type Counts = BTreeMap<[u64; 4], u64>;

fn withheld(schema: &Schema, path: &[u64], counts: &Counts) -> Option<Withheld> {
    let keys: Vec<_> =
        counts.iter().map(|(codes, rows)| (schema.encode_key(codes).unwrap(), *rows)).collect();
    let why = |keys: &mut dyn Iterator<Item = &(Vec<u8>, u64)>| {
        let keys = keys.map(|(key, rows)| (key.as_slice(), *rows));
        Hierarchy::of(schema).unwrap().withheld(path, keys).unwrap()
    };
    let found = why(&mut keys.iter());
    assert_eq!(found, why(&mut keys.iter().rev()), "in any order");
    found
}

/// All boxes above keys with codes below 2, and one without rows.
fn paths() -> Vec<Vec<u64>> {
    let longer = |path: &Vec<u64>| [0, 1].map(|code| [path.as_slice(), &[code]].concat());
    let mut level = vec![Vec::new()];
    let mut all = vec![vec![7]];
    for _ in 0..3 {
        all.extend(level.clone());
        level = level.iter().flat_map(longer).collect();
    }
    all.extend(level);
    all
}

/// Which keys are in a box.
fn members(path: &[u64], counts: &Counts) -> Vec<bool> {
    let by_hierarchy = |codes: &[u64; 4]| [codes[3], codes[2], codes[0]];
    counts.keys().map(|codes| by_hierarchy(codes).starts_with(path)).collect()
}

fn rows_in(path: &[u64], counts: &Counts) -> u64 {
    let inside = members(path, counts).into_iter().zip(counts.values());
    inside.filter(|(inside, _)| *inside).map(|(_, rows)| rows).sum()
}

/// Rows of every key with codes below 2, few enough for the checker.
fn some_counts() -> impl Strategy<Value = Counts> {
    let key = (0_u64..2, 0_u64..2, 0_u64..2, 0_u64..2).prop_map(|(a, b, c, d)| [a, b, c, d]);
    prop::collection::btree_map(key, 1_u64..7, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    /// No combination of answered boxes weighs rows, but fewer than `min_count`; and whatever has rows
    /// and is not answered is small, or has something small to protect.
    #[test]
    fn no_combination_of_boxes_isolates_few_rows(counts in some_counts(), min_count in 0_u64..7) {
        let schema = deep(min_count);
        let rows: Vec<u64> = counts.values().copied().collect();
        let (mut answered, mut complements) = (Vec::new(), 0);
        for path in paths() {
            let total = rows_in(&path, &counts);
            match withheld(&schema, &path, &counts) {
                None => {
                    prop_assert!(total == 0 || total >= min_count);
                    answered.push(members(&path, &counts));
                }
                Some(Withheld::Small) => prop_assert!(0 < total && total < min_count),
                Some(Withheld::Complement) => {
                    prop_assert!(total >= min_count);
                    complements += 1;
                }
            }
        }
        prop_assert!(!isolates(&answered, &rows, min_count));
        let few = |path: &Vec<u64>| (1..min_count).contains(&rows_in(path, &counts));
        prop_assert!(complements == 0 || paths().iter().any(few));
    }
}

/// What `min_count` alone allows is isolated, and the checker sees it.
#[test]
fn the_checker_sees_a_parent_less_its_children() {
    let counts = Counts::from([([0, 0, 0, 0], 9), ([0, 1, 0, 0], 1), ([0, 0, 0, 1], 2)]);
    let rows: Vec<u64> = counts.values().copied().collect();
    let both: Vec<Vec<bool>> = [&[][..], &[0]].map(|path| members(path, &counts)).to_vec();
    assert!(isolates(&both, &rows, 3));
    assert!(!isolates(&both, &rows, 2));
    assert!(!isolates(&both[..1], &rows, 3));
    // One step further: x + y, y + z and x + z hold 2x.
    let pairs = [[true, true, false], [false, true, true], [true, false, true]].map(Vec::from);
    assert!(isolates(&pairs, &[5, 5, 2], 3) && !isolates(&pairs[..2], &[5, 5, 2], 3));
    assert_eq!(withheld(&deep(3), &[0], &counts), Some(Withheld::Complement));
}

#[test]
fn the_smallest_sibling_is_withheld_and_of_equal_ones_the_first() {
    let schema = deep(3);
    // Boxes of the outermost column with so many rows.
    let level = |rows: &[u64]| -> Vec<Option<Withheld>> {
        let counts = (0..).zip(rows).filter(|(_, rows)| **rows > 0);
        let counts: Counts = counts.map(|(code, rows)| ([0, 0, 0, code], *rows)).collect();
        (0..rows.len() as u64).map(|code| withheld(&schema, &[code], &counts)).collect()
    };
    let (small, complement) = (Some(Withheld::Small), Some(Withheld::Complement));
    assert_eq!(level(&[9, 5, 2, 5]), [None, complement, small, None]);
    assert_eq!(level(&[2, 0, 9]), [small, None, complement]);
    // Small ones that protect each other.
    assert_eq!(level(&[1, 2, 9]), [small, small, None]);
    assert_eq!(level(&[3, 0, 9]), [None, None, None]);
    // Too few rows in all.
    assert_eq!(level(&[1, 1]), [small, small]);
    assert_eq!(withheld(&schema, &[], &Counts::from([([0; 4], 2)])), small);
    assert_eq!(withheld(&schema, &[], &Counts::new()), None);
    // Below a box that protects another, nothing is answered but what has no rows.
    let counts = Counts::from([([0, 0, 0, 0], 4), ([0, 0, 1, 0], 4), ([0, 0, 0, 1], 1)]);
    let why = |path: &[u64]| withheld(&schema, path, &counts);
    assert_eq!([why(&[0]), why(&[0, 1]), why(&[0, 1, 0])], [complement; 3]);
    assert_eq!([why(&[]), why(&[0, 2]), why(&[0, 1, 1]), why(&[2, 0])], [None; 4]);
    assert_eq!(why(&[1]), small);
}

#[test]
fn regions_are_boxes_of_the_hierarchy_or_refused() {
    let schema = deep(3);
    let hierarchy = Hierarchy::of(&schema).unwrap();
    let all = (0, u64::from(u32::MAX));
    let path = |boxes: &[[(u64, u64); 4]]| {
        let boxes = boxes.iter().map(|ranges| KeyBox { ranges: ranges.to_vec() }).collect();
        hierarchy.path(&Region { from: 10, to: 10, boxes }).ok()
    };
    assert_eq!(path(&[[all; 4]]), Some(vec![]));
    assert_eq!(path(&[[all, all, all, (5, 5)]]), Some(vec![5]));
    assert_eq!(path(&[[(1, 1), all, (2, 2), (5, 5)]]), Some(vec![5, 2, 1]));
    for outside in [
        [all, all, (2, 2), all],
        [(1, 1), all, all, (5, 5)],
        [all, (1, 1), all, (5, 5)],
        [all, all, all, (5, 6)],
        [all, all, all, (1, u64::from(u32::MAX))],
    ] {
        assert_eq!(path(&[outside]), None, "{outside:?}");
    }
    let siblings = [[all, all, all, (5, 5)], [all, all, all, (7, 7)]];
    assert_eq!(path(&siblings), None);
    let two = Region { from: 10, to: 10, boxes: Vec::new() };
    let Err(Fault::Hierarchy { boxes }) = hierarchy.path(&two) else { panic!() };
    assert_eq!(boxes, "all rows, or one value each of the first of `d`, `c`, `a`");
    // A column with one value is fixed and open.
    let mut one = deep(3);
    one.types[3].kind = TypeKind::Enum(vec!["only".to_owned()]);
    let hierarchy = Hierarchy::of(&one).unwrap();
    for (a, expected) in [(all, vec![]), ((4, 4), vec![0, 2, 4])] {
        let c = if expected.is_empty() { all } else { (2, 2) };
        let boxes = vec![KeyBox { ranges: vec![a, all, c, (0, 0)] }];
        assert_eq!(hierarchy.path(&Region { from: 10, to: 10, boxes }).unwrap(), expected);
    }
}

/// District 2 has one row, and district 3, with four, protects it; the first has six.
const DISTRICTS: [([u64; 2], u64); 4] = [([1, 0], 3), ([1, 1], 3), ([2, 0], 1), ([3, 0], 4)];

fn by_district(min_count: u64, hierarchy: bool) -> Schema {
    let mut schema = schema();
    schema.policy.min_count = min_count;
    schema.policy.hierarchy = hierarchy.then(|| vec!["district".to_owned()]);
    schema
}

fn district(code: u64, statistic: Statistic) -> Query {
    let boxes = vec![KeyBox { ranges: vec![(code, code), (0, 1)] }];
    Query { column: 0, region: Region { from: 10, to: 10, boxes }, statistic }
}

/// The proofs are genuine; only the verifier's own computation finds what is wrong.
#[test]
fn operators_that_do_not_withhold_are_refused() {
    let strict = by_district(3, true);
    let rows = entries_of(&strict, &DISTRICTS, 1);
    let works_by = |schema| Forger::new(schema, strict.clone(), rows.clone());
    let (lenient, honest) = (works_by(by_district(0, true)), works_by(strict.clone()));
    let expected = [None, Some(Withheld::Small), Some(Withheld::Complement)];
    for statistic in [Statistic::Moments, Statistic::Order(Rank::Max)] {
        for (code, why) in (1..).zip(expected) {
            let query = district(code, statistic);
            let forged = lenient.world.ask(query.clone()).unwrap();
            let answer = honest.world.ask(query.clone()).unwrap();
            let Some(why) = why else {
                assert!(lenient.verify(&forged).is_ok() && honest.verify(&answer).is_ok());
                // What is answered may not be withheld, for whatever reason.
                for why in [Withheld::Small, Withheld::Complement] {
                    let mut lie = answer.clone();
                    (lie.outcome, lie.proof) = (Outcome::Withheld(why), Proof::Empty);
                    let refused = Err(Fault::Policy {
                        code: "withheld",
                        reason: "the policy does not withhold this, or for another reason",
                    });
                    assert_eq!(honest.verify(&lie), refused);
                }
                continue;
            };
            let reason = "the policy's hierarchy withholds this";
            assert_eq!(lenient.verify(&forged), Err(Fault::Policy { code: "withheld", reason }));
            assert_eq!(honest.verify(&answer).unwrap().outcome, Outcome::Withheld(why));
            // Another reason, a proof beside it, or no rows.
            let other = expected.into_iter().flatten().find(|other| *other != why).unwrap();
            let mut lie = answer.clone();
            lie.outcome = Outcome::Withheld(other);
            assert!(honest.verify(&lie).is_err());
            lie = answer.clone();
            lie.proof = forged.proof.clone();
            assert!(honest.verify(&lie).is_err());
            lie = answer;
            lie.outcome = Outcome::Empty;
            assert!(honest.verify(&lie).is_err());
        }
    }
    // Who shows no keys beside the region, and who shows them where there is no hierarchy.
    let bare = works_by(by_district(3, false));
    let query = district(1, Statistic::Moments);
    assert!(bare.verify(&bare.world.ask(query.clone()).unwrap()).is_err());
    let forger = Forger::new(strict.clone(), by_district(3, false), rows);
    assert!(forger.verify(&forger.world.ask(query.clone()).unwrap()).is_err());
    // Who answers outside of the hierarchy, or about parts of its boxes.
    let free = |statistic, code| {
        let mut query = district(code, statistic);
        query.region.boxes[0].ranges[1] = (0, if code == 1 { 0 } else { 1 });
        bare.verify(&bare.world.ask(query).unwrap())
    };
    assert!(matches!(free(Statistic::Moments, 1), Err(Fault::Hierarchy { .. })));
    let parts = Err(Fault::Policy {
        code: "hierarchy",
        reason: "the policy has a hierarchy, and parts of boxes could be subtracted",
    });
    let mut lenient = by_district(0, false);
    lenient.values[0].cuts = vec![0];
    let lenient = Forger::new(lenient, strict.clone(), entries_of(&strict, &DISTRICTS, 1));
    let half = crate::Fraction { part: 1, whole: 2 };
    for statistic in [Statistic::Top(half), Statistic::Histogram] {
        let answer = lenient.world.ask(district(3, statistic)).unwrap();
        assert_eq!(lenient.verify(&answer), parts);
        assert_eq!(honest.world.ask(district(3, statistic)).map(|_| ()), parts.clone().map(|_| ()));
    }
}

#[test]
fn hierarchies_name_type_columns_once_and_have_no_roll_ups() {
    let checked = |change: &dyn Fn(&mut Schema)| {
        let mut schema = schema();
        change(&mut schema);
        schema.check().map_err(|error| error.to_string())
    };
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        checked(&move |schema| schema.policy.hierarchy = Some(names.clone()))
    };
    assert_eq!([named(&[]), named(&["industrial", "district"])], [Ok(()), Ok(())]);
    let unknown = "schema: `hierarchy` names `power`, which is no type column";
    assert_eq!(named(&["district", "power"]), Err(unknown.to_owned()));
    let twice = "schema: `hierarchy` names a column twice";
    assert_eq!(named(&["district", "district"]), Err(twice.to_owned()));
    let rolled = checked(&|schema| {
        schema.policy.hierarchy = Some(Vec::new());
        schema.policy.rollups = true;
    });
    let expected = "schema: there are no `rollups` where there is a `hierarchy`";
    assert_eq!(rolled, Err(expected.to_owned()));
}

/// Tables without a hierarchy keep their names.
#[test]
fn a_schema_without_a_hierarchy_is_written_as_before() {
    let json = |schema: &Schema| serde_json::to_string(&schema.policy).unwrap();
    let before = r#"{"min_count":2,"extremes":true,"quantiles":[{"part":1,"whole":2},{"part":1,"whole":20}]}"#;
    assert_eq!(json(&schema()), before);
    let mut changed = schema();
    changed.policy.hierarchy = Some(vec!["district".to_owned()]);
    let after = before.replace("]}", r#"],"hierarchy":["district"]}"#);
    assert_eq!(json(&changed), after);
    assert_eq!(serde_json::from_str::<crate::Policy>(&after).unwrap(), changed.policy);
}
