//! Pay surveys: published figures against plain computation over the file, and what is refused.

use std::path::Path;

use claim::{BundleWriter, Claim};
use study::survey::{Auditor, Responses, SurveyDescription, SurveyError, read_responses};

use super::surveyed::{Plain, World, compare, report_links_every_number, verify};

const DESCRIPTION: &str = include_str!("../data/pay-survey/survey.toml");
const RESPONSES: &str = include_str!("../data/pay-survey/responses.csv");

fn description() -> SurveyDescription {
    SurveyDescription::from_toml(DESCRIPTION).unwrap()
}

fn responses() -> Responses {
    read_responses(&description(), RESPONSES.as_bytes(), None).unwrap()
}

fn seal() -> World {
    World::seal(description(), &responses())
}

#[test]
fn figures_are_those_of_the_file_and_every_number_has_its_claim() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let cells = seal().publish(&root);
    let plain = Plain::read(RESPONSES, ("year", &["sex", "work"], "wage"), 2);
    let seen = compare(&description(), &cells, &plain, &root);
    // Three years with rows, six groups; one small group is in the file and withheld.
    assert_eq!(cells.len(), 18);
    assert!(seen.shares >= 12, "{seen:?}");
    assert_eq!(seen.withheld_cells, 3);
    assert_eq!(plain.of(2005, "guild").len(), 3);
    let verdicts = verify(&root).unwrap();
    // Of the year with the small group, no medians and shares that its people's places would show in.
    assert_eq!(seen.withheld_medians, 3);
    assert!(verdicts.len() > 35);
    let page = report_links_every_number(&description(), &root, &cells);
    assert!(page.contains("farm &amp; forest") && !page.contains("farm & forest"));
}

#[test]
fn claims_with_other_numbers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let cells = seal().publish(&root);
    let cell = cells.iter().find(|cell| !cell.shares.is_empty()).unwrap();
    let share = cell.shares[0].share.as_ref().unwrap();
    for number in [cell.median.as_ref().unwrap(), cell.mean.as_ref().unwrap(), share] {
        for field in ["outcome", "epochs"] {
            let copy = directory.path().join("copy");
            rewrite(&root, &copy, &number.claim, |claim| {
                claim.statement[field] = serde_json::json!("another");
            });
            let refused = verify(&copy).unwrap_err().to_string();
            let named = refused.contains(&format!("claim: `{field}"));
            assert!(named && refused.contains("not as stated"), "{field}: {refused}");
            std::fs::remove_dir_all(&copy).unwrap();
        }
    }
    // One wage more in the sum.
    let mean = cell.mean.as_ref().unwrap();
    let copy = directory.path().join("copy");
    rewrite(&root, &copy, &mean.claim, |claim| {
        let count = claim.statement["outcome"]["count"].as_u64().unwrap();
        claim.statement["outcome"]["count"] = (count + 1).into();
    });
    assert!(verify(&copy).unwrap_err().to_string().contains("`outcome.count` is"));
}

/// Copies a bundle with one claim changed, under a manifest that fits.
fn rewrite(root: &Path, copy: &Path, name: &str, change: impl Fn(&mut Claim)) {
    let mut writer = BundleWriter::create(copy).unwrap();
    for object in std::fs::read_dir(root.join("objects/table")).unwrap() {
        let path = object.unwrap().path();
        let name = format!("table/{}", path.file_name().unwrap().to_str().unwrap());
        writer.add_object(&name, &std::fs::read(&path).unwrap()).unwrap();
    }
    for claim in std::fs::read_dir(root.join("claims")).unwrap() {
        let path = claim.unwrap().path();
        let mut claim: Claim = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        if path.file_stem().unwrap() == name {
            change(&mut claim);
        }
        writer.add_claim(path.file_stem().unwrap().to_str().unwrap(), &claim).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn auditors_sign_the_log_that_they_audited_and_no_other() {
    let world = seal();
    let table = world.custodian.table();
    let parts =
        |year| (world.custodian.header(year).unwrap(), world.custodian.bundle(year).unwrap());
    let attestations = world.audit().attest(&world.signed, &world.auditor).unwrap();
    assert!(attestations.iter().all(|word| word.verify(table).is_ok()));
    assert_eq!(attestations.len(), 4);

    // An epoch too few, one out of order, one with another's bundle, one with a flipped bit.
    let mut auditor = Auditor::new(table);
    let (first, bundle) = parts(2002);
    let (other, other_bundle) = parts(2004);
    assert!(auditor.audit(&other, &other_bundle, &()).is_err());
    assert!(auditor.audit(&first, &other_bundle, &()).is_err());
    for at in (0..bundle.len()).step_by(4999) {
        let mut flipped = bundle.clone();
        flipped[at] ^= 1;
        assert!(auditor.audit(&first, &flipped, &()).is_err(), "byte {at}");
    }
    auditor.audit(&first, &bundle, &()).unwrap();
    assert!(auditor.attest(&world.signed, &world.auditor).is_err());
    let mut unsigned = world.signed.clone();
    unsigned.checkpoint.size -= 1;
    assert!(world.audit().attest(&unsigned, &world.auditor).is_err());
}

#[test]
fn decimals_are_read_exactly_or_not_at_all() {
    let mut description = description();
    let wage = description.table.values.first_mut().unwrap();
    (wage.min, wage.max) = (-50, 10_000);
    let read = |wage: &str| {
        let file = format!("person,year,sex,work,wage\nP,2002,women,office,{wage}\n");
        Some(read_responses(&description, file.as_bytes(), None).ok()?[&2002][0].values[0])
    };
    assert_eq!(["0", "1.5", "-0.5", "100.00"].map(read), [50, 200, 0, 10_050].map(Some));
    for wrong in ["", ".5", "1.234", "1e3", "--1", "+1", "100.01", "-0.51", "1 000", "٣"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}

#[test]
fn wrong_files_are_refused_where_they_are_wrong() {
    let description = description();
    let read = |file: &str| read_responses(&description, file.as_bytes(), None);
    let header = "person,year,sex,work,wage\n";
    for (rows, message) in [
        ("P,2002,women,office,12.345\n", "line 2, column `wage`: `12.345` is not a number"),
        ("P,2002,women,office,0\n", "in the column's bounds"),
        ("P,2002,women,office,500.01\n", "in the column's bounds"),
        ("P,2002,women,office,\n", "line 2, column `wage`"),
        ("P,2002,girls,office,5\n", "line 2, column `sex`: `girls` is not among its values"),
        ("P,MMII,women,office,5\n", "line 2, column `year`: `MMII` is not a year"),
        (",2002,women,office,5\n", "line 2, column `person`"),
        ("P,2002,women,office,5\nP,2002,men,office,6\n", "line 3, column `person`: a second"),
        ("P,2002,women,office\n", "CSV error"),
        ("P,1,women,office,5\nP,2002,women,office,5\n", "more than 200 years"),
        ("", "there are no responses"),
    ] {
        let error = read(&format!("{header}{rows}")).unwrap_err().to_string();
        assert!(error.contains(message), "{rows}: {error}");
    }
    for header in ["person,year,sex,work\n", "person,year,sex,work,wage,wage\n"] {
        assert!(matches!(read(header), Err(SurveyError::Header(name)) if name == "wage"));
    }
    assert_eq!(
        read_responses(&description, RESPONSES.as_bytes(), Some(7)).unwrap()[&2002].len(),
        7
    );
    for (from, to, message) in [
        ("value = \"wage\"", "value = \"pay\"", "no value column `pay`"),
        ("groups = [\"sex\"", "groups = [\"wage\"", "no bool or enum type column `wage`"),
        ("person = \"person\"", "person = \"year\"", "differ"),
        ("min = 1", "min = 0", "min above 0"),
        ("{ part = 1, whole = 2 }, ", "", "must list 1/2"),
        ("\"office\"", "\"farm forest\"", "spelled alike"),
        ("ordered = true", "ordered = false", "ordered"),
        ("licence", "license", "unknown field"),
    ] {
        assert!(DESCRIPTION.contains(from), "{from}");
        let error = SurveyDescription::from_toml(&DESCRIPTION.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(message), "{from}: {error}");
    }
}
