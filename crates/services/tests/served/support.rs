//! A table server as a process of its own: the test's binary, started once more.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use client::{
    Client, Options,
    api::{Field, RowFields},
};
use serde_json::{Value, json};
use services::{
    config::Config,
    folder::{Folder, Plan},
    tables,
};
use table::{Hash, PublicKey, Row, Schema};
use tempfile::TempDir;

const CONFIG: &str = "SUBROSA_TEST_SERVER";
pub const ROLES: [&str; 7] =
    ["custodian", "feeder", "registrar", "querier", "auditor", "witness", "monitor"];

/// Clients of every server: one for each role, one that runs tables, and one that may do everything.
fn clients() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut clients: Vec<_> = ROLES.iter().map(|role| (*role, vec![*role])).collect();
    clients.push(("operator", ROLES[..3].to_vec()));
    clients.push(("everything", ROLES.to_vec()));
    clients
}

pub const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [
    { name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, moments = 2, ordered = true },
    { name = "hours", min = 0, max = 255 },
]
policy = { min_count = 3, extremes = true }
"#;

/// What the process runs that [`Server::start`] starts; in the tests' own process, nothing.
pub fn server_process() {
    let Some(path) = std::env::var_os(CONFIG).map(PathBuf::from) else { return };
    let config = Config::load(&path).unwrap();
    let notices = path.with_extension("notices");
    let note = Box::new(move |line: &str| {
        let mut text = fs::read_to_string(&notices).unwrap_or_default();
        text += &format!("{line}\n");
        fs::write(&notices, text).unwrap();
    });
    let address = path.with_extension("address");
    tables::serve(&config, note, |bound| {
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, bound.to_string()).unwrap();
        fs::rename(unfinished, address).unwrap();
    })
    .unwrap();
}

/// A running server with one table, `pay`, and a token for every role.
pub struct Server {
    pub directory: TempDir,
    pub tokens: BTreeMap<&'static str, String>,
    pub address: String,
    pub table: Hash,
    scheme: &'static str,
    child: Child,
}

impl Server {
    pub fn start() -> Self {
        Self::with("", vec![], vec![])
    }

    /// With more options, auditors and witnesses.
    pub fn with(options: &str, auditors: Vec<PublicKey>, witnesses: Vec<PublicKey>) -> Self {
        Self::of(SCHEMA, options, auditors, witnesses)
    }

    /// With another schema.
    pub fn of(
        schema: &str,
        options: &str,
        auditors: Vec<PublicKey>,
        witnesses: Vec<PublicKey>,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("tables")).unwrap();
        let schema: Schema = toml::from_str(schema).unwrap();
        let quorum = witnesses.len() as u32;
        let continues = None;
        let plan =
            Plan { schema, first_epoch: 1, witnesses, quorum, dishonest: 0, auditors, continues };
        let folder = Folder::new(&directory.path().join("tables/pay"));
        let table = *folder.make(plan).unwrap().table().id();
        Self::over(directory, table, options)
    }

    /// Over the tables of a directory.
    pub fn over(directory: TempDir, table: Hash, options: &str) -> Self {
        let mut tokens = BTreeMap::new();
        let mut config = format!("listen = \"127.0.0.1:0\"\ntables = \"tables\"\n{options}\n");
        for (name, roles) in clients() {
            let drawn = tables::draw_role_token();
            let hash = drawn.hash;
            config += &format!(
                "[[client]]\nname = \"{name}\"\nroles = {roles:?}\ntoken_hash = \"{hash}\"\n"
            );
            tokens.insert(name, drawn.token.to_string());
        }
        fs::write(directory.path().join("server.toml"), config).unwrap();
        let scheme = if options.contains("[tls]") { "https" } else { "http" };
        let (address, child) = spawn(directory.path());
        Self { directory, tokens, address, table, scheme, child }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process as nobody can prepare for, and starts another over the same files.
    pub fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.address, self.child) = spawn(self.directory.path());
    }

    /// The largest file that the process may write, in bytes; none for no limit.
    pub fn limit_files(&self, bytes: Option<u64>) {
        let limit = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
        let pid = self.child.id().to_string();
        let fsize = format!("--fsize={limit}:");
        let set = Command::new("prlimit").args(["--pid", pid.as_str(), fsize.as_str()]).status();
        assert!(set.unwrap().success());
    }

    /// Waits until the operator reads something.
    pub fn until_told(&self, what: &str) {
        let path = self.directory.path().join("server.notices");
        let start = Instant::now();
        loop {
            let told = fs::read_to_string(&path).unwrap_or_default();
            if told.contains(what) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "no `{what}` in: {told}");
            std::thread::sleep(STEP);
        }
    }

    /// Changes the configuration on the disk.
    pub fn configure(&self, change: impl FnOnce(&str) -> String) {
        let path = self.directory.path().join("server.toml");
        let text = change(&fs::read_to_string(&path).unwrap());
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, text).unwrap();
        fs::rename(unfinished, path).unwrap();
    }

    /// Sends the process a signal.
    pub fn signal(&self, name: &str) {
        // The shell's own: the program `kill` is not on every machine.
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    /// Asks the process to end, and waits until it has.
    pub fn stop(&mut self) -> bool {
        self.signal("TERM");
        self.child.wait().unwrap().success()
    }

    /// Whether a server that was stopped would start again.
    pub fn starts(&self) -> bool {
        let mut child = command(self.directory.path()).stderr(Stdio::null()).spawn().unwrap();
        let address = self.directory.path().join("server.address");
        let _ = fs::remove_file(&address);
        loop {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if address.exists() {
                child.kill().unwrap();
                child.wait().unwrap();
                return true;
            }
            std::thread::sleep(STEP);
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    pub fn options(&self, token: &str) -> Options {
        Options::new(&self.url(""), "pay").with_token(token)
    }

    /// A client with a role.
    pub fn client(&self, role: &str) -> Client {
        self.client_with(&self.tokens[role])
    }

    pub fn client_with(&self, token: &str) -> Client {
        Client::connect(&self.options(token), &self.table).unwrap()
    }

    /// A request as it stands, and what came back: status, media type, body.
    pub fn raw(
        &self,
        (method, path): (&str, &str),
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut request = ureq::http::Request::builder().method(method).uri(self.url(path));
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .timeout_global(Some(Duration::from_secs(60)));
        let agent = config.build().new_agent();
        let sends = !matches!(method, "GET" | "HEAD");
        let answer = match sends {
            true => agent.run(request.body(body).unwrap()),
            false => agent.run(request.body(()).unwrap()),
        };
        let mut answer = answer.unwrap();
        let header = |name: &str| {
            let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let headers = [
            "content-type",
            "content-range",
            "etag",
            "allow",
            "retry-after",
            "content-security-policy",
        ];
        let headers = headers.map(|name| (name, header(name)));
        Answer {
            status: answer.status().as_u16(),
            headers: headers.into_iter().collect(),
            body: answer.body_mut().with_config().limit(1 << 28).read_to_vec().unwrap(),
        }
    }

    pub fn get(&self, path: &str, role: Option<&str>) -> Answer {
        self.raw(("GET", path), role.map(|role| self.tokens[role].as_str()), &[], &[])
    }

    pub fn post(&self, path: &str, role: &str, message: &Value) -> Answer {
        let headers = [("content-type", "application/json"), ("idempotency-key", "raw")];
        let body = serde_json::to_vec(message).unwrap();
        self.raw(("POST", path), Some(&self.tokens[role]), &headers, &body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(directory: &Path) -> Command {
    // A file that is too large shall be an error, as a full disk is, and not the process's end.
    let exec = "trap '' XFSZ; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", exec, "sh"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "server_process", "--nocapture"]);
    command.env(CONFIG, directory.join("server.toml")).stdout(Stdio::null());
    command
}

fn spawn(directory: &Path) -> (String, Child) {
    let config = directory.join("server.toml");
    let address = config.with_extension("address");
    let _ = fs::remove_file(&address);
    let mut child = command(directory).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Ok(address) = fs::read_to_string(&address) {
            return (address, child);
        }
        assert!(child.try_wait().unwrap().is_none(), "the server ended");
        assert!(start.elapsed() < Duration::from_secs(60), "the server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<&'static str, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The reason of a problem, which must be a whole one.
    pub fn reason(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem: client::api::Problem = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem.status, self.status);
        assert!(!problem.detail.is_empty() && !problem.title.is_empty());
        assert_eq!(problem.kind, format!("urn:subrosa:problem:{}", problem.reason));
        problem.reason
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

pub fn user(index: u32) -> String {
    format!("person {index}")
}

pub fn wage(index: u32) -> u32 {
    10_000 + index * 7919 % 50_000
}

pub fn fields(index: u32) -> RowFields {
    let wage = wage(index);
    let role = if index.is_multiple_of(4) { "engineer" } else { "nurse" };
    let text = |text: String| Field::Text(text);
    BTreeMap::from([
        ("user".to_owned(), text(user(index))),
        ("role".to_owned(), text(role.to_owned())),
        ("wage".to_owned(), text(format!("{}.{:02}", wage / 100, wage % 100))),
        ("hours".to_owned(), Field::Number(i64::from(30 + index % 10))),
    ])
}

pub fn row(schema: &Schema, index: u32) -> Row {
    client::api::row_of(schema, &fields(index)).unwrap()
}

/// A batch as it is sent.
pub fn batch(epoch: u32, rows: std::ops::Range<u32>) -> Value {
    json!({ "epoch": epoch, "rows": rows.map(fields).collect::<Vec<_>>() })
}

pub const STEP: Duration = Duration::from_millis(20);
