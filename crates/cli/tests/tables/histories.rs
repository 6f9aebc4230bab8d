//! Witnesses and an auditor as daemons, and a custodian who serves two histories.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::common::{fail, json, run, subrosa, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "senior", kind = "bool" }]
values = [{ name = "wage", min = 0, max = 255, ordered = true }]
policy = { min_count = 2 }
"#;

/// A server, until it is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(directory: &Path, arguments: &[&str]) -> Self {
        let mut command = subrosa(directory, &[&["--json"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        // One object, on as many lines as it takes.
        while serde_json::from_str::<Value>(&printed).is_err() {
            assert!(out.read_line(&mut printed).unwrap() > 0, "{arguments:?}: {printed}");
        }
        let said: Value = serde_json::from_str(&printed).unwrap();
        Self { child, url: said["listening"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn seal(path: &Path, folder: &str, epoch: &str, wage: u32) {
    let rows = (0..3).map(|user| format!("person {user},{},true\n", wage + user));
    let text = format!("user,wage,senior\n{}", rows.collect::<String>());
    fs::write(path.join("rows.csv"), text).unwrap();
    succeed(path, &["table", "ingest", folder, "rows.csv", "--epoch", epoch]);
    succeed(path, &["table", "seal", folder, "--epoch", epoch]);
}

/// A table with two witnesses and an auditor under `a/pay`, and under `b/pay` what its custodian copied
/// before the first epoch; its identifier.
fn begin(path: &Path) -> String {
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    let key = |name: &str| {
        let key = json(path, &["board", "keygen", "--key", &format!("{name}.key")]);
        key["public_key"].as_str().unwrap().to_owned()
    };
    let [one, two, auditor] = ["one", "two", "auditor"].map(key);
    ["a", "b"].iter().for_each(|folder| fs::create_dir(path.join(folder)).unwrap());
    let parties = ["--witness", &one, "--witness", &two, "--quorum", "2", "--auditor", &auditor];
    let init = ["table", "init", "a/pay", "--schema", "schema.toml"];
    let made = json(path, &[&init[..], &parties].concat());
    fs::create_dir_all(path.join("b/pay/secrets")).unwrap();
    for file in ["genesis.json", "table.redb", "secrets/operator.key", "secrets/master.key"] {
        fs::copy(path.join("a/pay").join(file), path.join("b/pay").join(file)).unwrap();
    }
    let roles = ["--role", "auditor", "--role", "witness", "--out", "token"];
    let token = ["table", "serve", "token", "--name", "parties"];
    let entry = json(path, &[&token[..], &roles].concat());
    for folder in ["a", "b"] {
        let config = format!(
            "listen = \"127.0.0.1:0\"\ntables = \"{folder}\"\n[[client]]\nname = \"parties\"\n\
             roles = [\"auditor\", \"witness\"]\ntoken_hash = {}\n",
            entry["token_hash"]
        );
        fs::write(path.join(format!("{folder}.toml")), config).unwrap();
    }
    made["table"].as_str().unwrap().to_owned()
}

/// A witness that follows a table's server.
fn witness(path: &Path, name: &str, table: &str, server: &Server) -> Server {
    let config = format!(
        "listen = \"127.0.0.1:0\"\nkey = \"{name}.key\"\nstate = \"{name}\"\n[[table]]\n\
         id = \"{table}\"\nserver = \"{}\"\ntoken = \"token\"\nevery = 1\n",
        server.url
    );
    let file = format!("{name}.toml");
    fs::write(path.join(&file), config).unwrap();
    Server::start(path, &["table", "witness", "serve", "--config", &file])
}

/// Waits for at most a minute.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let pause = || std::thread::sleep(Duration::from_millis(250));
    let reached = (0..240).any(|_| {
        done() || {
            pause();
            false
        }
    });
    assert!(reached, "never: {what}");
}

#[test]
fn witnesses_and_an_auditor_follow_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let table = begin(path);
    seal(path, "a/pay", "1", 10);
    let server = Server::start(path, &["table", "serve", "--config", "a.toml"]);
    let witnesses = ["one", "two"].map(|name| witness(path, name, &table, &server));
    let [url, first, second] =
        [&server, &witnesses[0], &witnesses[1]].map(|server| server.url.clone());
    let watch = ["table", "audit", "watch", &table, "--server", &url, "--token", "token"];
    let peers = ["--witness", &first, "--witness", &second, "--once"];
    let watch = [&watch[..], &["--key", "auditor.key", "--state", "watched"], &peers].concat();
    let step = json(path, &watch);
    assert_eq!((&step["epochs"], &step["audited"]), (&1.into(), &serde_json::json!([1])));
    assert_eq!(json(path, &watch)["audited"], serde_json::json!([]));
    let options = client::Options::new(&url, &table);
    let client = client::Client::connect(&options, &table.parse().unwrap()).unwrap();
    until("the server has both cosignatures", || client.epoch(1).unwrap().state == "sealed");
    drop((witnesses, server));
    assert_eq!(json(path, &["table", "log", "a/pay"])["epochs"][0]["state"], "sealed");
    let sum = "SELECT SUM(wage) FROM pay WHERE epoch = 1";
    succeed(path, &["table", "query", "a/pay", sum, "--out", "answer"]);
    let statement =
        &json(path, &["verify", "answer", "--accept", "unaudited"])["claims"][0]["statement"];
    assert_eq!(statement["assurance"], "audited");
    assert_eq!(statement["log"]["witnesses"].as_array().unwrap().len(), 2);
    fail(path, &watch, 3, "127.0.0.1");
}

#[test]
fn a_custodian_who_serves_two_histories_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let table = begin(path);
    seal(path, "a/pay", "1", 10);
    seal(path, "b/pay", "1", 90);
    let servers = ["a.toml", "b.toml"]
        .map(|config| Server::start(path, &["table", "serve", "--config", config]));
    let one = witness(path, "one", &table, &servers[0]);
    let two = witness(path, "two", &table, &servers[1]);
    let watch =
        ["table", "audit", "watch", &table, "--server", &servers[0].url, "--token", "token"];
    let peers = ["--witness", &one.url, "--witness", &two.url, "--once"];
    let watch = [&watch[..], &["--key", "auditor.key", "--state", "watched"], &peers].concat();
    until("the auditor sees both histories", || {
        let seen = run(path, &watch);
        assert!(seen.code == 0 || seen.err.contains("two roots"), "{seen:?}");
        seen.code == 1
    });
    // Killed, and with nothing but the evidence, anybody knows.
    drop((one, two, servers));
    let verified = json(path, &["verify", "watched/evidence"]);
    let statement = &verified["claims"][0]["statement"];
    assert_eq!((&statement["offence"], &statement["table"]), (&"two roots".into(), &table.into()));
    assert_eq!(statement["logs"][0]["operator"], statement["logs"][1]["operator"]);
}
