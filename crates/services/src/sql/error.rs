//! Why rows cannot be taken from a database. Nothing here ever holds a password.

use std::{io, path::PathBuf};

use table::store::CustodyError;
use thiserror::Error;

/// Why rows cannot be taken from a database.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SqlError {
    /// A URL that names no database. It is not shown: it may hold a password.
    #[error("the database's URL: {0}")]
    Address(String),
    /// A password that cannot be read.
    #[error("{}: {error}", path.display())]
    Password {
        /// Its file.
        path: PathBuf,
        /// The reason.
        error: String,
    },
    /// The database refused, failed or is not there.
    #[error("{place}: {error}")]
    Database {
        /// Which one.
        place: String,
        /// What the driver says.
        #[source]
        error: sqlx::Error,
    },
    /// The database did not answer.
    #[error("{place} did not answer within {seconds} seconds")]
    Silent {
        /// Which one.
        place: String,
        /// How long.
        seconds: u64,
    },
    /// A table that is not there, or not for this account.
    #[error("there is no table or view `{table}` that this account may read")]
    NoTable {
        /// The table.
        table: String,
    },
    /// A column that is not there.
    #[error("`{table}` has no column `{column}`")]
    NoColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// Our name of a column that our schema does not have.
    #[error("the schema has no column `{column}`")]
    Unknown {
        /// The column.
        column: String,
    },
    /// A column whose type could lose something.
    #[error("`{table}`, column `{column}`: it is `{found}`, but {wanted} is needed")]
    Type {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// Rows that the schema refuses; none was stored.
    #[error("`{table}`: {count} faults\n  {}", shown.join("\n  "))]
    Rows {
        /// The table.
        table: String,
        /// How many rows are wrong.
        count: u64,
        /// The first of them, by row and column.
        shown: Vec<String>,
    },
    /// A user with two rows; none was stored.
    #[error("`{table}`: the user `{user}` has more than one row in the epoch")]
    Twice {
        /// The table.
        table: String,
        /// The user.
        user: String,
    },
    /// A row that is not the one stored for its user.
    #[error("`{table}`, {row}: the user has another row in epoch {epoch}")]
    Changed {
        /// The table.
        table: String,
        /// The row.
        row: String,
        /// The epoch.
        epoch: u32,
    },
    /// Rows were added or deleted behind the watermark.
    #[error(
        "`{table}`: {found} rows up to `{cursor}` {position}, but {stored} were stored: rows were \
         added or deleted there"
    )]
    Moved {
        /// The table.
        table: String,
        /// The cursor's column.
        cursor: String,
        /// The last row stored.
        position: i128,
        /// How many rows there are.
        found: u64,
        /// How many were stored.
        stored: u64,
    },
    /// The source gave other rows when it was read again to be stored.
    #[error(
        "`{table}`: {stored} rows, but {checked} were checked: the table changed while it was read"
    )]
    Unsteady {
        /// The table.
        table: String,
        /// Rows checked.
        checked: u64,
        /// Rows stored.
        stored: u64,
    },
    /// The store failed or refused.
    #[error(transparent)]
    Custody(#[from] CustodyError),
    /// What is done with stored rows failed, such as writing receipts.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl SqlError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Address(_) => "mysql://account@host:port/database, or postgres: with the same",
            Self::Type { .. } => "convert it in a view, and name the view",
            Self::Rows { .. } | Self::Twice { .. } => {
                "nothing was taken in: correct the rows and run it again"
            }
            Self::Changed { .. } => "a row never changes; a correction is a row of a later epoch",
            Self::Moved { .. } => {
                "`--replay` reads from the first row, takes in what is new and names what changed"
            }
            Self::Unsteady { .. } => "its engine has no snapshots: run it again with `--replay`",
            _ => return None,
        })
    }
}
