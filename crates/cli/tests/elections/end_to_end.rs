//! Whole elections with the built program: run, verified, tampered with, killed, run again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{election, fail, run, subrosa, succeed};

const BALLOTS: usize = 60;
const PATIENCE: Duration = Duration::from_secs(60);

const RUN: [&str; 5] = ["election", "run", "election", "--out", "out"];

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// A started run, killed when the test ends.
struct Started(Child);

impl Started {
    fn new(mut command: Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Waits for the end, and gives what was printed on standard error; the run must succeed.
    fn finish(mut self) -> String {
        let start = Instant::now();
        while self.0.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "the run does not end");
            thread::sleep(Duration::from_millis(5));
        }
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut self.0.stderr.take().unwrap(), &mut errors).unwrap();
        assert!(self.0.wait().unwrap().success(), "{errors}");
        errors
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The processes that have this text, which holds a path of this test's own, in their arguments.
fn processes(argument: &str) -> Vec<u32> {
    let pids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has_argument = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == argument.as_bytes())
    };
    pids.filter(has_argument).collect()
}

fn is_linux() -> bool {
    let is_linux = cfg!(target_os = "linux");
    if !is_linux {
        eprintln!("skipped: finding processes to kill needs /proc");
    }
    is_linux
}

fn kill(pid: u32) {
    // The shell's own: the program is not on every machine.
    let killed = Command::new("sh").args(["-c", &format!("kill -KILL {pid}")]).status();
    assert!(killed.unwrap().success());
}

#[test]
fn a_flipped_byte_in_any_file_of_a_published_bundle_is_found() {
    let directory = election(BALLOTS);
    let path = directory.path();
    let result = succeed(path, &[&["--json"], &RUN[..]].concat());
    let result: serde_json::Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["tally"]["ballots"], BALLOTS);
    assert_eq!(result["faults"], serde_json::json!([]));
    succeed(path, &["verify", "out/bundle"]);

    let bundle = path.join("out/bundle");
    for file in files(&bundle) {
        let name = file.strip_prefix(&bundle).unwrap().to_str().unwrap();
        let bytes = fs::read(&file).unwrap();
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(&file, changed).unwrap();
            let ran = run(path, &["verify", "out/bundle"]);
            assert_eq!(ran.code, 1, "{name}, byte {at}: {ran:?}");
            // A digest that is wrong is told by the file that it is about.
            let named = name == "bundle.json" && ran.err.contains("objects/");
            assert!(named || ran.err.contains(name), "{name}, byte {at}: {ran:?}");
        }
        fs::write(&file, bytes).unwrap();
    }
    succeed(path, &["verify", "out/bundle"]);
    fs::write(bundle.join("result.txt"), "nobody won").unwrap();
    fail(path, &["verify", "out/bundle"], 1, "`result.txt` is not in bundle.json");
    fs::remove_file(bundle.join("objects/board/00000002.entry")).unwrap();
    fs::remove_file(bundle.join("result.txt")).unwrap();
    fail(path, &["verify", "out/bundle"], 1, "objects/board/00000002.entry");
}

#[test]
fn a_finished_run_that_is_run_again_gives_the_same_bundle() {
    let directory = election(BALLOTS);
    let path = directory.path();
    // Nobody else runs there meanwhile.
    let first = Started::new(subrosa(path, &RUN));
    wait_for("lock", || path.join("out/secrets/lock").exists().then_some(()));
    wait_for("board", || path.join("out/board/checkpoint").exists().then_some(()));
    fail(path, &RUN, 3, "another run is using this folder");
    first.finish();
    let bundle = path.join("out/bundle");
    let all = || -> Vec<_> {
        files(&bundle).into_iter().map(|file| (fs::read(&file).unwrap(), file)).collect()
    };
    let (first, board) = (all(), files(&path.join("out/board")));
    succeed(path, &RUN);
    assert_eq!(all(), first);
    assert_eq!(files(&path.join("out/board")), board);

    // A bundle that was lost, or interrupted before its manifest, is written again.
    fs::remove_file(bundle.join("bundle.json")).unwrap();
    fs::remove_file(path.join("out/report.html")).unwrap();
    succeed(path, &RUN);
    assert_eq!(all(), first);
    // The report says by whose clock the polls closed.
    let report = fs::read_to_string(path.join("out/report.html")).unwrap();
    let clock = ["the clock of the board", "was simulated", "signed that they saw them close once"];
    assert!(clock.iter().all(|words| report.contains(words)), "{report}");

    // What is no bundle is nobody's to remove.
    fs::remove_file(bundle.join("bundle.json")).unwrap();
    fs::write(bundle.join("diary.txt"), "dear diary").unwrap();
    fail(path, &RUN, 2, "the folder holds files that do not belong to a bundle");
    assert!(bundle.join("diary.txt").exists());

    // Another election does not fit into the folder.
    let description = path.join("election/election.toml");
    let text = fs::read_to_string(&description).unwrap();
    fs::write(&description, text.replace("threshold = 2", "threshold = 3")).unwrap();
    fail(path, &RUN, 2, "another election");
}

#[test]
fn a_damaged_board_is_not_mistaken_for_none() {
    let directory = election(BALLOTS);
    let path = directory.path();
    succeed(path, &RUN);
    let journal = path.join("out/board/journal");
    let honest = fs::read(&journal).unwrap();
    for part in 1..8 {
        let mut bytes = honest.clone();
        bytes[honest.len() / 8 * part] ^= 1;
        fs::write(&journal, bytes).unwrap();
        let ran = run(path, &RUN);
        assert!([1, 2, 3].contains(&ran.code), "byte at {part}/8: {ran:?}");
    }
    // Its end is lost.
    fs::write(&journal, &honest[..honest.len() - 9]).unwrap();
    fail(path, &["board", "show", "--board", "out/board"], 2, "`checkpoint` shows");
    fs::write(&journal, honest).unwrap();
    succeed(path, &RUN);
}

#[test]
fn killed_trustees_and_mixers_are_started_again_and_go_on() {
    if !is_linux() {
        return;
    }
    let directory = election(BALLOTS);
    let path = directory.path();
    let run = Started::new(subrosa(path, &RUN));
    for party in ["trustee-1", "trustee-3", "mixer-1", "mixer-3"] {
        let key = format!("out/secrets/{party}.key");
        // Processes with a relative path of this name may be another test's.
        let own =
            |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == path);
        kill(wait_for(&key, || processes(&key).into_iter().find(own)));
    }
    let errors = run.finish();
    for party in ["trustee-1", "trustee-3", "mixer-1", "mixer-3"] {
        assert!(errors.contains(&format!("{party} ended")), "{errors}");
    }
    let verdict = succeed(path, &["--json", "verify", "out/bundle"]);
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["mixed_by"], serde_json::json!([1, 2, 3]));
    assert_eq!(statement["faults"], serde_json::json!([]));
    assert_eq!(statement["accepted"], BALLOTS);
}

#[test]
fn a_killed_run_leaves_nobody_behind_and_goes_on_when_run_again() {
    if !is_linux() {
        return;
    }
    let directory = election(BALLOTS);
    let path = directory.path();
    let own = |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == path);
    let alive = || processes("out/board").into_iter().filter(own).collect::<Vec<_>>();
    let exists = |file: &str| path.join("out").join(file).exists();
    let leaves = || {
        let checkpoint = fs::read_to_string(path.join("out/board/checkpoint")).unwrap_or_default();
        checkpoint.lines().nth(1).map_or(0, |size| size.parse::<u32>().unwrap())
    };
    // Keys, the set-up alone, the key generation, casting, the mixes, decryption, the bundle.
    for stage in 0..8 {
        let run = Started::new(subrosa(path, &RUN));
        let reached = || match stage {
            0 => exists("secrets/trustee-2.key"),
            7 => exists("bundle/objects/board/00000001.entry"),
            _ => leaves() >= [0, 2, 8, 14, 20, 24, 28][stage],
        };
        wait_for(&format!("stage {stage}"), || reached().then_some(()));
        kill(run.0.id());
        drop(run);
        wait_for("end of the children", || alive().is_empty().then_some(()));
    }
    succeed(path, &RUN);
    let verdict = succeed(path, &["--json", "verify", "out/bundle"]);
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    let statement = &verdict["claims"][0]["statement"];
    assert_eq!(statement["accepted"], BALLOTS);
    assert_eq!(statement["refused"], 0);
    assert_eq!(statement["faults"], serde_json::json!([]));
    let tracking = fs::read_to_string(path.join("out/tracking.csv")).unwrap();
    assert_eq!(tracking.lines().count(), BALLOTS + 1);
}
