//! What the example's answers show to outsiders, by attack: under its policy, and without one rule or another.

use std::collections::BTreeSet;

use study::survey::{Responses, SurveyDescription, read_responses};
use table::{
    Fraction, Schema, TypeColumn, TypeKind,
    exposure::{Exposure, Finding, examine},
};

const DESCRIPTION: &str = include_str!("../../../../examples/pay-survey/survey.toml");
const RESPONSES: &str = include_str!("../../../../examples/pay-survey/responses.csv");
const LEAST: u64 = 10;

fn read(description: &SurveyDescription) -> Responses {
    read_responses(description, RESPONSES.as_bytes(), None).unwrap()
}

fn attack(schema: &Schema, responses: &Responses, year: u32) -> Exposure {
    examine(schema, 0, &responses[&year], LEAST).unwrap()
}

/// The incomes that are shown of one person, and how many sums over a few.
fn shown(exposure: &Exposure) -> (Vec<String>, usize) {
    let (mut incomes, mut sums) = (Vec::new(), 0);
    for finding in &exposure.findings {
        match finding {
            Finding::Sum { rows: 1, sum: Some(income), .. } => incomes.push(income.to_decimal(0)),
            Finding::Sum { sum: Some(_), .. } => sums += 1,
            _ => {}
        }
    }
    (incomes, sums)
}

/// The example with occupations, as the file has them.
fn detailed() -> SurveyDescription {
    let mut description = SurveyDescription::from_toml(DESCRIPTION).unwrap();
    let mut reader = csv::Reader::from_reader(RESPONSES.as_bytes());
    let at = reader.headers().unwrap().iter().position(|name| name == "occupation").unwrap();
    let named = reader.records().map(|record| record.unwrap()[at].to_owned());
    let kind = TypeKind::Enum(named.collect::<BTreeSet<_>>().into_iter().collect());
    let column = TypeColumn { name: "occupation".to_owned(), kind };
    description.table.types.push(column);
    description
}

#[test]
fn the_example_tells_nobody_from_nine_others() {
    let description = SurveyDescription::from_toml(DESCRIPTION).unwrap();
    let responses = read(&description);
    for year in responses.keys() {
        let exposure = attack(&description.table, &responses, *year);
        assert_eq!((&exposure.findings[..], exposure.complete), (&[][..], true), "{year}");
        assert!(exposure.crowd.unwrap() >= LEAST && exposure.answered >= 16, "{year}");
    }
}

/// Under a hierarchy of three columns, too, though then hardly a median is left.
#[test]
fn more_columns_under_a_hierarchy_tell_nobody_apart() {
    let mut description = detailed();
    let orders = [&["sex"][..], &["education"], &["occupation", "sex"]];
    let order = |order: &[&str]| order.iter().map(|name| (*name).to_owned()).collect();
    description.table.policy.hierarchy = Some(orders.map(order).to_vec());
    let responses = read(&description);
    for year in [1998, 2018] {
        let exposure = attack(&description.table, &responses, year);
        assert_eq!((&exposure.findings[..], exposure.complete), (&[][..], true), "{year}");
        assert!(exposure.crowd.unwrap() >= LEAST && exposure.answered > 5, "{year}: {exposure:?}");
    }
}

/// `min_count` alone: sums about ten people and more, subtracted, are single people's incomes.
#[test]
fn without_its_hierarchy_the_example_tells_incomes() {
    let mut description = detailed();
    description.table.policy.hierarchy = None;
    let responses = read(&description);
    let (incomes, sums) = shown(&attack(&description.table, &responses, 2018));
    assert!(incomes.len() >= 10 && sums >= 7, "{} incomes, {sums} sums", incomes.len());
    // They are incomes of the file, of people who are alone with their sex, education and occupation.
    let mut alone: Vec<String> = Vec::new();
    for row in &responses[&2018] {
        let same = responses[&2018].iter().filter(|other| other.key == row.key);
        if same.count() == 1 {
            // An offset from the least income, which is 1.
            alone.push((row.values[0] + 1).to_string());
        }
    }
    let sorted = |mut incomes: Vec<String>| {
        incomes.sort();
        incomes
    };
    assert_eq!(sorted(incomes), sorted(alone));
}

/// A hierarchy, but medians of groups with small keys: their proofs bound single incomes.
#[test]
fn ranks_of_small_keys_bound_incomes() {
    let mut description = detailed();
    description.table.policy.min_count = 0;
    let deciles = (1..10).map(|part| Fraction { part, whole: 10 });
    description.table.policy.quantiles = deciles.collect();
    description.table.policy.hierarchy = Some(vec![]);
    let exposure = attack(&description.table, &read(&description), 2018);
    let bounds = |finding: &&Finding| matches!(finding, Finding::Bracket { rows: 1..LEAST, .. });
    assert!(exposure.findings.iter().any(|finding| bounds(&finding)), "{exposure:?}");
}
