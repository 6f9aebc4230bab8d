//! Where rows come from that are in no file.

use std::{collections::BTreeMap, path::PathBuf};

use services::sql::Source;

use crate::failure::Failure;

/// Where rows come from that are in no file.
#[derive(clap::Args)]
pub struct Args {
    /// The database to take the rows from: `mysql://account@host:port/database`, or `postgres:`. The
    /// password is read from SUBROSA_SQL_PASSWORD or from a file.
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "format", "server"], requires = "table")]
    sql: Option<String>,
    /// The table or view with the rows.
    #[arg(long, value_name = "NAME", requires = "sql")]
    table: Option<String>,
    /// The schema that it is in; in MySQL, the database [default: the connection's].
    #[arg(long, value_name = "NAME", requires = "sql")]
    sql_schema: Option<String>,
    /// A file with the database's password.
    #[arg(long, value_name = "FILE", requires = "sql")]
    password_file: Option<PathBuf>,
    /// A column that has another name in the database, such as `user=person`. May be given several times.
    #[arg(long, value_name = "OURS=THEIRS", requires = "sql", value_parser = renaming)]
    column: Vec<(String, String)>,
    /// The database's column that holds a row's epoch [default: every row belongs to the given epoch].
    #[arg(long, value_name = "NAME", requires = "sql")]
    epoch_column: Option<String>,
    /// The database's column of ascending integers, such as the primary key: rows that were stored before
    /// are skipped.
    #[arg(long, value_name = "NAME", requires = "sql")]
    cursor: Option<String>,
    /// Read from the first row again: finds rows that were added or changed before the last one stored.
    #[arg(long, requires = "cursor")]
    pub replay: bool,
}

fn renaming(text: &str) -> Result<(String, String), String> {
    let (ours, theirs) = text.split_once('=').ok_or("not of the form NAME=NAME-IN-DATABASE")?;
    Ok((ours.to_owned(), theirs.to_owned()))
}

impl Args {
    /// The database, if the rows come from one.
    pub fn source(&self) -> Result<Option<Source>, Failure> {
        let (Some(url), Some(table)) = (&self.sql, &self.table) else { return Ok(None) };
        let mut columns = BTreeMap::new();
        for (ours, theirs) in &self.column {
            if columns.insert(ours.clone(), theirs.clone()).is_some() {
                return Err(Failure::input(format!("`--column {ours}` is given twice")));
            }
        }
        Ok(Some(Source {
            url: url.clone(),
            password_file: self.password_file.clone(),
            table: table.clone(),
            schema: self.sql_schema.clone(),
            columns,
            epoch: self.epoch_column.clone(),
            cursor: self.cursor.clone(),
        }))
    }
}
