//! The table of mutants, as a page of the specification.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use super::{Mutant, edit::Edit, reasons, relog::Change, root};

/// Chapters in their order, by the letters of their checks.
const CHAPTERS: [&str; 18] = [
    "CV", "CB", "TW", "TB", "TA", "TC", "TH", "TR", "DB", "VV", "SN", "SM", "PS", "CE", "LG", "BD",
    "EL", "VO",
];

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
        each by the\nvery check. Of a check that verifiers once understood in different ways there are several. Searched \
        for, and\nwritten, by `scripts/vectors`.\n\n\
        | check | right bundle | what is changed |\n|---|---|---|\n"
        .to_owned();
    for Mutant { check, bundle, edit, .. } in mutants {
        writeln!(page, "| `{check}` | `{bundle}` | {} |", described(edit)).unwrap();
    }
    page.push_str("\n## Checks without a mutant\n\n| check | why |\n|---|---|\n");
    for check in specified() {
        if !mutants.iter().any(|mutant| mutant.check == check) {
            writeln!(page, "| `{check}` | {} |", reasons::why(&check)).unwrap();
        }
    }
    page
}
