//! Every attack that `docs/ceremony-attacks.md` lists has its test.

use std::{fs, path::Path};

/// Lines of the list, or there would be a format that is not read.
const LEAST: usize = 16;

#[test]
fn every_attack_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = crates.parent().unwrap().join("docs/ceremony-attacks.md");
    let page = fs::read_to_string(page).unwrap();
    let cells = |line: &str| -> Option<[String; 3]> {
        let cells: Vec<_> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [attack, _gave, _refused_by, file, test, ""] = cells.as_slice() else { return None };
        let code = |cell: &str| cell.strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
        Some([(*attack).to_owned(), code(file)?, code(test)?])
    };
    let attacks: Vec<_> = page.lines().filter_map(cells).collect();
    assert!(attacks.len() >= LEAST, "{} attacks", attacks.len());
    // Every line of a table that names a test is read.
    let named = page.lines().filter(|line| line.starts_with("| ") && line.contains(".rs`"));
    assert_eq!(attacks.len(), named.count());
    for [attack, file, test] in attacks {
        let source = fs::read_to_string(crates.join(&file)).unwrap();
        let (before, _) = source.split_once(&format!("fn {test}(")).unwrap_or_default();
        assert!(before.contains("#[test]"), "{attack}: no test `{test}` in {file}");
    }
}
