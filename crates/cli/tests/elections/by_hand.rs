//! An election by hand: every party a process of its own, the board served over TLS.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
};

use crate::{
    common::{fail, subrosa, succeed},
    keeper::Keeper,
};

/// A process that is stopped when the test ends.
struct Process(Child);

impl Process {
    fn start(directory: &Path, arguments: &[&str]) -> Self {
        let mut command = subrosa(directory, arguments);
        Self(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn succeeds(mut self) {
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn separate_processes_over_tls_run_an_election_that_verifies() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("examples/election/election.toml"), path.join("election.toml")).unwrap();
    let ballots = fs::read_to_string(root.join("crates/study/tests/data/ballots-100.csv")).unwrap();
    fs::write(path.join("ballots.csv"), ballots).unwrap();

    let keygen = |name: &str| succeed(path, &["keygen", "-o", name]).trim_end().to_owned();
    let operator = keygen("operator.key");
    let station = keygen("station.key");
    let trustees = ["trustee-1", "trustee-2", "trustee-3"];
    let mixers = ["mixer-1", "mixer-2", "mixer-3"];
    let trustee_keys = trustees.map(keygen).join(",");
    let mixer_keys = mixers.map(keygen).join(",");

    let keeper = Keeper::start(path, &operator, &[]);
    let address = keeper.address();
    let board = [&["--board", &address][..], &keeper.trust()].concat();

    let files = ["--description", "election.toml", "--ballots", "ballots.csv"];
    let made = ["--credentials", "credentials", "--roll", "roll.csv"];
    succeed(path, &[&["election", "register"], &files[..], &made].concat());
    let init = |key| {
        let files = ["--key", key, "--description", "election.toml", "--roll", "roll.csv"];
        let keys = ["--stations", &station, "--trustees", &trustee_keys, "--mixers", &mixer_keys];
        [&["election", "init"], &board[..], &files, &keys].concat().join("\n")
    };
    // Nobody but the operator that the keeper knows begins a board there.
    keygen("stranger.key");
    let stranger = init("stranger.key");
    fail(path, &stranger.split('\n').collect::<Vec<_>>(), 5, "is not among those who write here");
    let id = succeed(path, &init("operator.key").split('\n').collect::<Vec<_>>());
    let expect = ["--expect", id.trim_end()];

    let join = |command: [&str; 2], key: &str| {
        Process::start(path, &[&command[..], &board, &expect, &["--key", key]].concat())
    };
    let mut crew: Vec<Process> =
        trustees.iter().map(|name| join(["trustee", "run"], name)).collect();
    crew.extend(mixers.iter().map(|name| join(["mix", "join"], name)));
    let operate = |until| {
        let operate = ["election", "operate", "--key", "operator.key", "--until", until];
        succeed(path, &[&operate[..], &board, &expect].concat());
    };
    operate("open");
    let cast = ["election", "cast", "--key", "station.key", "--credentials", "credentials"];
    let ballots = ["--ballots", "ballots.csv", "--tracking", "tracking.csv"];
    succeed(path, &[&cast[..], &ballots, &board, &expect].concat());
    operate("finished");
    crew.into_iter().for_each(Process::succeeds);
    succeed(path, &[&["election", "publish", "--out", "out"], &board[..], &expect].concat());

    let verdict = succeed(path, &["--json", "verify", "out/bundle"]);
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["election"], id.trim_end());
    assert_eq!(statement["log"]["key"], keeper.key.as_str());
    assert_eq!(statement["accepted"], 100);
    assert_eq!(statement["mixed_by"], serde_json::json!([1, 2, 3]));
    assert!(path.join("out/report.html").exists());

    let tracking = fs::read_to_string(path.join("tracking.csv")).unwrap();
    let (voter, code) = tracking.lines().nth(42).unwrap().split_once(',').unwrap();
    let track = |code| [&["election", "track", code], &board[..], &expect].concat();
    assert!(succeed(path, &track(code)).contains(voter));
    fail(path, &track("7ZK2-QD0V-M4XA-9HTB-C3W6"), 1, "no accepted ballot has the code");

    // Another certificate is not trusted, and nobody but a party writes.
    let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    fs::write(path.join("other.pem"), other.cert.pem()).unwrap();
    let status = ["election", "status", "--board", &address, "--board-key", &keeper.key];
    fail(path, &[&status[..], &["--tls-trust", "other.pem"]].concat(), 3, "");
    // Whose log it is must be said.
    let unknown = ["election", "status", "--board", &address, "--tls-trust", "chain.pem"];
    fail(path, &unknown, 2, "name the key that `subrosa log init` printed");
}
