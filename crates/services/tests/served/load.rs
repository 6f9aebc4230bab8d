//! Look-ups of many clients at once, by the load of `subrosa-lab bench serve`. At its full size it is slow,
//! and about the machine as much as about the server:
//!
//! ```console
//! $ cargo test -p subrosa-services --test served -- --ignored --nocapture look_ups
//! ```
//!
//! `LOAD_CLIENTS`, `LOAD_SECONDS`, `LOAD_ROWS` and `LOAD_PAUSE` (milliseconds between an answer and the
//! client's next request) change what is measured.
use std::{env, fs, thread, time::Duration};

use crate::support::{STEP, Server, fields, now, row, user};
use client::load::Load;

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Kilobytes of memory that a process has.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A server with a sealed epoch of so many rows, and the tokens of some of its users.
fn server(rows: u32, clients: u32) -> (Server, Vec<String>) {
    let server = Server::start();
    let mut custodian = server.client("operator");
    for (number, start) in (0..rows).step_by(1000).enumerate() {
        let batch = (start..(start + 1000).min(rows)).map(fields).collect();
        custodian.ingest(1, batch, &format!("batch-{number}"), now()).unwrap();
    }
    custodian.seal(1, STEP).unwrap();
    let tokens = (0..clients).map(|index| {
        // The rate that one custodian may ask at is not what is measured.
        thread::sleep(Duration::from_millis(10));
        custodian.token(&user(index), 3600).unwrap().token.clone()
    });
    let tokens: Vec<String> = tokens.collect();
    // What is measured holds: looked at once.
    let mut one = server.client_with(&tokens[0]);
    let keys = one.keys(user(0).as_bytes(), 1).unwrap();
    one.lookup(&keys, &row(custodian.table().schema(), 0), 1).unwrap();
    (server, tokens)
}

/// Answers and refusals are counted as what they are.
#[test]
fn a_load_counts_answers_and_errors() {
    let (server, mut tokens) = server(20, 4);
    let options = server.options("");
    let ms = Duration::from_millis;
    let load = Load { epoch: 1, time: ms(500), pause: ms(100) };
    let borne = load.run(&options, &tokens).unwrap();
    assert_eq!((borne.errors, &borne.reason), (0, &None));
    assert!((4..=20).contains(&borne.answers()) && borne.percentile(99) > Duration::ZERO);
    assert!(borne.percentile(50) <= borne.percentile(99));
    tokens[3] = "unknown".to_owned();
    let borne = load.run(&options, &tokens).unwrap();
    assert!(borne.errors > 0 && borne.answers() > 0);
    assert!(borne.reason.unwrap().contains("unauthorized"));
}

#[test]
#[ignore = "half a minute of full load; what it measures depends on the machine"]
fn look_ups_of_many_clients() {
    let clients = setting("LOAD_CLIENTS", 200) as u32;
    let time = Duration::from_secs(setting("LOAD_SECONDS", 30));
    let rows = setting("LOAD_ROWS", 10_000) as u32;
    let pause = Duration::from_millis(setting("LOAD_PAUSE", 1000));
    let (server, tokens) = server(rows, clients);
    let id = server.id();
    let before = memory(id);
    let half = thread::spawn(move || {
        thread::sleep(time / 2);
        memory(id)
    });
    let borne = Load { epoch: 1, time, pause }.run(&server.options(""), &tokens).unwrap();
    let (half, after) = (half.join().unwrap(), memory(id));
    assert_eq!((borne.errors, &borne.reason), (0, &None));
    println!(
        "{clients} clients, {rows} rows, {} look-ups in {:.1} s ({:.0} a second), no error; \
         p50 {:?}, p95 {:?}, p99 {:?}, most {:?}; memory {before} kB before, {half} kB at half, {after} kB after",
        borne.answers(),
        borne.elapsed.as_secs_f64(),
        borne.answers() as f64 / borne.elapsed.as_secs_f64(),
        borne.percentile(50),
        borne.percentile(95),
        borne.percentile(99),
        borne.percentile(100),
    );
    // Memory is flat: the second half adds nothing to speak of.
    assert!(after < half + half / 10 + 4096, "{half} kB, then {after} kB");
}
