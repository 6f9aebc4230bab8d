//! Look-ups in epochs that are not in memory, at full size: slow, and about the machine as much as about the
//! store.
//!
//! ```console
//! $ cargo test -p subrosa-table --test table -- --ignored --nocapture cold::
//! ```
//!
//! `COLD_ROWS` and `COLD_TABLES` change what is measured. Two tables are built, and the others are copies.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a fault here is a failed test"
)]

use std::{env, fs, path::Path, time::Instant};

use crate::support::{column, rng};
use board::Identity;
use table::{
    store::{Custodian, MasterKey, RedbStore},
    *,
};

/// Bytes of a store that are kept in memory: what a server of twenty tables gives each.
const CACHE: usize = 8 << 20;
/// Rows that are brought in at once.
const BATCH: u64 = 4096;

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Megabytes of memory that this process has.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

fn user(index: u64) -> Vec<u8> {
    format!("meter {index}").into_bytes()
}

/// Seals an epoch of so many rows, all of one key, in a file.
fn seal(path: &Path, rows: u64, seed: u64) {
    let rng = &mut rng(seed);
    let operator = Identity::generate(rng);
    let schema = Schema {
        table: "cold".to_owned(),
        types: vec![TypeColumn { name: "district".to_owned(), kind: TypeKind::U32 }],
        values: vec![column("power", 0, 100_000, 1, true)],
        policy: Policy { min_count: 2, ..Policy::default() },
        order_proof: OrderProof::Matrix,
        key_period: 12,
        seal_deadline: 3600,
    };
    let genesis = Genesis {
        schema,
        first_epoch: 1,
        operator: PublicKey::of(&operator),
        witnesses: Vec::new(),
        quorum: 0,
        dishonest: 0,
        auditors: Vec::new(),
        nonce: Genesis::draw_nonce(rng),
        continues: None,
    };
    let store = RedbStore::open(path).unwrap();
    let master = MasterKey::from_bytes(&[3; 32]);
    let custodian = Custodian::create(store, master, genesis, rng).unwrap();
    let key = custodian.table().schema().encode_key(&[7]).unwrap();
    for start in (0..rows).step_by(BATCH as usize) {
        let row = |index: u64| Row {
            user: user(index),
            key: key.clone(),
            values: vec![index.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 100_001],
        };
        let batch: Vec<Row> = (start..rows.min(start + BATCH)).map(row).collect();
        custodian.ingest(1, &batch, rng).unwrap();
    }
    custodian.seal_epoch(1, &operator, &()).unwrap();
}

/// Measured in a process of its own, in which nothing was built.
fn measure(directory: &Path, rows: u64) {
    let open = |entry: fs::DirEntry| {
        let store = RedbStore::open_with_cache(&entry.path(), CACHE).unwrap();
        Custodian::open(store, MasterKey::from_bytes(&[3; 32])).unwrap()
    };
    let tables: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| open(entry.unwrap())).collect();
    let opened = memory();
    let mut times = Vec::new();
    for (round, custodian) in (0..).zip(std::iter::repeat_n(&tables, 50).flatten()) {
        let user = user((round * 7919 + 13) % rows);
        let start = Instant::now();
        let logged = custodian.logged(1, 1).unwrap();
        let found = custodian.look_up(logged, 0, &user).unwrap().unwrap();
        times.push(start.elapsed());
        if round % 97 == 0 {
            let signed = custodian.checkpoint(1).unwrap();
            assert_eq!(found.verify(custodian.table(), &signed), Ok(()));
        }
    }
    // The first of every table finds nothing in memory.
    let most = |times: &[std::time::Duration]| times.iter().max().copied().unwrap();
    let first = most(&times[..tables.len()]);
    times.sort_unstable();
    println!(
        "{} tables of {rows} rows, {} look-ups: p50 {:?}, p99 {:?}, most {:?}, most of the first {first:?}; \
         memory {opened} MB when opened, {} MB after",
        tables.len(),
        times.len(),
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1],
        memory()
    );
}

#[test]
#[ignore = "minutes, and gigabytes of disk; what it measures depends on the machine"]
fn long_rows_of_cold_epochs() {
    let rows = setting("COLD_ROWS", 1_000_000);
    if let Some(directory) = env::var_os("COLD_DIRECTORY") {
        return measure(Path::new(&directory), rows);
    }
    let directory = tempfile::tempdir().unwrap();
    let path = |table: u64| directory.path().join(format!("{table}.redb"));
    for table in 0..setting("COLD_TABLES", 20) {
        match table {
            0 | 1 => seal(&path(table), rows, table),
            _ => drop(fs::copy(path(table % 2), path(table)).unwrap()),
        }
    }
    let measured = std::process::Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--nocapture", "long_rows_of_cold_epochs"])
        .env("COLD_DIRECTORY", directory.path())
        .status();
    assert!(measured.unwrap().success());
}
