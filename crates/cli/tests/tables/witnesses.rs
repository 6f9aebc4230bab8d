//! A table with witnesses: nothing is shown before a quorum has cosigned, the operator's key can be
//! changed, users hold it to its receipts, and two histories become evidence.

use std::{fs, path::Path, process::Stdio};

use tempfile::TempDir;

use crate::common::{fail, json, subrosa, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [{ name = "senior", kind = "bool" }]
values = [{ name = "wage", min = 0, max = 1000, ordered = true }]
policy = { min_count = 2, allow = ["moments"], max_queries_per_day = 3 }
"#;
const HEADER: &str = "user,wage,senior\n";
const SUM: &str = "SELECT SUM(wage) FROM pay WHERE epoch = 1";

fn keygen(path: &Path, name: &str) -> String {
    json(path, &["board", "keygen", "--key", name])["public_key"].as_str().unwrap().to_owned()
}

fn ingest(path: &Path, folder: &str, epoch: &str, wages: &[u32]) {
    let mut text = HEADER.to_owned();
    for (user, wage) in wages.iter().enumerate() {
        text += &format!("person {user},{wage},{}\n", user % 2 == 0);
    }
    let file = format!("{folder}-{epoch}.csv");
    fs::write(path.join(&file), text).unwrap();
    let receipts = format!("{folder}-{epoch}.receipts");
    succeed(path, &["table", "ingest", folder, &file, "--epoch", epoch, "--receipts", &receipts]);
}

/// Three witnesses, two of whom must cosign.
fn begin() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    let keys = ["w0.key", "w1.key", "w2.key"].map(|name| keygen(path, name));
    let mut init = vec!["table", "init", "pay", "--schema", "schema.toml"];
    keys.iter().for_each(|key| init.extend(["--witness", key]));
    let weak = [&init[..], &["--quorum", "1"]].concat();
    fail(path, &weak, 2, "two quorums of witnesses could see two histories");
    fail(path, &init, 2, "--quorum");
    succeed(path, &[&init[..], &["--quorum", "2"]].concat());
    directory
}

/// A witness looks at a log and cosigns it.
fn cosign<'a>(log: &'a str, witness: &'a str, out: &'a str) -> Vec<String> {
    let (key, state) = (format!("{witness}.key"), format!("{witness}.state"));
    ["table", "cosign", "sign", log, "--key", &key, "--state", &state, "--out", out]
        .map(str::to_owned)
        .to_vec()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

/// Shows the log since a size to two witnesses and takes their cosignatures in.
fn witnessed(path: &Path, since: &str, tag: &str) {
    let log = format!("{tag}.log");
    succeed(path, &["table", "log", "pay", "--since", since, "--out", &log]);
    for witness in ["w0", "w1"] {
        let out = format!("{tag}-{witness}");
        succeed(path, &words(&cosign(&log, witness, &out)));
        succeed(path, &["table", "cosign", "add", "pay", &out]);
    }
}

#[test]
fn nothing_is_shown_before_a_quorum_has_cosigned() {
    let directory = begin();
    let path = directory.path();
    ingest(path, "pay", "1", &[100, 200, 300, 400]);
    fail(path, &["table", "log", "pay", "--out", "no.log"], 2, "no epoch is in the log");
    assert_eq!(json(path, &["table", "seal", "pay", "--epoch", "1"])["state"], "logged");
    let ask = |out: &'static str| ["table", "query", "pay", SUM, "--out", out];
    fail(path, &ask("early"), 2, "not in the log");
    let lookup = ["table", "lookup", "pay", "--user", "person 1", "--epoch", "1", "--out", "early"];
    fail(path, &lookup, 2, "");
    // Auditors need not wait for witnesses.
    succeed(path, &["table", "export", "pay", "--epoch", "1", "--out", "audit"]);
    succeed(path, &["verify", "audit"]);

    succeed(path, &["table", "log", "pay", "--out", "1.log"]);
    succeed(path, &words(&cosign("1.log", "w0", "w0.1")));
    let added = json(path, &["table", "cosign", "add", "pay", "w0.1"]);
    assert_eq!(added["state"], "logged");
    fail(path, &ask("early"), 2, "not in the log");
    // A stranger is no witness.
    keygen(path, "stranger.key");
    succeed(path, &words(&cosign("1.log", "stranger", "stranger.1")));
    fail(path, &["table", "cosign", "add", "pay", "stranger.1"], 2, "cosignature");
    succeed(path, &words(&cosign("1.log", "w2", "w2.1")));
    assert_eq!(json(path, &["table", "cosign", "add", "pay", "w2.1"])["state"], "sealed");

    let answer = json(path, &ask("answer"));
    let table = answer["table"].as_str().unwrap();
    assert_eq!(answer["rows"][0]["SUM(wage)"], "1000");
    let statement =
        &json(path, &["verify", "answer", "--accept", "unaudited"])["claims"][0]["statement"];
    assert_eq!(statement["log"]["witnesses"].as_array().unwrap().len(), 2);
    let verify = [
        "table",
        "verify",
        "answer",
        "--accept",
        "unaudited",
        "--expect-table",
        table,
        "--max-age",
    ];
    succeed(path, &[&verify[..], &["3600"]].concat());
    std::thread::sleep(std::time::Duration::from_millis(2100));
    fail(path, &[&verify[..], &["1"]].concat(), 4, "a quorum of witnesses saw the log");

    // The next epoch is logged and not cosigned: answers stay with the log that was.
    ingest(path, "pay", "2", &[1, 2, 3]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &ask("old"));
    assert_eq!(
        json(path, &["verify", "old", "--accept", "unaudited"])["claims"][0]["statement"]["log"]["epochs"],
        1
    );
    // A cosignature that comes late is still one of the log that its witness saw.
    succeed(path, &words(&cosign("1.log", "w1", "w1.1")));
    assert_eq!(json(path, &["table", "cosign", "add", "pay", "w1.1"])["epochs"], 1);
    witnessed(path, "1", "2");
    succeed(path, &ask("new"));
    assert_eq!(
        json(path, &["verify", "new", "--accept", "unaudited"])["claims"][0]["statement"]["log"]["epochs"],
        2
    );
    // A proof from another size than the witness saw.
    succeed(path, &["table", "log", "pay", "--since", "0", "--out", "from0.log"]);
    fail(path, &words(&cosign("from0.log", "w2", "no")), 1, "starts from");

    // Policy: no order statistics, three questions a day, all of them in the log.
    let median = "SELECT MEDIAN(wage) FROM pay WHERE epoch = 1";
    fail(path, &["table", "query", "pay", median, "--out", "no"], 5, "kind");
    fail(path, &ask("no"), 3, "budget");
    assert!(!path.join("no").exists());
    let asked = json(path, &["table", "query-log", "pay"]);
    let asked_for = asked["queries"].as_array().unwrap();
    let refused: Vec<&str> =
        asked_for.iter().filter_map(|asked| asked["refused"].as_str()).collect();
    assert_eq!((asked_for.len(), refused), (5, vec!["kind", "budget"]));
    assert_eq!(
        (&asked["queries"][2]["query"], &asked["max_queries_per_day"]),
        (&SUM.into(), &3.into())
    );
}

#[test]
fn the_operators_key_is_changed_and_verifiers_follow() {
    let directory = begin();
    let path = directory.path();
    ingest(path, "pay", "1", &[100, 200, 300, 400]);
    let rotated = json(path, &["table", "keys", "rotate", "pay"]);
    assert_eq!(rotated["epoch"], 1);
    fail(path, &["table", "keys", "rotate", "pay"], 2, "epoch of a rotation");
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    witnessed(path, "0", "1");
    ingest(path, "pay", "2", &[5, 6, 7]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    let log = json(path, &["table", "log", "pay"]);
    assert_eq!(log["operator"], rotated["new"]);
    witnessed(path, "1", "2");
    for (out, epoch, operator) in [("one", 1, "old"), ("two", 2, "new")] {
        let sql = format!("SELECT SUM(wage) FROM pay WHERE epoch = {epoch}");
        succeed(path, &["table", "query", "pay", &sql, "--out", out]);
        let statement =
            &json(path, &["verify", out, "--accept", "unaudited"])["claims"][0]["statement"];
        // Both answers are about the newest log, which the new key signed.
        assert_eq!(statement["log"]["operator"], rotated["new"], "{operator}");
    }
    // Receipts of both keys, checked by their user.
    for epoch in ["1", "2"] {
        let own = format!("own-{epoch}");
        let keys = ["table", "keys", "pay", "--user", "person 1", "--epoch", epoch, "--out", &own];
        succeed(path, &keys);
        let line = fs::read_to_string(path.join(format!("pay-{epoch}.csv"))).unwrap();
        fs::write(path.join("row.csv"), format!("{HEADER}{}\n", line.lines().nth(2).unwrap()))
            .unwrap();
        let receipts = format!("pay-{epoch}.receipts");
        let check = ["table", "receipt", "check", &receipts, "--own", &own, "--row"];
        if epoch == "2" {
            // Who knows the genesis alone must learn of the new key.
            fail(path, &[&check[..], &["row.csv"]].concat(), 1, "receipt");
        }
        let check = [&check[..6], &["--log", "2.log"], &check[6..]].concat();
        let checked = json(path, &[&check[..], &["row.csv"]].concat());
        assert_eq!(checked["epoch"].to_string(), epoch);
        fs::write(path.join("other.csv"), format!("{HEADER}person 1,999,false\n")).unwrap();
        fail(path, &[&check[..], &["other.csv"]].concat(), 1, "the receipt's leaf");
    }
    // A second change, by the key that is the operator's now.
    let again = json(path, &["table", "keys", "rotate", "pay"]);
    assert_eq!((&again["epoch"], &again["old"]), (&3.into(), &rotated["new"]));
    succeed(path, &["table", "seal", "pay", "--epoch", "3"]);
}

/// A restored backup seals an epoch anew: witnesses refuse it, and both logs convict the operator.
#[test]
fn two_histories_are_refused_and_become_evidence() {
    let directory = begin();
    let path = directory.path();
    ingest(path, "pay", "1", &[100, 200]);
    succeed(path, &["table", "log", "pay"]);
    fs::create_dir(path.join("backup")).unwrap();
    fs::create_dir(path.join("backup/secrets")).unwrap();
    for file in ["genesis.json", "table.redb", "secrets/operator.key", "secrets/master.key"] {
        fs::copy(path.join("pay").join(file), path.join("backup").join(file)).unwrap();
    }
    succeed(path, &["table", "seal", "pay", "--epoch", "1"]);
    witnessed(path, "0", "honest");
    let late = format!("{HEADER}person 9,7,true\n");
    fs::write(path.join("late.csv"), late).unwrap();
    succeed(path, &["table", "ingest", "backup", "late.csv", "--epoch", "1"]);
    succeed(path, &["table", "seal", "backup", "--epoch", "1"]);
    succeed(path, &["table", "log", "backup", "--out", "forked.log"]);
    fail(path, &words(&cosign("forked.log", "w0", "no")), 1, "consistency of the log");
    assert!(!path.join("no").exists());
    // A witness that is asked to cosign both at once, by two processes, cosigns one of them.
    for round in 0..6 {
        let sign = |log: &str| {
            let mut command = cosign(log, "w2", &format!("{round}-{log}"));
            let state = command.iter().position(|word| word == "w2.state").unwrap();
            command[state] = format!("{round}.state");
            subrosa(path, &words(&command)).stderr(Stdio::null()).spawn().unwrap()
        };
        let both = ["honest.log", "forked.log"].map(sign);
        let signed = both.map(|mut process| process.wait().unwrap().success());
        assert_eq!(signed.iter().filter(|signed| **signed).count(), 1, "round {round}");
    }
    let twice = ["table", "evidence", "honest.log", "honest.log", "--out", "no"];
    fail(path, &twice, 1, "the two logs show no offence");
    succeed(path, &["table", "evidence", "honest.log", "forked.log", "--out", "evidence"]);
    let verified = json(path, &["verify", "evidence"]);
    assert_eq!(verified["claims"][0]["statement"]["offence"], "two roots");
    // A log that has grown since does not continue the other, either.
    ingest(path, "pay", "2", &[5, 6, 7]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    succeed(path, &["table", "log", "pay", "--since", "1", "--out", "grown.log"]);
    let grown = ["table", "evidence", "honest.log", "grown.log", "--out", "no"];
    fail(path, &grown, 1, "the two logs show no offence");
    succeed(path, &["table", "evidence", "grown.log", "forked.log", "--out", "fork"]);
    let verified = json(path, &["verify", "fork"]);
    assert_eq!(verified["claims"][0]["statement"]["offence"], "fork");
    let file = path.join("evidence/objects/table/evidence");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    fail(path, &["verify", "evidence"], 1, "evidence");
}
