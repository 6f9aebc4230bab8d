//! A table by the command line: rows in, epochs sealed and audited, questions answered, everything
//! verified by others; and every file that can be changed on the way.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::common::{fail, json, run, succeed};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [
    { name = "role", kind = { enum = ["nurse", "engineer"] } },
    { name = "senior", kind = "bool" },
]
values = [
    { name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, moments = 2, ordered = true },
    { name = "hours", min = 0, max = 255 },
]
policy = { min_count = 3, extremes = true }
"#;

/// Wages in cents; every fourth person is an engineer, every third senior.
fn wages(count: u32) -> Vec<u32> {
    (0..count).map(|i| 10_000 + i * 7919 % 50_000).collect()
}

fn csv(count: u32) -> String {
    let mut text = "user,wage,role,senior,hours\n".to_owned();
    for (i, wage) in wages(count).into_iter().enumerate() {
        let role = if i % 4 == 0 { "engineer" } else { "nurse" };
        let (whole, part) = (wage / 100, wage % 100);
        text += &format!("person {i},{whole}.{part:02},{role},{},{}\n", i % 3 == 0, 30 + i % 10);
    }
    text
}

/// A table with an auditor and the rows of one epoch.
fn begin(rows: u32) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    fs::write(path.join("rows.csv"), csv(rows)).unwrap();
    let auditor = json(path, &["board", "keygen", "--key", "auditor.key"]);
    let auditor = auditor["public_key"].as_str().unwrap();
    succeed(path, &["table", "init", "pay", "--schema", "schema.toml", "--auditor", auditor]);
    directory
}

const INGEST: [&str; 6] = ["table", "ingest", "pay", "rows.csv", "--epoch", "1"];
const SEAL: [&str; 5] = ["table", "seal", "pay", "--epoch", "1"];

/// Changes one byte in the middle of a file.
fn tamper(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_table_from_its_rows_to_answers_that_others_verify() {
    let directory = begin(40);
    let path = directory.path();
    succeed(path, &[&INGEST[..], &["--dry-run"]].concat());
    let stored = json(path, &[&INGEST[..], &["--receipts", "receipts"]].concat());
    assert_eq!((&stored["rows"], &stored["stored"]), (&40.into(), &true.into()));
    assert_eq!(fs::read_to_string(path.join("receipts")).unwrap().lines().count(), 40);
    let query = "SELECT AVG(wage) FROM pay WHERE epoch = 1";
    let ask = |sql: &'static str, out: &'static str| ["table", "query", "pay", sql, "--out", out];
    fail(path, &ask(query, "early"), 2, "epoch");
    let sealed = json(path, &SEAL);
    assert_eq!(json(path, &SEAL), sealed, "sealing again changes nothing");
    fail(path, &INGEST, 2, "epoch 1 takes no rows");

    // An auditor with the export and the genesis alone.
    succeed(path, &["table", "export", "pay", "--epoch", "1", "--out", "audit"]);
    let audit = ["table", "audit", "run", "audit", "--genesis", "pay/genesis.json"];
    let sign = ["--key", "auditor.key", "--out", "word"];
    assert_eq!(json(path, &[&audit[..], &sign].concat())["digest"], sealed["digest"]);
    succeed(path, &["table", "audit", "add", "pay", "word"]);

    let answer = json(
        path,
        &ask(
            "SELECT COUNT(*), SUM(wage) AS total, MEDIAN(wage) AS middle, MAX(wage) AS top \
         FROM pay WHERE epoch = 1",
            "answer",
        ),
    );
    let mut wages = wages(40);
    wages.sort_unstable();
    let decimal = |cents: u32| format!("{}.{:02}", cents / 100, cents % 100);
    let row = &answer["rows"][0];
    assert_eq!(row["COUNT(*)"], 40);
    assert_eq!(row["total"], decimal(wages.iter().sum()));
    assert_eq!(
        (&row["middle"], &row["top"]),
        (&decimal(wages[19]).into(), &decimal(wages[39]).into())
    );
    let verified = json(path, &["verify", "answer"]);
    assert_eq!(verified["established"], true);
    assert_eq!(verified["claims"][0]["statement"]["assurance"], "audited");
    let id = answer["table"].as_str().unwrap();
    let accepted = ["table", "verify", "answer", "--expect-table", id];
    succeed(path, &[&accepted[..], &["--min-epochs", "1"]].concat());
    fail(
        path,
        &["table", "verify", "answer", "--table", id, "--min-epochs", "2"],
        4,
        "fewer epochs",
    );
    fail(path, &["table", "verify", "answer", "--table", &"0".repeat(64)], 1, "another table");
    succeed(path, &["table", "verify", "audit", "--table", id]);
    fail(
        path,
        &["table", "verify", "audit", "--table", id, "--min-epochs", "1"],
        4,
        "how long the table's log is",
    );

    // Groups with and without enough rows.
    let grouped =
        json(path, &ask("SELECT role, COUNT(*) FROM pay WHERE epoch = 1 GROUP BY role", "grouped"));
    assert_eq!(grouped["rows"][0]["role"], "nurse");
    assert_eq!(
        (&grouped["rows"][0]["COUNT(*)"], &grouped["rows"][1]["COUNT(*)"]),
        (&30.into(), &10.into())
    );
    fail(path, &ask("SELECT QUANTILE(wage, 1/3) FROM pay WHERE epoch = 1", "no"), 5, "(fraction)");
    assert!(!path.join("no").exists());

    for (bundle, file) in
        [("answer", "objects/table/answer-1.proof"), ("audit", "objects/table/epoch-1.audit")]
    {
        tamper(&path.join(bundle).join(file));
        fail(path, &["verify", bundle], 1, file);
    }
    fail(path, &audit, 1, "epoch-1.audit");
}

#[test]
fn users_find_their_own_rows_and_nobody_elses() {
    let directory = begin(12);
    let path = directory.path();
    succeed(path, &INGEST);
    succeed(path, &SEAL);
    let header = "user,wage,role,senior,hours\n";
    fs::write(path.join("late.csv"), format!("{header}person 99,500,nurse,true,8\n")).unwrap();
    succeed(path, &["table", "ingest", "pay", "late.csv", "--epoch", "2"]);
    succeed(path, &["table", "seal", "pay", "--epoch", "2"]);
    let with =
        |command: &'static str, user: &'static str, epoch: &'static str, out: &'static str| {
            ["table", command, "pay", "--user", user, "--epoch", epoch, "--out", out]
        };
    succeed(path, &with("keys", "person 5", "1", "five.keys"));
    succeed(path, &with("lookup", "person 5", "1", "five"));
    let row = |number: usize| format!("{header}{}\n", csv(12).lines().nth(number + 1).unwrap());
    fs::write(path.join("five.csv"), row(5)).unwrap();
    fs::write(path.join("wrong.csv"), row(5).replace("nurse", "engineer")).unwrap();
    let own = ["--own", "five.keys", "--row"];
    let verify = |bundle: &'static str, row: &'static str| {
        [&["table", "verify", bundle][..], &own, &[row]].concat()
    };
    assert_eq!(json(path, &verify("five", "five.csv"))["own"], 1);
    fail(path, &verify("five", "wrong.csv"), 1, "another row under your name");
    fail(path, &["table", "verify", "five", "--own", "five.keys"], 2, "compare it with your own");
    succeed(path, &with("lookup", "person 6", "1", "six"));
    fail(path, &verify("six", "five.csv"), 1, "somebody else");

    succeed(path, &with("keys", "person 99", "1", "late.keys"));
    succeed(path, &with("absence", "person 99", "1", "absent"));
    succeed(path, &["table", "verify", "absent", "--own", "late.keys"]);
    fail(path, &with("absence", "person 5", "1", "no"), 2, "has a row");
    fail(path, &with("lookup", "person 99", "1", "no"), 2, "has no row");
    fail(path, &with("lookup", "nobody", "1", "no"), 2, "has no keys");
    fail(path, &with("lookup", "person 5", "3", "no"), 2, "not sealed");
    // Fewer than `min_count` rows.
    let sql = "SELECT SUM(wage) FROM pay WHERE epoch = 2";
    fail(path, &["table", "query", "pay", sql, "--out", "no"], 5, "min-count");
    assert!(!path.join("no").exists());
}

#[test]
fn wrong_rows_are_named_by_line_and_none_is_stored() {
    let directory = begin(3);
    let path = directory.path();
    let mut text = csv(6);
    text += "person 1,3,nurse,true,8\nperson 7,1000.01,nurse,true,8\nperson 8,3,poet,true,8\nperson 9,3\n";
    fs::write(path.join("rows.csv"), text).unwrap();
    for arguments in [&INGEST[..], &[&INGEST[..], &["--dry-run"]].concat()] {
        let ran = run(path, arguments);
        assert_eq!(ran.code, 2);
        for line in [
            "rows.csv: 4 faults",
            "line 8: the user of line 3 has a second row",
            "line 9: column `wage`: `1000.01` is outside 0.00 to 1000.00",
            "line 10: column `role`: `poet` is not one of nurse, engineer",
            "line 11",
        ] {
            assert!(ran.err.contains(line), "{line}: {}", ran.err);
        }
    }
    let line = |user: &str, wage: &str| {
        format!(
            "{{\"user\":\"{user}\",\"wage\":{wage},\"role\":\"nurse\",\"senior\":true,\"hours\":3}}\n"
        )
    };
    let ndjson = |text: &str| {
        fs::write(path.join("rows.ndjson"), text).unwrap();
        ["table", "ingest", "pay", "rows.ndjson", "--epoch", "1"]
    };
    fail(
        path,
        &ndjson(&(line("a", "3.5") + "\n" + &line("b", "3.555"))),
        2,
        "line 3: column `wage`",
    );
    let good = line("a", "3.5") + &line("b", "\"3.55\"") + &line("c", "4");
    assert_eq!(json(path, &ndjson(&good))["rows"], 3);
    let changed = good.replace("3.55", "3.56");
    fail(path, &ndjson(&changed), 2, "line 2: the user has another row in epoch 1");
}

/// The rows of a CSV file as Parquet, as numbers where they are numbers.
#[cfg(feature = "parquet")]
#[test]
fn rows_come_in_parquet_too() {
    use std::sync::Arc;

    use parquet::{
        basic::Compression,
        data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type},
        file::{properties::WriterProperties, writer::SerializedFileWriter},
        schema::parser::parse_message_type,
    };
    let directory = begin(20);
    let path = directory.path();
    let write = |name: &str, message: &str, seventh: Option<f64>| {
        let schema = Arc::new(parse_message_type(message).unwrap());
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = fs::File::create(path.join(name)).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let count = 20;
        let mut users: Vec<ByteArray> = Vec::new();
        let (mut wages, mut roles, mut seniors, mut hours) = (vec![], vec![], vec![], vec![]);
        for line in csv(count).lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            users.push(fields[0].into());
            wages.push(fields[1].parse::<f64>().unwrap());
            roles.push(ByteArray::from(fields[2]));
            seniors.push(fields[3] == "true");
            hours.push(fields[4].parse::<i32>().unwrap());
        }
        wages[7] = seventh.unwrap_or(wages[7]);
        let mut column = 0;
        while let Some(mut writer) = group.next_column().unwrap() {
            match column {
                0 => drop(writer.typed::<ByteArrayType>().write_batch(&users, None, None).unwrap()),
                1 => drop(writer.typed::<DoubleType>().write_batch(&wages, None, None).unwrap()),
                2 => drop(writer.typed::<ByteArrayType>().write_batch(&roles, None, None).unwrap()),
                3 => drop(writer.typed::<BoolType>().write_batch(&seniors, None, None).unwrap()),
                _ => drop(writer.typed::<Int32Type>().write_batch(&hours, None, None).unwrap()),
            }
            writer.close().unwrap();
            column += 1;
        }
        group.close().unwrap();
        writer.close().unwrap();
    };
    let message = |hours: &str| {
        format!(
            "message rows {{ required binary user (UTF8); required double wage; \
             required binary role (UTF8); required boolean senior; required int32 {hours}; }}"
        )
    };
    write("rows.parquet", &message("hours"), None);
    write("wrong.parquet", &message("hours"), Some(154.331));
    write("other.parquet", &message("minutes"), None);
    let ingest = |file: &'static str| ["table", "ingest", "pay", file, "--epoch", "1"];
    fail(path, &ingest("wrong.parquet"), 2, "line 8: column `wage`");
    fail(path, &ingest("other.parquet"), 2, "there is no `hours`");
    fs::write(path.join("text.parquet"), csv(3)).unwrap();
    fail(path, &ingest("text.parquet"), 2, "text.parquet");
    assert_eq!(json(path, &ingest("rows.parquet"))["rows"], 20);
    // They are the rows of the CSV file: taking those in changes nothing.
    assert_eq!(json(path, &INGEST)["rows"], 20);
    assert_eq!(json(path, &SEAL)["rows"], 20);
}
