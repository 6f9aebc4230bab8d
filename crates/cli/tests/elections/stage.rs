//! An election by hand whose voters vote from devices of their own: the stage of tests about them.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read, Write as _},
    net::TcpListener,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use ::log::{
    DirectoryLog, LogAccess, PartyKey,
    store::{FileOutbox, system_clock},
};
use board::{
    Identity,
    logged::{Desk, Drawer, LogBoard},
};
use client::logs::RemoteLog;
use serde_json::Value;
use study::{
    description::Schedule,
    election::{
        Session, TereliusWikstrom,
        voter::{Receipt, Submission},
    },
};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

use crate::{
    common::{json, run, subrosa, succeed},
    elections::keeper::Keeper,
};

/// A process that is stopped when the test ends.
pub struct Process(pub Child);

impl Process {
    /// Starts the program, which says what it says to nobody.
    pub fn start(path: &Path, arguments: &[&str]) -> Self {
        let mut command = subrosa(path, arguments);
        Self(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An election whose polls are open, with an honest station.
pub struct Polls {
    directory: TempDir,
    /// The honest station's address.
    pub station: String,
    keeper: Option<Keeper>,
    _crew: Vec<Process>,
}

const VOTERS: [&str; 3] = ["Ana", "Ben", "Cyd"];

impl Polls {
    /// Ana, Ben and Cyd may vote, on a board in a directory.
    pub fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let line =
            |name| succeed(directory.path(), &["vote", "keygen", "-o", name, "--name", name]);
        let voters: String = VOTERS.into_iter().map(line).collect();
        Self::open_for(directory, &voters, false)
    }

    /// These voters may vote: lines of the registrar's file. The board may have a keeper.
    pub fn open_for(directory: TempDir, voters: &str, is_kept: bool) -> Self {
        let path = directory.path();
        let opens = Schedule::in_words(system_clock() / 1000 - 10);
        let closes = Schedule::in_words(system_clock() / 1000 + 86_400);
        let description = format!(
            "title = \"Lunch\"\nquestion = \"What for lunch?\"\ncandidates = [\"Soup\", \"Salad\", \"Stew\"]\n\
             max_ranks = 3\nrules = [\"irv\"]\ntrustees = 1\nthreshold = 1\nmixers = 1\nminimum_mixers = 1\n\
             opens = \"{opens}\"\ncloses = \"{closes}\"\n"
        );
        fs::write(path.join("election.toml"), description).unwrap();
        let keygen = |name: &str| succeed(path, &["keygen", "-o", name]).trim_end().to_owned();
        let parties = ["operator", "station-1", "station-2", "trustee", "mixer"].map(keygen);
        let [operator, first, second, trustee, mixer] = &parties;
        let keeper = is_kept.then(|| Keeper::start(path, operator, &[]));
        let own = vec!["--board".to_owned(), "board".to_owned()];
        let board = keeper.as_ref().map_or(own, |keeper| {
            let trust = keeper.trust().map(str::to_owned);
            [vec!["--board".to_owned(), keeper.address()], trust.to_vec()].concat()
        });
        let words: Vec<&str> = board.iter().map(String::as_str).collect();

        fs::write(path.join("voters.csv"), format!("voter,public_key\n{voters}")).unwrap();
        let register = ["election", "register", "election.toml", "--voters", "voters.csv"];
        succeed(path, &[&register[..], &["--roll", "roll.csv"]].concat());
        let stations = format!("{first},{second}");
        let init = ["election", "init", "election.toml", "--key", "operator"];
        let who = ["--stations", &stations, "--trustees", trustee, "--mixers", mixer];
        succeed(path, &[&init[..], &words, &["--roll", "roll.csv"], &who].concat());

        let join = |command: [&str; 2], key| {
            Process::start(path, &[&command[..], &words, &["--key", key]].concat())
        };
        let mut crew = vec![join(["trustee", "run"], "trustee"), join(["mix", "join"], "mixer")];
        let operate = ["election", "operate", "--key", "operator", "--until", "open"];
        succeed(path, &[&operate[..], &words].concat());
        let (process, station) = serve(path, &words);
        crew.push(process);
        Self { directory, station, keeper, _crew: crew }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn seal(&self, voter: &str, file: &str, ranking: &[&str]) -> Value {
        let options = ["--board", "board", "--key", voter, "-o", file];
        json(self.path(), &[&["vote", "seal"], ranking, &options].concat())
    }

    pub fn submit<'a>(&'a self, voter: &'a str, file: &'a str, station: &'a str) -> Vec<&'a str> {
        let options = ["--board", "board", "--key", voter, "--station", station];
        [&["vote", "submit", file][..], &options].concat()
    }

    pub fn check(&self, file: &str) -> (i32, Value) {
        let ran = run(self.path(), &["--json", "vote", "check", file, "--board", "board"]);
        (ran.code, serde_json::from_str(&ran.out).unwrap())
    }

    /// Waits until a ballot is on the board.
    pub fn posted(&self, file: &str) -> (i32, Value) {
        let start = Instant::now();
        loop {
            let (code, found) = self.check(file);
            if found["standing"] != "missing" || start.elapsed() > Duration::from_secs(60) {
                return (code, found);
            }
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// The board as a party sees it that speaks there.
    pub fn session(&self, party: &str) -> Session {
        let log: Box<dyn LogAccess> = match &self.keeper {
            None => Box::new(DirectoryLog::open(&self.path().join("board")).unwrap()),
            Some(keeper) => {
                let roots = fs::read(self.path().join("chain.pem")).unwrap();
                let key = keeper.key.parse().unwrap();
                Box::new(RemoteLog::connect(&keeper.address(), Some(key), &roots).unwrap())
            }
        };
        session_of(log, self.path(), party)
    }

    /// What the station `station-2` does with a ballot that it was handed: whatever `cheat` does, and a receipt.
    pub fn cheating_station(
        &self,
        cheat: impl FnOnce(&Submission, &mut Session, &Identity) + Send + 'static,
    ) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let root = self.path().to_owned();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let submission =
                Submission::<TereliusWikstrom>::from_bytes(&body(&mut stream)).unwrap();
            let station = PartyKey::load(&root.join("station-2")).unwrap().identity();
            let log = DirectoryLog::open(&root.join("board")).unwrap();
            let mut session = session_of(Box::new(log), &root, "station-2");
            cheat(&submission, &mut session, &station);
            let booth = session.election().booth().unwrap();
            let tracker = submission.tracker(booth);
            let due = system_clock() / 1000 + 1;
            let receipt = Receipt::sign(&station, booth.election, tracker, due).to_bytes();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", receipt.len());
            stream.write_all(&[head.as_bytes(), &receipt].concat()).unwrap();
        });
        url
    }
}

/// Starts the honest station; its address.
pub fn serve(path: &Path, board: &[&str]) -> (Process, String) {
    let serve = ["station", "serve", "--key", "station-1", "--queue", "queue"];
    let mut command = subrosa(path, &[&serve[..], board, &["--listen", "127.0.0.1:0"]].concat());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim_end().strip_prefix("listening at ").unwrap().to_owned();
    (Process(child), url)
}

/// The body of a request.
fn body(stream: &mut impl Read) -> Vec<u8> {
    let (mut got, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let head = got.windows(4).position(|end| end == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&got[..head]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.unwrap().trim().parse().unwrap();
            if got.len() >= head + 4 + length {
                return got[head + 4..].to_vec();
            }
        }
        let read = stream.read(&mut buffer).unwrap();
        assert_ne!(read, 0, "the request ended early");
        got.extend_from_slice(&buffer[..read]);
    }
}

/// The board as a party sees it that speaks there.
fn session_of(log: Box<dyn LogAccess>, root: &Path, party: &str) -> Session {
    let outbox = root.join(format!("{party}.outbox"));
    let open = move |log: &::log::note::VerifierKey, author: &board::AuthorId| {
        FileOutbox::open(&outbox, log, author).map(Drawer::new).map_err(|error| error.to_string())
    };
    let desk = Desk::new(Box::new(open), || system_clock() / 1000, || [7; 16]);
    Session::over(Box::new(LogBoard::open(log, desk, None).unwrap())).unwrap()
}
