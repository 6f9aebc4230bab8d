//! `subrosa table serve`, and the commands that ask it.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::common::{fail, subrosa, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [{ name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, ordered = true }]
policy = { min_count = 3 }
"#;

const ROWS: &str = "user,role,wage
ada,engineer,512.50
bob,nurse,431.00
eve,nurse,440.25
joe,engineer,498.00
zoe,engineer,498.00
";

/// A server that ends with the test.
pub struct Serving {
    child: Child,
    pub url: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn serve(path: &Path) -> Serving {
    let mut command = subrosa(path, &["--json", "table", "serve", "--config", "server.toml"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    Serving { child, url: said["listening"].as_str().unwrap().to_owned() }
}

/// Writes a role's token, and adds its client to the configuration.
pub fn client(path: &Path, role: &str) {
    clients(path, role, &[role]);
}

/// Writes a token with some roles, and adds its client to the configuration.
fn clients(path: &Path, name: &str, roles: &[&str]) {
    let out = format!("{name}.token");
    let roles = roles.iter().flat_map(|role| ["--role", role]);
    let token = ["table", "serve", "token", "--name", name, "--out", &out];
    let said = succeed(path, &token.into_iter().chain(roles).collect::<Vec<_>>());
    let config = fs::read_to_string(path.join("server.toml")).unwrap();
    fs::write(path.join("server.toml"), config + &said).unwrap();
}

#[test]
fn commands_ask_a_server_and_verify_what_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    fs::write(path.join("rows.csv"), ROWS).unwrap();
    fs::write(path.join("ada.csv"), "user,role,wage\nada,engineer,512.50\n").unwrap();
    succeed(path, &["table", "init", "tables/pay", "--schema", "schema.toml"]);
    succeed(path, &["table", "serve", "init", "--out", "server.toml"]);
    let config = fs::read_to_string(path.join("server.toml")).unwrap();
    fs::write(path.join("server.toml"), config.replace("127.0.0.1:8443", "127.0.0.1:0")).unwrap();
    clients(path, "custodian", &["custodian", "feeder", "registrar"]);
    client(path, "querier");
    let serving = serve(path);
    let genesis = fs::read(path.join("tables/pay/genesis.json")).unwrap();
    let genesis = table::Genesis::from_bytes(&genesis).unwrap();
    let id = genesis.table_id().to_string();
    let ask = |command: &str, more: &[&str], role: &str| -> Vec<String> {
        let token = format!("{role}.token");
        let fixed = ["table", command, id.as_str()];
        let server = ["--server", serving.url.as_str(), "--token", token.as_str()];
        let all = fixed.iter().chain(more).chain(&server).map(ToString::to_string);
        all.collect()
    };
    let run = |command: &str, more: &[&str], role: &str| {
        let arguments = ask(command, more, role);
        succeed(path, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let refuse = |command: &str, more: &[&str], role: &str, code: i32, says: &str| {
        let arguments = ask(command, more, role);
        fail(path, &arguments.iter().map(String::as_str).collect::<Vec<_>>(), code, says);
    };
    let rows = ["rows.csv", "--epoch", "1", "--receipts"];
    run("ingest", &[&rows[..], &["receipts"]].concat(), "custodian");
    run("ingest", &[&rows[..], &["again"]].concat(), "custodian");
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("receipts"), read("again"), "a run that is repeated");
    refuse("ingest", &[&rows[..], &["more"]].concat(), "querier", 5, "forbidden");
    run("seal", &["--epoch", "1"], "custodian");
    let sql = "SELECT COUNT(*), AVG(wage) FROM pay WHERE epoch = 1";
    let said = run("query", &[sql, "--out", "answer", "--seen", "pay.seen"], "querier");
    assert!(said.contains("AVG(wage) = 475.95") && said.contains("COUNT(*) = 5"), "{said}");
    succeed(path, &["table", "verify", "answer", "--expect-table", &id, "--accept", "unaudited"]);
    let spent = "SELECT SUM(wage) FROM pay WHERE epoch = 1 AND role = 'nurse'";
    refuse("query", &[spent, "--out", "two"], "querier", 5, "min-count");
    run("query", &[sql, "--out", "later", "--seen", "pay.seen"], "querier");

    // Ada, with a token that the custodian has made.
    let token = fs::read_to_string(path.join("custodian.token")).unwrap();
    let options = client::Options::new(&serving.url, &id).with_token(&token);
    let custodian = client::Client::connect(&options, &genesis.table_id()).unwrap();
    let made = custodian.token("ada", 600).unwrap();
    fs::write(path.join("ada.token"), &made.token).unwrap();
    let ada = ["--user", "ada", "--epoch", "1", "--out"];
    run("keys", &[&ada[..], &["ada.keys"]].concat(), "ada");
    succeed(
        path,
        &["table", "receipt", "check", "receipts", "--own", "ada.keys", "--row", "ada.csv"],
    );
    let own = ["row", "--own", "ada.keys", "--row", "ada.csv"];
    run("lookup", &[&ada[..], &own].concat(), "ada");
    succeed(path, &["table", "verify", "row", "--own", "ada.keys", "--row", "ada.csv"]);
    fs::write(path.join("other.csv"), "user,role,wage\nada,engineer,512.51\n").unwrap();
    let other = ["no", "--own", "ada.keys", "--row", "other.csv"];
    refuse("lookup", &[&ada[..], &other].concat(), "ada", 1, "does not hold");
    // While it is served, the folder is the server's.
    fail(path, &["table", "log", "tables/pay"], 2, "ask the server");
}
