//! `subrosa table ingest --sql`: rows from a database.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
};

use ::table::{
    Row,
    store::{Accepted, Custodian, RedbStore},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use services::{
    folder::FolderError,
    sql::{Order, Source, SqlError, pull},
};
use wire::NewFile;

use super::ingest::{self, Signer, explain};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Where rows come from that are in no file.
#[derive(clap::Args)]
pub struct Args {
    /// Take the rows from a database: `mysql://account@host:port/database`, or `postgres:`. The
    /// password stands in SUBROSA_SQL_PASSWORD or a file.
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
    /// A column that has another name there, such as `user=person`; may be repeated.
    #[arg(long, value_name = "OURS=THEIRS", requires = "sql", value_parser = renaming)]
    column: Vec<(String, String)>,
    /// The column there that holds a row's epoch [default: every row is of this epoch].
    #[arg(long, value_name = "NAME", requires = "sql")]
    epoch_column: Option<String>,
    /// A column there of ascending integers, such as the primary key: what was stored before is
    /// passed over.
    #[arg(long, value_name = "NAME", requires = "sql")]
    cursor: Option<String>,
    /// Begin with the first row all the same: finds rows that were added or changed before the last
    /// one stored.
    #[arg(long, requires = "cursor")]
    replay: bool,
}

fn renaming(text: &str) -> Result<(String, String), String> {
    let (ours, theirs) = text.split_once('=').ok_or("not of the form OURS=THEIRS")?;
    Ok((ours.to_owned(), theirs.to_owned()))
}

impl Args {
    /// The database, if the rows come from one.
    pub fn source(&self) -> Result<Option<Source>, Failure> {
        let (Some(url), Some(table)) = (&self.sql, &self.table) else { return Ok(None) };
        let mut columns = BTreeMap::new();
        for (ours, theirs) in &self.column {
            if columns.insert(ours.clone(), theirs.clone()).is_some() {
                return Err(Failure::input(format!("`--column {ours}` is there twice")));
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

/// Runs the command.
pub fn run(
    args: &ingest::Args,
    source: &Source,
    custodian: &Custodian<RedbStore>,
    output: &Output,
) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| Failure::file(path, error);
    let mut receipts = match &args.receipts {
        Some(path) => {
            let file = NewFile::create(path).map_err(|error| failed(path, error))?;
            Some((file, path, Signer::new(args, custodian)))
        }
        None => None,
    };
    // Receipts are wanted for every row, also for those that an earlier run stored.
    let replay = args.database.replay || receipts.is_some();
    let deadline = ingest::deadline(custodian)?;
    let order = Order { epoch: args.epoch, deadline, replay, dry_run: args.dry_run };
    let mut stored = |rows: &[Row], accepted: &[Accepted]| match &mut receipts {
        None => Ok(()),
        Some((file, _, signer)) => {
            let lines = rows.iter().zip(accepted);
            let lines = lines.map(|(row, accepted)| signer.lines(row, accepted));
            let lines: Result<String, FolderError> = lines.collect();
            file.write_all(lines.map_err(std::io::Error::other)?.as_bytes())
        }
    };
    let rng = &mut UnwrapErr(SysRng);
    let pulled = pull(custodian, source, order, &Bars::new(), &mut stored, rng);
    let pulled = pulled.map_err(|error| match error {
        SqlError::Custody(error) => explain(error, |_| String::new()),
        other => {
            let failure = Failure::input(&other);
            match other.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
    })?;
    if let Some((file, path, _)) = receipts {
        file.finish().map_err(|error| failed(path, error))?;
    }
    let object = json!({
        "epoch": args.epoch,
        "rows": pulled.rows,
        "before": pulled.before,
        "stored": !args.dry_run,
    });
    output.result(&object, || {
        let mut lines = vec![ingest::line(args, pulled.rows)];
        if pulled.before > 0 {
            lines.push(format!("{} rows had been stored before", output::count(pulled.before)));
        }
        lines
    });
    Ok(())
}
