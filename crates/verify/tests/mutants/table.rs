//! The table of mutants, as a page of the specification.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use super::{Mutant, edit::Edit, root};

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
    ("TR", "no vector of a claim `trace` yet; a refusal of one says `TR-13`"),
    ("DB", "no vector of a claim of the engine `db` yet; a refusal of one says `DB-32`"),
    (
        "PS",
        "no vector of an election under tFLSZ: parameters for one are over the limit of vectors",
    ),
    ("LG", ON_A_LOG),
    ("BD-3", ON_A_LOG),
    ("BD-4", ON_A_LOG),
    ("BD-5", ON_A_LOG),
    (
        "VO",
        "made about ballots, of which a false one is refused, which is no fault: `crates/study/tests/election/sealing.rs` changes every byte",
    ),
    ("EL-21", WITH_TIMES),
    ("EL-22", WITH_TIMES),
    ("EL-23", WITH_TIMES),
    ("EL-24", WITH_TIMES),
    ("EL-25", WITH_TIMES),
    ("EL-26", WITH_TIMES),
    (
        "EL-3",
        "no vector of an election under tFLSZ: parameters for one are over the limit of vectors",
    ),
    (
        "EL-9",
        "a ballot that does not hold is refused, which is no fault: the numbers of the closing are then false, `EL-10`",
    ),
    ("EL-15", "no vector with classes of voters yet"),
    ("EL-16", "no vector with classes of voters yet"),
    ("EL-17", "no vector with classes of voters yet"),
    ("EL-18", "no vector with classes of voters yet"),
    ("EL-19", "no vector with classes of voters yet"),
    ("EL-20", "no vector with classes of voters yet"),
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

/// What is said of boards on logs.
const ON_A_LOG: &str = "boards on logs are changed by `scripts/spec-check vectors` and the tests in `web`: \
                        `vectors/election/logged` and `supper`";

/// What is said of elections with times.
const WITH_TIMES: &str = "the parties of `supper` have no keys beside it: `crates/study/tests/election/scheduled.rs` \
                          makes what it refuses";

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

/// The page.
pub fn page(mutants: &[Mutant]) -> String {
    let mut page = "# Mutants\n\n\
        For each check a wrong bundle that it refuses, made from a right one: bytes of an object are changed and \
        all\ndigests that follow from them, a member of a statement, an entry of a board, which its author and all \
        behind\nit sign again. Which one it is, [vectors/mutants.json](../../vectors/mutants.json) says to the byte; \
        the\nprograms refuse each by the very check. Searched for, and written, by `scripts/vectors`.\n\n\
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
