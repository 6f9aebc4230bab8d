//! The databases that `scripts/databases` starts, and a table to fill from them.
#![allow(dead_code, reason = "every test file uses its own part")]

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use services::sql::{Order, Pulled, Source, SqlError, pull};
use sqlx::{AssertSqlSafe, Connection as _, MySqlConnection, PgConnection};
use table::{
    Fraction, Genesis, OrderProof, Policy, PublicKey, Schema, TypeColumn, TypeKind, ValueColumn,
    store::{Custodian, MasterKey, MemoryStore, Store},
};
use wire::Progress;

pub const WHY: &str = "scripts/databases starts the databases, and scripts/test calls it";
pub const EPOCH: u32 = 1;

/// A database server.
#[derive(Clone, Debug)]
pub struct Server {
    pub is_mysql: bool,
    place: String,
}

impl Server {
    /// Both of them.
    pub fn both() -> [Self; 2] {
        let place = |name| std::env::var(name).expect(WHY);
        [
            Self { is_mysql: true, place: place("SUBROSA_TEST_MARIADB") },
            Self { is_mysql: false, place: place("SUBROSA_TEST_POSTGRES") },
        ]
    }

    pub fn scheme(&self) -> &'static str {
        if self.is_mysql { "mysql" } else { "postgres" }
    }

    /// The URL of the account that may only read.
    pub fn url(&self) -> String {
        format!("{}://reader@{}/subrosa", self.scheme(), self.place)
    }

    /// Runs statements as the account that may write.
    pub fn run(&self, statements: &str) {
        let url = format!("{}://writer:local@{}/subrosa", self.scheme(), self.place);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let safe = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()));
            if self.is_mysql {
                safe.execute(&mut MySqlConnection::connect(&url).await.unwrap()).await.unwrap();
            } else {
                safe.execute(&mut PgConnection::connect(&url).await.unwrap()).await.unwrap();
            }
        });
    }

    /// Makes a table anew.
    pub fn make(&self, name: &str, columns: &str) {
        self.run(&format!("DROP TABLE IF EXISTS {name} CASCADE; CREATE TABLE {name} ({columns})"));
    }

    /// A source that reads a table whose column of users is `person`.
    pub fn source(&self, table: &str) -> Source {
        let columns = [("user".to_owned(), "person".to_owned())];
        Source {
            url: self.url(),
            password_file: Some(password_file("sesame\n")),
            table: table.to_owned(),
            schema: None,
            columns: columns.into(),
            epoch: None,
            cursor: Some("id".to_owned()),
        }
    }
}

/// A file that holds a password, for as long as the tests run.
pub fn password_file(password: &str) -> std::path::PathBuf {
    let directory = tempfile::tempdir().unwrap().keep();
    let path = directory.join("password");
    std::fs::write(&path, password).unwrap();
    path
}

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Types of every kind, and a value with decimals and a negative minimum.
pub fn schema() -> Schema {
    let roles = ["nurse", "engineer", "'; DROP TABLE victim; --", "Ärztin ☤"];
    let kind = |name: &str, kind| TypeColumn { name: name.to_owned(), kind };
    Schema {
        table: "pay".to_owned(),
        types: vec![
            kind("role", TypeKind::Enum(roles.map(str::to_owned).to_vec())),
            kind("night", TypeKind::Bool),
            kind("zip", TypeKind::U32),
            kind("site", TypeKind::U64),
        ],
        values: vec![ValueColumn {
            name: "wage".to_owned(),
            unit: "EUR".to_owned(),
            scale: 2,
            min: -50_000,
            max: 100_000,
            moments: 1,
            ordered: true,
            cuts: Vec::new(),
        }],
        policy: Policy {
            min_count: 1,
            quantiles: vec![Fraction { part: 1, whole: 2 }],
            ..Policy::default()
        },
        order_proof: OrderProof::Bp,
        key_period: 12,
        seal_deadline: 3600,
    }
}

/// The columns of [`schema`] in either database, with its own ways to hold unsigned numbers.
pub fn columns(server: &Server) -> &'static str {
    if server.is_mysql {
        "id BIGINT UNSIGNED PRIMARY KEY, person VARCHAR(300), role TEXT, night BOOLEAN, \
         zip INT UNSIGNED, site BIGINT UNSIGNED, wage DECIMAL(30,6)"
    } else {
        "id BIGINT PRIMARY KEY, person VARCHAR(300), role TEXT, night BOOLEAN, \
         zip BIGINT, site NUMERIC(20,0), wage NUMERIC(30,6)"
    }
}

/// A table in any store; the same bytes for the same rows in the same order.
pub fn custodian<S: Store>(store: S) -> Custodian<S> {
    let operator = operator();
    let genesis = Genesis {
        schema: schema(),
        first_epoch: EPOCH,
        operator: PublicKey::of(&operator),
        witnesses: Vec::new(),
        quorum: 0,
        dishonest: 0,
        auditors: Vec::new(),
        nonce: [7; 32].into(),
        continues: None,
    };
    Custodian::create(store, MasterKey::from_bytes(&[3; 32]), genesis, &mut rng(1)).unwrap()
}

pub fn in_memory() -> Custodian<MemoryStore> {
    custodian(MemoryStore::default())
}

pub fn operator() -> board::Identity {
    board::Identity::generate(&mut rng(2))
}

pub const ORDER: Order = Order { epoch: EPOCH, deadline: 9, replay: false, dry_run: false };

/// Takes rows with everything at its default.
pub fn take<S: Store>(custodian: &Custodian<S>, source: &Source) -> Result<Pulled, SqlError> {
    take_with(custodian, source, ORDER, &())
}

pub fn take_with<S: Store>(
    custodian: &Custodian<S>,
    source: &Source,
    order: Order,
    progress: &dyn Progress,
) -> Result<Pulled, SqlError> {
    pull(custodian, source, order, progress, &mut |_, _| Ok(()), &mut rng(5))
}
