//! `vectors/table`: bundles of every kind of claim about tables, and a user's receipts, made from seeds.

mod house;
mod pay;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use board::Identity;
use claim::{Bundle, BundleWriter};
use rand_chacha::ChaCha20Rng;
use table::{
    Genesis, PublicKey, Row, Schema, Table,
    claims::{TableWriter, verifiers},
    log::{Attestation, SignedCheckpoint},
    query::{Answer, Source},
    store::{Custodian, MasterKey, MemoryStore},
};

use crate::support::rng;

/// When the first epoch was cosigned; each other one a day later.
const TIME: u64 = 1_790_000_000;
const DAY: u64 = 86_400;

/// What the folder holds besides: what tables are made from.
const INPUTS: [&str; 3] = ["schema.toml", "rows.csv", "house.toml"];
/// A bundle as the program of its day wrote it, which is never made again.
const KEPT: &str = "first";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/table")
}

fn input(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// A table, and all who sign.
struct Operator {
    custodian: Custodian<MemoryStore>,
    key: Identity,
    auditor: Identity,
    witnesses: Vec<Identity>,
    rng: ChaCha20Rng,
}

impl Operator {
    /// A table of a schema, which all witnesses must cosign; everything drawn is the seed's.
    fn new(schema: &str, seed: u64, witnesses: usize) -> Self {
        let mut rng = rng(seed);
        let [key, auditor] = [(); 2].map(|()| Identity::generate(&mut rng));
        let witnesses: Vec<_> = (0..witnesses).map(|_| Identity::generate(&mut rng)).collect();
        let schema: Schema = toml::from_str(schema).unwrap();
        let genesis = Genesis {
            schema,
            first_epoch: 1,
            operator: PublicKey::of(&key),
            witnesses: witnesses.iter().map(PublicKey::of).collect(),
            quorum: witnesses.len() as u32,
            dishonest: 0,
            auditors: vec![PublicKey::of(&auditor)],
            nonce: Genesis::draw_nonce(&mut rng),
            continues: None,
        };
        let (store, master) = (MemoryStore::default(), MasterKey::generate(&mut rng));
        let custodian = Custodian::create(store, master, genesis, &mut rng).unwrap();
        Self { custodian, key, auditor, witnesses, rng }
    }

    fn table(&self) -> &Table {
        self.custodian.table()
    }

    fn ingest(&mut self, epoch: u32, rows: &[Row]) {
        self.custodian.ingest(epoch, rows, &mut self.rng).unwrap();
    }

    /// Seals an epoch; all witnesses cosign it, and the auditor vouches for it.
    fn seal(&self, epoch: u32) -> SignedCheckpoint {
        let Self { custodian, key, auditor, witnesses, .. } = self;
        let signed = custodian.seal_epoch(epoch, key, &()).unwrap();
        let size = signed.checkpoint.size;
        for (number, witness) in (0..).zip(witnesses) {
            let word = signed.checkpoint.cosign(witness, TIME + u64::from(epoch) * DAY + number);
            custodian.cosign(size, word).unwrap();
        }
        let digest = custodian.header(epoch).unwrap().digest(self.table().id());
        let word = Attestation::sign(auditor, self.table(), epoch, digest);
        custodian.attest(&word).unwrap();
        custodian.checkpoint(size).unwrap()
    }

    /// The answer to a question in SQL that one proof answers.
    fn ask(&mut self, signed: &SignedCheckpoint, text: &str) -> Answer {
        let (custodian, size) = (&self.custodian, signed.checkpoint.size);
        let plan = table::sql::plan(custodian.table(), size, text).unwrap();
        let [planned] = plan.as_slice() else { panic!("{text}: several proofs") };
        let query = planned.query.clone();
        let epochs = query.region.from..=query.region.to;
        let built: Vec<_> = epochs.clone().map(|epoch| custodian.load(epoch).unwrap()).collect();
        let logged = |epoch| custodian.logged(epoch, size).unwrap();
        let sources: Vec<_> = epochs
            .clone()
            .zip(&built)
            .map(|(epoch, built)| Source { logged: logged(epoch), built })
            .collect();
        let words = epochs.flat_map(|epoch| custodian.attestations(epoch).unwrap()).collect();
        let (table, checkpoint) = (custodian.table(), &signed.checkpoint);
        table::query::answer(table, checkpoint, query, &sources, words, &mut self.rng).unwrap()
    }

    /// Writes a bundle of claims about the log, which must verify.
    fn write(
        &self,
        root: &Path,
        signed: &SignedCheckpoint,
        add: impl FnOnce(&mut TableWriter<'_>),
    ) {
        let mut writer = BundleWriter::create(root).unwrap();
        let rotations = self.custodian.rotations(signed.checkpoint.size).unwrap();
        let tables = TableWriter::new(&mut writer, self.table(), signed).unwrap();
        add(&mut tables.with_rotations(&rotations).unwrap());
        require_valid(&writer.finish().unwrap());
    }
}

fn require_valid(bundle: &Bundle) {
    let registry = verifiers().fold(claim::Registry::new(), claim::Registry::with);
    claim::verify(bundle, &registry, &()).unwrap();
}

/// The rows of a file with names of columns in its first line.
fn rows(schema: &Schema, text: &str) -> Vec<Row> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let row = |fields: Vec<&str>| {
        let place = |name: &str| names.iter().position(|known| *known == name);
        schema.row_of(|name| place(name).map(|at| fields[at])).unwrap()
    };
    lines.map(row).collect()
}

/// All rows but one user's.
fn without(rows: &[Row], user: &[u8]) -> Vec<Row> {
    rows.iter().filter(|row| row.user != user).cloned().collect()
}

fn make(root: &Path) {
    pay::make(root);
    house::make(root);
}

/// All files below a folder, by their paths.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found
                .extend(files(&path).into_iter().map(|(inside, bytes)| (name.join(inside), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn the_vectors_of_tables_are_made_again() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    let (made, mut kept) = (files(directory.path()), files(&folder()));
    INPUTS.iter().for_each(|input| drop(kept.remove(Path::new(input)).unwrap()));
    kept.retain(|name, _| !name.starts_with(KEPT));
    let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&made), names(&kept), "`scripts/vectors`");
    for (name, bytes) in &made {
        assert!(kept[name] == *bytes, "{}: `scripts/vectors`", name.display());
    }
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_tables_are_made() {
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with(KEPT) {
            fs::remove_dir_all(path).unwrap();
        }
    }
    make(&folder());
}
