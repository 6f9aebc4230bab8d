//! The core operations: building an epoch, reading it from a store, answering, verifying, auditing.
//!
//! `cargo bench -p subrosa-table`; `RAYON_NUM_THREADS=1` for one thread. Rows are of the reference's kind:
//! ten keys, one ordered 32-bit column, one power.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed run"
)]

use std::{hint::black_box, time::Duration};

use board::Identity;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};
use table::{
    log::{Checkpoint, LoggedEpoch, SignedCheckpoint},
    query::{Query, Rank, Region, Source, Statistic},
    store::{Custodian, MasterKey, RedbStore, Space, Store as _},
    *,
};

const KEYS: u64 = 10;

struct World {
    table: Table,
    secrets: TableKeys,
    operator: Identity,
}

fn world() -> World {
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    let operator = Identity::generate(rng);
    let value = ValueColumn {
        name: "power".to_owned(),
        unit: "kWh".to_owned(),
        scale: 0,
        min: 0,
        max: u32::MAX.into(),
        moments: 1,
        ordered: true,
        cuts: Vec::new(),
    };
    let schema = Schema {
        table: "bench".to_owned(),
        types: vec![TypeColumn { name: "district".to_owned(), kind: TypeKind::U32 }],
        values: vec![value],
        policy: Policy {
            min_count: 2,
            extremes: true,
            quantiles: vec![Fraction { part: 1, whole: 2 }],
            ..Policy::default()
        },
        order_proof: OrderProof::Matrix,
        key_period: 100,
        seal_deadline: 3600,
    };
    let genesis = Genesis {
        schema,
        first_epoch: 0,
        operator: PublicKey::of(&operator),
        witnesses: Vec::new(),
        quorum: 0,
        dishonest: 0,
        auditors: Vec::new(),
        nonce: Genesis::draw_nonce(rng),
        continues: None,
    };
    World { table: Table::new(genesis).unwrap(), secrets: TableKeys::generate(rng), operator }
}

impl World {
    fn entries(&self, count: u64) -> Vec<Entry> {
        let rng = &mut ChaCha20Rng::seed_from_u64(2);
        let entry = |index: u64| {
            let row = Row {
                user: index.to_be_bytes().to_vec(),
                key: self.table.schema().encode_key(&[index % KEYS]).unwrap(),
                values: vec![rng.next_u32().into()],
            };
            Entry { row, keys: UserKeys::generate(rng) }
        };
        (0..count).map(entry).collect()
    }

    fn build(&self, entries: Vec<Entry>) -> BuiltEpoch {
        let id = *self.table.id();
        BuiltEpoch::build(&self.table, &self.secrets, 0, entries, &[], id).unwrap()
    }

    fn sealed(&self, built: &BuiltEpoch, bundle: &[u8]) -> (LoggedEpoch, SignedCheckpoint) {
        let header = EpochHeader { core: built.core.clone(), audit: audit::hash(bundle) };
        let digest = header.digest(self.table.id());
        let signed = Checkpoint::of(&self.table, &[digest]).sign(&self.operator);
        (LoggedEpoch { header, inclusion: Vec::new() }, signed)
    }
}

fn build(c: &mut Criterion) {
    let world = world();
    let mut group = c.benchmark_group("build");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for rows in [1_000, 10_000] {
        let entries = world.entries(rows);
        group.throughput(Throughput::Elements(rows));
        group.bench_function(rows.to_string(), |b| {
            b.iter_batched(
                || entries.clone(),
                |entries| world.build(entries),
                BatchSize::PerIteration,
            );
        });
    }
}

/// A sealed epoch in a file is made ready for answers: with the nodes of its trees, and from its rows
/// alone.
fn loads(c: &mut Criterion) {
    const ROWS: u64 = 10_000;
    let world = world();
    let rng = &mut ChaCha20Rng::seed_from_u64(4);
    let directory = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&directory.path().join("table.redb")).unwrap();
    let (master, genesis) = (MasterKey::generate(rng), world.table.genesis().clone());
    let custodian = Custodian::create(&store, master, genesis, rng).unwrap();
    let rows: Vec<Row> = world.entries(ROWS).into_iter().map(|entry| entry.row).collect();
    custodian.ingest(0, &rows, rng).unwrap();
    custodian.seal_epoch(0, &world.operator, &()).unwrap();
    let mut group = c.benchmark_group("load");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Elements(ROWS));
    group.bench_function(format!("{ROWS}"), |b| b.iter(|| custodian.load(0).unwrap()));
    let user = rows[ROWS as usize / 2].user.clone();
    let logged = custodian.logged(0, 1).unwrap();
    group.bench_function("a row, from the store", |b| {
        b.iter(|| custodian.look_up(logged.clone(), 0, &user).unwrap().unwrap());
    });
    let nodes = store.scan(Space::Tiles, &[]).unwrap();
    let bytes: usize = nodes.iter().map(|(key, nodes)| key.len() + nodes.len()).sum();
    let remove = nodes.into_iter().map(|(key, _)| (Space::Tiles, key, None));
    store.commit(remove.collect()).unwrap();
    let per_row = bytes as u64 / ROWS;
    group.bench_function(format!("{ROWS}/without {per_row} bytes a row of nodes"), |b| {
        b.iter(|| custodian.load(0).unwrap());
    });
}

fn queries(c: &mut Criterion) {
    let world = world();
    let built = world.build(world.entries(10_000));
    let (logged, signed) = world.sealed(&built, &[]);
    let rng = &mut ChaCha20Rng::seed_from_u64(3);
    let mut group = c.benchmark_group("query");
    group.sample_size(20);
    for (name, statistic) in [
        ("sum", Statistic::Moments),
        ("min", Statistic::Order(Rank::Min)),
        ("median", Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 2 }))),
    ] {
        let region = Region::all(world.table.schema(), 0, 0);
        let query = Query { column: 0, region, statistic };
        let sources = [Source { logged: logged.clone(), built: &built }];
        let checkpoint = &signed.checkpoint;
        let mut ask = || {
            query::answer(&world.table, checkpoint, query.clone(), &sources, vec![], rng).unwrap()
        };
        let answer = ask();
        let bytes = wire::Encode::to_bytes(&answer).len();
        group.bench_function(format!("{name}/make/{bytes} bytes"), |b| b.iter(&mut ask));
        group.bench_function(format!("{name}/verify"), |b| {
            b.iter(|| query::verify(&world.table, &signed, black_box(&answer), &[]).unwrap());
        });
    }
    let key = &built.columns[0].keys[3];
    let row = key.rows[500];
    let entry = &built.entries[row.entry as usize];
    let find = || Lookup::find(&built, logged.clone(), 0, &row.pseudonym).unwrap();
    let lookup = find();
    group.bench_function("lookup/make", |b| b.iter(find));
    group.bench_function("lookup/verify", |b| {
        b.iter(|| lookup.verify_own(&world.table, &signed, &entry.row, &entry.keys).unwrap());
    });
    let absent = [9; 32].into();
    let show = || AbsenceProof::show(&built, logged.clone(), 0, absent).unwrap();
    let absence = show();
    group.bench_function("absence/make", |b| b.iter(show));
    group.bench_function("absence/verify", |b| {
        b.iter(|| absence.verify(&world.table, &signed).unwrap());
    });
}

fn audits(c: &mut Criterion) {
    let world = world();
    let mut group = c.benchmark_group("audit");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for rows in [500, 10_000] {
        let built = world.build(world.entries(rows));
        let prove = || audit::prove(&world.table, &world.secrets, &built, &()).unwrap();
        let bundle = prove();
        let (logged, _) = world.sealed(&built, &bundle);
        group.throughput(Throughput::Elements(rows));
        let per_row = bundle.len() as u64 / rows;
        group.bench_function(format!("{rows}/prove/{per_row} bytes a row"), |b| b.iter(prove));
        group.bench_function(format!("{rows}/verify"), |b| {
            b.iter(|| audit::verify(&world.table, &logged.header, &bundle, &()).unwrap());
        });
    }
}

criterion_group!(benches, build, loads, queries, audits);
criterion_main!(benches);
