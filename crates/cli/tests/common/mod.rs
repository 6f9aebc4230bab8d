//! Runs the program.
#![allow(dead_code, reason = "every test file uses another part")]

use std::{ffi::OsStr, fs, path::Path, process::Command};

use clap::Parser;
use cli::{dealer, failure::Failure, output::Output};
use serde_json::Value;
use tempfile::TempDir;

pub use test_support::program::Ran;

/// The program, in a directory, without a terminal.
pub fn subrosa(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_subrosa"));
    command.current_dir(directory).args(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("TERM", "xterm-256color");
    command
}

/// Runs the program to its end. Whatever bundle it verifies, `subrosa-verify` says the same of it.
pub fn run(directory: &Path, arguments: &[&str]) -> Ran {
    let ran = subrosa(directory, arguments).output().expect("the program starts");
    let ran = Ran::from(ran);
    if let ["verify", bundle, options @ ..] | ["--json", "verify", bundle, options @ ..] = arguments
    {
        let bundle = directory.join(bundle);
        let json = (arguments[0] == "--json").then_some("--json");
        let arguments: Vec<&OsStr> = [OsStr::new("subrosa-verify"), bundle.as_os_str()]
            .into_iter()
            .chain(options.iter().copied().chain(json).map(OsStr::new))
            .collect();
        compare(&ran, &directory.join(""), &arguments);
    }
    ran
}

/// Sees that `subrosa-verify` ends and prints as the program did, which names files from its directory.
fn compare(ran: &Ran, directory: &Path, arguments: &[&OsStr]) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = arguments.iter().map(|argument| (*argument).to_owned());
    let code = subrosa_verify::run(arguments, &mut out, &mut err).expect("memory takes words");
    let here = directory.to_str().expect("a path in UTF-8");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints text").replace(here, "");
    assert_eq!(
        (i32::from(code), text(out), text(err)),
        (ran.code, ran.out.clone(), ran.err.clone())
    );
}

/// Runs the program, which must succeed, and returns what it printed.
pub fn succeed(directory: &Path, arguments: &[&str]) -> String {
    let ran = run(directory, arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran.out
}

/// Runs the program, which must succeed, and reads what it says for machines.
pub fn json(directory: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(directory, &[&["--json"], arguments].concat())).expect("JSON")
}

/// Runs the program, which must end with `code` and say `message`.
pub fn fail(directory: &Path, arguments: &[&str], code: i32, message: &str) {
    let ran = run(directory, arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
    assert!(ran.err.contains(message), "{arguments:?}: {message}: {ran:?}");
}

#[derive(Parser)]
struct Dealer {
    #[command(flatten)]
    args: dealer::Args,
}

/// Makes a key as `subrosa-lab key` does.
pub fn deal(directory: &Path, arguments: &str) -> Result<(), Failure> {
    const FILES: [&str; 4] = ["--r1cs", "--phase1", "--out", "--verification-key"];
    let mut line = vec![directory.join("key").into_os_string()];
    let mut is_file = false;
    for word in arguments.split_whitespace() {
        line.push(if is_file { directory.join(word).into() } else { word.into() });
        is_file = FILES.contains(&word);
    }
    let Dealer { args } = Dealer::try_parse_from(line).expect("options of `subrosa-lab key`");
    dealer::run(&args, &Output::new(true))
}

/// Copies everything in a directory into another, which is made if it is not there.
pub fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy_all(&path, &place),
            false => drop(fs::copy(path, place).expect("a copy")),
        }
    }
}

/// The names of all files in a directory, sorted.
pub fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.map(|entry| entry.file_name());
    let names = entries.map(|entry| name(entry).expect("an entry").into_string());
    let mut names: Vec<_> = names.map(|name| name.expect("a name in UTF-8")).collect();
    names.sort();
    names
}

/// A directory with a folder `election` of so many real ballots.
pub fn election(ballots: usize) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = directory.path().join("election");
    fs::create_dir(&folder).unwrap();
    fs::copy(root.join("examples/election/election.toml"), folder.join("election.toml")).unwrap();
    let all = fs::read_to_string(root.join("crates/study/tests/data/ballots-100.csv")).unwrap();
    let ballots: Vec<&str> = all.lines().take(ballots + 1).collect();
    fs::write(folder.join("ballots.csv"), ballots.join("\n") + "\n").unwrap();
    directory
}

/// Writes something else into a file where something stands.
pub fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}
