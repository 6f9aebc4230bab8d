//! `table ingest --sql`, from MariaDB and PostgreSQL: the answers of a CSV file, also after `kill -9`
//! at random points, and no password anywhere.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _, UnwrapErr};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{subrosa, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [{ name = "wage", scale = 2, min = -50000, max = 6000000, moments = 2, ordered = true }]
policy = { min_count = 3, quantiles = [{ part = 1, whole = 2 }] }
"#;
const QUERY: &str =
    "SELECT COUNT(*), SUM(wage), MEDIAN(wage) FROM pay WHERE epoch = 1 GROUP BY role";
const PASSWORD: &str = "sesame";

/// A server that `scripts/databases` started, and its clients.
struct Server {
    place: String,
    is_mysql: bool,
}

impl Server {
    fn both() -> [Self; 2] {
        let place = |name| std::env::var(name).expect("scripts/databases sets it");
        [
            Self { place: place("SUBROSA_TEST_MARIADB"), is_mysql: true },
            Self { place: place("SUBROSA_TEST_POSTGRES"), is_mysql: false },
        ]
    }

    fn url(&self) -> String {
        let scheme = if self.is_mysql { "mariadb" } else { "postgres" };
        format!("{scheme}://reader@{}/subrosa", self.place)
    }

    /// Runs statements by the server's own client, as the account that may write.
    fn run(&self, statements: &str) {
        let (host, port) = self.place.split_once(':').unwrap();
        let mut client = match self.is_mysql {
            true => {
                let mut client = std::process::Command::new("mariadb");
                client.args(["--no-defaults", "-h", host, "-P", port, "-u", "writer", "subrosa"]);
                client.args(["--password=local", "-e", statements]);
                client
            }
            false => {
                let mut client = std::process::Command::new("psql");
                client.env("PGPASSWORD", "local");
                client.args([
                    "-q",
                    "-v",
                    "ON_ERROR_STOP=1",
                    "-h",
                    host,
                    "-p",
                    port,
                    "-U",
                    "writer",
                ]);
                client.args(["-d", "subrosa", "-c", statements]);
                client
            }
        };
        let done = client.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Fills a table with numbered people, and writes the same as CSV.
    fn fill(&self, table: &str, rows: u64, csv: &Path) {
        let numbers = match self.is_mysql {
            true => format!("SELECT seq AS n FROM seq_1_to_{rows}"),
            false => format!("SELECT n FROM generate_series(1, {rows}) AS series(n)"),
        };
        self.run(&format!("DROP TABLE IF EXISTS {table}"));
        self.run(&format!(
            "CREATE TABLE {table} (id BIGINT PRIMARY KEY, person VARCHAR(40), role VARCHAR(20),
             wage DECIMAL(20,4));
             INSERT INTO {table} SELECT n, CONCAT('person ', n),
                CASE WHEN n % 3 = 0 THEN 'nurse' ELSE 'engineer' END,
                CAST(n * 7919 % 6000000 AS DECIMAL(20,4)) / 100 - 100 FROM ({numbers}) AS numbers"
        ));
        let mut text = "user,role,wage\n".to_owned();
        for n in 1..=rows {
            let role = if n % 3 == 0 { "nurse" } else { "engineer" };
            let cents = (n * 7919 % 6_000_000) as i64 - 10_000;
            let sign = if cents < 0 { "-" } else { "" };
            let (whole, part) = (cents.abs() / 100, cents.abs() % 100);
            text += &format!("person {n},{role},{sign}{whole}.{part:02}\n");
        }
        fs::write(csv, text).unwrap();
    }

    fn ingest<'a>(&self, url: &'a str, table: &'a str) -> Vec<&'a str> {
        let source = ["--sql", url, "--table", table, "--column", "user=person", "--cursor", "id"];
        [&["--json", "table", "ingest", "pay", "--epoch", "1"][..], &source].concat()
    }
}

fn table() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("schema.toml"), SCHEMA).unwrap();
    succeed(directory.path(), &["table", "init", "pay", "--schema", "schema.toml"]);
    directory
}

/// A command with the password in its environment.
fn run(directory: &Path, arguments: &[&str], password: &str) -> std::process::Output {
    subrosa(directory, arguments).env("SUBROSA_SQL_PASSWORD", password).output().unwrap()
}

fn json(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn answer(directory: &Path) -> Value {
    succeed(directory, &["table", "seal", "pay", "--epoch", "1"]);
    let asked = succeed(directory, &["--json", "table", "query", "pay", QUERY, "--out", "answer"]);
    succeed(directory, &["verify", "answer", "--accept", "unaudited"]);
    serde_json::from_str::<Value>(&asked).unwrap()["rows"].clone()
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn a_database_gives_the_answers_of_a_file() {
    for server in Server::both() {
        let (directory, file) = (table(), table());
        let path = directory.path();
        server.fill("cli_rows", 3000, &file.path().join("rows.csv"));
        succeed(file.path(), &["table", "ingest", "pay", "rows.csv", "--epoch", "1"]);
        let url = server.url();
        let ingest = server.ingest(&url, "cli_rows");
        let dry = json(&run(path, &[&ingest[..], &["--dry-run"]].concat(), PASSWORD));
        assert_eq!((&dry["rows"], &dry["stored"]), (&3000.into(), &false.into()));
        let pulled = json(&run(path, &ingest, PASSWORD));
        assert_eq!((&pulled["rows"], &pulled["before"]), (&3000.into(), &0.into()));
        // Once more, with receipts: for every row, from a password in a file.
        fs::write(path.join("password"), format!("{PASSWORD}\n")).unwrap();
        let more = ["--receipts", "receipts", "--password-file", "password"];
        let again = json(&run(path, &[&ingest[..], &more].concat(), "wrong"));
        assert_eq!((&again["rows"], &again["before"]), (&3000.into(), &0.into()));
        assert_eq!(fs::read_to_string(path.join("receipts")).unwrap().lines().count(), 3000);
        let keys = ["table", "keys", "pay", "--user", "person 7", "--epoch", "1", "--out", "own"];
        succeed(path, &keys);
        fs::write(path.join("row.csv"), "user,role,wage\nperson 7,engineer,454.33\n").unwrap();
        let check = ["table", "receipt", "check", "receipts", "--own", "own", "--row", "row.csv"];
        succeed(path, &check);
        assert_eq!(answer(path), answer(file.path()));
        let late = run(path, &ingest, PASSWORD);
        let message = String::from_utf8_lossy(&late.stderr).into_owned();
        assert!(message.contains("takes no rows"), "{message}");
        server.run("DROP TABLE cli_rows");
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn wrong_input_is_named_and_no_password_is_shown() {
    let directory = table();
    for server in Server::both() {
        server.run("DROP TABLE IF EXISTS cli_wrong");
        server.run(
            "CREATE TABLE cli_wrong (id INTEGER, person VARCHAR(40), role TEXT, wage DECIMAL(20,4))",
        );
        server.run("INSERT INTO cli_wrong VALUES (7, 'ada', 'nurse', 0.0001), (8, NULL, 'x', 1)");
        let (url, with) = (server.url(), server.url().replace("reader@", "reader:hunter2@"));
        let good = server.ingest(&url, "cli_wrong");
        let missing = server.ingest(&url, "cli_missing");
        let secret = server.ingest(&with, "cli_wrong");
        for (arguments, password, expected) in [
            (&good, PASSWORD, "row 1 (`id` 7): column `wage`"),
            (&good, PASSWORD, "row 2 (`id` 8): column `person`: NULL"),
            (&good, "hunter2", "127.0.0.1"),
            (&missing, PASSWORD, "no table or view `cli_missing`"),
            (&secret, PASSWORD, "it holds a password"),
        ] {
            let refused = run(directory.path(), arguments, password);
            let shown =
                String::from_utf8_lossy(&[refused.stdout, refused.stderr].concat()).into_owned();
            assert_eq!(refused.status.code(), Some(2), "{shown}");
            assert!(shown.contains(expected) && !shown.contains("hunter2"), "{shown}");
        }
        // Bytes that are no text are no password, rather than none.
        let mut latin = subrosa(directory.path(), &good);
        latin.env("SUBROSA_SQL_PASSWORD", OsStr::from_bytes(b"sesam\xe9"));
        let refused = latin.output().unwrap();
        let shown =
            String::from_utf8_lossy(&[refused.stdout, refused.stderr].concat()).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{shown}");
        assert!(shown.contains("not UTF-8") && !shown.contains("sesam"), "{shown}");
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn a_killed_run_goes_on_where_it_was() {
    // Several batches, which are stored one after the other.
    const ROWS: u64 = 30_000;
    const KILLS: u64 = 6;
    let seed = UnwrapErr(getrandom::SysRng).next_u64();
    println!("seed {seed}");
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    for server in Server::both() {
        let (directory, file) = (table(), table());
        let path = directory.path();
        server.fill("cli_killed", ROWS, &file.path().join("rows.csv"));
        let (url, start) = (server.url(), Instant::now());
        let ingest = server.ingest(&url, "cli_killed");
        // How long it takes, undisturbed and storing nothing.
        json(&run(path, &[&ingest[..], &["--dry-run"]].concat(), PASSWORD));
        let whole = start.elapsed().as_millis() as u64;
        let mut killed = 0;
        // Later and later, so that the first dies early whatever else this machine does.
        for kill in 1..=KILLS {
            let mut command = subrosa(path, &ingest);
            command.env("SUBROSA_SQL_PASSWORD", PASSWORD);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let moment = whole / 4 + rng.next_u64() % (kill * whole * 2).div_ceil(3);
            std::thread::sleep(Duration::from_millis(moment));
            child.kill().unwrap();
            killed += u64::from(child.wait().unwrap().code().is_none());
        }
        let last = json(&run(path, &ingest, PASSWORD));
        let (rows, before) = (last["rows"].as_u64().unwrap(), last["before"].as_u64().unwrap());
        println!("{killed} of {KILLS} runs killed; then {before} rows were stored");
        assert!(killed > 0 && rows + before == ROWS, "{last}");
        let done = json(&run(path, &ingest, PASSWORD));
        assert_eq!((&done["rows"], &done["before"]), (&0.into(), &ROWS.into()));
        succeed(file.path(), &["table", "ingest", "pay", "rows.csv", "--epoch", "1"]);
        assert_eq!(answer(path), answer(file.path()));
        server.run("DROP TABLE cli_killed");
    }
}
