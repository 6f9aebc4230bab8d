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

use client::logs::{RemoteLog, RemoteWitness, Witnessed};
use log::{
    AccessError, AddCheckpoint, Evidence, FollowError, Follower, Header, Identity, LogAccess,
    Origin, PartyKey, Quorum, Standing,
    note::VerifierKey,
    store::{DirectoryLog, DirectoryWitness},
};
use services::logs::{KeeperConfig, WitnessLogsConfig};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

const KEEPER: &str = "SUBROSA_TEST_KEEPER";
const WITNESS: &str = "SUBROSA_TEST_WITNESS";
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
    assert!(refused(&log, &tick, b"").contains("keeper's"));
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
    let before = reader.follow(&log).unwrap();
    append(&log, 9, 80, b"after");
    assert!(reader.follow(&log).unwrap() > before.min(0));
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
        assert!(refused.to_string().contains("not among those who write"), "{refused}");
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

/// The second history when it had three entries.
fn at_three(log: &DirectoryLog) -> log::SignedCheckpoint {
    let leaves: Vec<_> = log.leaves(0, 3).unwrap().iter().map(|leaf| leaf.to_bytes()).collect();
    let checkpoint = log::Checkpoint::new(origin(), 3, log::merkle::root(&leaves));
    checkpoint.sign(&PartyKey::generate(&mut rng()).identity()).unwrap()
}
