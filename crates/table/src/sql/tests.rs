//! What is understood, and every reason to refuse.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

use super::*;
use crate::{
    Fraction, TypeColumn, TypeKind,
    query::{KeyBox, Rank, Statistic},
    support::{World, entries_of, schema, setup},
};

fn read(text: &str) -> Result<Vec<Planned>, SqlError> {
    plan(&setup(schema()).table, 3, text)
}

#[test]
fn the_subset_becomes_queries() {
    let plan = read(
        "SELECT COUNT(*), avg(power) AS mean, MEDIAN(power), TOP(power, 0.05) FROM energy \
         WHERE epoch BETWEEN 10 AND 12 AND district IN (3, 1, 2, 7) AND industrial = false;",
    )
    .unwrap();
    let boxes = [(1, 3), (7, 7)].map(|range| KeyBox { ranges: vec![range, (0, 0)] });
    let region = Region { from: 10, to: 12, boxes: boxes.to_vec() };
    assert!(plan.iter().all(|planned| planned.query.region == region && planned.group.is_empty()));
    let statistics: Vec<_> = plan.iter().map(|planned| planned.query.statistic).collect();
    let expected = [
        Statistic::Moments,
        Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 2 })),
        Statistic::Top(Fraction { part: 1, whole: 20 }),
    ];
    assert_eq!(statistics, expected);
    let labels: Vec<_> = plan[0].aggregates.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["COUNT(*)", "mean"]);
    assert_eq!(read("SELECT MIN(power) FROM energy WHERE epoch = 11").unwrap().len(), 1);
}

#[test]
fn every_group_is_a_query_also_without_rows() {
    let plan = read(
        "SELECT district, SUM(bill) FROM energy \
         WHERE epoch = 10 AND district BETWEEN 4 AND 5 GROUP BY district, industrial",
    )
    .unwrap();
    let groups: Vec<Vec<&str>> = plan
        .iter()
        .map(|planned| planned.group.iter().map(|(_, value)| value.as_str()).collect())
        .collect();
    assert_eq!(groups, [["4", "false"], ["4", "true"], ["5", "false"], ["5", "true"]]);
    assert_eq!(plan[3].query.region.boxes, [KeyBox { ranges: vec![(5, 5), (1, 1)] }]);
    assert_eq!(plan[3].query.column, 1);
}

#[test]
fn everything_else_is_refused_with_its_reason() {
    let long = format!("SELECT {}", "x".repeat(MAX_LEN));
    let at = |what: &str, rest: &str| format!("SELECT {what} FROM energy WHERE epoch = 10{rest}");
    for (text, code) in [
        ("SELEC", "syntax"),
        (long.as_str(), "syntax"),
        ("DELETE FROM energy", "subset"),
        ("SELECT COUNT(*) FROM energy; SELECT COUNT(*) FROM energy", "subset"),
        ("SELECT COUNT(*) FROM energy UNION SELECT COUNT(*) FROM energy", "subset"),
        ("SELECT COUNT(*) FROM energy JOIN other ON true", "subset"),
        ("SELECT COUNT(*) FROM energy, energy", "subset"),
        ("SELECT COUNT(*) FROM energy AS e WHERE epoch = 10", "subset"),
        ("SELECT * FROM energy WHERE epoch = 10", "subset"),
        (&at("DISTINCT COUNT(*)", ""), "subset"),
        (&at("COUNT(*)", " LIMIT 1"), "subset"),
        (&at("COUNT(*)", " GROUP BY district HAVING COUNT(*) > 1"), "subset"),
        (&at("COUNT(*)", " OR epoch = 11"), "subset"),
        (&at("COUNT(*)", " AND district NOT IN (1)"), "subset"),
        (&at("COUNT(*)", " AND district < 4"), "subset"),
        ("SELECT COUNT(*) FROM pay WHERE epoch = 10", "table"),
        (&at("SUM(wage)", ""), "column"),
        (&at("SUM(district)", ""), "column"),
        (&at("SUM(power)", " AND power = 4"), "column"),
        (&at("district", ""), "column"),
        (&at("COUNT(*)", " AND district = 1 AND district = 2"), "column"),
        (&at("COUNT(*)", " GROUP BY district, district"), "column"),
        (&at("SUM(power) + 1", ""), "aggregate"),
        (&at("COUNT(DISTINCT power)", ""), "aggregate"),
        (&at("SUM(power, 1)", ""), "aggregate"),
        (&at("MODE(power)", ""), "aggregate"),
        (&at("SUM(power) FILTER (WHERE district = 1)", ""), "syntax"),
        (&at("QUANTILE(power, 0.4)", ""), "fraction"),
        (&at("QUANTILE(power, 2)", ""), "value"),
        (&at("VAR_SAMP(bill)", ""), "moments"),
        (&at("MEDIAN(bill)", ""), "order"),
        (&at("HISTOGRAM(bill)", ""), "order"),
        (&at("COUNT(*)", " AND district IN (1, 1)"), "value"),
        (&at("COUNT(*)", " AND district = 'x'"), "value"),
        (&at("COUNT(*)", " AND district = 4294967296"), "value"),
        (&at("COUNT(*)", " AND industrial = 1"), "value"),
        (&at("COUNT(*)", " AND district BETWEEN 2 AND 1"), "value"),
        ("SELECT COUNT(*) FROM energy", "epochs"),
        ("SELECT COUNT(*) FROM energy WHERE epoch = 13", "epochs"),
        ("SELECT COUNT(*) FROM energy WHERE epoch = -1", "value"),
        ("SELECT COUNT(*) FROM energy WHERE epoch BETWEEN 11 AND 10", "epochs"),
        ("SELECT COUNT(*) FROM energy WHERE epoch IN (10, 12)", "epochs"),
        (&at("COUNT(*)", " GROUP BY district"), "groups"),
        (&at("SUM(power), SUM(power)", ""), "label"),
        (&at("SUM(power) AS mean, AVG(power) AS mean", ""), "label"),
        (&at("COUNT(*) AS industrial", " GROUP BY industrial"), "label"),
        (&at("COUNT(*)", " AND industrial BETWEEN false AND true"), "value"),
    ] {
        let refused = read(text).expect_err(text);
        assert_eq!(refused.code, code, "{text}: {refused}");
        assert!(!refused.reason.is_empty());
    }
}

#[test]
fn policies_round_and_restrict() {
    let mut rounding = schema();
    rounding.policy.rounding = Some(16);
    rounding.values[0].scale = 1;
    rounding.policy.allow = Some(vec![crate::Kind::Moments, crate::Kind::Histogram]);
    let table = setup(rounding).table;
    let read = |what: &str| {
        let text = format!("SELECT {what} FROM energy WHERE epoch = 10");
        plan(&table, 1, &text)
    };
    for (what, code) in [
        ("VAR_SAMP(power)", "rounding"),
        ("SKEW(power)", "rounding"),
        ("HISTOGRAM(power)", "rounding"),
        ("MEDIAN(power)", "kind"),
        ("MIN(power)", "kind"),
        ("TOP(power, 1/2)", "kind"),
    ] {
        assert_eq!(read(what).expect_err(what).code, code, "{what}");
    }
    let planned = read("COUNT(*), SUM(power), AVG(power)").unwrap();
    let column = &table.schema().values[0];
    let outcome = crate::query::Outcome::Rounded { count: 4, sum: 131_072 };
    let shown: Vec<_> = planned[0]
        .aggregates
        .iter()
        .map(|one| one.show(table.schema(), column, &outcome))
        .collect();
    // Steps of a tenth from -10.0 on: 131072 to 196607 of them above four times the minimum.
    let expected = [
        serde_json::json!(4),
        serde_json::json!(["13067.2", "19620.7"]),
        serde_json::json!(["3266.80000", "4905.17500"]),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_hierarchy_refuses_and_names_what_may_be_asked() {
    let mut schema = schema();
    schema.policy.hierarchy = Some(vec![vec!["industrial".to_owned(), "district".to_owned()]]);
    let table = setup(schema).table;
    let read = |rest: &str| {
        plan(&table, 1, &format!("SELECT SUM(power) FROM energy WHERE epoch = 10{rest}"))
    };
    for (rest, groups) in [
        ("", 1),
        (" GROUP BY industrial", 2),
        (" AND industrial = true", 1),
        (" AND industrial IN (true, false) GROUP BY industrial", 2),
        (" AND industrial = true AND district IN (1, 2, 5) GROUP BY district", 3),
        (" AND district BETWEEN 1 AND 3 GROUP BY district, industrial", 6),
    ] {
        assert_eq!(read(rest).unwrap().len(), groups, "{rest}");
    }
    for rest in [
        " AND district = 1",
        " AND district IN (1, 2) GROUP BY district",
        " AND industrial = true AND district IN (1, 2)",
        " AND industrial = true AND district BETWEEN 1 AND 2",
        " AND district BETWEEN 1 AND 2 GROUP BY industrial",
    ] {
        let refused = read(rest).expect_err(rest);
        assert_eq!(refused.code, "hierarchy", "{rest}");
        let named = "one value each of the first of `industrial`, `district`";
        assert!(refused.reason.contains(named), "{refused}");
    }
    let top = plan(&table, 1, "SELECT TOP(power, 1/2) FROM energy WHERE epoch = 10");
    assert_eq!(top.expect_err("parts of boxes").code, "hierarchy");
}

/// What GROUP BY shows of groups that are withheld, and of one without rows.
#[test]
fn withheld_groups_say_why() {
    let mut schema = schema();
    schema.policy = crate::Policy {
        min_count: 3,
        hierarchy: Some(vec![vec!["district".to_owned()]]),
        ..schema.policy
    };
    let rows = entries_of(&schema, &[([1, 0], 6), ([2, 0], 1), ([3, 1], 4)], 1);
    let world = World::new(schema.clone(), &[rows]);
    let text = "SELECT COUNT(*) AS n, MAX(power) AS most FROM energy \
                WHERE epoch = 10 AND district BETWEEN 1 AND 4 GROUP BY district";
    let plan = plan(&world.setup.table, 1, text).unwrap();
    let answers: Vec<_> =
        plan.iter().map(|planned| world.ask(planned.query.clone()).unwrap()).collect();
    let mut shown = shown(&schema, &plan, &answers);
    assert!(shown[0].remove("most").is_some_and(|most| most.is_string()));
    let small = serde_json::json!({ "withheld": "small" });
    let other = serde_json::json!({ "withheld": "to protect another" });
    let expected = [
        serde_json::json!({ "district": "1", "n": 6 }),
        serde_json::json!({ "district": "2", "n": small, "most": small }),
        serde_json::json!({ "district": "3", "n": other, "most": other }),
        serde_json::json!({ "district": "4", "n": 0, "most": null }),
    ];
    let shown: Vec<_> = shown.into_iter().map(serde_json::Value::Object).collect();
    assert_eq!(shown, expected);
}

/// Names of an enumeration have no order that a reader knows.
#[test]
fn values_without_order_have_no_between() {
    let mut named = schema();
    let roles = ["nurse", "engineer", "clerk"].map(str::to_owned).to_vec();
    named.types = vec![TypeColumn { name: "role".to_owned(), kind: TypeKind::Enum(roles) }];
    let table = setup(named).table;
    let read = |condition: &str| {
        let text = format!("SELECT COUNT(*) FROM energy WHERE epoch = 10 AND role {condition}");
        plan(&table, 1, &text)
    };
    for between in ["BETWEEN 'nurse' AND 'clerk'", "BETWEEN 'clerk' AND 'nurse'"] {
        assert_eq!(read(between).unwrap_err().code, "value", "{between}");
    }
    // What is named is shown, and nothing between that was not.
    let region = read("IN ('clerk', 'nurse', 'engineer')").unwrap().remove(0).query.region;
    assert_eq!(region.boxes, [KeyBox { ranges: vec![(0, 2)] }]);
}

/// A question of a few kilobytes about thousands of groups, each of thousands of boxes, with dozens of
/// aggregates: refused by its numbers, before anything of that size is made.
#[test]
fn plans_are_bounded_before_they_are_made() {
    let mut wide = schema();
    let column = |name: &str| TypeColumn { name: name.to_owned(), kind: TypeKind::U32 };
    wide.types = ["a", "b", "c"].map(column).to_vec();
    let table = setup(wide).table;
    let odd = |count: u64| {
        let all: Vec<String> = (0..count).map(|code| (2 * code).to_string()).collect();
        all.join(", ")
    };
    let ask = |select: &str, boxes: u64, groups: u64| {
        let last = groups - 1;
        let text = format!(
            "SELECT {select} FROM energy WHERE epoch = 10 AND a IN ({0}) AND b IN ({0}) \
             AND c BETWEEN 0 AND {last} GROUP BY c",
            odd(boxes)
        );
        assert!(text.len() < MAX_LEN);
        let start = std::time::Instant::now();
        let planned = plan(&table, 1, &text).map(|plan| plan.len()).map_err(|error| error.code);
        (planned, start.elapsed())
    };
    // 4,096 groups of 4,096 boxes: gigabytes, and hours of comparing.
    for (select, boxes, groups) in [
        ("COUNT(*)", 64, 4096),
        ("COUNT(*), MEDIAN(power), MIN(power), MAX(power)", 64, 2),
        ("COUNT(*), MEDIAN(power)", 1, 4096 * 4096),
        ("COUNT(*)", 60, 100),
        ("COUNT(*)", 32, 128),
    ] {
        let (planned, time) = ask(select, boxes, groups);
        assert_eq!(planned, Err("groups"), "{select} {boxes} {groups}");
        assert!(time < std::time::Duration::from_secs(1), "{time:?}");
    }
    assert_eq!(ask("COUNT(*)", 1, 4096).0, Ok(4096));
    assert_eq!(ask("COUNT(*), MEDIAN(power)", 2, 100).0, Ok(200));
    assert_eq!(ask("COUNT(*)", 64, 1).0, Ok(1));
}
