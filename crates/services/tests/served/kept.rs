//! The keeper of a log over HTTP, and witnesses of it, as processes of their own: read and written, flooded,
//! killed, restored from old copies, and forking.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use client::{
    logs::{RemoteLog, RemoteWitness, Witnessed},
    witnessed::{Witness, WitnessedLog},
};
use getrandom::SysRng;
use log::{
    AccessError, AddCheckpoint, Evidence, FollowError, Follower, Header, Identity, LogAccess,
    Origin, Outbox, PartyKey, Quorum, Standing,
    note::VerifierKey,
    store::{DirectoryLog, DirectoryWitness, FileOutbox},
};
use rand_core::{Rng as _, UnwrapErr};
use services::logs::{KeeperConfig, WitnessLogsConfig};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

const KEEPER: &str = "SUBROSA_TEST_KEEPER";
const WITNESS: &str = "SUBROSA_TEST_WITNESS";
const PARTY: &str = "SUBROSA_TEST_PARTY";
/// How long a process may take to begin.
const BEGIN: Duration = Duration::from_secs(20);

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

fn origin() -> Origin {
    "example.com/kept".parse().unwrap()
}

fn identity(seed: u8) -> Identity {
    Identity::from_seed(&[seed; 32])
}

fn entry(author: u8, subject: u64, payload: &[u8]) -> Header {
    let subject = subject.to_be_bytes();
    let now = 1_700_000_000;
    Header::sign(&identity(author), &origin(), ("test/entry", &subject), now, payload).unwrap()
}

/// A process that serves, until this is dropped.
struct Process {
    child: Child,
    config: PathBuf,
    url: String,
}

impl Process {
    fn start(variable: &str, config: &Path, text: &str) -> Self {
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

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    fn notices(&self) -> String {
        fs::read_to_string(self.config.with_extension("notices")).unwrap_or_default()
    }

    /// The most memory that the process ever had, in bytes.
    fn peak_memory(&self) -> u64 {
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
struct Kept {
    directory: TempDir,
    options: String,
}

impl Kept {
    fn new(options: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let key = PartyKey::generate(&mut rng());
        DirectoryLog::create_with(&directory.path().join("log"), &origin(), &key).unwrap();
        Self { directory, options: options.to_owned() }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    fn key(&self) -> VerifierKey {
        fs::read_to_string(self.path().join("key")).unwrap().trim_end().parse().unwrap()
    }

    fn start(&self) -> Process {
        let config = self.directory.path().join("keeper.toml");
        let text = format!("listen = \"127.0.0.1:0\"\nlog = \"log\"\n{}", self.options);
        Process::start(KEEPER, &config, &text)
    }

    fn connect(&self, process: &Process) -> RemoteLog {
        RemoteLog::connect(&process.url, Some(self.key()), &[]).unwrap()
    }

    fn reader(&self) -> Follower {
        Follower::new(self.key(), None).unwrap()
    }
}

fn rng() -> impl rand_core::CryptoRng {
    <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::from_seed([5; 32])
}

/// Hands an entry in, and waits until a reader may see it.
fn append(log: &RemoteLog, author: u8, subject: u64, payload: &[u8]) -> Duration {
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

#[test]
fn a_log_is_written_and_read_over_http() {
    let author = identity(9).id();
    let kept = Kept::new(&format!(
        "heartbeat_seconds = 1\n[admission]\nknown = [\"{author}\"]\nstranger_entries = 2\n\
         payload_bytes = 3000000\n"
    ));
    let mut process = kept.start();
    let log = kept.connect(&process);
    let mut reader = kept.reader();
    assert_eq!(reader.follow(&log), Ok(0));
    assert!(!log.wait_beyond(0, Duration::from_millis(50)).unwrap());
    for (subject, length) in [0, 1, 70_000, 2_999_999].into_iter().enumerate() {
        let payload: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        append(&log, 9, subject as u64, &payload);
        reader.follow(&log).unwrap();
        let leaf = reader.leaves().iter().find(|leaf| leaf.header.length() == length).unwrap();
        assert_eq!(log.payload(&leaf.header).unwrap().unwrap(), payload);
        // Again: it is where it is.
        assert!(matches!(log.submit(&leaf.header, &payload), Ok(Standing::Logged(_))));
    }
    // The log's time goes on.
    let size = reader.leaves().len() as u64;
    assert!(log.wait_beyond(size, Duration::from_secs(10)).unwrap());
    reader.follow(&log).unwrap();
    assert!(reader.leaves().iter().any(|leaf| leaf.is_tick(&kept.key().key)));
    let proof = log.consistency(2, 4).unwrap();
    let root = |size: usize| {
        let leaves: Vec<_> = reader.leaves()[..size].iter().map(|leaf| leaf.to_bytes()).collect();
        log::merkle::root(&leaves)
    };
    log::merkle::verify_consistency((2, &root(2)), (4, &root(4)), &proof).unwrap();
    // What is refused, and why.
    let refused = |log: &RemoteLog, header: &Header, payload: &[u8]| match log
        .submit(header, payload)
        .unwrap_err()
    {
        AccessError::Refused { reason, .. } => reason,
        other => other.to_string(),
    };
    let large = vec![0; 3_000_001];
    assert!(refused(&log, &entry(9, 50, &large), &large).contains("limit of 3000000"));
    append(&log, 7, 0, b"");
    append(&log, 7, 1, b"");
    assert!(refused(&log, &entry(7, 2, b""), b"").contains("quota"));
    assert!(refused(&log, &entry(8, 3, b""), b"").contains("quota"), "strangers share it");
    append(&log, 9, 60, b"known parties have their own");
    let mut forged = entry(9, 70, b"x").to_bytes();
    *forged.last_mut().unwrap() ^= 1;
    let forged = Header::from_bytes(&forged).unwrap();
    assert!(refused(&log, &forged, b"x").contains("signature"));
    let tick = Header::tick(&identity(9), &origin(), 1).unwrap();
    assert!(refused(&log, &tick, b"").contains("reserved for the keeper"));
    assert_eq!(log.standing(&forged.digest()), Ok(None));
    assert_eq!(log.payload(&forged), Ok(None));
    // Another log than the one that was asked for.
    let other = log::log_key(&origin(), identity(1).id()).unwrap();
    assert!(RemoteLog::connect(&process.url, Some(other), &[]).is_err());
    // Static files are those of C2SP.
    let get = |path: &str| {
        let mut stream = TcpStream::connect(process.address()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    assert!(get("/checkpoint").contains("example.com/kept\n"));
    let size = reader.signed().unwrap().checkpoint().size;
    for content in ["0", "entries"] {
        let path = format!("/tile/{content}/000.p/{size}");
        assert!(get(&path).starts_with("HTTP/1.1 200"), "{path}");
    }
    for missing in ["/tile/0/001", "/tile/9/000", "/tile/../keeper.key", "/keeper.key", "/tile/x"] {
        assert!(get(missing).starts_with("HTTP/1.1 404"), "{missing}");
    }
    // Killed and begun again, it is the same log.
    process.kill();
    let process = kept.start();
    let log = kept.connect(&process);
    reader.follow(&log).unwrap();
    append(&log, 9, 80, b"after");
    assert!(reader.follow(&log).unwrap() > 0);
}

/// The first entry is the operator's, and nobody else's.
#[test]
fn the_operator_begins_the_log() {
    let (operator, author) = (identity(3).id(), identity(9).id());
    let kept = Kept::new(&format!(
        "operator = \"{operator}\"\n[admission]\nknown = [\"{author}\"]\nstranger_entries = 0\n"
    ));
    let process = kept.start();
    let log = kept.connect(&process);
    let refused = |author| {
        let refused = log.submit(&entry(author, 0, b""), b"").unwrap_err();
        assert!(refused.to_string().contains("may not write to this log"), "{refused}");
    };
    refused(9);
    append(&log, 3, 0, b"first");
    refused(3);
    append(&log, 9, 1, b"then the parties");
}

/// 256 connections that say nothing, payloads that were announced and never come, and an author that
/// sends as much as it can: honest entries are in the log within a second.
#[test]
fn honest_entries_are_appended_beside_hostile_connections() {
    let author = identity(9).id();
    let kept = Kept::new(&format!(
        "[admission]\nknown = [\"{author}\"]\nstranger_entries = 100000\n\
         stranger_bytes = 2000000000\nopen = 64\npayload_bytes = 16777216\n"
    ));
    let process = kept.start();
    let log = kept.connect(&process);
    let silent: Vec<_> = (0..256).map(|_| TcpStream::connect(process.address()).unwrap()).collect();
    let announced: Vec<_> = (0..64).map(|at| announce(&process, at)).collect();
    let (stop, flooded) = (AtomicBool::new(false), AtomicU64::new(0));
    let slowest = thread::scope(|scope| {
        for flooder in 0..2_u64 {
            let (log, stop, flooded) = (kept.connect(&process), &stop, &flooded);
            scope.spawn(move || {
                let payload = vec![7; 100_000];
                for at in 0.. {
                    if stop.load(Relaxed) {
                        return;
                    }
                    let header = entry(20, 1_000_000 * (flooder + 1) + at, &payload);
                    let sent = log.submit(&header, &payload);
                    flooded.fetch_add(u64::from(sent.is_ok()), Relaxed);
                }
            });
        }
        let times: Vec<_> = (0..20).map(|at| append(&log, 9, at, b"honest")).collect();
        stop.store(true, Relaxed);
        times.into_iter().max().unwrap()
    });
    let memory = process.peak_memory();
    println!(
        "slowest of 20: {slowest:?}; keeper's memory: {} MiB; entries of the flood: {}",
        memory >> 20,
        flooded.load(Relaxed)
    );
    assert!(memory < 200 << 20, "{memory}");
    // On a machine that is busy with other tests, too.
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    drop((silent, announced));
}

/// A payload of 16 MB that was announced, of which a little comes.
fn announce(process: &Process, at: u64) -> TcpStream {
    let payload = vec![1; 16 << 20];
    let header = entry(21, at, &payload).to_bytes();
    let mut stream = TcpStream::connect(process.address()).unwrap();
    let head = |method: &str, path: &str, length: usize| {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/octet-stream\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    stream.write_all(head("POST", "/v1/headers", header.len()).as_bytes()).unwrap();
    stream.write_all(&header).unwrap();
    let mut answer = [0; 1024];
    let read = stream.read(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    let Some((_, seat)) = answer.split_once("\r\n\r\n") else { return stream };
    if answer.starts_with("HTTP/1.1 202") {
        let entry = Header::from_bytes(&header).unwrap().digest();
        let path = format!("/v1/entries/{entry}?seat={}", seat.trim());
        stream.write_all(head("PUT", &path, payload.len()).as_bytes()).unwrap();
        stream.write_all(&payload[..300_000]).unwrap();
    }
    stream
}

/// Kills the keeper so many times while authors write: one history, and every promise is kept.
fn kill(times: usize) {
    let kept = Kept::new("append_milliseconds = 10\n[admission]\nstranger_entries = 1000000\n");
    let mut reader = kept.reader();
    let mut promised = Vec::new();
    for round in 0..times as u64 {
        let mut process = kept.start();
        let stop = AtomicBool::new(false);
        let accepted = thread::scope(|scope| {
            let writers: Vec<_> = (0..2_u64)
                .map(|writer| {
                    let (log, stop) = (kept.connect(&process), &stop);
                    scope.spawn(move || write_on(&log, writer, round, stop))
                })
                .collect();
            let log = kept.connect(&process);
            thread::sleep(Duration::from_millis(20 + 7 * (round % 13)));
            match reader.follow(&log) {
                Ok(_) | Err(FollowError::Access(_)) => {}
                Err(error) => panic!("round {round}: {error}"),
            }
            process.kill();
            stop.store(true, Relaxed);
            let accepted = writers.into_iter().flat_map(|writer| writer.join().unwrap());
            accepted.collect::<Vec<_>>()
        });
        promised.extend(accepted);
    }
    let process = kept.start();
    let log = kept.connect(&process);
    append(&log, 9, u64::MAX, b"the last");
    reader.follow(&log).unwrap();
    for header in &promised {
        let standing = log.standing(&header.digest()).unwrap();
        assert!(matches!(standing, Some(Standing::Logged(_))), "a promise is broken");
    }
    println!("{times} kills, {} promises kept, {} leaves", promised.len(), reader.leaves().len());
}

/// Hands in entries until the keeper is gone; those that it promised.
fn write_on(log: &RemoteLog, writer: u64, round: u64, stop: &AtomicBool) -> Vec<Header> {
    let mut promised = Vec::new();
    for at in 0.. {
        let payload = at.to_string().into_bytes();
        let header = entry(30, (writer << 48) | (round << 24) | at, &payload);
        match log.submit(&header, &payload) {
            Ok(_) => promised.push(header),
            Err(_) => return promised,
        }
        if stop.load(Relaxed) {
            return promised;
        }
    }
    promised
}

#[test]
fn a_keeper_that_is_killed_keeps_one_history() {
    kill(6);
}

#[test]
#[ignore = "takes minutes"]
fn a_keeper_that_is_killed_200_times_keeps_one_history() {
    kill(200);
}

/// Kills a party so many times, and then restores old copies of its outbox: no slot is filled twice, and a
/// restored party is out.
fn kill_party(times: usize, restores: usize) {
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("log");
    let rng = &mut rng();
    DirectoryLog::create(&kept, &origin(), rng).unwrap();
    let [outbox, old, out] = ["outbox", "old", "out"].map(|name| directory.path().join(name));
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["server_process", "--exact", "--nocapture"])
            .env(PARTY, directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut slots = 0;
    for round in 0..times {
        let mut party = start();
        thread::sleep(Duration::from_millis(20 + 11 * (round as u64 % 17)));
        party.kill().unwrap();
        party.wait().unwrap();
        slots = one_in_a_slot(&kept);
    }
    for _ in 0..restores {
        fs::copy(&outbox, &old).unwrap();
        assert!(start().wait().unwrap().success());
        fs::rename(&outbox, directory.path().join("true")).unwrap();
        fs::copy(&old, &outbox).unwrap();
        assert!(start().wait().unwrap().success());
        fs::remove_file(&out).expect("a restored party must be out");
        // Of its run, which it began before it knew, the true outbox knows nothing: that party is over.
        slots = one_in_a_slot(&kept);
        fs::remove_dir_all(&kept).unwrap();
        fs::remove_file(&outbox).unwrap();
        DirectoryLog::create(&kept, &origin(), rng).unwrap();
        assert!(start().wait().unwrap().success());
    }
    println!("{times} kills, {restores} restored copies, {slots} slots");
    assert!(slots > 0);
}

/// The slots of a log, each of which was filled once.
fn one_in_a_slot(directory: &Path) -> usize {
    let log = DirectoryLog::open(directory).unwrap();
    let mut reader = Follower::new(log.key().clone(), None).unwrap();
    reader.follow(&log).unwrap();
    let slots = reader.leaves().iter().filter(|leaf| leaf.header.kind() == "test/slot");
    let slots: Vec<_> = slots.map(|leaf| leaf.header.subject()).collect();
    let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
    assert_eq!(slots.len(), distinct.len(), "two entries in one slot");
    slots.len()
}

#[test]
fn a_party_that_is_killed_fills_no_slot_twice() {
    kill_party(6, 1);
}

#[test]
#[ignore = "takes minutes"]
fn a_party_that_is_killed_200_times_fills_no_slot_twice() {
    kill_party(200, 20);
}

/// A keeper with a certificate: over TLS only who trusts it is answered.
#[test]
fn a_log_is_kept_over_tls() {
    let kept = Kept::new("[tls]\ncertificate = \"chain.pem\"\nkey = \"key.pem\"\n");
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let chain = certified.cert.pem();
    fs::write(kept.directory.path().join("chain.pem"), &chain).unwrap();
    let key = certified.signing_key.serialize_pem();
    fs::write(kept.directory.path().join("key.pem"), key).unwrap();
    let process = kept.start();
    let url = process.url.replace("http://127.0.0.1", "https://localhost");
    let log = RemoteLog::connect(&url, Some(kept.key()), chain.as_bytes()).unwrap();
    let payload = vec![3; 300_000];
    append(&log, 9, 0, &payload);
    let mut reader = kept.reader();
    assert!(reader.follow(&log).unwrap() > 0);
    assert_eq!(log.payload(&entry(9, 0, &payload)).unwrap().unwrap(), payload);
    assert!(RemoteLog::connect(&url, Some(kept.key()), &[]).is_err(), "nobody is trusted");
}

/// A witness of the log, as a process.
struct Watching {
    directory: TempDir,
    process: Process,
    key: VerifierKey,
}

fn watch(kept: &Kept, seed: u8) -> Watching {
    let directory = tempfile::tempdir().unwrap();
    let key = PartyKey::generate(
        &mut <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::from_seed([seed; 32]),
    );
    key.save(&directory.path().join("witness.key")).unwrap();
    let config = directory.path().join("witness.toml");
    let name = format!("witness.example/{seed}");
    let text = format!(
        "listen = \"127.0.0.1:0\"\nname = \"{name}\"\nkey = \"witness.key\"\nstate = \"state\"\n\
         logs = [\"{}\"]\n",
        kept.key()
    );
    let process = Process::start(WITNESS, &config, &text);
    let witness = log::Witness::new(name.parse().unwrap(), key.identity());
    Watching { key: witness.key(), directory, process }
}

/// A configuration with these witnesses, all of which must have cosigned.
fn watched(kept: &mut Kept, witnesses: &[&Watching]) -> Quorum {
    kept.options = format!("quorum = {}\nappend_milliseconds = 10\n", witnesses.len());
    for witness in witnesses {
        kept.options +=
            &format!("[[witness]]\nkey = \"{}\"\nurl = \"{}\"\n", witness.key, witness.process.url);
    }
    let keys = witnesses.iter().map(|witness| witness.key.clone()).collect();
    Quorum::new(keys, witnesses.len()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Restores an old copy of the keeper's directory so many times: it signs nothing.
fn restore(times: u64) {
    let mut kept = Kept::new("");
    let witness = watch(&kept, 41);
    let quorum = watched(&mut kept, &[&witness]);
    let mut reader = Follower::new(kept.key(), Some(quorum)).unwrap();
    let old = kept.directory.path().join("old");
    for round in 0..times {
        let process = kept.start();
        let log = kept.connect(&process);
        append_settled(&log, round * 10);
        drop(process);
        fs::remove_dir_all(&old).ok();
        copy(&kept.path(), &old);
        let process = kept.start();
        let log = kept.connect(&process);
        append_settled(&log, round * 10 + 1);
        reader.follow(&log).unwrap();
        drop(process);
        // An hour later somebody restores it.
        let true_one = kept.directory.path().join("true");
        fs::rename(kept.path(), &true_one).unwrap();
        copy(&old, &kept.path());
        let process = kept.start();
        let log = kept.connect(&process);
        let start = Instant::now();
        while !process.notices().contains("must not sign") {
            assert!(start.elapsed() < BEGIN, "{}", process.notices());
            thread::sleep(Duration::from_millis(20));
        }
        assert!(log.submit(&entry(9, round * 10 + 2, b""), b"").is_err());
        drop(process);
        let journal = |path: &Path| fs::read(path.join("journal")).unwrap();
        assert_eq!(journal(&kept.path()), journal(&old), "it signed");
        fs::remove_file(kept.directory.path().join("keeper.notices")).unwrap();
        fs::remove_dir_all(kept.path()).unwrap();
        fs::rename(&true_one, kept.path()).unwrap();
    }
    let process = kept.start();
    let log = kept.connect(&process);
    append_settled(&log, u64::MAX);
    assert!(reader.follow(&log).unwrap() > 0);
    let state = witness.directory.path().join("state");
    let evidence = state.join(format!("{}.evidence", DirectoryWitness::name(&origin())));
    assert!(!evidence.exists(), "an honest keeper is convicted of nothing");
}

/// Hands in when the keeper has asked its witnesses.
fn append_settled(log: &RemoteLog, subject: u64) {
    let start = Instant::now();
    while log.submit(&entry(9, subject, b"x"), b"x").is_err() {
        assert!(start.elapsed() < BEGIN, "the keeper does not ask its witnesses");
        thread::sleep(Duration::from_millis(50));
    }
    append(log, 9, subject, b"x");
}

#[test]
fn an_old_copy_of_a_keeper_signs_nothing() {
    restore(1);
}

#[test]
#[ignore = "takes minutes"]
fn old_copies_of_a_keeper_sign_nothing_20_times() {
    restore(20);
}

/// A keeper shows two histories to two witnesses. As soon as one of them sees what the other saw, the
/// keeper is named, with what convicts it.
#[test]
fn a_keeper_that_forks_is_named_by_its_witnesses() {
    let kept = Kept::new("");
    let witnesses = [watch(&kept, 51), watch(&kept, 52)];
    let other = kept.directory.path().join("other");
    copy(&kept.path(), &other);
    let sides = [kept.path(), other].map(|path| DirectoryLog::open(&path).unwrap());
    let mut latest = Vec::new();
    for (side, log) in sides.iter().enumerate() {
        for at in 0..3 + side as u64 {
            let payload = [side as u8];
            log.submit(&entry(9, at, &payload), &payload).unwrap();
        }
        let signed = log.latest().unwrap().unwrap();
        let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed.clone() };
        let witness = RemoteWitness::new(&witnesses[side].process.url, &[]).unwrap();
        let answer = witness.add_checkpoint(&request).unwrap();
        assert!(matches!(answer, Witnessed::Cosigned(_)));
        latest.push(signed);
    }
    // The first witness is asked to cosign what the second saw.
    let witness = RemoteWitness::new(&witnesses[0].process.url, &[]).unwrap();
    let old = latest[0].checkpoint().size;
    let proof = sides[1].consistency(old, latest[1].checkpoint().size).unwrap();
    let request = AddCheckpoint { old, proof, checkpoint: latest[1].clone() };
    assert!(matches!(witness.add_checkpoint(&request), Ok(Witnessed::Refused(_))));
    let notices = witnesses[0].process.notices();
    assert!(notices.contains("the keeper of example.com/kept is convicted (fork)"), "{notices}");
    let name = DirectoryWitness::name(&origin());
    let path = witnesses[0].directory.path().join("state").join(format!("{name}.evidence"));
    let evidence = Evidence::from_bytes(&fs::read(&path).unwrap()).unwrap();
    evidence.verify().unwrap();
    assert_eq!(evidence.log, kept.key());
    // Everybody may fetch it.
    let mut stream = TcpStream::connect(witnesses[0].process.address()).unwrap();
    let head =
        format!("GET /v1/logs/{name}/evidence HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.ends_with(&evidence.to_bytes()));
    // Of one size: two roots.
    let request = AddCheckpoint { old: 3, proof: Vec::new(), checkpoint: at_three(&sides[1]) };
    assert_eq!(witness.add_checkpoint(&request), Ok(Witnessed::Conflict(3)));
}

/// A keeper shows two histories to two parties who count on one witness: who comes second learns what convicts the
/// keeper, whether its history is longer, shorter or of one size.
#[test]
fn a_keeper_that_forks_between_two_parties_is_convicted() {
    for (round, lengths) in [[3, 5], [5, 3], [4, 4], [4, 8]].into_iter().enumerate() {
        let kept = Kept::new("");
        let witness = watch(&kept, 61 + round as u8);
        let other = kept.directory.path().join("other");
        copy(&kept.path(), &other);
        let sides = [kept.path(), other].map(|path| DirectoryLog::open(&path).unwrap());
        for (side, log) in sides.iter().enumerate() {
            for at in 0..lengths[side] {
                let payload = [side as u8];
                log.submit(&entry(9, at, &payload), &payload).unwrap();
            }
        }
        let relying = |log| {
            let remote = RemoteWitness::new(&witness.process.url, &[]).unwrap();
            let trusted = Witness { key: witness.key.clone(), remote: Some(remote) };
            WitnessedLog::new(log, vec![trusted], 1).unwrap()
        };
        let [one, two] = sides.each_ref().map(relying);
        let mut first = kept.reader();
        assert_eq!(first.follow(&one).unwrap() as u64, lengths[0]);
        assert!(log::cosigned_at(first.signed().unwrap(), &witness.key).is_some());
        // As often as it is asked.
        assert_eq!(first.follow(&one), Ok(0));
        assert_eq!(kept.reader().follow(&relying(&sides[0])).unwrap() as u64, lengths[0]);
        let refused = kept.reader().follow(&two).unwrap_err();
        // An older state of another history looks like one that is only old, until it grows.
        if lengths[1] < lengths[0] {
            let FollowError::Access(AccessError::Unreachable { reason, .. }) = &refused else {
                panic!("{refused}")
            };
            assert!(reason.contains("it saw a log of 5 leaves"), "{reason}");
            for at in 10..14 {
                sides[1].submit(&entry(9, at, b"more"), b"more").unwrap();
            }
        }
        let refused = kept.reader().follow(&two).unwrap_err();
        let FollowError::Access(AccessError::Convicted(evidence)) = &refused else {
            panic!("{refused}")
        };
        evidence.verify().unwrap();
        assert_eq!(evidence.log, kept.key());
        // The party with the true history goes on.
        sides[0].submit(&entry(9, 99, b"on"), b"on").unwrap();
        assert_eq!(first.follow(&one), Ok(1));
    }
}

/// Of three witnesses two are enough, also while the third is gone; one is not.
#[test]
fn parties_see_what_enough_witnesses_cosigned() {
    let kept = Kept::new("");
    let mut witnesses = [watch(&kept, 71), watch(&kept, 72), watch(&kept, 73)];
    let log = DirectoryLog::open(&kept.path()).unwrap();
    log.submit(&entry(9, 0, b"x"), b"x").unwrap();
    let remote = |url: &str| RemoteWitness::new(url, &[]).unwrap();
    let relying = |witnesses: &[Watching], threshold| {
        let trusted = witnesses.iter().map(|witness| Witness {
            key: witness.key.clone(),
            remote: Some(remote(&witness.process.url)),
        });
        WitnessedLog::new(&log, trusted.collect(), threshold).unwrap()
    };
    let two = relying(&witnesses, 2);
    assert_eq!(kept.reader().follow(&two), Ok(1));
    assert_eq!(log::LogAccess::witnesses(&two).len(), 3);
    witnesses[2].process.kill();
    log.submit(&entry(9, 1, b"y"), b"y").unwrap();
    assert_eq!(kept.reader().follow(&two), Ok(2));
    let cosigned = two.latest().unwrap().unwrap();
    let lines = witnesses.iter().filter(|one| log::cosigned_at(&cosigned, &one.key).is_some());
    assert_eq!(lines.count(), 2);
    let three = relying(&witnesses, 3);
    let refused = kept.reader().follow(&three).unwrap_err().to_string();
    assert!(refused.contains("too few witnesses cosigned: 2, but 3 are needed"), "{refused}");
    // Lines that the keeper does not show are not asked for without an address; another's line is none.
    let silent = |key: &VerifierKey| Witness { key: key.clone(), remote: None };
    let shown = WitnessedLog::new(&log, vec![silent(&witnesses[0].key)], 1).unwrap();
    let refused = shown.latest().unwrap_err().to_string();
    assert!(refused.contains("the keeper shows no line of it"), "{refused}");
    let mistaken =
        Witness { key: witnesses[0].key.clone(), remote: Some(remote(&witnesses[1].process.url)) };
    let mistaken = WitnessedLog::new(&log, vec![mistaken], 1).unwrap();
    let refused = mistaken.latest().unwrap_err().to_string();
    assert!(refused.contains("its line is not its cosignature"), "{refused}");
}

/// Two processes over one witness's memory would cosign two histories: the second does not begin.
#[test]
fn two_witnesses_do_not_share_a_memory() {
    let kept = Kept::new("");
    let witness = watch(&kept, 81);
    let config = witness.directory.path().join("second.toml");
    fs::copy(witness.directory.path().join("witness.toml"), &config).unwrap();
    let mut second = Command::new(std::env::current_exe().unwrap())
        .args(["server_process", "--exact", "--nocapture"])
        .env(WITNESS, &config)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(!second.wait().unwrap().success(), "it ends, and says why");
    assert!(!config.with_extension("address").exists(), "it never listened");
    let state = witness.directory.path().join("state");
    let held = DirectoryWitness::open(&state).err().unwrap();
    assert!(matches!(held, log::store::StoreError::Serving { .. }), "{held}");
}

/// The second history when it had three entries.
fn at_three(log: &DirectoryLog) -> log::SignedCheckpoint {
    let leaves: Vec<_> = log.leaves(0, 3).unwrap().iter().map(|leaf| leaf.to_bytes()).collect();
    let checkpoint = log::Checkpoint::new(origin(), 3, log::merkle::root(&leaves));
    checkpoint.sign(&PartyKey::generate(&mut rng()).identity()).unwrap()
}
