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

/// Of four columns.
const ORDERS: [&[&str]; 2] = [&["d", "c", "a"], &["b", "a"]];
const PLACES: [&[usize]; 2] = [&[3, 2, 0], &[1, 0]];

/// The first so many orders.
fn deep(min_count: u64, orders: usize) -> Schema {
    let column = |name: &str| TypeColumn { name: name.to_owned(), kind: TypeKind::U32 };
    let mut schema = schema();
    schema.types = ["a", "b", "c", "d"].map(column).to_vec();
    schema.policy.min_count = min_count;
    let names = |order: &&[&str]| order.iter().map(|name| (*name).to_owned()).collect();
    schema.policy.hierarchy = Some(ORDERS[..orders].iter().map(names).collect());
    schema.check().unwrap();
    schema
}

const OPEN: (u64, u64) = (0, u32::MAX as u64);

/// A box of an order, by its codes.
fn along(order: usize, path: &[u64]) -> KeyBox {
    let mut ranges = vec![OPEN; 4];
    PLACES[order].iter().zip(path).for_each(|(place, code)| ranges[*place] = (*code, *code));
    KeyBox { ranges }
}

/// Rows by the codes of all four columns.
type Counts = BTreeMap<[u64; 4], u64>;

fn withheld(schema: &Schema, key_box: &KeyBox, counts: &Counts) -> Option<Withheld> {
    let keys: Vec<_> =
        counts.iter().map(|(codes, rows)| (schema.encode_key(codes).unwrap(), *rows)).collect();
    let why = |keys: &mut dyn Iterator<Item = &(Vec<u8>, u64)>| {
        let keys = keys.map(|(key, rows)| (key.as_slice(), *rows));
        Hierarchy::of(schema).unwrap().withheld(key_box, keys).unwrap()
    };
    let found = why(&mut keys.iter());
    assert_eq!(found, why(&mut keys.iter().rev()), "in any order");
    found
}

/// All boxes above keys with codes below 2, and one without rows.
fn boxes(orders: usize) -> Vec<KeyBox> {
    let longer = |path: &Vec<u64>| [0, 1].map(|code| [path.as_slice(), &[code]].concat());
    let mut all = vec![along(0, &[]), along(0, &[7])];
    for (order, places) in PLACES.iter().enumerate().take(orders) {
        let mut level = vec![Vec::new()];
        for _ in *places {
            level = level.iter().flat_map(longer).collect();
            all.extend(level.iter().map(|path| along(order, path)));
        }
    }
    all
}

/// Which keys are in a box.
fn members(key_box: &KeyBox, counts: &Counts) -> Vec<bool> {
    let is_inside = |codes: &[u64; 4]| {
        let mut fields = key_box.ranges.iter().zip(codes);
        fields.all(|((low, high), code)| low <= code && code <= high)
    };
    counts.keys().map(is_inside).collect()
}

fn rows_in(key_box: &KeyBox, counts: &Counts) -> u64 {
    let inside = members(key_box, counts).into_iter().zip(counts.values());
    inside.filter(|(inside, _)| *inside).map(|(_, rows)| rows).sum()
}

/// Rows of every key with codes below 2, few enough for the checker.
fn some_counts() -> impl Strategy<Value = Counts> {
    let key = (0_u64..2, 0_u64..2, 0_u64..2, 0_u64..2).prop_map(|(a, b, c, d)| [a, b, c, d]);
    prop::collection::btree_map(key, 1_u64..7, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// No combination of answered boxes weighs rows, but fewer than `min_count`. Whatever has rows and
    /// is not answered is small, or would be subtracted from what is answered.
    #[test]
    fn no_combination_of_boxes_isolates_few_rows(
        counts in some_counts(),
        min_count in 0_u64..7,
        orders in 1_usize..3,
    ) {
        let schema = deep(min_count, orders);
        let rows: Vec<u64> = counts.values().copied().collect();
        let (mut answered, mut complements) = (Vec::new(), Vec::new());
        for one in boxes(orders) {
            let total = rows_in(&one, &counts);
            match withheld(&schema, &one, &counts) {
                None => {
                    prop_assert!(total == 0 || total >= min_count);
                    answered.push(members(&one, &counts));
                }
                Some(Withheld::Small) => prop_assert!(0 < total && total < min_count),
                Some(Withheld::Complement) => {
                    prop_assert!(total >= min_count);
                    complements.push(members(&one, &counts));
                }
                // Of questions about ranks only.
                Some(Withheld::Parts) => prop_assert!(false),
            }
        }
        prop_assert!(!isolates(&answered, &rows, min_count));
        // In one order, nothing is withheld that could be answered beside the others.
        for more in complements.into_iter().filter(|_| orders == 1) {
            let with: Vec<_> = answered.iter().cloned().chain([more]).collect();
            prop_assert!(isolates(&with, &rows, min_count));
        }
    }
}

/// What `min_count` alone allows is isolated, and the checker sees it.
#[test]
fn the_checker_sees_a_parent_less_its_children() {
    let counts = Counts::from([([0, 0, 0, 0], 9), ([0, 1, 0, 0], 1), ([0, 0, 0, 1], 2)]);
    let rows: Vec<u64> = counts.values().copied().collect();
    let both = [along(0, &[]), along(0, &[0])].map(|one| members(&one, &counts));
    assert!(isolates(&both, &rows, 3));
    assert!(!isolates(&both, &rows, 2));
    assert!(!isolates(&both[..1], &rows, 3));
    // One step further: x + y, y + z and x + z hold 2x.
    let pairs = [[true, true, false], [false, true, true], [true, false, true]].map(Vec::from);
    assert!(isolates(&pairs, &[5, 5, 2], 3) && !isolates(&pairs[..2], &[5, 5, 2], 3));
    assert_eq!(withheld(&deep(3, 1), &along(0, &[0]), &counts), Some(Withheld::Complement));
}

#[test]
fn the_smallest_sibling_is_withheld_and_of_equal_ones_the_first() {
    let schema = deep(3, 1);
    // Boxes of the outermost column with so many rows.
    let level = |rows: &[u64]| -> Vec<Option<Withheld>> {
        let counts = (0..).zip(rows).filter(|(_, rows)| **rows > 0);
        let counts: Counts = counts.map(|(code, rows)| ([0, 0, 0, code], *rows)).collect();
        (0..rows.len() as u64).map(|code| withheld(&schema, &along(0, &[code]), &counts)).collect()
    };
    let (small, complement) = (Some(Withheld::Small), Some(Withheld::Complement));
    assert_eq!(level(&[9, 5, 2, 5]), [None, complement, small, None]);
    assert_eq!(level(&[2, 0, 9]), [small, None, complement]);
    // Small ones that protect each other.
    assert_eq!(level(&[1, 2, 9]), [small, small, None]);
    assert_eq!(level(&[3, 0, 9]), [None, None, None]);
    // Too few rows in all.
    assert_eq!(level(&[1, 1]), [small, small]);
    assert_eq!(withheld(&schema, &along(0, &[]), &Counts::from([([0; 4], 2)])), small);
    assert_eq!(withheld(&schema, &along(0, &[]), &Counts::new()), None);
    // Below a box that protects another: one of its halves does, and the other is answered.
    let counts = Counts::from([([0, 0, 0, 0], 4), ([0, 0, 1, 0], 4), ([0, 0, 0, 1], 1)]);
    let why = |path: &[u64]| withheld(&schema, &along(0, path), &counts);
    assert_eq!([why(&[0]), why(&[0, 0]), why(&[0, 0, 0])], [complement; 3]);
    assert_eq!([why(&[]), why(&[0, 1]), why(&[0, 1, 0]), why(&[0, 1, 1])], [None; 4]);
    assert_eq!([why(&[1]), why(&[2])], [small, None]);
}

/// Boxes of two orders are subtracted from each other, too.
#[test]
fn later_orders_yield_to_earlier_ones() {
    // By `d` 5 and 6 rows, by `b` 6 and 5; one row is in neither of the larger parts.
    let counts = Counts::from([([0, 0, 0, 0], 5), ([0, 0, 0, 1], 1), ([0, 1, 0, 1], 5)]);
    let rows: Vec<u64> = counts.values().copied().collect();
    let [by_d, by_b] = [[along(0, &[0]), along(0, &[1])], [along(1, &[0]), along(1, &[1])]];
    let both: Vec<_> = by_d.iter().chain(&by_b).map(|one| members(one, &counts)).collect();
    assert!(isolates(&both, &rows, 3));
    let schema = deep(3, 2);
    let why = |one: &KeyBox| withheld(&schema, one, &counts);
    assert_eq!(by_d.each_ref().map(why), [None; 2]);
    assert_eq!(by_b.each_ref().map(why), [Some(Withheld::Complement); 2]);
    // Where the orders cross in three rows and more, both are answered.
    let counts = Counts::from([([0, 0, 0, 0], 5), ([0, 0, 0, 1], 3), ([0, 1, 0, 1], 5)]);
    assert!(boxes(2).iter().all(|one| withheld(&schema, one, &counts).is_none()));
}

#[test]
fn regions_are_boxes_of_the_hierarchy_or_refused() {
    let schema = deep(3, 2);
    let hierarchy = Hierarchy::of(&schema).unwrap();
    let find = |boxes: &[[(u64, u64); 4]]| {
        let boxes = boxes.iter().map(|ranges| KeyBox { ranges: ranges.to_vec() }).collect();
        hierarchy.find(&Region { from: 10, to: 10, boxes }).map(|_| ())
    };
    for inside in [
        [OPEN; 4],
        [OPEN, OPEN, OPEN, (5, 5)],
        [(1, 1), OPEN, (2, 2), (5, 5)],
        [(1, 1), (2, 2), OPEN, OPEN],
    ] {
        assert_eq!(find(&[inside]), Ok(()));
    }
    let expected = "the policy answers about the boxes of its hierarchy only: \
                    all rows, or one value each of the first of `d`, `c`, `a`; or of `b`, `a`";
    for outside in [
        [OPEN, OPEN, (2, 2), OPEN],
        [(1, 1), OPEN, OPEN, (5, 5)],
        [OPEN, (1, 1), OPEN, (5, 5)],
        [OPEN, OPEN, OPEN, (5, 6)],
        [OPEN, OPEN, OPEN, (1, OPEN.1)],
    ] {
        assert_eq!(find(&[outside]).unwrap_err().to_string(), expected, "{outside:?}");
    }
    let siblings = [[OPEN, OPEN, OPEN, (5, 5)], [OPEN, OPEN, OPEN, (7, 7)]];
    assert!(find(&siblings).is_err() && find(&[]).is_err());
    // A column with one value is fixed and open.
    let mut one = deep(3, 1);
    one.types[3].kind = TypeKind::Enum(vec!["only".to_owned()]);
    let hierarchy = Hierarchy::of(&one).unwrap();
    for (a, c, holds) in [(OPEN, OPEN, true), (OPEN, (2, 2), true), ((4, 4), OPEN, false)] {
        let boxes = vec![KeyBox { ranges: vec![a, OPEN, c, (0, 0)] }];
        assert_eq!(hierarchy.find(&Region { from: 10, to: 10, boxes }).is_ok(), holds);
    }
}

/// District 2 has one row, and district 3, with four, protects it; the first has six.
const DISTRICTS: [([u64; 2], u64); 4] = [([1, 0], 3), ([1, 1], 3), ([2, 0], 1), ([3, 0], 4)];

fn by_district(min_count: u64, hierarchy: bool) -> Schema {
    let mut schema = schema();
    schema.policy.min_count = min_count;
    schema.policy.hierarchy = hierarchy.then(|| vec![vec!["district".to_owned()]]);
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
fn orders_name_type_columns_once_and_have_no_roll_ups() {
    let checked = |change: &dyn Fn(&mut Schema)| {
        let mut schema = schema();
        change(&mut schema);
        schema.check().map_err(|error| error.to_string())
    };
    let named = |orders: &[&[&str]]| {
        let names = |order: &&[&str]| order.iter().map(|name| (*name).to_owned()).collect();
        let orders: Vec<Vec<String>> = orders.iter().map(names).collect();
        checked(&move |schema| schema.policy.hierarchy = Some(orders.clone()))
    };
    let one: &[&str] = &["industrial", "district"];
    assert_eq!([named(&[]), named(&[one]), named(&[one, &["district"]])], [const { Ok(()) }; 3]);
    assert_eq!(named(&[one; 32]), Ok(()));
    let unknown = "schema: `hierarchy` names `power`, which is no type column";
    assert_eq!(named(&[one, &["district", "power"]]), Err(unknown.to_owned()));
    let improper =
        "schema: `hierarchy` has distinct type columns in every order, and 64 at most in all";
    assert_eq!(named(&[one, &["district", "district"]]), Err(improper.to_owned()));
    assert_eq!(named(&[&[]]), Err(improper.to_owned()));
    assert_eq!(named(&[one; 33]), Err(improper.to_owned()));
    let rolled = checked(&|schema| {
        schema.policy.hierarchy = Some(Vec::new());
        schema.policy.rollups = true;
    });
    let expected = "schema: there are no `rollups` where there is a `hierarchy`";
    assert_eq!(rolled, Err(expected.to_owned()));
}

/// A district that is answered about has a key with one row: sums hold, ranks would show where it stands.
#[test]
fn ranks_of_small_keys_are_withheld() {
    let strict = by_district(3, true);
    let rows = entries_of(&strict, &[([1, 0], 6), ([4, 0], 1), ([4, 1], 3)], 1);
    let works_by = |schema| Forger::new(schema, strict.clone(), rows.clone());
    let (lenient, honest) = (works_by(by_district(0, true)), works_by(strict.clone()));
    let (max, parts) = (Statistic::Order(Rank::Max), Outcome::Withheld(Withheld::Parts));
    let asked = honest.world.ask(district(4, max)).unwrap();
    let asked = <crate::query::Answer as wire::Decode>::from_bytes(&wire::Encode::to_bytes(&asked));
    assert_eq!(honest.verify(&asked.unwrap()).unwrap().outcome, parts);
    let forged = lenient.world.ask(district(4, max)).unwrap();
    let reason = "the policy's hierarchy withholds this";
    assert_eq!(lenient.verify(&forged), Err(Fault::Policy { code: "withheld", reason }));
    // What is no rank, or about no small key, may not be withheld for it.
    for query in [district(4, Statistic::Moments), district(1, max)] {
        let answer = honest.world.ask(query).unwrap();
        honest.verify(&answer).unwrap();
        let lie = crate::query::Answer { outcome: parts.clone(), proof: Proof::Empty, ..answer };
        let refused = honest.verify(&lie);
        assert!(matches!(refused, Err(Fault::Policy { code: "withheld", .. })), "{refused:?}");
    }
}

/// Tables without a hierarchy, or a word about kinds, keep their names.
#[test]
fn a_schema_without_a_hierarchy_is_written_as_before() {
    let mut schema = schema();
    schema.policy.allow = None;
    let json = |schema: &Schema| serde_json::to_string(&schema.policy).unwrap();
    let before = r#"{"min_count":2,"extremes":true,"quantiles":[{"part":1,"whole":2},{"part":1,"whole":20}]}"#;
    assert_eq!(json(&schema), before);
    let mut changed = schema;
    changed.policy.hierarchy = Some(vec![vec!["district".to_owned()]]);
    let after = before.replace("]}", r#"],"hierarchy":[["district"]]}"#);
    assert_eq!(json(&changed), after);
    assert_eq!(serde_json::from_str::<crate::Policy>(&after).unwrap(), changed.policy);
}
