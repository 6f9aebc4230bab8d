//! What all ways of taking rows in have in common: options, receipts, what is said.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::{Path, PathBuf},
};

use ::table::{
    Row,
    store::{Accepted, Custodian, CustodyError, RedbStore},
};
use board::Identity;
use data_encoding::BASE64;
use serde_json::json;
use services::folder::FolderError;
use wire::Encode as _;

use super::{clock::now, folder::Folder, remote::Remote, rows::Format};
use crate::{failure::Failure, output, output::Output};

/// Options of `ingest`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    pub directory: PathBuf,
    /// The rows.
    #[cfg_attr(feature = "sql", arg(required_unless_present = "sql"))]
    #[cfg_attr(not(feature = "sql"), arg(required = true))]
    pub file: Option<PathBuf>,
    /// The epoch that the rows belong to.
    #[arg(long, value_name = "N")]
    pub epoch: u32,
    /// The file's format [default: by the file's extension].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Check every row, but store none.
    #[arg(long)]
    pub dry_run: bool,
    /// The file for the operator's signed receipts: one JSON object in each line.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub receipts: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
    /// Or a database.
    #[cfg(feature = "sql")]
    #[command(flatten, next_help_heading = "Rows from a database")]
    pub database: super::database::Args,
}

/// Writes a file of receipts, or finds it there as it would be written.
pub fn write_receipts(path: &Path, text: &str) -> Result<(), Failure> {
    match wire::write_new(path, text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // What cannot be read is something else.
            let known = wire::read_bounded(path, text.len() as u64).ok();
            match known.is_some_and(|known| known == text.as_bytes()) {
                true => Ok(()),
                false => Err(Failure::file(path, "already exists, with other contents")
                    .hint("the rows are stored: give another file name for their receipts")),
            }
        }
        written => written.map_err(|error| Failure::file(path, error)),
    }
}

/// Says what was done.
pub fn report(args: &Args, rows: usize, output: &Output) {
    let (rows, stored) = (rows as u64, !args.dry_run);
    let object = json!({ "epoch": args.epoch, "rows": rows, "stored": stored });
    output.result(&object, || vec![line(args, rows)]);
}

/// What was done, for people.
pub fn line(args: &Args, rows: u64) -> String {
    let counted = output::counted(rows, "row", "rows");
    match (args.dry_run, rows) {
        (false, _) => format!("epoch {}: {counted} stored", args.epoch),
        (true, 1) => "1 row is right; nothing was stored".to_owned(),
        (true, _) => format!("{counted} are right; nothing was stored"),
    }
}

/// What a refused batch means, with where its rows come from.
pub fn explain(error: CustodyError, at: impl Fn(usize) -> String) -> Failure {
    match error {
        CustodyError::Row { index, error } => Failure::input(format!("{}{error}", at(index))),
        CustodyError::Duplicate { index, epoch } => {
            let message = format!("{}the user has another row in epoch {epoch}", at(index));
            Failure::input(message)
                .hint("a stored row never changes: write a correction as a row of a later epoch")
        }
        CustodyError::OutOfOrder { epoch, next } => {
            Failure::input(format!("there is no epoch {epoch}: the table begins with {next}"))
        }
        CustodyError::State { epoch, state } => {
            Failure::input(format!("epoch {epoch} takes no rows: it is {state}"))
                .hint("late rows belong to a later epoch")
        }
        other => other.into(),
    }
}

/// By when rows that come in now will be in the log.
pub fn deadline(custodian: &Custodian<RedbStore>) -> Result<u64, Failure> {
    Ok(now()?.saturating_add(custodian.table().schema().seal_deadline))
}

/// Signs receipts for rows that are stored, each with the key of the time at which it was promised.
pub struct Signer<'a> {
    custodian: &'a Custodian<RedbStore>,
    folder: Folder,
    epoch: u32,
    /// By the epochs that were in the log then.
    operators: HashMap<u64, Identity>,
}

impl<'a> Signer<'a> {
    /// Reads keys as they are needed.
    pub fn new(args: &Args, custodian: &'a Custodian<RedbStore>) -> Self {
        let (folder, epoch) = (Folder::new(&args.directory), args.epoch);
        Self { custodian, folder, epoch, operators: HashMap::new() }
    }

    /// A row's receipts, a line for each.
    pub fn lines(&mut self, row: &Row, accepted: &Accepted) -> Result<String, FolderError> {
        let Self { custodian, folder, epoch, operators } = self;
        let (_, promise) = accepted;
        let operator = match operators.entry(promise.log_size) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let key = custodian.table().operator(promise.log_size.saturating_add(1));
                entry.insert(folder.operator(&key)?)
            }
        };
        let mut text = String::new();
        for receipt in custodian.promised_receipts(operator, *epoch, (row, accepted))? {
            let user = String::from_utf8_lossy(&row.user);
            let column = custodian.table().schema().value(receipt.column);
            let bytes = BASE64.encode(&receipt.to_bytes());
            let column = column.map(|column| &column.name);
            let line = json!({ "user": user, "column": column, "receipt": bytes });
            text += &format!("{line}\n");
        }
        Ok(text)
    }
}
