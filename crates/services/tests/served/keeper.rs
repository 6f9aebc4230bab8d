//! The keeper of a log, its parties and its witnesses, as processes of their own.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use client::logs::RemoteLog;
use getrandom::SysRng;
use log::{
    Follower, Header, Identity, LogAccess as _, Origin, Outbox, PartyKey, Standing,
    note::VerifierKey,
    store::{DirectoryLog, FileOutbox},
};
use rand_core::{Rng as _, UnwrapErr};
use services::logs::{KeeperConfig, WitnessLogsConfig};
use tempfile::TempDir;

const KEEPER: &str = "SUBROSA_TEST_KEEPER";
pub const WITNESS: &str = "SUBROSA_TEST_WITNESS";
pub const PARTY: &str = "SUBROSA_TEST_PARTY";
/// How long a process may take to begin.
pub const BEGIN: Duration = Duration::from_secs(20);

/// What the processes run that these tests start; in the tests' own process, nothing.
pub fn server_process() {
    let notes = |path: &Path| {
        let path = path.with_extension("notices");
        Box::new(move |line: &str| {
            let mut file = fs::File::options().create(true).append(true).open(&path).unwrap();
            writeln!(file, "{line}").unwrap();
        })
    };
    let ready = |path: &Path| {
        let path = path.with_extension("address");
        move |bound: std::net::SocketAddr| {
            let unfinished = path.with_extension("unfinished");
            fs::write(&unfinished, bound.to_string()).unwrap();
            fs::rename(unfinished, path).unwrap();
        }
    };
    if let Some(path) = std::env::var_os(KEEPER).map(PathBuf::from) {
        let config = KeeperConfig::load(&path).unwrap();
        let rules = Box::new(|_: &Header, _: &[u8]| Ok(None));
        services::logs::serve(&config, rules, notes(&path), ready(&path)).unwrap();
    }
    if let Some(path) = std::env::var_os(WITNESS).map(PathBuf::from) {
        let config = WitnessLogsConfig::load(&path).unwrap();
        let identity = PartyKey::load(&config.key).unwrap().identity();
        services::logs::serve_witness(&config, identity, notes(&path), ready(&path)).unwrap();
    }
}

/// What a party's process does until it is killed: it fills slots with whatever it computes now.
pub fn party_process() {
    let Some(directory) = std::env::var_os(PARTY).map(PathBuf::from) else { return };
    let (author, mut rng) = (identity(60), UnwrapErr(SysRng));
    let log = DirectoryLog::open(&directory.join("log")).unwrap();
    let store = FileOutbox::open(&directory.join("outbox"), log.key(), &author.id()).unwrap();
    let mut outbox = Outbox::open(store, author.id(), origin()).unwrap();
    let mut reader = Follower::new(log.key().clone(), None).unwrap();
    let mut draw = || {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    log.submit(&outbox.begin(&author, draw(), 0).unwrap(), b"").unwrap();
    reader.follow(&log).unwrap();
    if outbox.compare(0, reader.leaves()).is_err() {
        fs::write(directory.join("out"), "").unwrap();
        return;
    }
    // A slot that was filled and perhaps not handed in, and the next ones.
    let filled = outbox.entries().filter(|header| header.kind() == "test/slot").count() as u64;
    for slot in filled.saturating_sub(2)..filled + 100 {
        let name = ("test/slot", slot.to_be_bytes());
        let header = outbox.fill(&author, (name.0, &name.1), 0, &draw()).unwrap();
        log.submit(&header, &outbox.payload(&header).unwrap()).unwrap();
    }
}

pub fn origin() -> Origin {
    "example.com/kept".parse().unwrap()
}

pub fn identity(seed: u8) -> Identity {
    Identity::from_seed(&[seed; 32])
}

pub fn entry(author: u8, subject: u64, payload: &[u8]) -> Header {
    let subject = subject.to_be_bytes();
    let now = 1_700_000_000;
    Header::sign(&identity(author), &origin(), ("test/entry", &subject), now, payload).unwrap()
}

/// A process that serves, until this is dropped.
pub struct Process {
    pub child: Child,
    pub config: PathBuf,
    pub url: String,
}

impl Process {
    pub fn start(variable: &str, config: &Path, text: &str) -> Self {
        fs::write(config, text).unwrap();
        let address = config.with_extension("address");
        fs::remove_file(&address).ok();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["server_process", "--exact", "--nocapture"])
            .env(variable, config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let bound = loop {
            if let Ok(bound) = fs::read_to_string(&address) {
                break bound;
            }
            assert!(start.elapsed() < BEGIN, "the process does not begin");
            thread::sleep(Duration::from_millis(5));
        };
        Self { child, config: config.to_owned(), url: format!("http://{bound}") }
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    pub fn notices(&self) -> String {
        fs::read_to_string(self.config.with_extension("notices")).unwrap_or_default()
    }

    /// The most memory that the process ever had, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A log's directory with its configuration.
pub struct Kept {
    pub directory: TempDir,
    pub options: String,
}

impl Kept {
    pub fn new(options: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let key = PartyKey::generate(&mut rng());
        DirectoryLog::create_with(&directory.path().join("log"), &origin(), &key).unwrap();
        Self { directory, options: options.to_owned() }
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    pub fn key(&self) -> VerifierKey {
        fs::read_to_string(self.path().join("key")).unwrap().trim_end().parse().unwrap()
    }

    pub fn start(&self) -> Process {
        let config = self.directory.path().join("keeper.toml");
        let text = format!("listen = \"127.0.0.1:0\"\nlog = \"log\"\n{}", self.options);
        Process::start(KEEPER, &config, &text)
    }

    pub fn connect(&self, process: &Process) -> RemoteLog {
        RemoteLog::connect(&process.url, Some(self.key()), &[]).unwrap()
    }

    pub fn reader(&self) -> Follower {
        Follower::new(self.key(), None).unwrap()
    }
}

pub fn rng() -> impl rand_core::CryptoRng {
    <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::from_seed([5; 32])
}

/// Hands an entry in, and waits until a reader may see it.
pub fn append(log: &RemoteLog, author: u8, subject: u64, payload: &[u8]) -> Duration {
    let (start, header) = (Instant::now(), entry(author, subject, payload));
    log.submit(&header, payload).unwrap();
    loop {
        if let Ok(Some(Standing::Logged(place))) = log.standing(&header.digest()) {
            assert!(log.wait_beyond(place, Duration::from_secs(20)).unwrap());
            return start.elapsed();
        }
        thread::sleep(Duration::from_millis(5));
    }
}
