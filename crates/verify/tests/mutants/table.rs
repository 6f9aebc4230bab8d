//! The table of mutants, as a page of the specification.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use super::{Mutant, edit::Edit, relog::Change, root};

/// Chapters in their order, by the letters of their checks.
const CHAPTERS: [&str; 18] = [
    "CV", "CB", "TW", "TB", "TA", "TC", "TH", "TR", "DB", "VV", "SN", "SM", "PS", "CE", "LG", "BD",
    "EL", "VO",
];

/// Why a check, or all checks of a chapter that have none, have no mutant here.
const WITHOUT: &[(&str, &str)] = &[
    (
        "CB-11",
        "the name of a kind's checks as a whole: the others of the kind's chapter stand for it",
    ),
    (
        "TW",
        "mixes in elections are checked in one equation, whose refusal is `EL-11`; files of mixes are no bundles: `scripts/spec-check vectors` changes each field of theirs and sees it refused by its check",
    ),
    ("TB-9", "it is `TB-1`, `TB-8`, `TB-5` to `TB-7` and `TB-4`, which refuse by their own names"),
    (
        "TH",
        "made about messages of an election's board, of which a refusal says `EL-6`, `EL-9` (which makes the closing false, `EL-10`) or `EL-12`",
    ),
    ("TR-1", UNOPENED),
    (
        "TR-2",
        "a submission that does not hold has no effect on its board: the servers mixed another one, so the mix is not opened, `TR-13`",
    ),
    ("TR-3", UNOPENED),
    ("TR-4", UNOPENED),
    ("TR-5", UNOPENED),
    ("TR-6", UNOPENED),
    (
        "TR-7",
        "a query that does not hold has no effect on its board: an answer is then of none that is there, `TR-13`",
    ),
    ("TR-8", IN_AN_ANSWER),
    ("TR-9", IN_AN_ANSWER),
    ("TR-10", IN_AN_ANSWER),
    ("TR-11", IN_AN_ANSWER),
    ("TR-12", IN_AN_ANSWER),
    (
        "DB",
        "a part of `DB-32`: a message that does not hold has no effect on its board, so that the mix is not opened or the answer is of no query there; an answer that does not hold is refused as a whole. All refusals say `DB-32`; `crates/trace-db/tests` makes what each check refuses",
    ),
    (
        "PS",
        "no vector of an election under tFLSZ: parameters for one are over the limit of vectors",
    ),
    ("LG-1", "made about each leaf of a board: a refusal says `BD-4`"),
    ("LG-2", "made about each payload of a board: a refusal says `BD-4`"),
    ("LG-3", FOLLOWED),
    ("LG-4", FOLLOWED),
    ("LG-5", "made about the checkpoint of a board's log: a refusal says `BD-3`"),
    ("LG-6", FOLLOWED),
    ("LG-7", "a promise is in no bundle: `crates/log/tests` makes what it refuses"),
    ("LG-8", "made about the leaves of a board: a refusal says `BD-3`"),
    ("LG-9", EVIDENCE),
    ("LG-10", EVIDENCE),
    ("LG-11", "made about the leaves of a board: a refusal says `BD-3`"),
    (
        "VO",
        "made about ballots, of which a false one is refused, which is no fault: `crates/study/tests/election/sealing.rs` changes every byte",
    ),
    (
        "EL-3",
        "no vector of an election under tFLSZ: parameters for one are over the limit of vectors",
    ),
    ("EL-15", "made about the description: a refusal says `EL-1`"),
    (
        "EL-17",
        "the class is in the tracker: a ballot for another class is refused by itself, and the closing is then false, `EL-10`",
    ),
    ("EL-19", "what a decryption is about: a refusal says `EL-12`"),
    ("EL-20", "made about the tally: a refusal says `EL-13`"),
    (
        "EL-24",
        "says whose turn it is, and so whom the phase waits for: a message out of turn is refused by `EL-4`",
    ),
    (
        "EL-26",
        "the kind of the first entry says which version it is, and one of another kind than its description is refused as it is decoded, `CV-4`",
    ),
    (
        "CE-3",
        "a secret of 1, of which its maker shows knowledge: `a_secret_of_one_is_no_contribution`, a test, makes it",
    ),
    ("CE-25", "the name of phase 2's checks as a whole: `CE-10` to `CE-15` stand for it"),
    ("CE-16", "of ceremonies of tFLSZ, of which there are no claims"),
    ("CE-17", "of ceremonies of tFLSZ, of which there are no claims"),
    ("CE-18", "of ceremonies of tFLSZ, of which there are no claims"),
    ("CE-19", "of ceremonies of Sonic, of which there are no claims"),
    ("CE-20", "of ceremonies of Sonic, of which there are no claims"),
    ("CE-21", "of Ethereum's ceremony, of which there are no claims"),
    ("CE-22", "of Ethereum's ceremony, of which there are no claims"),
    ("CE-24", "the name of phase 1's checks as a whole: `CE-2` to `CE-9` stand for it"),
    (
        "TA-6",
        "rows of a key are at most 2^40 (`TA-4`) and bound by `TA-5`: only an operator that committed to so many could make one",
    ),
    (
        "TA-17",
        "the policy is bound by the table's name: only an operator that proves against its own policy could make one",
    ),
    ("SN-11", "it is `SN-4`, `SN-6` or `SN-8` of each proof, which refuse by their own names"),
    ("TC-5", "the equation of a range proof: a refusal says `TC-4`, or `TA-10` in an answer"),
    ("TC-7", "the equations of the bit matrix: a refusal says `TC-4`"),
];

/// What is said of a mix on a board.
const UNOPENED: &str = "a server's message that does not hold has no effect on its board: the mix is not opened then, \
                        `TR-13`";

/// What is said of an answer's record.
const IN_AN_ANSWER: &str = "a part of `TR-13`, which refuses an answer's record as a whole: `crates/trace/tests` makes \
                            what each refuses";

/// What is said of following a log.
const FOLLOWED: &str = "made by who follows a log, of which a bundle has all leaves from the first one on: \
                        `crates/log/tests` makes what it refuses";

/// What is said of a keeper's faults.
const EVIDENCE: &str = "evidence about a log's keeper is a file of its own, in no bundle: `crates/log/tests` makes \
                        what it refuses";

/// What is said of all others.
const UNREACHED: &str = "no change that was tried comes to it, of bytes or of structure: what stands before refuses \
                         first. Tests of the programs make what it refuses";

/// The place of a check in the table.
pub fn order(check: &str) -> (usize, u32) {
    let (letters, number) = check.split_once('-').unwrap();
    let chapter = CHAPTERS.iter().position(|known| *known == letters).unwrap();
    (chapter, number.parse().unwrap())
}

/// All checks that the specification names.
pub fn specified() -> Vec<String> {
    let mut names = BTreeSet::new();
    for file in fs::read_dir(root().join("docs/spec")).unwrap() {
        let path = file.unwrap().path();
        let is_chapter = path.extension().is_some_and(|extension| extension == "md")
            && path.file_name().is_some_and(|name| name != "mutants.md");
        if is_chapter {
            collect(&fs::read_to_string(path).unwrap(), &mut names);
        }
    }
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by_key(|name| order(name));
    names
}

fn collect(text: &str, names: &mut BTreeSet<String>) {
    for (at, _) in text.match_indices('-') {
        let Some(start) = at.checked_sub(2).filter(|start| text.is_char_boundary(*start)) else {
            continue;
        };
        let letters = &text[start..at];
        let is_word = text[..start].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
        let rest = &text[at + 1..];
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        if is_word && CHAPTERS.contains(&letters) && !digits.is_empty() {
            names.insert(format!("{letters}-{digits}"));
        }
    }
}

fn why(check: &str) -> &'static str {
    let letters = check.split('-').next().unwrap();
    let own = WITHOUT.iter().find(|(name, _)| *name == check);
    let chapter = || WITHOUT.iter().find(|(name, _)| *name == letters);
    own.or_else(chapter).map_or(UNREACHED, |(_, reason)| reason)
}

fn described(edit: &Edit) -> String {
    match edit {
        Edit::Flip { file, at, xor } => format!("`{file}`: byte {at} changed by {xor:#04x}"),
        Edit::Cut { file, bytes } => format!("`{file}`: without its last bytes ({bytes})"),
        Edit::Grow { file } => format!("`{file}`: with a zero byte behind it"),
        Edit::State { member, value: Some(_), .. } => format!("statement: `{member}` is another"),
        Edit::State { member, value: None, .. } => format!("statement: without `{member}`"),
        Edit::Entry { entry, at, xor } => {
            format!("entry {entry}: byte {at} of the payload changed by {xor:#04x}, signed again")
        }
        Edit::Author { entry, author } => format!("entry {entry}: by {author}, signed again"),
        Edit::Relog { place, change } => format!("leaf {place}: {}", relogged(change)),
        Edit::Shorten => "without the last entry".to_owned(),
        Edit::Replace { file, .. } => format!("`{file}`: other text"),
        Edit::Reword { file, .. } => format!("`{file}`: other text, with all digests"),
        Edit::List { file } => format!("`{file}`: listed, and named by no claim"),
        Edit::Add { file } => format!("`{file}`: there, and not listed"),
        Edit::Remove { file } => format!("`{file}`: gone"),
        Edit::Patch { how, pieces } => {
            format!("`{}`: {how}", pieces.first().map_or("", |piece| &piece.file))
        }
    }
}

fn relogged(change: &Change) -> String {
    match change {
        Change::Byte { at, xor } => format!("byte {at} of the payload changed by {xor:#04x}"),
        Change::By { author } => format!("by {author}"),
        Change::Kind { kind } => format!("of kind `{kind}`"),
        Change::Subject => "of another subject".to_owned(),
        Change::Time { time } => format!("at {time} by the keeper's clock"),
        Change::Head { place } => format!("with the head of leaf {place}"),
        Change::Again { .. } => "said again, otherwise".to_owned(),
        Change::Without => "left out".to_owned(),
        Change::Mix { at, xor } => {
            format!("byte {at} of the mix changed by {xor:#04x}, and its digest")
        }
    }
}

/// The page.
pub fn page(mutants: &[Mutant]) -> String {
    let mut page = "# Mutants\n\n\
        For each check a wrong bundle that it refuses, made from a right one: bytes of an object are changed and \
        all\ndigests that follow from them, a member of a statement, an entry of a board, which its author and all \
        behind\nit sign again, or a leaf of a log, which its author signs again and the keeper with all others. \
        Which one\nit is, [vectors/mutants.json](../../vectors/mutants.json) says to the byte; the programs refuse \
        each by the\nvery check. Searched for, and written, by `scripts/vectors`.\n\n\
        | check | right bundle | what is changed |\n|---|---|---|\n"
        .to_owned();
    for Mutant { check, bundle, edit, .. } in mutants {
        writeln!(page, "| `{check}` | `{bundle}` | {} |", described(edit)).unwrap();
    }
    page.push_str("\n## Checks without a mutant\n\n| check | why |\n|---|---|\n");
    for check in specified() {
        if !mutants.iter().any(|mutant| mutant.check == check) {
            writeln!(page, "| `{check}` | {} |", why(&check)).unwrap();
        }
    }
    page
}
