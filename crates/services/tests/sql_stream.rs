//! Rows stream: memory does not grow with their number. Alone in its process, which is measured.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{EPOCH, ORDER, Server, columns, in_memory, take_with};
use services::sql::{Order, Pulled};
use table::store::EpochState;

const ROWS: u64 = 400_000;
/// Of the longest user there may be: 100 MB of them.
const USER: usize = 256;
const LIMIT: u64 = 32 << 20;

/// The most memory that this process ever had.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn memory_does_not_grow_with_the_number_of_rows() {
    for server in Server::both() {
        server.make("pay_stream", columns(&server));
        let (numbers, text) = match server.is_mysql {
            true => (format!("SELECT seq FROM seq_1_to_{ROWS}"), "CHAR"),
            false => (format!("SELECT generate_series(1, {ROWS}) AS seq"), "TEXT"),
        };
        server.run(&format!(
            "INSERT INTO pay_stream SELECT seq, LPAD(CAST(seq AS {text}), {USER}, 'x'), 'nurse',
                seq % 2 = 0, seq, seq, CAST(seq % 100000 AS DECIMAL(30,6)) / 100
             FROM ({numbers}) AS numbers"
        ));
        let custodian = in_memory();
        let before = peak();
        let order = Order { dry_run: true, ..ORDER };
        let checked = take_with(&custodian, &server.source("pay_stream"), order, &()).unwrap();
        assert_eq!(checked, Pulled { rows: ROWS, before: 0 });
        let grown = peak() - before;
        assert!(grown < LIMIT, "{server:?}: {grown} bytes");
        assert_eq!(custodian.state(EPOCH).unwrap(), EpochState::Open);
        server.run("DROP TABLE pay_stream");
    }
}
