//! The example `examples/pay-survey`: every published number against plain computation.

use std::collections::BTreeMap;

use study::survey::{Responses, SurveyDescription, read_responses};

use super::surveyed::{Plain, Seen, World, compare, report_links_every_number, verify};

const DESCRIPTION: &str = include_str!("../../../../examples/pay-survey/survey.toml");
const RESPONSES: &str = include_str!("../../../../examples/pay-survey/responses.csv");

fn read() -> (SurveyDescription, Responses) {
    let description = SurveyDescription::from_toml(DESCRIPTION).unwrap();
    let responses = read_responses(&description, RESPONSES.as_bytes(), None).unwrap();
    (description, responses)
}

/// Seals, audits, publishes and verifies the waves from `first` on, and compares everything.
fn publish_from(first: u32) -> Seen {
    let (description, mut responses) = read();
    let responses = responses.split_off(&first);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let cells = World::seal(description.clone(), &responses).publish(&root);
    // Everybody, two sexes, five levels of education.
    assert_eq!(cells.len(), 8 * responses.len());

    let columns = ("year", &["sex", "education"][..], "income");
    let plain = Plain::read(RESPONSES, columns, 0);
    let seen = compare(&description, &cells, &plain, &root);
    let page = report_links_every_number(&description, &root, &cells);
    assert!(page.contains("Less Than High School"));
    // A claim for every median and mean, which says how many people there are.
    assert_eq!(verify(&root).unwrap().len(), seen.numbers / 3 * 2);
    seen
}

#[test]
fn the_data_are_those_that_the_readme_describes() {
    let (_, responses) = read();
    let waves: BTreeMap<u32, usize> =
        responses.iter().map(|(year, rows)| (*year, rows.len())).collect();
    assert_eq!(waves.values().sum::<usize>(), 17_812);
    assert_eq!(waves.len(), 11);
    assert_eq!((waves[&1998], waves[&2006], waves[&2018]), (1836, 2654, 1363));
}

#[test]
fn the_last_waves_are_published_as_computed_from_the_file() {
    let seen = publish_from(2016);
    assert_eq!(seen, Seen { numbers: 2 * 8 * 3, ..Seen::default() });
}

#[test]
#[ignore = "all eleven waves: minutes on two cores, and no other code than two waves"]
fn all_waves_are_published_as_computed_from_the_file() {
    let seen = publish_from(1998);
    assert_eq!(seen, Seen { numbers: 11 * 8 * 3, ..Seen::default() });
}
