//! An election with classes of voters, from the folder to the bundle.

use std::fs;

use serde_json::json;

use crate::common::{fail, json, succeed};

const DESCRIPTION: &str = r#"title = "Senate"
question = "Who shall preside?"
candidates = ["Ana", "Ben", "Cleo"]
max_ranks = 3
rules = ["irv"]
trustees = 2
threshold = 2
mixers = 2
minimum_mixers = 1

[[classes]]
name = "Professors"
weight = 3
min_ballots = 2

[[classes]]
name = "Students"
weight = "2/3"
min_ballots = 3
"#;

const BALLOTS: &str = "voter,class,rank1,rank2,rank3
V1,Professors,Ana,,
V2,Students,Ben,,
V3,Professors,Ana,Cleo,
V4,Students,Ben,Cleo,
V5,Students,Ben,,
";

const RUN: [&str; 5] = ["election", "run", "senate", "--out", "out"];

#[test]
fn classes_from_the_folder_to_the_bundle() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::create_dir(path.join("senate")).unwrap();
    fs::write(path.join("senate/election.toml"), DESCRIPTION).unwrap();
    fs::write(path.join("senate/ballots.csv"), BALLOTS).unwrap();

    // Too few students for the class ever to be opened: nothing begins.
    let few = [&RUN[..4], &["few", "--limit", "4"]].concat();
    fail(path, &few, 2, "class `Students` has 2 voters, and is opened from 3 ballots on");

    let result = json(path, &RUN);
    let classes = &result["tally"]["classes"];
    assert_eq!(
        classes[0],
        json!({"weight": "3", "votes": 9, "ballots": 2, "opened": true, "blank": 0})
    );
    assert_eq!(classes[1]["votes"], 2);
    let rounds = &result["tally"]["questions"][0]["counts"][0]["rounds"];
    assert_eq!(rounds[0]["standing"][0]["ballots"], 18);
    assert_eq!(rounds[0]["standing"][1]["ballots"], 6);
    succeed(path, &["verify", "out/bundle"]);
    let page = fs::read_to_string(path.join("out/report.html")).unwrap();
    assert!(page.contains("Classes of voters") && page.contains("units of 1/3 vote"));

    let board = ["--board", "out/board"];
    let status = json(path, &[&["election", "status"][..], &board].concat());
    let students = json!({
        "name": "Students", "weight": "2/3", "min_ballots": 3, "registered": 3, "accepted": 3,
    });
    assert_eq!(status["classes"][1], students);
    let tracking = fs::read_to_string(path.join("out/tracking.csv")).unwrap();
    let (_, code) = tracking.lines().nth(2).unwrap().split_once(',').unwrap();
    let found = json(path, &[&["election", "track", code][..], &board].concat());
    assert_eq!((&found["voter"], &found["class"]), (&json!("V2"), &json!("Students")));

    // The roll has the classes by name, and is read with them alone.
    let register = ["election", "register", "senate/election.toml"];
    let keys = ["--generate-for", "senate/ballots.csv", "--credentials", "credentials"];
    succeed(path, &[&register[..], &keys, &["--roll", "roll.csv"]].concat());
    let roll = fs::read_to_string(path.join("roll.csv")).unwrap();
    assert!(roll.starts_with("voter,public_key,class\nV1,") && roll.contains(",Students\n"));

    // The same ballots in the clear give the same count, and a file without the column none.
    let counted = json(path, &["election", "count", "senate/ballots.csv"]);
    assert_eq!(counted["unit"], "1/3");
    assert_eq!(counted["questions"][0]["counts"][0]["rounds"], *rounds);
    fs::write(path.join("senate/ballots.csv"), "voter,rank1,rank2,rank3\nV1,Ana,,\n").unwrap();
    fail(path, &RUN, 2, "needs `voter,class,rank1,rank2,rank3`");
}
