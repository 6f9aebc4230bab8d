//! An election of version 2 between processes: the board served over TLS, voters' devices and a station, from the keys
//! to the bundle.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use ::log::store::system_clock;
use serde_json::{Value, json as object};
use study::description::Schedule;

use crate::{
    common::{fail, json, run, succeed},
    elections::{
        keeper::Keeper,
        stage::{Process, serve},
    },
};

const DESCRIPTION: &str = r#"title = "Lunch"
question = "What for lunch?"
candidates = ["Soup", "Salad", "Stew"]
max_ranks = 3
rules = ["irv"]
trustees = 3
threshold = 2
mixers = 2
minimum_mixers = 1
"#;
/// Who votes for many at once.
const MANY: &str = "voter,rank1,rank2,rank3\nV1,Stew,,\nV2,Soup,Stew,\nV3,Stew,Salad,\n";
/// Seconds that the polls are open, by clocks that nobody sets.
const OPEN: u64 = 75;

/// A board behind an address.
struct Board<'a> {
    path: &'a Path,
    where_it_is: Vec<&'a str>,
}

impl Board<'_> {
    fn on<'b>(&'b self, arguments: &[&'b str]) -> Vec<&'b str> {
        [arguments, &self.where_it_is].concat()
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        succeed(self.path, &self.on(arguments))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        json(self.path, &self.on(arguments))
    }

    /// Waits until a ballot is on the board: what the check says then.
    fn posted(&self, file: &str) -> Value {
        let start = Instant::now();
        loop {
            let ran = run(self.path, &self.on(&["--json", "vote", "check", file]));
            let found: Value = serde_json::from_str(&ran.out).unwrap();
            if found["standing"] != "missing" || start.elapsed() > Duration::from_secs(30) {
                return found;
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
}

/// The roll, of voters with devices of their own and of one who makes the keys of many.
fn register(path: &Path) {
    let own = ["Ana", "Ben"].map(|name| {
        let key = format!("{name}.key");
        succeed(path, &["vote", "keygen", "-o", &key, "--name", name])
    });
    fs::write(path.join("many.csv"), MANY).unwrap();
    let batch =
        ["vote", "keygen", "--batch", "many.csv", "-o", "many.keys", "--lines", "lines.csv"];
    assert_eq!(succeed(path, &batch), "3 voters\n");
    let lines = fs::read_to_string(path.join("lines.csv")).unwrap();
    // Again, the same keys.
    fs::remove_file(path.join("lines.csv")).unwrap();
    succeed(path, &batch);
    assert_eq!(fs::read_to_string(path.join("lines.csv")).unwrap(), lines);
    fs::write(path.join("voters.csv"), format!("{lines}{}", own.concat())).unwrap();
    let voters = ["--voters", "voters.csv", "--roll", "roll.csv"];
    succeed(path, &[&["election", "register", "election.toml"], &voters[..]].concat());
}

/// Ana audits one ballot and casts another, Ben votes twice.
fn vote(board: &Board<'_>, station: &str) {
    let seal = |voter, file, ranking: &[&str]| {
        board.json(&[&["vote", "seal", "--key", voter, "-o", file], ranking].concat())
    };
    let submit = |voter, file| {
        board.succeed(&["vote", "submit", file, "--key", voter, "--station", station]);
    };
    assert!(board.succeed(&["vote", "check-roll", "--key", "Ana.key"]).contains("Ana"));
    let audited = seal("Ana.key", "practice", &["Salad"]);
    board.succeed(&["vote", "audit", "practice"]);
    let code = audited["code"].as_str().unwrap();
    let second = ["vote", "audit", "practice.audit", "--second-device", "--code", code, "Salad"];
    board.succeed(&second);
    seal("Ana.key", "ana", &["Stew", "Soup"]);
    submit("Ana.key", "ana");
    seal("Ben.key", "first", &["Stew"]);
    submit("Ben.key", "first");
    seal("Ben.key", "ben", &["Soup"]);
    submit("Ben.key", "ben");
    for file in ["ana", "ben"] {
        let found = board.posted(file);
        assert_eq!(found["standing"], "counts", "{found}");
    }
    let many = ["election", "cast", "many.csv", "--credentials", "many.keys", "--key", "station-2"];
    board.succeed(&[&many[..], &["--tracking", "tracking.csv"]].concat());
}

#[test]
fn an_election_with_times_over_tls_from_the_keys_to_the_bundle() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("election.toml"), DESCRIPTION).unwrap();
    register(path);
    let keygen = |name: &str| succeed(path, &["keygen", "-o", name]).trim_end().to_owned();
    let keys = |names: &[&str]| names.iter().map(|name| keygen(name)).collect::<Vec<_>>().join(",");
    let operator = keygen("operator");
    let stations = keys(&["station-1", "station-2"]);
    let (trustee_names, mixer_names) =
        (["trustee-1", "trustee-2", "trustee-3"], ["mixer-1", "mixer-2"]);
    let (trustees, mixers) = (keys(&trustee_names), keys(&mixer_names));
    let keeper = Keeper::start(path, &operator, &[]);
    let address = keeper.address();
    let where_it_is = [&["--board", address.as_str()][..], &keeper.trust()].concat();
    let board = Board { path, where_it_is };

    let begins = system_clock() / 1000;
    let [opens, closes] = [begins, begins + OPEN].map(Schedule::in_words);
    let init = ["election", "init", "election.toml", "--key", "operator", "--roll", "roll.csv"];
    let times = ["--opens", &opens, "--closes", &closes];
    let who = ["--stations", &stations, "--trustees", &trustees, "--mixers", &mixers];
    let begun = board.json(&[&init[..], &times, &who].concat());
    let words = begun["words"].as_str().unwrap();

    // Who heard other words takes no part; who heard these does, however they were written down.
    let agreement = |name: &str, words: &str| {
        fs::write(path.join(name), format!("words = {words:?}\nminimum_ballots = 5\n")).unwrap();
    };
    agreement("other.toml", &words.replace(|letter: char| letter.is_ascii_lowercase(), "b"));
    agreement("heard.toml", &words.to_uppercase().replace(' ', "-"));
    let other = board.on(&["trustee", "run", "--key", "trustee-1", "--agreement", "other.toml"]);
    fail(path, &other, 2, "this party takes no part in the election: its words are");
    let join = |command: [&str; 2], name: &&str| {
        let own = ["--key", name, "--agreement", "heard.toml"];
        Process::start(path, &board.on(&[&command[..], &own].concat()))
    };
    let trustees = trustee_names.iter().map(|name| join(["trustee", "run"], name));
    let mut crew: Vec<Process> = trustees.collect();
    crew.extend(mixer_names.iter().map(|name| join(["mix", "join"], name)));
    board.succeed(&["election", "operate", "--key", "operator", "--until", "open"]);

    let (_serving, station) = serve(path, &board.where_it_is);
    vote(&board, &station);
    assert!(system_clock() / 1000 < begins + OPEN, "this machine is too slow for these polls");
    // It waits until the log says that the polls are over.
    board.succeed(&["election", "operate", "--key", "operator", "--until", "finished"]);
    for party in &mut crew {
        assert!(party.0.wait().unwrap().success());
    }
    board.succeed(&["election", "publish", "--out", "out"]);
    published(path, &begun, &keeper.key);
}

/// What anybody sees of it.
fn published(path: &Path, begun: &Value, key: &str) {
    let verdict = json(path, &["verify", "out/bundle"]);
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["election"], begun["board"]);
    assert_eq!(statement["log"]["key"], key);
    assert_eq!((&statement["accepted"], &statement["refused"]), (&object!(5), &object!(0)));
    assert_eq!(statement["faults"], object!([]));
    assert_eq!(statement["mixed_by"], object!([1, 2]));
    assert_eq!(statement["course"]["quorum"], 3);
    assert_eq!(statement["course"]["confirmed_by"], object!([1, 2, 3]));
    // Stew: Ana, V1, V3; Soup: Ben, who changed his mind, and V2.
    let standing = &statement["tally"]["irv"]["rounds"][0]["standing"];
    let mut first: Vec<_> =
        standing.as_array().unwrap().iter().map(|one| one["ballots"].as_u64().unwrap()).collect();
    first.sort_unstable();
    assert_eq!(first, [0, 2, 3], "{standing}");
    for (file, standing) in [("ana", "counts"), ("ben", "counts"), ("first", "superseded")] {
        let ran = run(path, &["--json", "vote", "check", file, "--bundle", "out/bundle"]);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(found["standing"], standing, "{found}");
    }
}
