//! A custodian has the server take rows from MariaDB and PostgreSQL.

use serde_json::{Value, json};

use crate::{
    common,
    support::{STEP, Server, now, row, user, wage},
};

const ROWS: u32 = 5000;
const PULL: &str = "/v1/tables/pay/epochs/1/pull";

fn value(index: u32) -> String {
    let (wage, hours) = (wage(index), 30 + index % 10);
    let role = if index.is_multiple_of(4) { "engineer" } else { "nurse" };
    let (whole, part) = (wage / 100, wage % 100);
    format!("({index}, '{}', '{role}', {whole}.{part:02}, {hours})", user(index))
}

fn source(name: &str, url: &str, password: &std::path::Path) -> String {
    let password = password.display();
    format!(
        "[[source]]\nname = \"{name}\"\ninto = \"pay\"\n[source.from]\nurl = \"{url}\"\n\
         password_file = \"{password}\"\ntable = \"pay_served\"\n\
         columns = {{ user = \"person\" }}\ncursor = \"id\"\n"
    )
}

#[test]
#[ignore = "needs the databases of scripts/databases"]
fn rows_come_in_from_a_database() {
    let password = common::password_file("sesame");
    for database in common::Server::both() {
        let columns = "id BIGINT PRIMARY KEY, person VARCHAR(40), role VARCHAR(20), \
            wage DECIMAL(20,4), hours INTEGER";
        database.make("pay_served", columns);
        let values: Vec<String> = (0..ROWS).map(value).collect();
        database.run(&format!("INSERT INTO pay_served VALUES {}", values.join(", ")));
        let nobody = format!("{}://reader@127.0.0.1:1/subrosa", database.scheme());
        let options =
            source("payroll", &database.url(), &password) + &source("nobody", &nobody, &password);
        let mut server = Server::with(&options, vec![], vec![]);
        let pull = |server: &Server, message: Value| server.post(PULL, "operator", &message);

        let dry = pull(&server, json!({ "source": "payroll", "dry_run": true }));
        let expected = json!({ "epoch": 1, "rows": ROWS, "before": 0, "stored": false });
        assert_eq!((dry.status, dry.json()), (200, expected));
        let pulled = pull(&server, json!({ "source": "payroll" }));
        let expected = json!({ "epoch": 1, "rows": ROWS, "before": 0, "stored": true });
        assert_eq!((pulled.status, pulled.json()), (200, expected));
        server.kill_and_restart();
        let again = pull(&server, json!({ "source": "payroll" }));
        let expected = json!({ "epoch": 1, "rows": 0, "before": ROWS, "stored": true });
        assert_eq!((again.status, again.json()), (200, expected));

        for (role, message, status, reason) in [
            ("querier", json!({ "source": "payroll" }), 403, "forbidden"),
            ("operator", json!({ "source": "payrol" }), 404, "source"),
            ("operator", json!({ "source": "nobody" }), 503, "source"),
            ("operator", json!({ "source": "payroll", "table": "x" }), 422, "fields"),
        ] {
            let refused = server.post(PULL, role, &message);
            assert_eq!(refused.status, status, "{refused:?}");
            assert_eq!(refused.reason(), reason);
            assert!(!String::from_utf8_lossy(&refused.body).contains("sesame"));
        }

        let mut custodian = server.client("operator");
        assert_eq!(custodian.seal(1, STEP).unwrap().rows, Some(ROWS.into()));
        let schema = custodian.table().schema().clone();
        for index in [0, ROWS / 2, ROWS - 1] {
            let token = custodian.token(&user(index), 600).unwrap();
            let mut own = server.client_with(&token.token);
            let keys = own.keys(user(index).as_bytes(), 1).unwrap();
            assert_eq!(own.receipts(&keys, &row(&schema, index), 1, now()).unwrap().len(), 1);
            own.lookup(&keys, &row(&schema, index), 1).unwrap();
        }
        let late = pull(&server, json!({ "source": "payroll" }));
        assert_eq!((late.status, late.reason().as_str()), (409, "epoch-state"));

        database.run("INSERT INTO pay_served VALUES (99999, 'eve', 'nurse', 0.001, 1)");
        let next = PULL.replace("epochs/1", "epochs/2");
        let wrong = server.post(&next, "operator", &json!({ "source": "payroll" }));
        assert_eq!((wrong.status, wrong.reason().as_str()), (422, "row"));
        let detail = wrong.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("row 5001 (`id` 99999): column `wage`"), "{detail}");
        database.run("DROP TABLE pay_served");
        let gone = server.post(&next, "operator", &json!({ "source": "payroll" }));
        assert_eq!((gone.status, gone.reason().as_str()), (422, "source"));
    }
}
