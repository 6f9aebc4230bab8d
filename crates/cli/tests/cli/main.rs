//! The command line as people and scripts meet it: every help text, every misuse, plain output.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[path = "../common/mod.rs"]
mod common;

use std::path::Path;

use common::{run, subrosa};

/// The data is in `tests/cmd`; `TRYCMD=overwrite` writes what the program says now.
#[test]
fn helps_and_refuses_as_written_down() {
    let cases = trycmd::TestCases::new();
    cases.env("COLUMNS", "100").env("NO_COLOR", "1").case("tests/cmd/*.trycmd");
}

const MIX_FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/mix.in");

/// A command that succeeds and draws bars on a terminal, and one that fails.
const RUNS: [&[&str]; 2] = [
    &["mix", "verify", "ciphertexts", "--key", "public.key", "first.mix"],
    &["mix", "verify", "ciphertexts", "--key", "public.key", "altered.mix"],
];

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !c.is_control())
}

#[test]
fn pipes_get_neither_colours_nor_bars() {
    for arguments in RUNS {
        let ran = run(Path::new(MIX_FILES), arguments);
        assert!(is_plain(&ran.out) && is_plain(&ran.err), "{ran:?}");
    }
    let ran = run(Path::new(MIX_FILES), RUNS[0]);
    assert_eq!(ran.err, "");
}

#[test]
fn no_color_wins_over_a_terminal() {
    let coloured = |no_color: bool| {
        let mut command = subrosa(Path::new(MIX_FILES), RUNS[1]);
        command.env("CLICOLOR_FORCE", "1");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let ran: common::Ran = command.output().unwrap().into();
        !is_plain(&ran.err)
    };
    assert!(coloured(false));
    assert!(!coloured(true));
}

#[test]
fn machines_get_one_object_and_people_the_same_words() {
    for (arguments, kind, code) in [
        (["mix", "verify", "missing", "--key", "public.key", "first.mix"], "input", 2),
        (["mix", "verify", "ciphertexts", "--key", "public.key", "altered.mix"], "refused", 1),
    ] {
        let arguments = [&["--json"], arguments.as_slice()].concat();
        let ran = run(Path::new(MIX_FILES), &arguments);
        assert_eq!(ran.code, code);
        let object: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let error = &object["error"];
        assert_eq!(error["kind"], kind);
        assert!(ran.err.contains(error["message"].as_str().unwrap()));
        assert!(error["hint"].as_str().is_none_or(|hint| ran.err.contains(hint)));
    }
}

#[test]
fn old_names_answer_with_the_new_ones() {
    for (arguments, now) in [
        (&["bench", "shuffle", "--voters", "5"][..], "`subrosa-lab bench shuffle --voters 5`"),
        (&["reproduce", "list"], "`subrosa-lab reproduce list`"),
        (&["table", "attack-demo"], "`subrosa-lab attack table`"),
    ] {
        let ran = run(Path::new(MIX_FILES), arguments);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(now), "{ran:?}");
    }
}

/// Arguments that had other names are taken as before, wherever they stand.
#[test]
fn old_spellings_of_arguments_are_taken() {
    let now = run(Path::new(MIX_FILES), RUNS[0]);
    assert_eq!(now.code, 0);
    for before in [
        "mix verify --key public.key --in ciphertexts first.mix",
        "mix verify first.mix --in=ciphertexts --key public.key",
        "mix --json verify --key public.key --in ciphertexts first.mix",
        "--json mix verify --in ciphertexts --key public.key first.mix",
    ] {
        let ran = run(Path::new(MIX_FILES), &before.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{before}: {ran:?}");
        assert!(before.contains("--json") || ran.out == now.out, "{before}: {ran:?}");
    }
    let directory = tempfile::tempdir().unwrap();
    for (before, after) in [
        ("board keygen --key 1", "board keygen -o 1"),
        (
            "election register --ballots 2 --description 1 --credentials 3 --roll 4",
            "election register 1 --generate-for 2 --credentials 3 --roll 4",
        ),
        ("table verify bundle --table 00", "table verify bundle --expect-table 00"),
        (
            "ceremony phase2 verify 1 --circuit 2 --phase1 3",
            "ceremony phase2 verify 1 --r1cs 2 --phase1 3",
        ),
        (
            "vole stock make 1 --as prover --bits 1 --values 1 --connect tcp://127.0.0.1:9 \
          --connect-timeout-seconds 0",
            "vole stock make -o 1 --as prover --bits 1 --values 1 --connect tcp://127.0.0.1:9 \
          --connect-timeout 0s",
        ),
    ] {
        let said = |line: &str| {
            let directory = directory.path();
            let ran = run(directory, &line.split_whitespace().collect::<Vec<_>>());
            let _ = std::fs::remove_file(directory.join("1"));
            (ran.code, if ran.code == 0 { String::new() } else { ran.err })
        };
        assert_eq!(said(before), said(after), "{before}");
    }
}

/// Every example of a help text is understood: what follows `--help` is not run, what precedes it is parsed.
#[test]
fn examples_are_of_this_program() {
    let mut found = 0;
    for command in [
        "",
        "verify",
        "election run",
        "election register",
        "election init",
        "election status",
        "survey run",
        "trustee",
        "mix",
        "trace",
        "board",
        "ceremony phase1",
        "ceremony phase2",
        "snark prove",
        "snark verify",
        "table",
        "vole prove",
        "vole verify",
    ] {
        let help: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let text = common::Ran::from(subrosa(Path::new(MIX_FILES), &help).output().unwrap()).out;
        let (_, examples) = text.split_once("\nExample").unwrap();
        // A long line goes on in the next one, by an indent as that of the first.
        let examples = examples.replace("\n  ", " ").replace(" subrosa ", "\nsubrosa ");
        for line in examples.lines().filter_map(|line| line.trim().strip_prefix("subrosa ")) {
            let words: Vec<String> = line
                .split('\'')
                .enumerate()
                .flat_map(|(index, part)| {
                    let one = index % 2 == 1;
                    let words: Vec<String> = match one {
                        true => vec![part.to_owned()],
                        false => part.split_whitespace().map(str::to_owned).collect(),
                    };
                    words
                })
                // The base point is a key as good as any.
                .map(|word| word.replace("KEY", &format!("58{}", "66".repeat(31))))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
            let ran = subrosa(Path::new(MIX_FILES), &words).output().unwrap();
            assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
            found += 1;
        }
    }
    assert!(found > 30, "{found} examples");
}

/// What a party gives every command may stand in the environment.
#[test]
fn board_and_key_may_stand_in_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = subrosa(directory.path(), arguments);
        command.envs(variables.iter().copied());
        let ran: common::Ran = command.output().unwrap().into();
        (ran.code, ran.err)
    };
    let options = ["trustee", "run", "--board", "nowhere", "--key", "no.key"];
    let environment = [("SUBROSA_BOARD", "nowhere"), ("SUBROSA_KEY", "no.key")];
    assert_eq!(said(&options, &[]), said(&["trustee", "run"], &environment));
    let other = said(&options, &[("SUBROSA_BOARD", "elsewhere"), ("SUBROSA_KEY", "another.key")]);
    assert_eq!(said(&options, &[]), other, "an option wins");
    assert_eq!(said(&["trustee", "run"], &[]).0, 2);
}

/// A log in a directory, from its key to the keeper's conviction.
#[test]
fn a_log_is_written_shown_and_its_keeper_convicted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let succeed = |line: &str| {
        let ran = run(path, &line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        ran.out
    };
    succeed("keygen -o author.key");
    std::fs::write(path.join("soup"), "soup").unwrap();
    let made = succeed("--json log init lunch --origin example.org/lunch");
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let key = made["key"].as_str().unwrap();
    for place in 0..2 {
        let said = succeed(&format!(
            "--json log submit lunch soup --key author.key --kind lunch/option --subject {place}"
        ));
        assert!(said.contains(&format!("\"place\":{place}")), "{said}");
    }
    let shown = succeed(&format!("log show lunch --expect-log {key}"));
    assert!(shown.contains("lunch/option") && shown.contains(key), "{shown}");
    let other = key.replace("example.org/lunch", "example.org/dinner");
    let refused = run(path, &["log", "show", "lunch", "--expect-log", &other]);
    assert_ne!(refused.code, 0, "{refused:?}");
    // Whoever has the keeper's key may sign another history: that convicts its holder.
    let log = log::DirectoryLog::open(&path.join("lunch")).unwrap();
    let one = log::LogAccess::latest(&log).unwrap().unwrap();
    let origin = one.checkpoint().origin.clone();
    let forged = log::Checkpoint::new(origin, 2, log::merkle::leaf_hash(b"other"));
    let keeper = log::PartyKey::load(&path.join("lunch/keeper.key")).unwrap().identity();
    let forged = forged.sign(&keeper).unwrap();
    let evidence = log::Evidence::two_roots(log::LogAccess::key(&log), &one, &forged).unwrap();
    std::fs::write(path.join("evidence"), wire::Encode::to_bytes(&evidence)).unwrap();
    let said = succeed(&format!("log evidence evidence --expect-log {key}"));
    assert!(said.contains("two roots"), "{said}");
    // The same checkpoint twice convicts nobody.
    let same = log::Offence::TwoRoots { one: one.clone(), other: one };
    let nothing = log::Evidence { offence: same, ..evidence };
    std::fs::write(path.join("nothing"), wire::Encode::to_bytes(&nothing)).unwrap();
    assert_eq!(run(path, &["log", "evidence", "nothing"]).code, 1);
    // A key file with a passphrase.
    std::fs::write(path.join("passphrase"), "correct horse\n").unwrap();
    succeed("keygen -o sealed.key --passphrase-file passphrase");
    let submit = "log submit lunch soup --key sealed.key --kind lunch/option --subject 3";
    succeed(&format!("{submit} --passphrase-file passphrase"));
    let sealed = run(path, &submit.split(' ').collect::<Vec<_>>());
    assert!(sealed.code == 2 && sealed.err.contains("--passphrase-file"), "{sealed:?}");
}
