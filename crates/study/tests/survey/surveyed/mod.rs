//! A survey in one process, and its figures computed once more without a table.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    path::Path,
};

use board::Identity;
use claim::{BundleWriter, Claim, Registry, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    report::{Bundle, SurveyReport},
    survey::{Auditor, Cell, Number, Publisher, Responses, SurveyDescription},
};
use table::{
    Genesis, PublicKey,
    claims::{TableWriter, verifiers},
    log::SignedCheckpoint,
    store::{Custodian, MasterKey, MemoryStore},
};

/// A sealed table, its custodian and auditor.
pub struct World {
    pub description: SurveyDescription,
    pub custodian: Custodian<MemoryStore>,
    pub signed: SignedCheckpoint,
    pub auditor: Identity,
    years: RangeInclusive<u32>,
    rng: ChaCha20Rng,
}

impl World {
    pub fn seal(description: SurveyDescription, responses: &Responses) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let [operator, auditor] = [(); 2].map(|()| Identity::generate(&mut rng));
        let years = *responses.keys().next().unwrap()..=*responses.keys().next_back().unwrap();
        let genesis = Genesis {
            schema: description.table.clone(),
            first_epoch: *years.start(),
            operator: PublicKey::of(&operator),
            witnesses: vec![],
            quorum: 0,
            dishonest: 0,
            auditors: vec![PublicKey::of(&auditor)],
            nonce: Genesis::draw_nonce(&mut rng),
            continues: None,
        };
        let master = MasterKey::generate(&mut rng);
        let custodian =
            Custodian::create(MemoryStore::default(), master, genesis, &mut rng).unwrap();
        let mut signed = None;
        for year in years.clone() {
            if let Some(rows) = responses.get(&year) {
                custodian.ingest(year, rows, &mut rng).unwrap();
            }
            signed = Some(custodian.seal_epoch(year, &operator, &()).unwrap());
        }
        Self { description, custodian, signed: signed.unwrap(), auditor, years, rng }
    }

    pub fn audit(&self) -> Auditor<'_> {
        let mut auditor = Auditor::new(self.custodian.table());
        for year in self.years.clone() {
            let header = self.custodian.header(year).unwrap();
            auditor.audit(&header, &self.custodian.bundle(year).unwrap(), &()).unwrap();
        }
        auditor
    }

    pub fn publish(&mut self, root: &Path) -> Vec<Cell> {
        let attestations = self.audit().attest(&self.signed, &self.auditor).unwrap();
        let (description, table) = (&self.description, self.custodian.table());
        let mut writer = BundleWriter::create(root).unwrap();
        let mut claims = TableWriter::new(&mut writer, table, &self.signed).unwrap();
        let publisher = Publisher { description, table, signed: &self.signed };
        let mut cells = Vec::new();
        for (year, attestation) in self.years.clone().zip(attestations) {
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

pub fn verify(root: &Path) -> Result<Vec<claim::Verdict>, VerifyError> {
    let registry = verifiers().fold(Registry::new(), Registry::with);
    claim::verify(&claim::Bundle::open(root).unwrap(), &registry, &())
}

/// Values by year and group, straight from a file: in steps of 10^-decimals, ascending.
pub struct Plain {
    decimals: u32,
    values: BTreeMap<(u32, String), Vec<u64>>,
    /// People of every combination of groups.
    keys: BTreeMap<(u32, String), BTreeMap<Vec<String>, usize>>,
}

impl Plain {
    /// `groups` are columns whose values name groups; all rows are in `Everybody`.
    pub fn read(file: &str, (year, groups, value): (&str, &[&str], &str), decimals: u32) -> Self {
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        let header = reader.headers().unwrap().clone();
        let at = |name: &str| header.iter().position(|column| column == name).unwrap();
        let mut values = BTreeMap::<_, Vec<u64>>::new();
        let mut keys = BTreeMap::<_, BTreeMap<_, usize>>::new();
        for row in reader.records().map(Result::unwrap) {
            let of_year: u32 = row[at(year)].parse().unwrap();
            let (whole, part) = row[at(value)].split_once('.').unwrap_or((&row[at(value)], ""));
            assert_eq!(part.len(), decimals as usize);
            let steps: u64 = format!("{whole}{part}").parse().unwrap();
            for group in ["Everybody"].into_iter().chain(groups.iter().map(|name| &row[at(name)])) {
                values.entry((of_year, group.to_owned())).or_default().push(steps);
                let key: Vec<String> = groups.iter().map(|name| row[at(name)].to_owned()).collect();
                *keys.entry((of_year, group.to_owned())).or_default().entry(key).or_default() += 1;
            }
        }
        values.values_mut().for_each(|values| values.sort_unstable());
        Self { decimals, values, keys }
    }

    pub fn of(&self, year: u32, group: &str) -> &[u64] {
        self.values.get(&(year, group.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The people of the rarest combination of groups.
    fn rarest(&self, place: &(u32, String)) -> usize {
        self.keys[place].values().copied().min().unwrap()
    }

    fn decimal(&self, steps: u64) -> String {
        let scale = 10_u64.pow(self.decimals);
        let width = self.decimals as usize;
        match width {
            0 => steps.to_string(),
            _ => format!("{}.{:0width$}", steps / scale, steps % scale),
        }
    }
}

/// `numerator / denominator`, halves rounded up.
fn rounded(numerator: u64, denominator: u64) -> u64 {
    (2 * numerator + denominator) / (2 * denominator)
}

/// What [`compare`] saw.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub numbers: usize,
    pub shares: usize,
    pub withheld_cells: usize,
    pub withheld_medians: usize,
    pub withheld_shares: usize,
}

/// Compares every published number, and every number that its claim states, with plain computation.
pub fn compare(
    description: &SurveyDescription,
    cells: &[Cell],
    plain: &Plain,
    root: &Path,
) -> Seen {
    let groups = description.groups();
    let least = description.table.policy.min_count as usize;
    let mut seen = Seen::default();
    for cell in cells {
        let place = (cell.year, groups[cell.group].label.clone());
        let values = plain.of(cell.year, &place.1);
        if values.len() < least {
            assert!(cell.median.is_none() && cell.mean.is_none() && cell.count.is_none());
            assert!(cell.shares.iter().all(|share| share.share.is_none()));
            seen.withheld_cells += 1;
            continue;
        }
        let (count, sum) = (values.len() as u64, values.iter().sum::<u64>());
        let statement = |number: &Option<Number>| {
            let name = &number.as_ref().unwrap().claim;
            let claim = std::fs::read(root.join(format!("claims/{name}.json"))).unwrap();
            let statement = serde_json::from_slice::<Claim>(&claim).unwrap().statement;
            assert_eq!(statement["epochs"], serde_json::json!([cell.year, cell.year]));
            assert_eq!(statement["assurance"], "audited");
            statement
        };
        let said = |number: &Option<Number>, field: &str| {
            statement(number)["outcome"][field].to_string().trim_matches('"').to_owned()
        };
        let text = |number: &Option<Number>| number.as_ref().unwrap().text.clone();

        let median = plain.decimal(values[(values.len() - 1) / 2]);
        assert_eq!(text(&cell.count), count.to_string(), "{place:?}");
        assert_eq!(said(&cell.count, "count"), count.to_string(), "{place:?}");
        let is_ordered = plain.rarest(&place) >= least;
        if is_ordered {
            assert_eq!(text(&cell.median), median, "{place:?}");
            assert_eq!(said(&cell.median, "value"), median, "{place:?}");
            seen.numbers += 1;
        } else {
            assert!(cell.median.is_none(), "{place:?}");
            seen.withheld_medians += 1;
        }
        assert_eq!(text(&cell.mean), plain.decimal(rounded(sum, count)), "{place:?}");
        assert_eq!(said(&cell.mean, "sum"), plain.decimal(sum), "{place:?}");
        // Means have more decimals in the claim.
        let mean: f64 = said(&cell.mean, "mean").parse().unwrap();
        let exact = sum as f64 / count as f64 / 10_f64.powi(plain.decimals as i32);
        assert!((mean - exact).abs() <= 1e-4, "{place:?}: {mean}, {exact}");
        seen.numbers += 2;

        let top = &values[values.len() - values.len() / 10..];
        let above: u64 = top.iter().sum();
        assert_eq!(cell.shares.len(), description.top.len());
        match cell.shares.first().map(|share| &share.share) {
            None => {}
            Some(share @ Some(_)) => {
                let tenths = rounded(1000 * above, sum);
                assert_eq!(text(share), format!("{}.{}", tenths / 10, tenths % 10), "{place:?}");
                let said = &statement(share)["outcome"]["top"];
                assert_eq!(said["count"], top.len(), "{place:?}");
                assert_eq!(said["sum"], plain.decimal(above), "{place:?}");
                seen.shares += 1;
            }
            Some(None) => {
                assert!(top.len() < least || !is_ordered, "{place:?}");
                seen.withheld_shares += 1;
            }
        }
    }
    seen.numbers += seen.shares;
    seen
}

/// Every link of the page leads into the bundle, every published number is there with its link,
/// and nothing is run or loaded: the page.
pub fn report_links_every_number(
    description: &SurveyDescription,
    root: &Path,
    cells: &[Cell],
) -> String {
    let bundle = Bundle { path: "bundle".to_owned(), digests: vec![], page: None };
    let checks = vec![];
    let page = SurveyReport { description, table: [1; 32].into(), cells, checks, bundle }.to_html();
    let links: BTreeSet<(&str, String)> = page
        .split("<a href=\"")
        .skip(1)
        .map(|rest| {
            let (address, rest) = rest.split_once('"').unwrap();
            let text = rest.split_once('>').unwrap().1.split('<').next().unwrap();
            (address, text.replace(',', ""))
        })
        .filter(|(address, _)| Some(*address) != description.link.as_deref())
        .collect();
    let files = root.parent().unwrap();
    assert!(links.iter().all(|(address, _)| address.starts_with("bundle/claims/")));
    assert!(links.iter().all(|(address, _)| files.join(address).is_file()));
    for cell in cells {
        let shares = cell.shares.iter().map(|share| &share.share);
        for number in [&cell.count, &cell.median, &cell.mean].into_iter().chain(shares).flatten() {
            let address = format!("bundle/claims/{}.json", number.claim);
            assert!(links.contains(&(&*address, number.text.clone())), "{address}");
        }
    }
    assert!(!page.contains("<script") && !page.contains("src="));
    page
}
