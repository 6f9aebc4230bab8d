//! `kill -9` while rows come in, while an epoch is closed, built, proven and logged, and while a
//! question is answered, at random points: no acknowledged row is lost, what is made afterwards is
//! what an undisturbed run makes, and there are never two digests for one epoch.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _, UnwrapErr};
use tempfile::TempDir;

use crate::common::{copy_all, json, subrosa, succeed};

/// One column without order makes every row three statements: more than 1024, for the bit matrix.
const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [
    { name = "wage", min = 0, max = 60000, moments = 2, ordered = true },
    { name = "hours", min = 0, max = 255 },
]
policy = { min_count = 3 }
"#;
const FIRST: u64 = 150;
const ALL: u64 = 400;
const QUERY: &str = "SELECT COUNT(*), SUM(wage), MEDIAN(wage) FROM pay WHERE epoch = 1";

fn rows(users: std::ops::Range<u64>) -> String {
    let mut text = "user,wage,role,hours\n".to_owned();
    for user in users {
        let role = if user % 4 == 0 { "engineer" } else { "nurse" };
        text += &format!("person {user},{},{role},{}\n", user * 7919 % 50_000, 30 + user % 10);
    }
    text
}

const INGEST_FIRST: [&str; 6] = ["table", "ingest", "pay", "first.csv", "--epoch", "1"];
const INGEST_REST: [&str; 8] =
    ["table", "ingest", "pay", "rest.csv", "--epoch", "1", "--receipts", "rest.receipts"];
const SEAL: [&str; 5] = ["table", "seal", "pay", "--epoch", "1"];
const ASK: [&str; 6] = ["table", "query", "pay", QUERY, "--out", "answer"];
const ROTATE: [&str; 4] = ["table", "keys", "rotate", "pay"];
const LOG: [&str; 3] = ["table", "log", "pay"];

/// A directory with a table's folder and files, at some point of its life.
struct Stage(TempDir);

impl Stage {
    /// A table with the first rows acknowledged.
    fn begin() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::write(path.join("schema.toml"), SCHEMA).unwrap();
        fs::write(path.join("first.csv"), rows(0..FIRST)).unwrap();
        fs::write(path.join("rest.csv"), rows(FIRST..ALL)).unwrap();
        succeed(path, &["table", "init", "pay", "--schema", "schema.toml"]);
        succeed(path, &INGEST_FIRST);
        Self(directory)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn copy(&self) -> Self {
        let copy = tempfile::tempdir().unwrap();
        copy_all(self.path(), copy.path());
        Self(copy)
    }

    /// The same table after a command, and how long the command took.
    fn after(&self, command: &[&str]) -> (Self, Duration) {
        let stage = self.copy();
        let start = Instant::now();
        succeed(stage.path(), command);
        (stage, start.elapsed())
    }

    /// Runs a command and kills it after a while; whether it was still running.
    fn kill(&self, command: &[&str], after: Duration) -> bool {
        let mut command = subrosa(self.path(), command);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap().code().is_none()
    }

    /// The epoch's digest and the checkpoint, if it is in the log.
    fn logged(&self) -> Option<(String, String)> {
        let log = json(self.path(), &LOG);
        let digest = log["epochs"][0]["digest"].as_str()?.to_owned();
        Some((digest, log["checkpoint"].as_str().unwrap().to_owned()))
    }

    /// Requires that every row of some users is in the sealed epoch, by their own check.
    fn holds(&self, users: [u64; 2]) {
        for user in users {
            let (name, path) = (format!("person {user}"), self.path());
            let with = |command, out: &'static str| {
                ["table", command, "pay", "--user", &name, "--epoch", "1", "--out", out]
            };
            fs::write(path.join("own.csv"), rows(user..user + 1)).unwrap();
            succeed(path, &with("keys", "own.keys"));
            succeed(path, &with("lookup", "own"));
            let own = ["--own", "own.keys", "--row", "own.csv"];
            succeed(path, &[&["table", "verify", "own"][..], &own].concat());
            fs::remove_file(path.join("own.keys")).unwrap();
            fs::remove_dir_all(path.join("own")).unwrap();
        }
    }
}

/// Rows of the one acknowledged file, the other killed on its way in.
fn kill_ingest(base: &Stage, after: Duration) -> bool {
    let stage = base.copy();
    let killed = stage.kill(&INGEST_REST, after);
    let sealed_now = stage.copy();
    let rows = json(sealed_now.path(), &SEAL)["rows"].as_u64().unwrap();
    assert!((FIRST..=ALL).contains(&rows), "{rows} rows, {FIRST} of them acknowledged");
    sealed_now.holds([0, FIRST - 1]);
    if rows == ALL {
        // All were stored; that their epoch was closed since takes nobody's receipt away.
        succeed(sealed_now.path(), &INGEST_REST);
    }
    // Once more, with a receipt for every row: now all are acknowledged.
    succeed(stage.path(), &INGEST_REST);
    let receipts = || fs::read_to_string(stage.path().join("rest.receipts")).unwrap();
    let written = receipts();
    assert_eq!(written.lines().count() as u64, ALL - FIRST);
    succeed(stage.path(), &INGEST_REST);
    fs::remove_file(stage.path().join("rest.receipts")).unwrap();
    succeed(stage.path(), &INGEST_REST);
    assert_eq!(receipts(), written, "what was promised is promised once");
    assert_eq!(json(stage.path(), &SEAL)["rows"], ALL);
    stage.holds([FIRST, ALL - 1]);
    killed
}

/// What must not depend on the moments of kills: the digest, and the signed checkpoint.
type Seen = BTreeSet<(String, String)>;

/// Killed twice while it closes, builds, proves and logs, then left to finish.
fn kill_seal(base: &Stage, moments: [Duration; 2], seen: &mut Seen) -> usize {
    let stage = base.copy();
    let mut kills = 0;
    for moment in moments {
        kills += usize::from(stage.kill(&SEAL, moment));
        seen.extend(stage.logged());
    }
    let sealed = json(stage.path(), &SEAL);
    assert_eq!(sealed["rows"], ALL);
    assert_eq!(json(stage.path(), &SEAL), sealed, "sealing again changes nothing");
    seen.extend(stage.logged());
    assert_eq!(seen.len(), 1, "one digest and one checkpoint: {seen:?}");
    stage.holds([0, ALL - 1]);
    kills
}

/// A question killed on its way changes nothing, and is asked again.
fn kill_query(base: &Stage, after: Duration, seen: &mut Seen) -> bool {
    let stage = base.copy();
    let killed = stage.kill(&ASK, after);
    seen.extend(stage.logged());
    assert_eq!(seen.len(), 1);
    let path = stage.path();
    if path.join("answer/bundle.json").exists() {
        succeed(path, &["verify", "answer", "--accept", "unaudited"]);
    }
    fs::remove_dir_all(path.join("answer")).ok();
    succeed(path, &ASK);
    succeed(path, &["verify", "answer", "--accept", "unaudited"]);
    let asked = json(path, &["table", "query-log", "pay"])["queries"].as_array().unwrap().len();
    assert!((1..=2).contains(&asked), "the question is noted once or, killed late, twice");
    killed
}

/// A change of the operator's key killed on its way: made or not, the table goes on, and whoever
/// holds the genesis follows it.
fn kill_rotate(base: &Stage, after: Duration) -> bool {
    let stage = base.copy();
    let killed = stage.kill(&ROTATE, after);
    let path = stage.path();
    assert_eq!(json(path, &SEAL)["rows"], ALL);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &ASK);
    let verified = json(path, &["verify", "answer", "--accept", "unaudited"]);
    let signer = &verified["claims"][0]["statement"]["log"]["operator"];
    assert_eq!(signer, &json(path, &LOG)["operator"]);
    killed
}

/// Kills until so many have hit a running command.
fn campaign(kills: usize) {
    let rng = &mut ChaCha20Rng::from_rng(&mut UnwrapErr(getrandom::SysRng));
    let open = Stage::begin();
    let (full, ingest) = open.after(&INGEST_REST);
    let (sealed, seal) = full.after(&SEAL);
    let (_, ask) = sealed.after(&ASK);
    let (_, rotate) = full.after(&ROTATE);
    let mut seen: Seen = sealed.logged().into_iter().collect();
    let mut moment = |span: Duration| span.mul_f64((rng.next_u32() % 1000) as f64 / 1000.0);
    let mut done = 0;
    // On a busy machine a command may be over before it is killed: those do not count.
    for attempt in 0..20 * kills {
        if done >= kills {
            break;
        }
        done += match attempt % 5 {
            0 => usize::from(kill_ingest(&open, moment(ingest))),
            1 => usize::from(kill_query(&sealed, moment(ask), &mut seen)),
            2 => usize::from(kill_rotate(&full, moment(rotate))),
            _ => kill_seal(&full, [moment(seal), moment(seal)], &mut seen),
        };
    }
    assert!(done >= kills, "{done} of {kills}");
}

#[test]
fn killed_at_a_few_points_the_work_goes_on() {
    campaign(6);
}

#[test]
#[ignore = "minutes: fifty kills, each with the work done again and checked"]
fn killed_at_fifty_points_the_work_goes_on() {
    campaign(50);
}
