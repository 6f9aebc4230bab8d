//! Rows from MySQL, MariaDB and PostgreSQL, for the epochs of a table.
//!
//! ```text
//! source ─ a table or view, an account that may only read, the names of the columns
//!   │  one snapshot: read-only, repeatable
//!   ├─ columns looked up in information_schema, types that lose something refused
//!   ├─ no user twice, nothing inserted or deleted behind the watermark
//!   ├─ every row checked, none stored
//!   └─ every row stored: 4096 at a time, each batch in one transaction with the new watermark
//! store ─ authoritative from then on
//! ```
//!
//! *Exactly once.* A row is known by epoch and user, and storing it again changes nothing. Where the
//! source has a cursor, a column of ascending integers, the position of the last stored row is
//! written in the transaction that stores the row: a killed run is started again and goes on after
//! it. Rows that appeared behind that position, or disappeared, change its count, and are an error.
//! There is no transaction over both databases: the source is read, the store keeps.
//!
//! *Statements.* Their text is made of constants and of identifiers that the database's own
//! `information_schema` returned, quoted; whatever comes from configuration is bound as a parameter.
//! Nobody's SQL is taken: joins and conversions belong into a view.
//!
//! *Values.* The database renders integers and decimals as text, which is read by the same functions
//! as a CSV file: nothing passes through a double.

mod address;
mod catalog;
mod connection;
mod error;
mod plan;
mod pull;
mod statement;

use std::{collections::BTreeMap, env::VarError, fmt, path::PathBuf};

use serde::Deserialize;
use zeroize::Zeroizing;

use self::address::Address;
pub use self::{
    address::PASSWORD,
    error::SqlError,
    pull::{Order, Pulled, pull},
};

/// Bytes of a password file.
const PASSWORD_LIMIT: u64 = 1 << 12;

/// A table or view of a database, whose rows become rows of epochs.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `mysql://account@host:port/database`, or `mariadb:`, or `postgres:`; without a password.
    /// Encrypted and authenticated unless the host is this one or `sslmode` says otherwise.
    pub url: String,
    /// A file that holds the password, and nothing else [default: the variable
    /// `SUBROSA_SQL_PASSWORD`].
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// The table or view.
    pub table: String,
    /// The schema that it is in, in MySQL the database [default: the connection's].
    #[serde(default)]
    pub schema: Option<String>,
    /// Columns that have another name there: ours, or `user`, to theirs.
    #[serde(default)]
    pub columns: BTreeMap<String, String>,
    /// The column that holds a row's epoch, an integer [default: all rows are the epoch's].
    #[serde(default)]
    pub epoch: Option<String>,
    /// A column of integers that ascend as rows are added, such as the primary key: a killed run
    /// goes on after the last row stored [default: it starts again].
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A source in a server's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// What requests call it.
    pub name: String,
    /// The table that its rows go into, by name or identifier.
    pub into: String,
    /// Where they come from.
    pub from: Source,
}

/// Without the URL, which may hold a password until it is checked.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("table", &self.table).finish_non_exhaustive()
    }
}

impl Source {
    /// Checks the URL.
    ///
    /// # Errors
    /// [`SqlError::Address`].
    pub fn check(&self) -> Result<(), SqlError> {
        Address::parse(&self.url).map(|_| ())
    }

    /// The name there of one of our columns.
    fn named<'a>(&'a self, column: &'a str) -> &'a str {
        self.columns.get(column).map_or(column, String::as_str)
    }

    /// The password, from its file or the environment.
    fn password(&self) -> Result<Option<Zeroizing<String>>, SqlError> {
        let Some(path) = &self.password_file else {
            return match std::env::var(PASSWORD) {
                Ok(password) => Ok(Some(Zeroizing::new(password))),
                Err(VarError::NotPresent) => Ok(None),
                Err(VarError::NotUnicode(_)) => {
                    Err(SqlError::Address(format!("the password in {PASSWORD} is not UTF-8")))
                }
            };
        };
        let failed = |error: String| SqlError::Password { path: path.clone(), error };
        let bytes = wire::read_bounded(path, PASSWORD_LIMIT).map(Zeroizing::new);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let text = str::from_utf8(&bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
        Ok(Some(Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned())))
    }
}
