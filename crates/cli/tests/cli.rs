//! The command line as people and scripts meet it: every help text, every misuse, plain output.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

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
    &["mix", "verify", "--key", "public.key", "--in", "ciphertexts", "first.mix"],
    &["mix", "verify", "--key", "public.key", "--in", "ciphertexts", "altered.mix"],
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
        (["mix", "verify", "--key", "public.key", "--in", "missing", "first.mix"], "input", 2),
        (
            ["mix", "verify", "--key", "public.key", "--in", "ciphertexts", "altered.mix"],
            "refused",
            1,
        ),
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
