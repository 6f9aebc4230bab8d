//! Pay surveys: published figures against plain computation over the file, and what is refused.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

use std::{collections::BTreeMap, path::Path};

use board::Identity;
use claim::{BundleWriter, Claim, Registry, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::report::{Bundle, SurveyReport};
use study::survey::{
    Auditor, Cell, Publisher, Responses, SurveyDescription, SurveyError, read_responses,
};
use table::{
    Genesis, PublicKey,
    claims::{TableWriter, verifiers},
    log::SignedCheckpoint,
    store::{Custodian, MasterKey, MemoryStore},
};

const DESCRIPTION: &str = include_str!("data/pay-survey/survey.toml");
const RESPONSES: &str = include_str!("data/pay-survey/responses.csv");
const YEARS: std::ops::RangeInclusive<u32> = 2002..=2005;

fn description() -> SurveyDescription {
    SurveyDescription::from_toml(DESCRIPTION).unwrap()
}

fn responses() -> Responses {
    read_responses(&description(), RESPONSES.as_bytes(), None).unwrap()
}

/// A sealed table, its custodian and auditor.
struct World {
    custodian: Custodian<MemoryStore>,
    signed: SignedCheckpoint,
    auditor: Identity,
    rng: ChaCha20Rng,
}

impl World {
    fn seal() -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let [operator, auditor] = [(); 2].map(|()| Identity::generate(&mut rng));
        let genesis = Genesis {
            schema: description().table,
            first_epoch: *YEARS.start(),
            operator: PublicKey::of(&operator),
            witnesses: vec![],
            quorum: 0,
            dishonest: 0,
            auditors: vec![PublicKey::of(&auditor)],
            nonce: Genesis::draw_nonce(&mut rng),
        };
        let master = MasterKey::generate(&mut rng);
        let custodian =
            Custodian::create(MemoryStore::default(), master, genesis, &mut rng).unwrap();
        let responses = responses();
        let mut signed = None;
        for year in YEARS {
            if let Some(rows) = responses.get(&year) {
                custodian.ingest(year, rows, &mut rng).unwrap();
            }
            signed = Some(custodian.seal_epoch(year, &operator, &()).unwrap());
        }
        Self { custodian, signed: signed.unwrap(), auditor, rng }
    }

    fn audit(&self) -> Auditor<'_> {
        let mut auditor = Auditor::new(self.custodian.table());
        for year in YEARS {
            let header = self.custodian.header(year).unwrap();
            auditor.audit(&header, &self.custodian.bundle(year).unwrap(), &()).unwrap();
        }
        auditor
    }

    fn publish(&mut self, root: &Path) -> Vec<Cell> {
        let attestations = self.audit().attest(&self.signed, &self.auditor).unwrap();
        let (description, table) = (description(), self.custodian.table());
        let mut writer = BundleWriter::create(root).unwrap();
        let mut claims = TableWriter::new(&mut writer, table, &self.signed).unwrap();
        let publisher = Publisher { description: &description, table, signed: &self.signed };
        let mut cells = Vec::new();
        for (year, attestation) in YEARS.zip(attestations) {
            let built = self.custodian.load(year).unwrap();
            let logged = self.custodian.logged(year, self.signed.checkpoint.size).unwrap();
            let attested = vec![attestation];
            let answered =
                publisher.publish(&mut claims, (logged, &built), attested, &mut self.rng);
            cells.extend(answered.unwrap());
        }
        writer.finish().unwrap();
        cells
    }
}

fn verify(root: &Path) -> Result<Vec<claim::Verdict>, VerifyError> {
    let registry = verifiers().into_iter().fold(Registry::new(), Registry::with);
    claim::verify(&claim::Bundle::open(root).unwrap(), &registry, &())
}

/// Hundredths with two decimals.
fn decimal(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// `numerator / denominator`, halves rounded up.
fn rounded(numerator: u64, denominator: u64) -> u64 {
    (2 * numerator + denominator) / (2 * denominator)
}

/// Wages in hundredths by year and group, straight from the file's text.
fn plainly() -> BTreeMap<(u32, String), Vec<u64>> {
    let mut groups = BTreeMap::<_, Vec<u64>>::new();
    for line in RESPONSES.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let wage: u64 = fields[4].replace('.', "").parse().unwrap();
        for label in ["Everybody", fields[2], fields[3]] {
            groups.entry((fields[1].parse().unwrap(), label.to_owned())).or_default().push(wage);
        }
    }
    groups.values_mut().for_each(|wages| wages.sort_unstable());
    groups
}

#[test]
fn figures_are_those_of_the_file_and_every_number_has_its_claim() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let cells = World::seal().publish(&root);
    let groups = description().groups();
    let plain = plainly();
    let mut shares = 0;
    for cell in &cells {
        let place = (cell.year, groups[cell.group].label.clone());
        let wages = plain.get(&place).cloned().unwrap_or_default();
        if wages.len() < 5 {
            assert!(cell.median.is_none() && cell.mean.is_none() && cell.count.is_none());
            assert!(cell.shares.iter().all(|share| share.share.is_none()));
            continue;
        }
        let (count, sum) = (wages.len() as u64, wages.iter().sum::<u64>());
        let text = |number: &Option<study::survey::Number>| number.as_ref().unwrap().text.clone();
        assert_eq!(text(&cell.count), count.to_string(), "{place:?}");
        assert_eq!(text(&cell.median), decimal(wages[(wages.len() - 1) / 2]), "{place:?}");
        assert_eq!(text(&cell.mean), decimal(rounded(sum, count)), "{place:?}");
        let above: u64 = wages[wages.len() - wages.len() / 10..].iter().sum();
        match &cell.shares[0].share {
            Some(share) => {
                shares += 1;
                let tenths = rounded(1000 * above, sum);
                assert_eq!(share.text, format!("{}.{}", tenths / 10, tenths % 10), "{place:?}");
            }
            None => assert!(wages.len() / 10 < 5, "{place:?}"),
        }
        // Each number's claim is in the bundle, about this year, audited, and says the number.
        let numbers = [(&cell.median, "value"), (&cell.mean, "mean"), (&cell.count, "count")];
        for (number, field) in numbers {
            let number = number.as_ref().unwrap();
            let claim = std::fs::read(root.join(format!("claims/{}.json", number.claim))).unwrap();
            let claim: Claim = serde_json::from_slice(&claim).unwrap();
            let statement = &claim.statement;
            assert_eq!(statement["epochs"], serde_json::json!([cell.year, cell.year]));
            assert_eq!(statement["assurance"], "audited");
            let said = statement["outcome"][field].to_string();
            // Means have more decimals in the claim.
            let same = match field {
                "mean" => {
                    let said: f64 = said.trim_matches('"').parse().unwrap();
                    (said - number.text.parse::<f64>().unwrap()).abs() <= 0.005
                }
                _ => said.trim_matches('"') == number.text,
            };
            assert!(same, "{place:?}: {said}, {}", number.text);
        }
    }
    // Three years with rows, six groups; one small group is in the file and withheld.
    assert_eq!(cells.len(), 18);
    assert!(shares >= 12, "{shares}");
    assert_eq!(cells.iter().filter(|cell| cell.count.is_none()).count(), 3);
    assert_eq!(plain[&(2005, "guild".to_owned())].len(), 3);
    let verdicts = verify(&root).unwrap();
    assert!(verdicts.len() > 40);
    report_links_every_number(&root, &cells);
}

/// Every link of the page leads into the bundle, every published number is there with its link,
/// and nothing is run or loaded.
fn report_links_every_number(root: &Path, cells: &[Cell]) {
    let description = description();
    let bundle = Bundle { path: "bundle".to_owned(), digests: vec![] };
    let checks = vec![];
    let report =
        SurveyReport { description: &description, table: [1; 32].into(), cells, checks, bundle };
    let page = report.to_html();
    let links: Vec<&str> =
        page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let files = root.parent().unwrap();
    assert!(links.iter().all(|link| link.starts_with("bundle/claims/")));
    assert!(links.iter().all(|link| files.join(link).is_file()));
    for cell in cells {
        let shares = cell.shares.iter().map(|share| &share.share);
        for number in [&cell.count, &cell.median, &cell.mean].into_iter().chain(shares).flatten() {
            let linked =
                format!("href=\"bundle/claims/{}.json\">{}</a>", number.claim, number.text);
            assert!(page.contains(&linked), "{linked}");
        }
    }
    assert!(page.contains("farm &amp; forest") && !page.contains("farm & forest"));
    assert!(!page.contains("<script") && !page.contains("src="));
}

#[test]
fn claims_with_other_numbers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let cells = World::seal().publish(&root);
    let cell = cells.iter().find(|cell| !cell.shares.is_empty()).unwrap();
    let share = cell.shares[0].share.as_ref().unwrap();
    for number in [cell.median.as_ref().unwrap(), cell.mean.as_ref().unwrap(), share] {
        for field in ["outcome", "epochs"] {
            let copy = directory.path().join("copy");
            rewrite(&root, &copy, &number.claim, |claim| {
                claim.statement[field] = serde_json::json!("another");
            });
            let refused = verify(&copy).unwrap_err().to_string();
            assert!(refused.contains("another statement"), "{field}: {refused}");
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
    assert!(verify(&copy).unwrap_err().to_string().contains("another statement"));
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
    let world = World::seal();
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
