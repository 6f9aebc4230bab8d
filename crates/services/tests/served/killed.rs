//! The server is killed while rows come in: every receipt that went out still holds.
use std::{
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use crate::support::{STEP, Server, fields, now, row, user};
use client::api::RowsAccepted;
use table::log::Receipt;
use wire::Decode as _;

const BATCH: u32 = 5;
const THREADS: usize = 8;

fn batch(number: u32) -> Vec<client::api::RowFields> {
    (number * BATCH..(number + 1) * BATCH).map(fields).collect()
}

/// Threads bring batches in until the server is gone; what was accepted.
fn bring(server: &Server, next: &AtomicU32, accepted: &Mutex<Vec<(u32, RowsAccepted)>>) {
    let Ok(mut client) =
        client::Client::connect(&server.options(&server.tokens["operator"]), &server.table)
    else {
        return;
    };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        match client.ingest(1, batch(number), &format!("batch-{number}"), now()) {
            Ok(answer) => accepted.lock().unwrap().push((number, answer)),
            Err(_) => return,
        }
    }
}

#[test]
fn receipts_hold_after_a_kill_under_load() {
    let limits = "[limits]\nrequests_per_second = 100000\nburst = 100000";
    let mut server = Server::with(limits, vec![], vec![]);
    let (next, accepted) = (AtomicU32::new(0), Mutex::new(Vec::new()));
    for _ in 0..3 {
        let before = accepted.lock().unwrap().len();
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| bring(&server, &next, &accepted));
            }
            while accepted.lock().unwrap().len() < before + 20 {
                thread::sleep(Duration::from_millis(5));
            }
            server.signal("KILL");
        });
        server.kill_and_restart();
    }
    let accepted = accepted.into_inner().unwrap();
    let mut client = server.client("operator");
    for (number, answer) in &accepted {
        // Sent again, each gets the very receipts that it got before.
        let again = client.ingest(1, batch(*number), &format!("batch-{number}"), now()).unwrap();
        assert_eq!(again, *answer, "batch {number}");
    }
    client.seal(1, STEP).unwrap();
    let (last, answer) = accepted.last().unwrap();
    let schema = client.table().schema().clone();
    for (index, item) in (last * BATCH..).zip(&answer.receipts) {
        // In the epoch stands the leaf of the receipt.
        let token = client.token(&user(index), 600).unwrap();
        let mut own = server.client_with(&token.token);
        let keys = own.keys(user(index).as_bytes(), 1).unwrap();
        let bytes = data_encoding::BASE64.decode(item.receipt.as_bytes()).unwrap();
        let receipt = Receipt::from_bytes(&bytes).unwrap();
        let row = row(&schema, index);
        receipt.accept(client.table(), &row, keys.keys()).unwrap();
        own.lookup(&keys, &row, 1).unwrap();
    }
    let count = server.client("querier").query("SELECT COUNT(*) FROM pay WHERE epoch = 1").unwrap();
    let count = count.rows[0]["COUNT(*)"].as_u64().unwrap();
    // Batches whose answer was lost may be there besides.
    assert!(count >= accepted.len() as u64 * u64::from(BATCH), "{count}");
}
