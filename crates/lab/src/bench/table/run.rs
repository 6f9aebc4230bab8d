//! The experiments themselves.

use ::table::{
    Fraction, audit,
    log::SignedCheckpoint,
    query::{self, Query, Rank, Statistic},
    store::{Custodian, MasterKey, RedbStore},
};
use cli::failure::Failure;
use serde::Serialize;
use serde_json::{Value, json};
use wire::{Encode as _, Progress};

use super::world::{Numbering, World};
use crate::bench::recorder::{Recorder, Sample};

/// What the bench ran with.
#[derive(Debug, Serialize)]
pub struct Params {
    pub(super) experiment: String,
    pub(super) users: u32,
    pub(super) districts: u32,
    pub(super) epochs: u32,
    pub(super) threads: usize,
}

const MEDIAN: Statistic = Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 2 }));
const FIFTH_PERCENTILE: Statistic =
    Statistic::Order(Rank::Quantile(Fraction { part: 5, whole: 100 }));
const MIN: Statistic = Statistic::Order(Rank::Min);
const MAX: Statistic = Statistic::Order(Rank::Max);
/// Repetitions of a request, as experiment 4 of the artifact has them.
const REPEAT: usize = 5;
/// Rows that are stored in one transaction.
const BATCH: usize = 1 << 12;

/// Runs one experiment.
pub fn experiment(params: &Params, bars: &dyn Progress) -> Result<Recorder, Failure> {
    match params.experiment.as_str() {
        "2b" => inserts(params, Numbering::DenseHigh, bars),
        "2c" => inserts(params, Numbering::Spread, bars),
        "2d" => inserts(params, Numbering::Random, bars),
        "1a" | "1b" | "1c" | "2a" => inserts(params, Numbering::DenseLow, bars),
        "3a" => queries(params, None, bars),
        "3b" | "3c" | "3d" => queries(params, Some(Statistic::Moments), bars),
        "3e" => queries(params, Some(MIN), bars),
        "3f" => queries(params, Some(MAX), bars),
        "3g" => queries(params, Some(MEDIAN), bars),
        "3h" => queries(params, Some(FIFTH_PERCENTILE), bars),
        "4" => phases(params, bars),
        "5" => sizes(params, bars),
        "6" => scale_queries(params),
        _ => scale_audits(params, bars),
    }
}

/// A line of a series, by column.
type Columns = Vec<(&'static str, Value)>;

/// Server and client of one request, and the bytes between them.
struct Asked {
    server: Sample,
    transfer: Sample,
    client: Sample,
    bytes: usize,
}

impl Asked {
    fn total(&self) -> Sample {
        self.server + self.transfer + self.client
    }
}

/// Asks a query, or looks a row up where there is none.
fn ask(
    world: &mut World,
    signed: &SignedCheckpoint,
    query: Option<&Query>,
    epoch: u32,
) -> Result<Asked, Failure> {
    let Some(query) = query else {
        let (found, server) = Sample::of(|| world.lookup(epoch));
        let (lookup, entry) = found.ok_or_else(|| Failure::input("there is no row"))?;
        let (bytes, transfer) = Sample::of(|| lookup.to_bytes());
        let verify = || lookup.verify_own(&world.table, signed, &entry.row, &entry.keys);
        let (verified, client) = Sample::of(verify);
        verified.map_err(Failure::refused)?;
        return Ok(Asked { server, transfer, client, bytes: bytes.len() });
    };
    let (answer, server) = Sample::of(|| world.answer(signed, query));
    let answer = answer?;
    let (bytes, transfer) = Sample::of(|| answer.to_bytes());
    let (verified, client) = Sample::of(|| query::verify(&world.table, signed, &answer, &[]));
    verified.map_err(Failure::refused)?;
    Ok(Asked { server, transfer, client, bytes: bytes.len() })
}

/// Adds an epoch of random rows; what building it took.
fn insert(world: &mut World, users: u32) -> Result<Sample, Failure> {
    let entries = world.entries(users)?;
    let (built, sample) = Sample::of(|| world.build(entries));
    world.append(built?, &[]);
    Ok(sample)
}

fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(Sample::seconds).sum::<f64>() / samples.len().max(1) as f64
}

/// Experiments 1 and 2: building an epoch, for many epochs.
fn inserts(
    params: &Params,
    numbering: Numbering,
    bars: &dyn Progress,
) -> Result<Recorder, Failure> {
    let (mut recorder, mut world) = (Recorder::new(), World::new(params.districts, numbering)?);
    let (mut samples, mut stored) = (Vec::new(), 0);
    bars.begin("epochs", params.epochs.into());
    for epoch in 0..params.epochs {
        samples.push(insert(&mut world, params.users)?);
        stored += world.headers.last().map_or(0, |header| header.to_bytes().len()) + 32;
        recorder.point(vec![
            ("epoch", json!(epoch)),
            ("timecost", json!(mean(&samples))),
            ("storagecost", json!(stored)),
        ]);
        // Only the newest epoch is looked at.
        world.built.clear();
        bars.advance(1);
    }
    recorder.row("insert", params.users.into(), &samples);
    recorder.size("storagecost", stored);
    Ok(recorder)
}

/// Experiments 3: one kind of request about the newest epoch, for many epochs.
fn queries(
    params: &Params,
    statistic: Option<Statistic>,
    bars: &dyn Progress,
) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let mut world = World::new(params.districts, Numbering::DenseLow)?;
    let (mut server, mut client, mut total, mut bytes) = (vec![], vec![], vec![], 0);
    bars.begin("epochs", params.epochs.into());
    for epoch in 0..params.epochs {
        insert(&mut world, params.users)?;
        let signed = world.checkpoint();
        let query = statistic.map(|statistic| world.query(statistic, (epoch, epoch), true));
        let asked = ask(&mut world, &signed, query.as_ref(), epoch)?;
        total.push(asked.total());
        server.push(asked.server);
        client.push(asked.client);
        bytes = asked.bytes;
        recorder.point(vec![
            ("epoch", json!(epoch)),
            ("timecost", json!(mean(&total))),
            ("bandwidthcost", json!(bytes as f64 / 1e6)),
        ]);
        bars.advance(1);
    }
    recorder.row("server", params.users.into(), &server);
    recorder.row("client", params.users.into(), &client);
    recorder.size("bandwidthcost", bytes);
    Ok(recorder)
}

/// Experiment 4: the phases of requests about the first ten epochs, in logs of three lengths.
fn phases(params: &Params, bars: &dyn Progress) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let mut world = World::new(params.districts, Numbering::DenseLow)?;
    let kinds = [None, Some(Statistic::Moments), Some(MIN), Some(MEDIAN)];
    let ns = |sample: Sample| json!((sample.seconds() * 1e9).round());
    let mut idx = 0;
    bars.begin("epochs", params.epochs.into());
    for epochs in [10, 30, 100].into_iter().filter(|epochs| *epochs <= params.epochs) {
        while world.newest() + 1 < epochs || world.built.is_empty() {
            insert(&mut world, params.users)?;
            bars.advance(1);
        }
        let signed = world.checkpoint();
        for statistic in kinds {
            let query = statistic.map(|statistic| world.query(statistic, (0, 9), true));
            for _ in 0..REPEAT {
                let asked = ask(&mut world, &signed, query.as_ref(), 0)?;
                recorder.point(vec![
                    ("idx", json!(idx)),
                    ("query_proc_server", ns(asked.server)),
                    ("query_response_transfer", ns(asked.transfer)),
                    ("query_proc_client", ns(asked.client)),
                    ("total", ns(asked.total())),
                ]);
            }
            idx += 1;
        }
    }
    Ok(recorder)
}

/// Experiment 5: every operation, in tables of growing size.
fn sizes(params: &Params, bars: &dyn Progress) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let mut world = World::new(params.districts, Numbering::DenseLow)?;
    let mut stored = 0;
    bars.begin("epochs", params.epochs.into());
    for epochs in [1, 2, 5, 10, 20, 50, 100].into_iter().filter(|size| *size <= params.epochs) {
        let mut inserted = Sample::default();
        while world.built.len() < epochs as usize {
            let entries = world.entries(params.users)?;
            let (built, sample) = Sample::of(|| world.build(entries));
            let built = built?;
            let prove = || audit::prove(&world.table, &world.secrets, &built, &());
            let bundle = prove().map_err(Failure::input)?;
            stored += bundle.len();
            world.append(built, &bundle);
            stored += world.headers.last().map_or(0, |header| header.to_bytes().len()) + 32;
            inserted = sample;
            bars.advance(1);
        }
        let auditor = audited(&world)?;
        let (signed, newest) = (world.checkpoint(), world.newest());
        let mut timed = |statistic: Option<Statistic>| -> Result<Value, Failure> {
            let query = statistic.map(|statistic| world.query(statistic, (newest, newest), true));
            Ok(json!(ask(&mut world, &signed, query.as_ref(), newest)?.total().seconds()))
        };
        let (lookup, sum) = (timed(None)?, timed(Some(Statistic::Moments))?);
        let (min, quantile) = (timed(Some(MIN))?, timed(Some(MEDIAN))?);
        recorder.point(vec![
            ("epochs", json!(epochs)),
            ("storage", json!(stored)),
            ("insert", json!(inserted.seconds())),
            ("lookup", lookup),
            ("auditor", json!(auditor.seconds())),
            ("sum", sum),
            ("min", min),
            ("quantile", quantile),
        ]);
    }
    recorder.size("storage", stored);
    Ok(recorder)
}

/// Proving and verifying the newest epoch's audit.
fn audited(world: &World) -> Result<Sample, Failure> {
    let (Some(built), Some(header)) = (world.built.last(), world.headers.last()) else {
        return Err(Failure::input("there is no epoch"));
    };
    let (proved, prove) = Sample::of(|| audit::prove(&world.table, &world.secrets, built, &()));
    let bundle = proved.map_err(Failure::input)?;
    let (checked, verify) = Sample::of(|| audit::verify(&world.table, header, &bundle, &()));
    checked.map_err(Failure::refused)?;
    Ok(prove + verify)
}

/// Rows drawn, stored in a file, and built: the columns `file`, `sql` and `tree` of the artifact.
fn scaled(params: &Params) -> Result<(World, Columns, [Sample; 3]), Failure> {
    let mut world = World::new(params.districts, Numbering::DenseLow)?;
    let (rows, file) = Sample::of(|| world.rows(params.users));
    let rows = rows?;
    let directory = tempfile::tempdir()?;
    let store = RedbStore::open(&directory.path().join("table.redb")).map_err(Failure::input)?;
    let master = MasterKey::generate(&mut world.rng);
    let genesis = world.table.genesis().clone();
    let custodian = Custodian::create(store, master, genesis, &mut world.rng)?;
    let (keys, sql) = Sample::of(|| -> Result<Vec<_>, Failure> {
        let batches = rows.chunks(BATCH).map(|batch| custodian.ingest(0, batch, &mut world.rng));
        Ok(batches.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    });
    let entries = rows.into_iter().zip(keys?).map(|(row, keys)| ::table::Entry { row, keys });
    let entries = entries.collect();
    let (built, tree) = Sample::of(|| world.build(entries));
    world.append(built?, &[]);
    let columns = vec![
        ("n_users", json!(params.users)),
        ("n_trees", json!(world.keys())),
        ("file", json!(file.seconds())),
        ("sql", json!(sql.seconds())),
        ("tree", json!(tree.seconds())),
    ];
    Ok((world, columns, [file, sql, tree]))
}

fn scaled_rows(recorder: &mut Recorder, users: u32, samples: [Sample; 3]) {
    for (name, sample) in ["file", "sql", "tree"].into_iter().zip(samples) {
        recorder.row(name, users.into(), &[sample]);
    }
}

/// A request of experiment 6, and the names of its figures.
struct Request {
    statistic: Option<Statistic>,
    /// About the households of ten districts, and not about everybody.
    limited: bool,
    total: &'static str,
    server: &'static str,
    client: &'static str,
    bytes: &'static str,
}

macro_rules! request {
    ($name:literal, $statistic:expr, $limited:literal) => {
        Request {
            statistic: $statistic,
            limited: $limited,
            total: concat!($name, "_total"),
            server: concat!($name, "_server"),
            client: concat!($name, "_client"),
            bytes: concat!($name, "_bytes"),
        }
    };
}

const REQUESTS: [Request; 7] = [
    request!("lookup", None, false),
    request!("sum_all", Some(Statistic::Moments), false),
    request!("min_all", Some(MIN), false),
    request!("quantile_all", Some(MEDIAN), false),
    request!("sum_limited", Some(Statistic::Moments), true),
    request!("min_limited", Some(MIN), true),
    request!("quantile_limited", Some(MEDIAN), true),
];

/// Experiment 6: queries about all keys and about ten of them.
fn scale_queries(params: &Params) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let (mut world, mut columns, samples) = scaled(params)?;
    scaled_rows(&mut recorder, params.users, samples);
    let signed = world.checkpoint();
    for Request { statistic, limited, total, server, client, bytes } in REQUESTS {
        let query = statistic.map(|statistic| {
            let query = world.query(statistic, (0, 0), limited);
            if limited { world.limit(query, 10) } else { query }
        });
        let asked = (0..REPEAT).map(|_| ask(&mut world, &signed, query.as_ref(), 0));
        let asked: Vec<Asked> = asked.collect::<Result<_, _>>()?;
        let part = |part: fn(&Asked) -> Sample| asked.iter().map(part).collect();
        let parts: [(&str, Vec<Sample>); 3] = [
            (server, part(|asked| asked.server)),
            (client, part(|asked| asked.client)),
            (total, part(Asked::total)),
        ];
        for (name, samples) in parts {
            recorder.row(name, 1, &samples);
            columns.push((name, json!(mean(&samples))));
        }
        recorder.size(bytes, asked.first().map_or(0, |asked| asked.bytes));
    }
    recorder.point(columns);
    Ok(recorder)
}

/// Experiment 7: the audit of one epoch.
fn scale_audits(params: &Params, bars: &dyn Progress) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let (mut world, mut columns, samples) = scaled(params)?;
    scaled_rows(&mut recorder, params.users, samples);
    let Some(built) = world.built.pop() else { return Err(Failure::input("there is no epoch")) };
    let (bundle, prove) = Sample::of(|| audit::prove(&world.table, &world.secrets, &built, bars));
    let bundle = bundle.map_err(Failure::input)?;
    let header = ::table::EpochHeader { core: built.core.clone(), audit: audit::hash(&bundle) };
    let (checked, verify) = Sample::of(|| audit::verify(&world.table, &header, &bundle, bars));
    checked.map_err(Failure::refused)?;
    for (name, sample) in [("audit_prove", prove), ("audit_verify", verify)] {
        recorder.row(name, params.users.into(), &[sample]);
        columns.push((name, json!(sample.seconds())));
    }
    recorder.point(columns);
    recorder.size("audit_bytes", bundle.len());
    Ok(recorder)
}
