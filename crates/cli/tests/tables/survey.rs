//! A whole pay survey with the built program: run, verified, tampered with, run again.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{fail, replace, run, succeed};

const RUN: [&str; 5] = ["survey", "run", "survey", "--out", "out"];

/// A directory with a folder `survey` of made-up responses.
fn survey() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../study/tests/data/pay-survey");
    let folder = directory.path().join("survey");
    fs::create_dir(&folder).unwrap();
    for file in ["survey.toml", "responses.csv"] {
        fs::copy(data.join(file), folder.join(file)).unwrap();
    }
    directory
}

#[test]
fn a_survey_runs_verifies_and_cannot_be_altered() {
    let directory = survey();
    let path = directory.path();
    let ran = run(path, &[&RUN[..], &["--json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let table = result["table"].as_str().unwrap().to_owned();
    assert_eq!(result["figures"].as_array().unwrap().len(), 18);
    succeed(path, &["verify", "out/bundle", "--expect", result["digest"].as_str().unwrap()]);

    // The auditor was a process of its own, with the published files and its own key.
    let log = fs::read_to_string(path.join("out/logs/auditor.log")).unwrap();
    assert!(log.contains("4 epochs with 410 rows attested"), "{log}");
    let claim = fs::read_to_string(path.join("out/bundle/claims/2004-all-median.json")).unwrap();
    assert!(claim.contains("\"audited\""), "{claim}");

    // Run again, it keeps what it published.
    let again = succeed(path, &[&RUN[..], &["--json"]].concat());
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["digest"], result["digest"]);
    // Without a report it answers anew, from the same table; changed responses are refused.
    fs::remove_file(path.join("out/report.html")).unwrap();
    replace(&path.join("survey/responses.csv"), "P001,2002", "Q001,2002");
    fail(path, &RUN, 2, "the responses of 2002 have changed since they were sealed");
    replace(&path.join("survey/responses.csv"), "Q001,2002", "P001,2002");
    // A page that verifies the bundle is copied beside the report, and linked.
    fs::write(path.join("page.html"), "a page").unwrap();
    let resumed = succeed(path, &[&RUN[..], &["--json", "--page", "page.html"]].concat());
    assert_eq!(fs::read(path.join("out/verify.html")).unwrap(), b"a page");
    let report = fs::read_to_string(path.join("out/report.html")).unwrap();
    assert!(report.contains("<a href=\"verify.html\">"), "{report}");
    let resumed: Value = serde_json::from_str(&resumed).unwrap();
    assert_eq!(resumed["table"], table.as_str());
    assert_eq!(resumed["figures"][0]["median"], result["figures"][0]["median"]);

    // Another auditor's eyes: a published file that was altered is refused, as is another table.
    let audit =
        ["survey", "audit", "--published", "out/published", "--key", "out/secrets/auditor.key"];
    let other = "0".repeat(table.len());
    fail(path, &[&audit[..], &["--expect", &other]].concat(), 1, "not the expected one");
    succeed(path, &[&audit[..], &["--expect", &table]].concat());
    let file = path.join("out/published/2004.audit");
    let mut bytes = fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    fs::write(&file, bytes).unwrap();
    fail(path, &audit, 1, "epoch 2004");

    replace(&path.join("out/bundle/claims/2004-all-median.json"), "2004", "2005");
    assert_eq!(run(path, &["verify", "out/bundle"]).code, 1);
}

#[test]
fn wrong_folders_are_refused() {
    let directory = survey();
    let path = directory.path();
    replace(&path.join("survey/responses.csv"), "women", "girls");
    fail(path, &RUN, 2, "column `sex`: `girls` is not among its values");
    fs::remove_file(path.join("survey/responses.csv")).unwrap();
    fail(path, &RUN, 2, "survey/responses.csv: No such file");
    replace(&path.join("survey/survey.toml"), "title", "titel");
    fail(path, &RUN, 2, "unknown field `titel`");
    assert!(!path.join("out").exists());
}
