//! Stores that fail: a disk that is full and then is not, a table that cannot be opened, a copy of one.
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use crate::support::{SCHEMA, STEP, Server, batch, fields, now};
use serde_json::{Value, json};

/// Makes a second table.
fn add_table(server: &Server, name: &str) {
    let schema: toml::Value = toml::from_str(SCHEMA).unwrap();
    let mut schema = serde_json::to_value(schema).unwrap();
    schema["table"] = json!(name);
    let made = server.post("/v1/tables", "operator", &json!({ "schema": schema }));
    assert_eq!(made.status, 201, "{made:?}");
}

fn send(server: &Server, table: &str, key: &str, rows: &Value) -> u16 {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    let body = serde_json::to_vec(rows).unwrap();
    let path = format!("/v1/tables/{table}/rows");
    server.raw(("POST", &path), Some(&server.tokens["feeder"]), &headers, &body).status
}

fn health(server: &Server) -> (u16, Value) {
    // An answer holds for a second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let answer = server.get("/health", None);
    (answer.status, answer.json())
}

/// The kernel refuses to let the store's file grow, as it does when a disk is full. Then it does not.
#[test]
fn a_full_disk_that_is_emptied_needs_no_restart() {
    let server = Server::with("[limits]\nrows_per_batch = 4096", vec![], vec![]);
    add_table(&server, "second");
    assert_eq!(health(&server), (200, json!({ "status": "ok", "tables": 2, "failing": [] })));
    assert_eq!(send(&server, "pay", "first", &batch(1, 0..100)), 200);
    let length = fs::metadata(server.directory.path().join("tables/pay/table.redb")).unwrap().len();
    server.limit_files(Some(length));
    let rows = |number: u32| batch(1, 1000 * number..1000 * (number + 1));
    let full =
        (1..40).find(|number| send(&server, "pay", &format!("b{number}"), &rows(*number)) != 200);
    let full = full.expect("the file grows");
    let key = format!("b{full}");
    // Again: not refused for good, and not half taken in.
    assert_eq!(send(&server, "pay", &key, &rows(full)), 500);
    let (status, said) = health(&server);
    assert_eq!(
        (status, &said["status"], &said["failing"]),
        (200, &json!("failing"), &json!(["pay"]))
    );
    // What is there can be read, and the other table written.
    assert_eq!(server.get("/v1/tables/pay/epochs/1", None).json()["state"], "open");
    assert_eq!(send(&server, "second", "first", &batch(1, 0..10)), 200);
    assert_eq!(server.get("/v1/tables", None).json()["tables"].as_array().unwrap().len(), 2);

    server.limit_files(None);
    assert_eq!(send(&server, "pay", &key, &rows(full)), 200, "there is space again");
    assert_eq!(health(&server).1["status"], "ok");
    let mut operator = server.client("operator");
    let sealed = operator.seal(1, STEP).unwrap();
    assert_eq!(sealed.rows, Some(100 + 1000 * u64::from(full)), "each once");
    let told = fs::read_to_string(server.directory.path().join("server.notices")).unwrap();
    assert!(told.contains("failure: /v1/tables/{table}/rows"), "{told}");
}

#[test]
fn a_table_that_cannot_be_opened_stops_no_other() {
    let mut server = Server::start();
    add_table(&server, "second");
    assert!(server.stop());
    let tables = server.directory.path().join("tables");
    let store = tables.join("second/table.redb");
    let whole = fs::read(&store).unwrap();
    fs::write(&store, b"not a store").unwrap();
    // A backup that somebody forgot where tables are served from.
    copy(&tables.join("pay"), &tables.join("pay-copy"));
    server.kill_and_restart();
    let (status, said) = health(&server);
    let mut failing: Vec<_> =
        said["failing"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    failing.sort_unstable();
    assert_eq!((status, &said["tables"]), (200, &json!(1)), "{said}");
    // One of both folders is served: the other would sign a second history.
    assert!(failing[0].starts_with("pay") && failing[1] == "second", "{failing:?}");
    server.until_told("second: ");
    server.until_told("a copy of it must not be");
    assert_eq!(send(&server, "pay", "first", &batch(1, 0..10)), 200);
    let refused = server.get("/v1/tables/second", None);
    assert_eq!(refused.status, 404);

    fs::write(&store, whole).unwrap();
    server.signal("HUP");
    server.until_told("table second: opened");
    assert_eq!(send(&server, "second", "first", &batch(1, 0..10)), 200);
    server.client("operator").ingest(1, vec![fields(50)], "more", now()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Who the users of a table are stands in its store.
#[test]
fn nobody_else_may_look_into_a_table() {
    let mut server = Server::start();
    let folder = server.directory.path().join("tables/pay");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("secrets"))), (0o700, 0o700));
    let store = folder.join("table.redb");
    assert_eq!(mode(&store), 0o600);
    // One that was made before, or copied carelessly.
    assert!(server.stop());
    fs::set_permissions(&store, fs::Permissions::from_mode(0o644)).unwrap();
    server.kill_and_restart();
    assert_eq!(mode(&store), 0o600);
}
