//! Key files with a passphrase: every command of a party opens them.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, path::Path};

use crate::common::{Ran, subrosa, succeed};

/// The commands of parties, without the key. What they need before they read it is there, and what they need
/// after that is not.
const COMMANDS: [&str; 20] = [
    "trustee run --board nowhere",
    "mix join --board nowhere",
    "election operate --board nowhere --until open",
    "election cast --board nowhere --credentials none --tracking none none.csv",
    "election answer --board nowhere --policy none --journal none",
    "election ask --board nowhere --out none none.toml",
    "trace init --board nowhere --title t --servers none --senders none",
    "trace init --engine db --board nowhere --title t --servers none --senders none",
    "trace deal --board nowhere",
    "trace serve --board nowhere --policy none --journal none",
    "trace submit --board nowhere soup",
    "trace mix --board nowhere",
    "trace query in --board nowhere --inputs all --outputs all",
    "trace query out --board nowhere --inputs all --outputs all",
    "trace query read --board nowhere ID",
    "trace query complain --board nowhere ID",
    "log submit LOG file --kind test/file",
    "table cosign sign none --state none --out none",
    "vole stock show none",
    "log witness witness.toml",
];

fn run(directory: &Path, command: &str, more: &[&str], passphrase: Option<&str>) -> Ran {
    let id = "00".repeat(32);
    let words = command.split_whitespace().map(|word| if word == "ID" { &id } else { word });
    let mut arguments: Vec<&str> = words.collect();
    if !command.starts_with("log witness") {
        arguments.extend(["--key", "sealed.key"]);
    }
    arguments.extend(more);
    let mut program = subrosa(directory, &arguments);
    program.stdin(std::process::Stdio::null());
    passphrase.map(|passphrase| program.env("SUBROSA_PASSPHRASE", passphrase));
    program.output().expect("the program starts").into()
}

#[test]
fn every_command_of_a_party_opens_a_sealed_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (file, text) in [("pass", "right\n"), ("wrong", "wrong\n"), ("file", "x")] {
        fs::write(path.join(file), text).unwrap();
    }
    succeed(path, &["keygen", "-o", "sealed.key", "--passphrase-file", "pass"]);
    succeed(path, &["log", "init", "LOG", "--origin", "example.org/log"]);
    let config = "listen = \"192.0.2.1:1\"\nname = \"w.example/w\"\nkey = \"sealed.key\"\n\
                  state = \"seen\"\nlogs = []\n[tls]\ncertificate = \"none\"\nkey = \"none\"\n";
    fs::write(path.join("witness.toml"), config).unwrap();
    for command in COMMANDS {
        let without = run(path, command, &[], None);
        assert!(without.err.contains("the key file has a passphrase"), "{command}: {without:?}");
        assert!(without.err.contains("SUBROSA_PASSPHRASE"), "{command}: {without:?}");
        assert_eq!(without.code, 2, "{command}: {without:?}");
        let wrong = run(path, command, &["--passphrase-file", "wrong"], Some("right"));
        let refused = "the passphrase does not open the key file";
        assert!(wrong.err.contains(refused), "{command}: {wrong:?}");
        for (more, variable) in [(&["--passphrase-file", "pass"][..], None), (&[], Some("right"))] {
            let opened = run(path, command, more, variable);
            assert!(!opened.err.contains("passphrase"), "{command}: {opened:?}");
            assert!(!opened.err.contains("unexpected argument"), "{command}: {opened:?}");
        }
    }
}

/// A passphrase that is there and cannot be read seals nothing: the key file is not written at all.
#[test]
fn a_passphrase_that_is_no_text_is_not_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let mut program = subrosa(path, &["keygen", "-o", "new.key"]);
    program.env("SUBROSA_PASSPHRASE", OsStr::from_bytes(b"\xff"));
    let ran: Ran = program.output().expect("the program starts").into();
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("SUBROSA_PASSPHRASE"), "{ran:?}");
    assert!(!path.join("new.key").exists());
}
