//! An election by hand: every party a process of its own, the board served over TLS.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Stdio},
};

use crate::{
    common::{fail, subrosa, succeed},
    elections::keeper::Keeper,
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

/// A witness of a log, on this machine: its process, and how parties are told of it.
fn witness(path: &Path, log: &str) -> (Process, String) {
    succeed(path, &["keygen", "-o", "witness.key"]);
    let config = format!(
        "listen = \"127.0.0.1:0\"\nname = \"witness.example/w\"\nkey = \"witness.key\"\n\
         state = \"witnessed\"\nlogs = [\"{log}\"]\n"
    );
    fs::write(path.join("witness.toml"), config).unwrap();
    let mut process = Process::start(path, &["log", "witness", "witness.toml"]);
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let mut said = |what| {
        let line = lines.next().unwrap().unwrap();
        line.strip_prefix(what).unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    let (key, url) = (said("witness "), said("listening at "));
    (process, format!("{url}={key}"))
}

/// What is kept of a party's runs.
fn kept(path: &Path, key: &str) -> usize {
    let state = fs::read_dir(path.join(format!("{key}.state"))).unwrap();
    let names = state.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".secret")).count()
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
    fs::write(path.join("pass"), "four words of nobody\n").unwrap();
    let passphrase = ["--passphrase-file", "pass"];
    let operator = keygen("operator.key");
    let station = keygen("station.key");
    let trustees = ["trustee-1", "trustee-2", "trustee-3"];
    let mixers = ["mixer-1", "mixer-2", "mixer-3"];
    let sealed = succeed(path, &[&["keygen", "-o", "trustee-1"], &passphrase[..]].concat());
    let others = ["trustee-2", "trustee-3"].map(keygen).join(",");
    let trustee_keys = format!("{},{others}", sealed.trim_end());
    let mixer_keys = mixers.map(keygen).join(",");

    let keeper = Keeper::start(path, &operator, &[]);
    let address = keeper.address();
    let (_witness, named) = witness(path, &keeper.key);
    let witnesses = ["--witness", &named, "--quorum", "1"];
    let board = [&["--board", &address][..], &keeper.trust(), &witnesses].concat();

    let files = ["--description", "election.toml", "--ballots", "ballots.csv"];
    let made = ["--credentials", "credentials", "--roll", "roll.csv"];
    succeed(path, &[&["election", "register"], &files[..], &made].concat());
    let init = |key| {
        let files = ["--key", key, "--description", "election.toml", "--roll", "roll.csv"];
        let keys = [
            "--without-times",
            "--stations",
            &station,
            "--trustees",
            &trustee_keys,
            "--mixers",
            &mixer_keys,
        ];
        [&["election", "init"], &board[..], &files, &keys].concat().join("\n")
    };
    // Nobody but the operator that the keeper knows begins a board there.
    keygen("stranger.key");
    let stranger = init("stranger.key");
    fail(path, &stranger.split('\n').collect::<Vec<_>>(), 5, "may not write to this log");
    let id = succeed(path, &init("operator.key").split('\n').collect::<Vec<_>>());
    let expect = ["--expect", id.trim_end()];

    let join = |command: [&str; 2], key: &str| {
        let more: &[&str] = match key {
            "trustee-1" => &passphrase,
            "mixer-2" => &["--keep-secrets-until", "2999-12-31"],
            _ => &[],
        };
        Process::start(path, &[&command[..], &board, &expect, &["--key", key], more].concat())
    };
    let sealed = [&["trustee", "run", "--key", "trustee-1"], &board[..]].concat();
    fail(path, &sealed, 2, "the key file has a passphrase");
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
    // The publisher's witness cosigned what is published.
    let cosigned = statement["log"]["witnesses"].as_array().unwrap();
    assert_eq!(
        (cosigned.len(), &cosigned[0]["key"]),
        (1, &named.split_once('=').unwrap().1.into())
    );
    let told = succeed(path, &["verify", "out/bundle"]);
    assert!(told.contains("cosigned by 1 of 1 named witnesses: witness.example/w+"), "{told}");

    // What parties drew is erased when their work is done, unless they keep it.
    for (name, expected) in trustees.iter().chain(&mixers).map(|name| (name, *name == "mixer-2")) {
        assert_eq!(kept(path, name), usize::from(expected), "{name}");
    }
    let again = [&["trustee", "run", "--key", "trustee-2"], &board[..], &expect].concat();
    succeed(path, &again);
    assert_eq!(kept(path, "trustee-2"), 0);
    assert_eq!(succeed(path, &["forget", "--key", "mixer-2"]), "erased the secrets of 1 run\n");
    assert_eq!(kept(path, "mixer-2"), 0);

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
    fail(path, &unknown, 2, "give the key that `subrosa log init` printed");
}
