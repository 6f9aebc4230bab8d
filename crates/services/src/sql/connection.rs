//! A connection of either driver, in one read-only snapshot.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::{
    ColumnIndex, ConnectOptions as _, Connection as _, Database, Decode, Encode, Executor,
    IntoArguments, MySql, MySqlConnection, PgConnection, Postgres, QueryBuilder, Row as _, Type,
    mysql::{MySqlConnectOptions, MySqlSslMode},
    postgres::{PgConnectOptions, PgSslMode},
};

use super::{
    SqlError,
    address::{Address, Dialect},
    statement::{Part, Statement},
};

/// Seconds that a server has to answer a connection.
const PATIENCE: u64 = 30;
/// Seconds between two rows; before the first, a large table may have to be sorted.
const ROW_PATIENCE: u64 = 1800;

/// A row: every column as text, or NULL.
pub(super) type Fields = Vec<Option<String>>;

/// An open connection.
pub(super) struct Connection {
    driver: Driver,
    dialect: Dialect,
    place: String,
}

enum Driver {
    MySql(Box<MySqlConnection>),
    Postgres(Box<PgConnection>),
}

impl Connection {
    /// Connects, and begins a snapshot: whatever is read until the end is one state of the database,
    /// where its engine has snapshots.
    pub(super) async fn open(address: &Address, password: Option<&str>) -> Result<Self, SqlError> {
        let place = address.shown();
        let opened = async {
            let mut driver = Driver::connect(address, password).await?;
            driver.begin().await.map(|()| driver)
        };
        match tokio::time::timeout(Duration::from_secs(PATIENCE), opened).await {
            Ok(Ok(driver)) => Ok(Self { driver, dialect: address.dialect, place }),
            Ok(Err(error)) => Err(SqlError::Database { place, error }),
            Err(_) => Err(SqlError::Silent { place, seconds: PATIENCE }),
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Hands over the rows of a statement, one by one as they arrive.
    pub(super) async fn rows(
        &mut self,
        statement: &Statement,
        take: &mut dyn FnMut(Fields) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let done = match &mut self.driver {
            Driver::MySql(driver) => stream::<MySql>(driver, statement, take).await,
            Driver::Postgres(driver) => stream::<Postgres>(driver, statement, take).await,
        };
        done.map_err(|stop| match stop {
            Stop::Driver(error) => SqlError::Database { place: self.place.clone(), error },
            Stop::Taker(error) => error,
            Stop::Silent => SqlError::Silent { place: self.place.clone(), seconds: ROW_PATIENCE },
        })
    }

    /// All rows of a statement that has few.
    pub(super) async fn all(&mut self, statement: &Statement) -> Result<Vec<Fields>, SqlError> {
        let mut all = Vec::new();
        let mut keep = |fields| {
            all.push(fields);
            Ok(())
        };
        self.rows(statement, &mut keep).await?;
        Ok(all)
    }

    /// Ends the snapshot and says good-bye.
    pub(super) async fn close(self) -> Result<(), SqlError> {
        let closed = match self.driver {
            Driver::MySql(driver) => driver.close().await,
            Driver::Postgres(driver) => driver.close().await,
        };
        closed.map_err(|error| SqlError::Database { place: self.place, error })
    }
}

impl Driver {
    async fn connect(address: &Address, password: Option<&str>) -> Result<Self, sqlx::Error> {
        // A server elsewhere must show that it is the one meant, before it is told a password.
        let strict = !address.has_mode() && !address.is_local();
        match address.dialect {
            Dialect::MySql => {
                let mut options = MySqlConnectOptions::from_url(&address.url)?;
                if strict {
                    options = options.ssl_mode(MySqlSslMode::VerifyIdentity);
                }
                if let Some(password) = password {
                    options = options.password(password);
                }
                let driver = options.disable_statement_logging().connect().await?;
                Ok(Self::MySql(Box::new(driver)))
            }
            Dialect::Postgres => {
                let mut options = PgConnectOptions::from_url(&address.url)?;
                if strict {
                    options = options.ssl_mode(PgSslMode::VerifyFull);
                }
                if let Some(password) = password {
                    options = options.password(password);
                }
                let driver = options.disable_statement_logging().connect().await?;
                Ok(Self::Postgres(Box::new(driver)))
            }
        }
    }

    async fn begin(&mut self) -> Result<(), sqlx::Error> {
        match self {
            Self::MySql(driver) => {
                driver.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await?;
                driver.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY").await?;
            }
            Self::Postgres(driver) => {
                driver.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?;
            }
        }
        Ok(())
    }
}

/// Why a stream of rows ended early.
enum Stop {
    Driver(sqlx::Error),
    Taker(SqlError),
    Silent,
}

async fn stream<D: Database>(
    driver: &mut D::Connection,
    statement: &Statement,
    take: &mut dyn FnMut(Fields) -> Result<(), SqlError>,
) -> Result<(), Stop>
where
    D::Arguments: IntoArguments<D>,
    String: Type<D> + for<'e> Encode<'e, D> + for<'d> Decode<'d, D>,
    usize: ColumnIndex<D::Row>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut query = QueryBuilder::<D>::new("");
    for part in &statement.parts {
        match part {
            Part::Text(text) => query.push(text),
            Part::Bound(value) => query.push_bind(value.clone()),
        };
    }
    let mut rows = query.build().fetch(driver);
    let patience = Duration::from_secs(ROW_PATIENCE);
    loop {
        let next = tokio::time::timeout(patience, rows.try_next()).await;
        let next = next.map_err(|_| Stop::Silent)?.map_err(Stop::Driver)?;
        let Some(row) = next else { return Ok(()) };
        let field = |index| row.try_get::<Option<String>, usize>(index);
        let fields: Result<Fields, sqlx::Error> = (0..row.len()).map(field).collect();
        take(fields.map_err(Stop::Driver)?).map_err(Stop::Taker)?;
    }
}
