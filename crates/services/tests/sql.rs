//! Rows from MariaDB and PostgreSQL: what is taken, what is refused, and what a replay does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{
    EPOCH, ORDER, Server, columns, custodian, in_memory, operator, password_file, rng, schema,
    take, take_with,
};
use services::sql::{Order, Pulled, SqlError, pull};
use table::{
    Hash, Row,
    store::{
        Accepted, Custodian, CustodyError, MemoryStore, Pair, Promise, Space, Store, StoreError,
        Write,
    },
};
use wire::Progress;

/// Rows as a CSV file has them, and as SQL literals.
const ROWS: [[&str; 6]; 8] = [
    ["ada", "engineer", "true", "0", "0", "512.50"],
    ["Ada", "nurse", "false", "4294967295", "18446744073709551615", "-500"],
    ["bob", "nurse", "false", "12345", "1", "-0.01"],
    ["Robert'); DROP TABLE victim; --", "'; DROP TABLE victim; --", "true", "1", "2", "1000"],
    ["\" OR 1=1 /*", "nurse", "true", "1", "9223372036854775808", "0"],
    ["\\'; SELECT pg_sleep(60) --", "Ärztin ☤", "false", "7", "3", "0.10"],
    ["İstanbul 😀 %s ${x}", "engineer", "false", "7", "3", "999.99"],
    ["a\tb\u{7f}", "engineer", "false", "7", "3", "1.00"],
];

fn row([user, role, night, zip, site, wage]: [&str; 6]) -> Row {
    let schema = schema();
    let types = schema.types.iter().zip([role, night, zip, site]);
    let codes: Vec<u64> = types.map(|(column, text)| column.code_of(text).unwrap()).collect();
    let values = vec![schema.values.first().unwrap().offset_of(wage).unwrap()];
    Row { user: user.as_bytes().to_vec(), key: schema.encode_key(&codes).unwrap(), values }
}

/// The values of an INSERT, with the id in front.
fn literals(server: &Server, id: i64, [user, role, night, zip, site, wage]: [&str; 6]) -> String {
    let quote = |text: &str| {
        let text = text.replace('\'', "''");
        // A backslash is an escape in MySQL.
        let text = if server.is_mysql { text.replace('\\', "\\\\") } else { text };
        format!("'{text}'")
    };
    format!("({id}, {}, {}, {night}, {zip}, {site}, {wage})", quote(user), quote(role))
}

fn insert(server: &Server, table: &str, first: i64, rows: &[[&str; 6]]) {
    let values: Vec<String> =
        (first..).zip(rows).map(|(id, row)| literals(server, id, *row)).collect();
    server.run(&format!("INSERT INTO {table} VALUES {}", values.join(", ")));
}

fn numbered(count: usize) -> Vec<[String; 6]> {
    let row = |n: usize| {
        let role = if n.is_multiple_of(3) { "nurse" } else { "engineer" };
        let wage = format!("{}.{:02}", n * 7919 % 1000, n % 100);
        let night = n.is_multiple_of(2).to_string();
        [format!("person {n}"), role.to_owned(), night, n.to_string(), (n % 5).to_string(), wage]
    };
    (0..count).map(row).collect()
}

fn borrowed(rows: &[[String; 6]]) -> Vec<[&str; 6]> {
    rows.iter().map(|row| row.each_ref().map(String::as_str)).collect()
}

fn digest<S: Store>(custodian: &Custodian<S>) -> Hash {
    custodian.seal_epoch(EPOCH, &operator(), &()).unwrap();
    custodian.header(EPOCH).unwrap().digest(custodian.table().id())
}

/// The digest of rows that came from a file.
fn expected(rows: &[[&str; 6]]) -> Hash {
    let custodian = in_memory();
    let rows: Vec<Row> = rows.iter().map(|fields| row(*fields)).collect();
    custodian.ingest(EPOCH, &rows, &mut rng(5)).unwrap();
    digest(&custodian)
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn both_databases_give_the_digest_of_a_file() {
    let expected = expected(&ROWS);
    for server in Server::both() {
        server.make("victim", "id INTEGER");
        server.make("pay", columns(&server));
        insert(&server, "pay", 1, &ROWS);
        let custodian = in_memory();
        let order = Order { dry_run: true, ..ORDER };
        let checked = take_with(&custodian, &server.source("pay"), order, &()).unwrap();
        assert_eq!(checked, Pulled { rows: 8, before: 0 });
        let pulled = take(&custodian, &server.source("pay")).unwrap();
        assert_eq!(pulled, Pulled { rows: 8, before: 0 });
        let promise = custodian.promise(EPOCH, b"ada").unwrap();
        assert_eq!(promise, Some(Promise { log_size: 0, deadline: ORDER.deadline }));
        // Nothing is left to take, with a cursor; everything once more, without: to no effect.
        assert_eq!(take(&custodian, &server.source("pay")).unwrap(), Pulled { rows: 0, before: 8 });
        let whole = services::sql::Source { cursor: None, ..server.source("pay") };
        assert_eq!(take(&custodian, &whole).unwrap(), Pulled { rows: 8, before: 0 });
        assert_eq!(digest(&custodian), expected, "{server:?}");
        server.run("INSERT INTO victim VALUES (1)");
        let closed = take(&custodian, &server.source("pay"));
        assert!(matches!(closed, Err(SqlError::Custody(CustodyError::State { .. }))));
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn wrong_rows_are_named_and_none_is_stored() {
    for server in Server::both() {
        let cases = [
            ("(1, NULL, 'nurse', true, 1, 1, 1)", "column `person`: NULL"),
            ("(1, '', 'nurse', true, 1, 1, 1)", "a user's identifier has 1 to 256 bytes"),
            ("(1, repeat('x', 257), 'nurse', true, 1, 1, 1)", "a user's identifier"),
            ("(1, 'ada', NULL, true, 1, 1, 1)", "column `role`: NULL"),
            ("(1, 'ada', 'Nurse', true, 1, 1, 1)", "column `role`: `Nurse` is not one of"),
            ("(1, 'ada', repeat('x', 9999), true, 1, 1, 1)", "column `role`"),
            ("(1, 'ada', 'nurse', NULL, 1, 1, 1)", "column `night`: NULL"),
            ("(1, 'ada', 'nurse', true, 4294967296, 1, 1)", "column `zip`"),
            ("(1, 'ada', 'nurse', true, -1, 1, 1)", "column `zip`"),
            ("(1, 'ada', 'nurse', true, 1, NULL, 1)", "column `site`: NULL"),
            ("(1, 'ada', 'nurse', true, 1, -1, 1)", "column `site`"),
            ("(1, 'ada', 'nurse', true, 1, 18446744073709551616, 1)", "column `site`"),
            ("(1, 'ada', 'nurse', true, 1, 1, NULL)", "column `wage`: NULL"),
            ("(1, 'ada', 'nurse', true, 1, 1, 1000.01)", "column `wage`: `1000.01"),
            ("(1, 'ada', 'nurse', true, 1, 1, -500.01)", "column `wage`: `-500.01"),
            ("(1, 'ada', 'nurse', true, 1, 1, 0.001)", "column `wage`: `0.001"),
            ("(1, 'ada', 'nurse', true, 1, 1, 99999999999999999999999)", "column `wage`"),
        ];
        // Both hold what their own columns refuse.
        let wide = "id BIGINT, person VARCHAR(300), role TEXT, night BOOLEAN, \
            zip BIGINT, site DECIMAL(30,0), wage DECIMAL(30,6)";
        for (values, fault) in cases {
            server.make("wrong", wide);
            server.run(&format!(
                "INSERT INTO wrong VALUES (0, 'eve', 'nurse', true, 1, 1, 1), {values}"
            ));
            let custodian = in_memory();
            let error = take(&custodian, &server.source("wrong")).unwrap_err();
            let message = error.to_string();
            assert!(matches!(error, SqlError::Rows { count: 1, .. }), "{server:?} {message}");
            assert!(message.contains("row 2 (`id` 1)"), "{message}");
            assert!(message.contains(fault) && message.len() < 500, "{values}: {message}");
            assert!(custodian.user_keys(EPOCH, b"eve").unwrap().is_none(), "nothing was stored");
        }
        for (id, fault) in [("NULL", "column `id`: NULL"), ("0", "column `id` does not ascend")] {
            server.make("wrong", wide);
            server.run(&format!(
                "INSERT INTO wrong VALUES (0, 'eve', 'nurse', true, 1, 1, 1),
                 ({id}, 'ada', 'nurse', true, 1, 1, 1)"
            ));
            let message = take(&in_memory(), &server.source("wrong")).unwrap_err().to_string();
            assert!(message.contains(fault), "{message}");
        }
        // Many faults are counted, and few are shown.
        server.make("wrong", wide);
        for id in 0..30 {
            server.run(&format!("INSERT INTO wrong VALUES ({id}, 'p{id}', 'x', true, 1, 1, 1)"));
        }
        let error = take(&in_memory(), &server.source("wrong")).unwrap_err();
        assert!(matches!(&error, SqlError::Rows { count: 30, shown, .. } if shown.len() == 10));
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn types_that_lose_something_are_refused() {
    for server in Server::both() {
        let mut lossy = vec!["REAL", "DOUBLE PRECISION", "DATE", "TIME", "TIMESTAMP"];
        lossy.extend(match server.is_mysql {
            true => ["DATETIME", "BLOB", "VARBINARY(20)", "BIT(8)", "YEAR"],
            false => ["BYTEA", "CHAR(20)", "UUID", "INTEGER[]", "JSONB"],
        });
        for kind in lossy {
            for column in ["person", "role", "zip", "wage", "id"] {
                let kinds = ["id", "person", "role", "night", "zip", "site", "wage"].map(|name| {
                    let plain = match name {
                        "person" | "role" => "VARCHAR(20)",
                        "night" => "BOOLEAN",
                        _ => "BIGINT",
                    };
                    format!("{name} {}", if name == column { kind } else { plain })
                });
                server.make("lossy", &kinds.join(", "));
                let error = take(&in_memory(), &server.source("lossy")).unwrap_err();
                let named =
                    matches!(&error, SqlError::Type { column: named, .. } if named == column);
                assert!(named, "{kind} {column}: {error}");
            }
        }
        // A truth value is no number, and neither is a text an integer.
        for (column, kind) in [("wage", "BOOLEAN"), ("id", "TEXT"), ("person", "DECIMAL(9,2)")] {
            if server.is_mysql && kind == "BOOLEAN" {
                continue;
            }
            server.make("lossy", columns(&server));
            if column == "id" {
                server.run("ALTER TABLE lossy DROP COLUMN id");
            } else {
                server.run(&format!("ALTER TABLE lossy DROP COLUMN {column}"));
            }
            server.run(&format!("ALTER TABLE lossy ADD COLUMN {column} {kind}"));
            let error = take(&in_memory(), &server.source("lossy")).unwrap_err();
            assert!(matches!(error, SqlError::Type { .. }), "{error}");
        }
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn enums_views_schemas_and_epochs() {
    let expected = expected(&ROWS[..2]);
    for server in Server::both() {
        let role = if server.is_mysql {
            server.run("DROP TABLE IF EXISTS staff");
            "ENUM('nurse', 'engineer')"
        } else {
            server.run(
                "DROP TABLE IF EXISTS staff CASCADE; DROP TYPE IF EXISTS role;
                 CREATE TYPE role AS ENUM ('nurse', 'engineer')",
            );
            "role"
        };
        server.make(
            "staff",
            &format!(
                "id INTEGER, person VARCHAR(20), role {role}, night SMALLINT, zip TEXT,
                 site DECIMAL(20,0), wage VARCHAR(20), month INTEGER"
            ),
        );
        server.run(
            "INSERT INTO staff VALUES (1, 'ada', 'engineer', 1, '0', 0, '512.50', 1),
             (2, 'Ada', 'nurse', 0, '4294967295', 18446744073709551615, '-500.0', 1),
             (3, 'ada', 'nurse', 0, '7', 7, '7', 2), (4, 'bob', NULL, NULL, NULL, 7, '7', NULL)",
        );
        let staff = services::sql::Source {
            epoch: Some("month".to_owned()),
            schema: Some(if server.is_mysql { "subrosa" } else { "public" }.to_owned()),
            ..server.source("staff")
        };
        let custodian = in_memory();
        assert_eq!(take(&custodian, &staff).unwrap(), Pulled { rows: 2, before: 0 });
        let second = take_with(&custodian, &staff, Order { epoch: 2, ..ORDER }, &()).unwrap();
        assert_eq!(second, Pulled { rows: 1, before: 0 });
        assert_eq!(digest(&custodian), expected);
        // A view converts what no table holds, and names columns as we do.
        server.run(
            "DROP VIEW IF EXISTS january;
             CREATE VIEW january AS SELECT id AS number, person, role, night = 1 AS night,
                CAST(zip AS DECIMAL(10,0)) AS zip, site, wage FROM staff WHERE month = 1",
        );
        let mut january = server.source("january");
        january.cursor = Some("number".to_owned());
        let custodian = in_memory();
        assert_eq!(take(&custodian, &january).unwrap(), Pulled { rows: 2, before: 0 });
        assert_eq!(digest(&custodian), expected);
        for (mut source, what) in [
            (services::sql::Source { table: "missing".to_owned(), ..staff.clone() }, "`missing`"),
            (services::sql::Source { table: "Staff".to_owned(), ..staff.clone() }, "`Staff`"),
            (
                services::sql::Source { schema: Some("mysql".to_owned()), ..staff.clone() },
                "`staff`",
            ),
            (services::sql::Source { epoch: Some("Month".to_owned()), ..staff.clone() }, "`Month`"),
            (
                services::sql::Source { epoch: Some("person".to_owned()), ..staff.clone() },
                "integer",
            ),
        ] {
            let message = take(&in_memory(), &source).unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
            source.columns.insert("salary".to_owned(), "wage".to_owned());
            assert!(take(&in_memory(), &source).is_err());
        }
        let mut unknown = staff.clone();
        unknown.columns.insert("salary".to_owned(), "wage".to_owned());
        let refused = take(&in_memory(), &unknown);
        assert!(matches!(refused, Err(SqlError::Unknown { column }) if column == "salary"));
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn hostile_names_stay_names() {
    let expected = expected(&ROWS[..3]);
    for server in Server::both() {
        server.make("victim", "id INTEGER");
        let name = "pay`\"'; DROP TABLE victim; --";
        let column = "wage`\"') FROM victim; DELETE FROM victim; --";
        let quoted = |name: &str| match server.is_mysql {
            true => format!("`{}`", name.replace('`', "``")),
            false => format!("\"{}\"", name.replace('"', "\"\"")),
        };
        let list = columns(&server).replace("wage ", &format!("{} ", quoted(column)));
        server.make(&quoted(name), &list);
        insert(&server, &quoted(name), 1, &ROWS[..3]);
        let mut source = server.source(name);
        source.columns.insert("wage".to_owned(), column.to_owned());
        let custodian = in_memory();
        assert_eq!(take(&custodian, &source).unwrap().rows, 3);
        assert_eq!(digest(&custodian), expected);
        // Names that are no names are parameters of the look-up, and are not found.
        server.make("pay_named", columns(&server));
        for hostile in ["x' OR '1'='1", "pay_named; DROP TABLE victim", "pay_named`", "\"", "%", ""]
        {
            let table = services::sql::Source { table: hostile.to_owned(), ..server.source("x") };
            let schema = Some(hostile.to_owned());
            let schema = services::sql::Source { schema, ..server.source("pay_named") };
            for source in [table, schema] {
                let refused = take(&in_memory(), &source);
                assert!(matches!(refused, Err(SqlError::NoTable { .. })), "{hostile}");
            }
            let cursor = Some(hostile.to_owned());
            let cursor = services::sql::Source { cursor, ..server.source("pay_named") };
            let refused = take(&in_memory(), &cursor);
            assert!(matches!(refused, Err(SqlError::NoColumn { .. })), "{hostile}");
        }
        server.run("INSERT INTO victim VALUES (1)");
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn a_user_with_two_rows_is_refused() {
    for server in Server::both() {
        server.make("pay_twice", columns(&server));
        let [ada, other, ..] = ROWS;
        // Two users for us, though one for a database that ignores case or trailing spaces.
        let spaced = [&["ada "], &ada[1..]].concat().try_into().unwrap();
        insert(&server, "pay_twice", 1, &[ada, other, spaced]);
        assert_eq!(take(&in_memory(), &server.source("pay_twice")).unwrap().rows, 3);
        insert(&server, "pay_twice", 4, &[ada]);
        let custodian = in_memory();
        let refused = take(&custodian, &server.source("pay_twice"));
        assert!(matches!(&refused, Err(SqlError::Twice { user, .. }) if user == "ada"));
        assert!(custodian.user_keys(EPOCH, b"ada").unwrap().is_none());
    }
}

/// Fails for ever from the commit with this number on.
struct Crashing<'a> {
    store: &'a MemoryStore,
    left: AtomicUsize,
}

impl Store for Crashing<'_> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(space, key)
    }

    fn scan(&self, space: Space, prefix: &[u8]) -> Result<Vec<Pair>, StoreError> {
        self.store.scan(space, prefix)
    }

    fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match left {
            Ok(_) => self.store.commit(batch),
            Err(_) => Err(StoreError("crashed".into())),
        }
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn a_crash_between_batches_loses_and_repeats_nothing() {
    // Three batches.
    let (batch, count) = (4096, 10_000);
    let rows = numbered(count);
    let rows = borrowed(&rows);
    for server in Server::both() {
        server.make("pay_crash", columns(&server));
        for (part, chunk) in rows.chunks(1000).enumerate() {
            insert(&server, "pay_crash", part as i64 * 1000, chunk);
        }
        let source = server.source("pay_crash");
        for crash in 0..3 {
            let store = MemoryStore::default();
            let master = table::store::MasterKey::from_bytes(&[3; 32]);
            drop(custodian(&store));
            let crashing = Crashing { store: &store, left: crash.into() };
            let crashed = Custodian::open(crashing, master).unwrap();
            let stopped = take(&crashed, &source);
            assert!(matches!(stopped, Err(SqlError::Custody(_))), "{stopped:?}");
            let master = table::store::MasterKey::from_bytes(&[3; 32]);
            let restarted = Custodian::open(&store, master).unwrap();
            let mut taken = Vec::new();
            let mut note = |rows: &[Row], _: &[Accepted]| {
                taken.extend(rows.iter().map(|row| row.user.clone()));
                Ok(())
            };
            let pulled = pull(&restarted, &source, ORDER, &(), &mut note, &mut rng(6)).unwrap();
            let before = crash * batch;
            let expected = Pulled { rows: (count - before) as u64, before: before as u64 };
            assert_eq!(pulled, expected);
            let expected: Vec<Vec<u8>> =
                rows.iter().skip(before).map(|row| row[0].as_bytes().to_vec()).collect();
            assert_eq!(taken, expected, "every row once, in order");
            assert_eq!(store.scan(Space::Rows, &[]).unwrap().len(), count);
        }
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn changes_behind_the_watermark_are_noticed() {
    for server in Server::both() {
        server.make("pay_moved", columns(&server));
        insert(&server, "pay_moved", 10, &ROWS[..4]);
        let (custodian, source) = (in_memory(), server.source("pay_moved"));
        assert_eq!(take(&custodian, &source).unwrap(), Pulled { rows: 4, before: 0 });
        insert(&server, "pay_moved", 20, &ROWS[4..5]);
        assert_eq!(take(&custodian, &source).unwrap(), Pulled { rows: 1, before: 4 });
        // A transaction that began earlier and committed later, as databases allow.
        insert(&server, "pay_moved", 5, &ROWS[5..6]);
        let refused = take(&custodian, &source).unwrap_err();
        let moved = SqlError::Moved {
            table: "pay_moved".to_owned(),
            cursor: "id".to_owned(),
            position: 20,
            found: 6,
            stored: 5,
        };
        assert_eq!(refused.to_string(), moved.to_string());
        let replay = Order { replay: true, ..ORDER };
        let again = take_with(&custodian, &source, replay, &()).unwrap();
        assert_eq!(again, Pulled { rows: 6, before: 0 });
        assert_eq!(take(&custodian, &source).unwrap(), Pulled { rows: 0, before: 6 });
        server.run("UPDATE pay_moved SET wage = 7 WHERE id = 11");
        let refused = take_with(&custodian, &source, replay, &()).unwrap_err();
        let named = matches!(&refused, SqlError::Changed { row, epoch: EPOCH, .. }
            if row == "row 3 (`id` 11)");
        assert!(named, "{refused}");
        server.run("DELETE FROM pay_moved WHERE id = 11");
        let refused = take(&custodian, &source);
        assert!(matches!(refused, Err(SqlError::Moved { found: 5, stored: 6, .. })));
    }
}

/// Changes the source when storing begins.
struct Meddler<'a> {
    server: &'a Server,
    statement: &'static str,
}

impl Progress for Meddler<'_> {
    fn begin(&self, stage: &str, _: u64) {
        if stage == "storing" {
            // Elsewhere: this thread is busy with the reading connection.
            std::thread::scope(|scope| {
                scope.spawn(|| self.server.run(self.statement));
            });
        }
    }

    fn advance(&self, _: u64) {}

    fn finish(&self) {}
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn what_is_stored_is_what_was_checked() {
    for server in Server::both() {
        let statement = "INSERT INTO pay_snapshot VALUES (99, 'late', 'x', true, 1, 1, 1)";
        let meddler = Meddler { server: &server, statement };
        server.make("pay_snapshot", columns(&server));
        insert(&server, "pay_snapshot", 1, &ROWS[..3]);
        let custodian = in_memory();
        let source = server.source("pay_snapshot");
        let pulled = take_with(&custodian, &source, ORDER, &meddler).unwrap();
        assert_eq!(pulled, Pulled { rows: 3, before: 0 });
        assert!(matches!(take(&custodian, &source), Err(SqlError::Rows { count: 1, .. })));
        if server.is_mysql {
            // An engine without snapshots.
            server.make("pay_snapshot", columns(&server));
            server.run("ALTER TABLE pay_snapshot ENGINE = MyISAM");
            insert(&server, "pay_snapshot", 1, &ROWS[..3]);
            let statement = "INSERT INTO pay_snapshot VALUES (99, 'late', 'nurse', true, 1, 1, 1)";
            let meddler = Meddler { server: &server, statement };
            let refused = take_with(&in_memory(), &source, ORDER, &meddler);
            let unsteady = matches!(refused, Err(SqlError::Unsteady { checked: 3, stored: 4, .. }));
            assert!(unsteady);
        }
    }
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn passwords_are_needed_and_never_shown() {
    for server in Server::both() {
        server.make("pay_secret", columns(&server));
        let source = server.source("pay_secret");
        for (password, works) in [("sesame", true), ("sesame\r\n", true), ("hunter2", false)] {
            let password_file = Some(password_file(password));
            let source = services::sql::Source { password_file, ..source.clone() };
            match take(&in_memory(), &source) {
                Ok(_) => assert!(works),
                Err(error) => {
                    let shown = format!("{error} {error:?}");
                    assert!(!works && matches!(error, SqlError::Database { .. }), "{shown}");
                    assert!(!shown.contains(password), "{shown}");
                }
            }
        }
        let url = server.url().replace("reader@", "reader:sesame@");
        let refused = take(&in_memory(), &services::sql::Source { url, ..source.clone() });
        assert!(!format!("{:?}", refused.unwrap_err()).contains("sesame"));
        let absent = Some("/nonexistent/password".into());
        let absent = services::sql::Source { password_file: absent, ..source.clone() };
        assert!(matches!(take(&in_memory(), &absent), Err(SqlError::Password { .. })));
        // A server that must show a certificate, and has none.
        let url = format!(
            "{}?sslmode={}",
            server.url(),
            match server.is_mysql {
                true => "VERIFY_IDENTITY",
                false => "verify-full",
            }
        );
        let refused = take(&in_memory(), &services::sql::Source { url, ..source.clone() });
        assert!(matches!(refused, Err(SqlError::Database { .. })));
        let url = format!("{}://reader@127.0.0.1:1/subrosa", server.scheme());
        let gone = take(&in_memory(), &services::sql::Source { url, ..source });
        assert!(gone.unwrap_err().to_string().contains("127.0.0.1:1/subrosa"));
    }
}
