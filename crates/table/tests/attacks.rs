//! Every attack that `docs/table-attacks.md` lists has its test.

use std::{fs, path::Path};

/// Lines of the list, or there would be a format that is not read.
const LEAST: usize = 80;

#[test]
fn every_attack_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list = fs::read_to_string(crates.parent().unwrap().join("docs/table-attacks.md")).unwrap();
    let cells = |line: &str| -> Option<[String; 3]> {
        let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [attack, file, test, ""] = cells.as_slice() else { return None };
        let code = |cell: &str| cell.strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
        Some([(*attack).to_owned(), code(file)?, code(test)?])
    };
    let attacks: Vec<_> = list.lines().filter_map(cells).collect();
    assert!(attacks.len() >= LEAST, "{} attacks", attacks.len());
    for [attack, file, test] in attacks {
        let source = fs::read_to_string(crates.join(&file)).unwrap();
        let (before, _) = source.split_once(&format!("fn {test}(")).unwrap_or_default();
        let is_test = ["#[test]", "#[tokio::test]"].iter().any(|mark| before.contains(mark));
        assert!(is_test, "{attack}: no test `{test}` in {file}");
    }
}
