//! Look-ups of many clients at once. Slow, and about the machine as much as about the server:
//!
//! ```console
//! $ cargo test -p services --test served -- --ignored --nocapture look_ups
//! ```
//!
//! `LOAD_CLIENTS`, `LOAD_SECONDS`, `LOAD_ROWS` and `LOAD_PAUSE` (milliseconds between an answer and the
//! client's next request) change what is measured.
use std::{
    env, fs, thread,
    time::{Duration, Instant},
};

use crate::support::{STEP, Server, fields, now, row, user};

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Kilobytes of memory that a process has.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

#[test]
#[ignore = "half a minute of full load; what it measures depends on the machine"]
fn look_ups_of_many_clients() {
    let clients = setting("LOAD_CLIENTS", 200) as u32;
    let seconds = Duration::from_secs(setting("LOAD_SECONDS", 30));
    let rows = setting("LOAD_ROWS", 10_000) as u32;
    let pause = Duration::from_millis(setting("LOAD_PAUSE", 1000));
    let server = Server::start();
    let mut custodian = server.client("custodian");
    for (number, start) in (0..rows).step_by(1000).enumerate() {
        let batch = (start..(start + 1000).min(rows)).map(fields).collect();
        custodian.ingest(1, batch, &format!("batch-{number}"), now()).unwrap();
    }
    custodian.seal(1, STEP).unwrap();
    let schema = custodian.table().schema().clone();
    let tokens: Vec<String> = (0..clients)
        .map(|index| {
            // The rate that one custodian may ask at is not what is measured.
            thread::sleep(Duration::from_millis(10));
            custodian.token(&user(index), 3600).unwrap().token.clone()
        })
        .collect();
    // Every client verifies its answer once: afterwards only the server is measured.
    let mut one = server.client_with(&tokens[0]);
    let keys = one.keys(user(0).as_bytes(), 1).unwrap();
    one.lookup(&keys, &row(&schema, 0), 1).unwrap();

    let url = server.url("/v1/tables/pay/lookup?epoch=1");
    let before = memory(server.id());
    let start = Instant::now();
    let half = thread::spawn({
        let (id, wait) = (server.id(), seconds / 2);
        move || {
            thread::sleep(wait);
            memory(id)
        }
    });
    let ask = |token: &str, index: u32| -> Vec<Duration> {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let header = format!("Bearer {token}");
        let mut times = Vec::new();
        // Clients do not come all at once.
        thread::sleep(pause * index / clients.max(1));
        while start.elapsed() < seconds {
            let asked = Instant::now();
            let mut answer = agent.get(&url).header("authorization", &header).call().unwrap();
            assert_eq!(answer.status().as_u16(), 200);
            let body = answer.body_mut().read_to_vec().unwrap();
            times.push(asked.elapsed());
            assert!(body.len() > 500);
            thread::sleep(pause);
        }
        times
    };
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .zip(&tokens)
            .map(|(index, token)| {
                let ask = &ask;
                scope.spawn(move || ask(token, index))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let elapsed = start.elapsed();
    let (half, after) = (half.join().unwrap(), memory(server.id()));
    times.sort_unstable();
    println!(
        "{clients} clients, {rows} rows, {} look-ups in {:.1} s ({:.0} a second), no error; \
         p50 {:?}, p95 {:?}, p99 {:?}, most {:?}; memory {before} kB before, {half} kB at half, {after} kB after",
        times.len(),
        elapsed.as_secs_f64(),
        times.len() as f64 / elapsed.as_secs_f64(),
        percentile(&times, 50),
        percentile(&times, 95),
        percentile(&times, 99),
        times.last().unwrap(),
    );
    // Memory is flat: the second half adds nothing to speak of.
    assert!(after < half + half / 10 + 4096, "{half} kB, then {after} kB");
}
