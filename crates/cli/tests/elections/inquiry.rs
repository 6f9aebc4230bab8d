//! Questions after the count with the built program: every party a process, answers published.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{election, fail, replace, run, succeed};

const BALLOTS: usize = 60;
const RUN: [&str; 6] = ["--json", "election", "run", "election", "--out", "out"];
const PLAN: &str = r#"
[[district]]
name = "the North"
first = "V0001"
last = "V0030"

[policy]
max_questions = 2

[[query]]
title = "Is every ballot of the North counted?"
direction = "in"
district = "the North"

[[query]]
title = "Are the first preferences for Bob Kiss from eligible ballots?"
direction = "out"
candidate = "Bob Kiss"
"#;

/// A directory with a folder `election` of real ballots and the plan.
fn asked() -> TempDir {
    let directory = election(BALLOTS);
    fs::write(directory.path().join("election/tracing.toml"), PLAN).unwrap();
    directory
}

#[test]
fn questions_are_asked_answered_published_and_verified() {
    let directory = asked();
    let path = directory.path();
    let ran: Value = serde_json::from_str(&succeed(path, &RUN)).unwrap();
    let verified = succeed(path, &["verify", "out/bundle"]);
    assert!(verified.contains("is it among all results? 30 yes of 30"), "{verified}");
    assert!(verified.contains("our construction, no published proof yet"), "{verified}");

    // As many as the tally has first preferences for Bob Kiss, every one from some ballot.
    let claim = path.join("out/bundle/claims/election-trace.json");
    let stated: Value = serde_json::from_slice(&fs::read(&claim).unwrap()).unwrap();
    let votes = ran["tally"]["plurality"]["votes"].as_array().unwrap();
    let kiss = votes.iter().find(|votes| votes["candidate"] == 0).unwrap();
    let answer = &stated["statement"]["answers"][1];
    assert_eq!(answer["asked"], kiss["ballots"]);
    assert_eq!(answer["yes"], kiss["ballots"]);
    let page = fs::read_to_string(path.join("out/report.html")).unwrap();
    assert!(page.contains("Asked after the count") && page.contains("the North (V0001 to V0030)"));
    assert!(page.contains("<h3>Queries</h3>"));
    assert!(page.contains("href=\"bundle/claims/election-trace.json\">30</a>"));

    // Every party was a process of its own.
    let said =
        |party: &str| fs::read_to_string(path.join(format!("out/logs/{party}.log"))).unwrap();
    assert!(said("mixer-3").contains("markers of query"), "{}", said("mixer-3"));
    assert!(said("trustee-1").contains("sealed share of query"), "{}", said("trustee-1"));
    assert!(said("querier").contains("2 answers"), "{}", said("querier"));

    // Run again it keeps what it published, and the answers can be published elsewhere.
    let again: Value = serde_json::from_str(&succeed(path, &RUN)).unwrap();
    assert_eq!(again["digest"], ran["digest"]);
    assert_eq!(again["faults"], serde_json::json!([]));
    let publish = ["election", "publish", "--board", "out/board", "--out", "elsewhere"];
    let with_answers = [&publish[..], &["--answers", "out/secrets/answers"]].concat();
    succeed(path, &with_answers);
    succeed(path, &["verify", "elsewhere/bundle"]);

    // Records in each other's place, and a number that the board does not bear out.
    let records = ["00000000.answer", "00000001.answer"].map(|name| {
        let file = path.join("out/secrets/answers").join(name);
        (fs::read(&file).unwrap(), file)
    });
    fs::write(&records[0].1, &records[1].0).unwrap();
    fs::remove_dir_all(path.join("elsewhere")).unwrap();
    fail(path, &with_answers, 1, "asked another way");
    replace(&claim, "\"yes\": 30", "\"yes\": 29");
    assert_eq!(run(path, &["verify", "out/bundle"]).code, 1);
}

#[test]
fn plans_that_do_not_fit_are_refused_before_the_election() {
    let directory = asked();
    let path = directory.path();
    let plan = path.join("election/tracing.toml");
    replace(&plan, "V0030", "V0099");
    fail(path, &RUN, 2, "`V0099` is not on the roll");
    replace(&plan, "V0099", "V0030");
    replace(&plan, "district = \"the North\"", "district = \"the South\"");
    fail(path, &RUN, 2, "the plan does not have `the South` once");
    replace(&plan, "direction = \"in\"", "direction = \"up\"");
    fail(path, &RUN, 2, "unknown variant `up`");
    assert!(!path.join("out").exists());
}
