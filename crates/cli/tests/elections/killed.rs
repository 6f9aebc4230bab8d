//! An election by hand whose keeper and parties are killed at any time and started again, and one of whose trustees
//! gets an old copy of its state back: nobody ever signs two things in one slot.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use log::{DirectoryLog, Follower, Header, LogAccess as _};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use crate::common::{copy_all, json, subrosa, succeed};

/// How long one election may take.
const PATIENCE: Duration = Duration::from_secs(300);
const BALLOTS: usize = 40;
/// A party's exit code when it must not sign any more.
const OUT: i32 = 5;

/// A process that is started again whenever it ends before its work is done.
struct Member {
    arguments: Vec<String>,
    child: Child,
    /// The exit code with which it ended for good.
    ended: Option<i32>,
}

/// All processes of an election, the keeper first.
struct Crew {
    root: PathBuf,
    members: Vec<Member>,
    rng: ChaCha20Rng,
    kills: usize,
}

impl Drop for Crew {
    fn drop(&mut self) {
        for member in &mut self.members {
            member.child.kill().ok();
            member.child.wait().ok();
        }
    }
}

impl Crew {
    fn spawn(root: &Path, arguments: &[String]) -> Child {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let log = fs::File::options().create(true).append(true).open(root.join("crew.log"));
        let log = log.expect("a log");
        let mut command = subrosa(root, &words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("a process")
    }

    fn start(&mut self, arguments: &[&str]) -> usize {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let child = Self::spawn(&self.root, &arguments);
        self.members.push(Member { arguments, child, ended: None });
        self.members.len() - 1
    }

    /// Starts those again who ended before their work was done.
    fn tend(&mut self) {
        for member in self.members.iter_mut().filter(|member| member.ended.is_none()) {
            match member.child.try_wait().expect("a process").map(|status| status.code()) {
                None => {}
                Some(Some(code @ (0 | OUT))) => member.ended = Some(code),
                Some(_) => member.child = Self::spawn(&self.root, &member.arguments),
            }
        }
    }

    /// Kills one of them, as often as is left to do.
    fn kill_one(&mut self, most: usize) {
        let alive: Vec<usize> =
            (0..self.members.len()).filter(|index| self.members[*index].ended.is_none()).collect();
        if self.kills < most && !alive.is_empty() {
            let index = alive[self.rng.next_u32() as usize % alive.len()];
            self.kill(index);
        }
    }

    fn kill(&mut self, index: usize) {
        let child = &mut self.members[index].child;
        self.kills += usize::from(child.kill().is_ok());
        child.wait().expect("a process");
    }

    /// Goes on until `done`, killing up to `most` in all.
    fn work(&mut self, most: usize, done: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !done(self) {
            let told = || fs::read_to_string(self.root.join("crew.log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "the election does not go on: {}", told());
            thread::sleep(Duration::from_millis(20 + u64::from(self.rng.next_u32() % 150)));
            self.kill_one(most);
            self.tend();
        }
    }

    fn is_done(&self, index: usize) -> bool {
        self.members[index].ended.is_some()
    }
}

/// An election in which this often somebody is killed, and then a trustee's state is restored from an old copy.
fn election(seed: u64, kills: usize) -> usize {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(example.join("examples/election/election.toml"), path.join("election.toml")).unwrap();
    let ballots =
        fs::read_to_string(example.join("crates/study/tests/data/ballots-100.csv")).unwrap();
    let ballots: Vec<&str> = ballots.lines().take(BALLOTS + 1).collect();
    fs::write(path.join("ballots.csv"), ballots.join("\n") + "\n").unwrap();
    let keygen = |name: &str| succeed(path, &["keygen", "-o", name]).trim_end().to_owned();
    let (operator, station) = (keygen("operator.key"), keygen("station.key"));
    let names = |role: &str| [1, 2, 3].map(|number| format!("{role}-{number}"));
    let (trustees, mixers) = (names("trustee"), names("mixer"));
    let keys = |names: &[String; 3]| names.each_ref().map(|name| keygen(name)).join(",");
    let (trustee_keys, mixer_keys) = (keys(&trustees), keys(&mixers));

    // A keeper comes back at the same address.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let made = succeed(path, &["log", "init", "board", "--origin", "example.org/board"]);
    let key = made.lines().find_map(|line| line.strip_prefix("log ")).unwrap();
    let config = format!(
        "listen = \"127.0.0.1:{port}\"\nlog = \".\"\noperator = \"{operator}\"\n\
         append_milliseconds = 20\n[admission]\npayload_bytes = 67108864\n"
    );
    fs::write(path.join("board/keeper.toml"), config).unwrap();
    let address = format!("http://127.0.0.1:{port}");
    let board = ["--board", &address, "--board-key", key];
    let rng = ChaCha20Rng::seed_from_u64(seed);
    let mut crew = Crew { root: path.to_owned(), members: Vec::new(), rng, kills: 0 };
    crew.start(&["log", "serve", "board/keeper.toml"]);
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < PATIENCE, "the keeper does not begin");
        thread::sleep(Duration::from_millis(10));
    }
    let register = ["election", "register", "election.toml", "--generate-for", "ballots.csv"];
    succeed(
        path,
        &[&register[..], &["--credentials", "credentials", "--roll", "roll.csv"]].concat(),
    );
    let init = ["election", "init", "election.toml", "--key", "operator.key", "--roll", "roll.csv"];
    let parties = [
        "--without-times",
        "--stations",
        &station,
        "--trustees",
        &trustee_keys,
        "--mixers",
        &mixer_keys,
    ];
    succeed(path, &[&init[..], &parties, &board].concat());

    let operate = ["election", "operate", "--key", "operator.key", "--patience", "15s", "--until"];
    let opening = crew.start(&[&operate[..], &["open"], &board].concat());
    // Alone it signs the first round of the keys and waits for the others: the copy lacks what it signs then.
    let trustee = |name| [&["trustee", "run", "--key", name], &board[..]].concat();
    let first = crew.start(&trustee("trustee-1"));
    let (state, old) = (path.join("trustee-1.state"), path.join("old"));
    crew.work(kills / 4, |_| outbox(&state).is_some_and(|outbox| outbox > 300));
    copy_all(&state, &old);
    for name in ["trustee-2", "trustee-3"] {
        crew.start(&trustee(name));
    }
    for name in &mixers {
        crew.start(&[&["mix", "join", "--key", name], &board[..]].concat());
    }
    crew.work(kills, |crew| crew.is_done(opening));
    let cast = ["election", "cast", "ballots.csv", "--key", "station.key"];
    let files = ["--credentials", "credentials", "--tracking", "tracking.csv"];
    let casting = crew.start(&[&cast[..], &files, &board].concat());
    crew.work(kills, |crew| crew.is_done(casting));
    crew.kill(first);
    assert!(outbox(&old) < outbox(&state), "the copy is old");
    fs::rename(&state, path.join("true")).unwrap();
    copy_all(&old, &state);
    crew.tend();
    let closing = crew.start(&[&operate[..], &["finished"], &board].concat());
    crew.work(kills, |crew| crew.is_done(closing) && crew.is_done(first));
    assert_eq!(crew.members[first].ended, Some(OUT), "a restored party is out");
    let told = fs::read_to_string(path.join("crew.log")).unwrap();
    let is_told = ["can no longer take part", "must not sign any more"]
        .iter()
        .any(|words| told.contains(words));
    assert!(is_told, "{told}");
    let kills = crew.kills;
    drop(crew);

    one_in_a_slot(&path.join("board"));
    succeed(path, &["election", "publish", "--board", "board", "--out", "out"]);
    let verdict = json(path, &["verify", "out/bundle"]);
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["accepted"], BALLOTS);
    // In the order in which they came.
    let decrypted = statement["decrypted_by"].to_string();
    assert!(["[2,3]", "[3,2]"].contains(&decrypted.as_str()), "{decrypted}");
    kills
}

/// How long the outbox of a state is, once there is one.
fn outbox(state: &Path) -> Option<u64> {
    let mut files = fs::read_dir(state).ok()?.flatten();
    let found = files.find(|file| file.path().extension().is_some_and(|name| name == "outbox"));
    Some(found?.metadata().ok()?.len())
}

/// Every slot of the log was signed for once.
fn one_in_a_slot(directory: &Path) {
    let log = DirectoryLog::open(directory).expect("a log");
    let mut reader = Follower::new(log.key().clone(), None).expect("a keeper's key");
    reader.follow(&log).expect("one history");
    let mut slots = BTreeMap::<_, BTreeSet<_>>::new();
    let of_parties = |header: &&Header| !header.kind().starts_with("log/");
    for header in reader.leaves().iter().map(|leaf| &leaf.header).filter(of_parties) {
        let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
        slots.entry(slot).or_default().insert(header.digest());
    }
    assert!(slots.len() > 20, "{}", slots.len());
    let twice: Vec<_> = slots.iter().filter(|(_, signed)| signed.len() > 1).collect();
    assert!(twice.is_empty(), "signed twice: {twice:?}");
}

#[test]
fn who_is_killed_or_restored_signs_nothing_twice() {
    assert!(election(1, 10) > 5);
}

#[test]
#[ignore = "takes minutes"]
fn killed_200_times_and_restored_20_times_nobody_signs_twice() {
    let mut kills = 0;
    for round in 0..20 {
        kills += election(100 + round, 12);
        println!("{kills} kills, {} restored copies", round + 1);
    }
    assert!(kills >= 200, "{kills}");
}
