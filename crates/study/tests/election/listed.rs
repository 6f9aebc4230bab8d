//! Every attack that `docs/election-attacks.md` lists has its test.

use std::{fs, path::Path};

/// Lines of the list, or there would be a format that is not read.
const LEAST: usize = 26;

/// What stands in code marks.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_attack_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list = crates.parent().unwrap().join("docs/election-attacks.md");
    let list = fs::read_to_string(list).unwrap();
    let rows = list.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [attack, .., files, tests, ""] = cells.as_slice() else { return None };
        Some((*attack, code(files), code(tests))).filter(|(_, files, _)| !files.is_empty())
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() >= LEAST, "{} attacks", rows.len());
    for (attack, files, tests) in rows {
        let read = |file: &&str| fs::read_to_string(crates.join(file)).unwrap();
        let sources: Vec<_> = files.iter().map(read).collect();
        assert!(!tests.is_empty(), "{attack}");
        for test in tests {
            let is_test = sources.iter().any(|source| {
                let (before, _) = source.split_once(&format!("fn {test}(")).unwrap_or_default();
                before.trim_end().ends_with(']') && before.contains("#[test]")
            });
            assert!(is_test, "{attack}: no test `{test}` in {files:?}");
        }
    }
}
