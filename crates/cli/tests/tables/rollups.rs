//! Roll-ups and audits in parts, by the command line.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{fail, json, run, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [{ name = "wage", min = 0, max = 60000, ordered = true }]
policy = { min_count = 3, rollups = true }
"#;
const QUESTION: &str =
    "SELECT COUNT(*), MEDIAN(wage) FROM pay WHERE epoch BETWEEN 1 AND 2 GROUP BY role";

fn seal(path: &Path, epoch: &str, seed: u32) {
    let mut text = "user,role,wage\n".to_owned();
    for user in 0..12 {
        let role = if user % 3 == 0 { "engineer" } else { "nurse" };
        text += &format!("person {user},{role},{}\n", (user * 7919 + seed) % 50_000);
    }
    fs::write(path.join("rows.csv"), text).unwrap();
    succeed(path, &["table", "ingest", "pay", "rows.csv", "--epoch", epoch]);
    succeed(path, &["table", "seal", "pay", "--epoch", epoch]);
}

fn begin(path: &Path, schema: &str) {
    fs::write(path.join("schema.toml"), schema).unwrap();
    let key = json(path, &["board", "keygen", "--key", "auditor.key"]);
    let key = key["public_key"].as_str().unwrap();
    succeed(path, &["table", "init", "pay", "--schema", "schema.toml", "--auditor", key]);
}

/// An auditor looks at an export and vouches for it.
fn vouch(path: &Path, export: &[&str], out: &str) -> Value {
    let word = format!("{out}.word");
    succeed(path, &[&["table", "export", "pay", "--out", out], export].concat());
    let audit = ["table", "audit", "run", out, "--genesis", "pay/genesis.json"];
    let signed = json(path, &[&audit[..], &["--key", "auditor.key", "--out", &word]].concat());
    succeed(path, &["table", "audit", "add", "pay", &word]);
    signed
}

#[test]
fn questions_are_answered_from_roll_ups() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path, SCHEMA);
    seal(path, "1", 100);
    let rollup = ["table", "rollup", "pay", QUESTION];
    fail(path, &rollup, 2, "not in the log");
    seal(path, "2", 3000);
    let ask = |out: &'static str| ["table", "query", "pay", QUESTION, "--out", out];
    let before = json(path, &ask("before"));
    let held = json(path, &rollup);
    assert_eq!((&held["epoch"], held["rollups"].as_array().unwrap().len()), (&3.into(), 2));
    assert_eq!(json(path, &rollup), held, "once more changes nothing");
    assert_eq!(json(path, &ask("between"))["rows"], before["rows"]);
    seal(path, "3", 7);
    let after = json(path, &ask("after"));
    assert_eq!(after["rows"], before["rows"]);
    // Nobody audited: what the operator committed to is not yet what was handed in.
    let why = "no auditor vouches for it";
    fail(path, &["verify", "after"], 4, why);
    fail(
        path,
        &["table", "verify", "after", "--expect-table", before["table"].as_str().unwrap()],
        4,
        why,
    );
    let open =
        serde_json::from_str::<Value>(&run(path, &["--json", "verify", "after"]).out).unwrap();
    assert_eq!((&open["verified"], &open["established"]), (&true.into(), &false.into()));
    assert_eq!(
        (&open["error"]["kind"], &open["open"][0]["name"]),
        (&"unestablished".into(), &"unaudited".into())
    );
    let accepted = json(path, &["verify", "after", "--accept", "unaudited"]);
    assert_eq!((&accepted["established"], &accepted["error"]), (&true.into(), &Value::Null));
    let claims = accepted["claims"].clone();
    let median = claims.as_array().unwrap().iter().map(|claim| &claim["statement"]);
    for statement in median {
        assert_eq!(statement["rolled_up"], 3);
        assert_eq!(statement["assurance"], "committed, not audited");
    }
    for epoch in ["1", "2", "3"] {
        vouch(path, &["--epoch", epoch], &format!("audit-{epoch}"));
    }
    let audit = json(path, &["verify", "audit-3"]);
    assert_eq!(audit["claims"][0]["statement"]["rollups"], 2);
    succeed(path, &ask("audited"));
    let audited = json(path, &["verify", "audited"]);
    assert_eq!(audited["claims"][0]["statement"]["assurance"], "audited");
    assert_eq!(audited["established"], true);
    fail(path, &["verify", "after"], 4, why);
    let part = ["table", "export", "pay", "--epoch", "3", "--part", "1/2", "--out", "no"];
    fail(path, &part, 2, "audited as a whole");
    // Keys with fewer rows than the policy wants, and a policy that wants no roll-ups.
    let other = tempfile::tempdir().unwrap();
    for (schema, reason) in [
        (SCHEMA.replace("min_count = 3", "min_count = 5"), "min-count"),
        (SCHEMA.replace(", rollups = true", ""), "rollups"),
    ] {
        let path = other.path().join(reason);
        fs::create_dir(&path).unwrap();
        begin(&path, &schema);
        seal(&path, "1", 5);
        seal(&path, "2", 5);
        fail(&path, &rollup, 5, reason);
    }
}

#[test]
fn auditors_share_an_epoch() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    begin(path, SCHEMA);
    seal(path, "1", 100);
    let assurance = |out: &'static str| {
        let sql = "SELECT AVG(wage) FROM pay WHERE epoch = 1";
        succeed(path, &["table", "query", "pay", sql, "--out", out]);
        json(path, &["verify", out, "--accept", "unaudited"])["claims"][0]["statement"]["assurance"]
            .clone()
    };
    for (number, part) in ["1/2", "2/2", "users/2"].into_iter().enumerate() {
        assert_eq!(assurance(["a", "b", "c"][number]), "committed, not audited");
        let out = format!("part-{number}");
        let signed = vouch(path, &["--epoch", "1", "--part", part], &out);
        assert_eq!(signed["signed"], true);
        succeed(path, &["verify", &out, "--accept", "unaudited"]);
    }
    assert_eq!(assurance("whole"), "audited");
    for wrong in ["0/2", "3/2", "users/0", "1", "x/2"] {
        let part = ["table", "export", "pay", "--epoch", "1", "--part", wrong, "--out", "no"];
        fail(path, &part, 2, "a part is");
    }
    let three = ["table", "export", "pay", "--epoch", "1", "--part", "1/3", "--out", "no"];
    fail(path, &three, 2, "parts, of so many keys at most");
    let file = path.join("part-0/objects/table/epoch-1.part");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    fail(path, &["table", "audit", "run", "part-0", "--genesis", "pay/genesis.json"], 1, "part");
}
