//! Every attack that `docs/trace-attacks.md` lists has its test.

use std::{fs, path::Path};

/// Lines of the list, or there would be a format that is not read.
const LEAST: usize = 90;
/// Defects of the reference, B1 to B16.
const DEFECTS: usize = 16;

struct Line {
    attack: String,
    file: String,
    test: String,
}

fn list(crates: &Path) -> Vec<Line> {
    let page = crates.parent().unwrap().join("docs/trace-attacks.md");
    let line = |line: &str| -> Option<Line> {
        let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [attack, file, test, ""] = cells.as_slice() else { return None };
        let code = |cell: &str| Some(cell.strip_prefix('`')?.strip_suffix('`')?.to_owned());
        Some(Line { attack: (*attack).to_owned(), file: code(file)?, test: code(test)? })
    };
    fs::read_to_string(page).unwrap().lines().filter_map(line).collect()
}

#[test]
fn every_attack_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let lines = list(crates);
    assert!(lines.len() >= LEAST, "{} attacks", lines.len());
    for Line { attack, file, test } in &lines {
        let source = fs::read_to_string(crates.join(file)).unwrap();
        let found = source.split_once(&format!("\nfn {test}("));
        let (before, _) = found.unwrap_or_else(|| panic!("{attack}: no `{test}` in {file}"));
        let attributes = before.rsplit("\n\n").next().unwrap_or_default();
        assert!(attributes.contains("#[test]"), "{attack}: `{test}` in {file} is no test");
        assert!(!attributes.contains("#[ignore"), "{attack}: `{test}` in {file} is not run");
    }
    for number in 1..=DEFECTS {
        let name = format!("B{number}:");
        assert!(lines.iter().any(|line| line.attack.starts_with(&name)), "{name} is missing");
    }
}
