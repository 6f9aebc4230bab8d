//! A policy with a hierarchy, by the command line: asked of a folder and of a server.

use std::fs;

use serde_json::Value;

use crate::{
    common::{fail, succeed},
    tables::served::{client, serve},
};

const SCHEMA: &str = r#"
table = "pay"
key_period = 12
seal_deadline = 86400
order_proof = "bp"
types = [
    { name = "role", kind = { enum = ["nurse", "engineer"] } },
    { name = "shift", kind = { enum = ["day", "night", "evening"] } },
    { name = "region", kind = { enum = ["north", "south"] } },
]
values = [{ name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, ordered = true }]
policy = { min_count = 3, hierarchy = [["role", "shift"], ["region"]] }
"#;

const ROWS: &str = "user,role,shift,region,wage
ada,nurse,day,north,420.00
bob,nurse,day,north,431.00
eve,nurse,day,north,440.25
joe,nurse,night,north,498.00
zoe,nurse,evening,south,431.00
ann,nurse,evening,south,440.25
tom,nurse,evening,south,445.75
kim,nurse,evening,south,450.00
lea,engineer,day,south,512.50
max,engineer,day,south,498.00
pia,engineer,day,south,530.00
sam,engineer,day,south,505.00
";
const SHIFTS: &str = "SELECT COUNT(*), AVG(wage) FROM pay \
                      WHERE epoch = 1 AND role = 'nurse' GROUP BY shift";

#[test]
fn withheld_groups_say_why_and_other_groups_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("rows.csv"), ROWS).unwrap();
    let other = SCHEMA.replace("[\"region\"]]", "[\"wage\"]]");
    fs::write(path.join("schema.toml"), other).unwrap();
    let init = ["table", "init", "tables/pay", "--schema", "schema.toml"];
    fail(path, &init, 2, "`hierarchy` names `wage`, which is no type column");
    fs::write(path.join("schema.toml"), SCHEMA).unwrap();
    succeed(path, &init);
    succeed(path, &["table", "ingest", "tables/pay", "rows.csv", "--epoch", "1"]);
    succeed(path, &["table", "seal", "tables/pay", "--epoch", "1"]);

    let said = succeed(path, &["table", "query", "tables/pay", SHIFTS, "--out", "shifts"]);
    let lines: Vec<&str> = said.lines().take(3).collect();
    let withheld = |shift: &str, why: &str| {
        format!("AVG(wage) = withheld ({why})  COUNT(*) = withheld ({why})  shift = {shift}")
    };
    assert_eq!(lines[0], withheld("day", "to protect another"));
    assert_eq!(lines[1], withheld("night", "small"));
    assert_eq!(lines[2], "AVG(wage) = 441.750000  COUNT(*) = 4  shift = evening");
    let verified: Value = serde_json::from_str(&succeed(
        path,
        &["--json", "verify", "shifts", "--accept", "unaudited"],
    ))
    .unwrap();
    let outcomes = verified["claims"].as_array().unwrap().iter();
    let outcomes: Vec<&Value> = outcomes.map(|claim| &claim["statement"]["outcome"]).collect();
    assert_eq!(outcomes[0]["withheld"], "to protect another");
    assert_eq!(outcomes[1]["withheld"], "small");
    assert_eq!(outcomes[2]["count"], 4);

    let regions = "SELECT SUM(wage) FROM pay WHERE epoch = 1 GROUP BY region";
    let said = succeed(path, &["table", "query", "tables/pay", regions, "--out", "regions"]);
    let north = "SUM(wage) = 1789.25  region = north";
    assert_eq!(said.lines().next(), Some(north));
    let outside = "SELECT SUM(wage) FROM pay WHERE epoch = 1 GROUP BY shift";
    let named = "one value each of the first of `role`, `shift`; or of `region` (hierarchy)";
    fail(path, &["table", "query", "tables/pay", outside, "--out", "no"], 5, named);

    // The same of a server.
    succeed(path, &["table", "serve", "init", "--out", "server.toml"]);
    let config = fs::read_to_string(path.join("server.toml")).unwrap();
    fs::write(path.join("server.toml"), config.replace("127.0.0.1:8443", "127.0.0.1:0")).unwrap();
    client(path, "querier");
    let serving = serve(path);
    let genesis = fs::read(path.join("tables/pay/genesis.json")).unwrap();
    let id = table::Genesis::from_bytes(&genesis).unwrap().table_id().to_string();
    let server = ["--server", serving.url.as_str(), "--token", "querier.token"];
    let ask =
        |sql, out| [&["table", "query", id.as_str(), sql, "--out", out], &server[..]].concat();
    let said = succeed(path, &ask(SHIFTS, "served"));
    assert_eq!(said.lines().take(3).collect::<Vec<_>>(), lines);
    succeed(path, &["table", "verify", "served", "--expect-table", &id, "--accept", "unaudited"]);
    fail(path, &ask(outside, "no"), 5, named.strip_suffix(" (hierarchy)").unwrap());
}
