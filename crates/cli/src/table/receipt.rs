//! `subrosa table receipt`: what a user does with the operator's promise.

use std::path::{Path, PathBuf};

use ::table::{Table, log::Receipt};
use clap::Subcommand;
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::json;
use wire::Decode as _;

use super::{clock::now, cosign::read_growth, keys::Own, verify::one_row};
use crate::{failure::Failure, output::Output};

const RECEIPTS_LIMIT: u64 = 1 << 32;

/// What is done with receipts.
#[derive(Subcommand)]
pub enum Command {
    /// Check that the operator promised to store exactly your row, in every ordered column.
    Check(CheckArgs),
}

/// Options of `receipt check`.
#[derive(clap::Args)]
pub struct CheckArgs {
    /// The file that `subrosa table ingest --receipts` wrote, or the user's lines of it.
    receipts: PathBuf,
    /// The user's own keys, as `subrosa table keys` wrote them.
    #[arg(long, value_name = "FILE")]
    own: PathBuf,
    /// The user's own row, in a CSV or NDJSON file of one row.
    #[arg(long, value_name = "FILE")]
    row: PathBuf,
    /// The log, as `subrosa table log --out` wrote it; required if the operator has changed its key.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// A line of a file of receipts.
#[derive(Deserialize)]
struct Line {
    user: String,
    column: String,
    receipt: String,
}

/// Runs `receipt`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let Command::Check(args) = command;
    let own = Own::load(&args.own)?;
    let (mut table, keys) = (own.table()?, own.keys()?);
    if let Some(path) = &args.log {
        let growth = read_growth(path)?;
        growth.verify(None).map_err(|fault| Failure::refused(format!("the log: {fault}")))?;
        if growth.table.id() != table.id() {
            return Err(Failure::refused("the log is of another table"));
        }
        table = growth.table;
    }
    let (row, time) = (one_row(&args.row, &own, &table)?, now()?);
    let mut columns: Vec<u16> = Vec::new();
    let mut promise = None;
    for (receipt, number) in read(&args.receipts, own.user(), &table)? {
        let refused = |fault| Failure::refused(format!("line {number}: {fault}"));
        receipt.accept(&table, &row, &keys).map_err(refused)?;
        receipt.in_time(&table, time).map_err(refused)?;
        if !own.covers(receipt.epoch) {
            return Err(Failure::input(format!(
                "line {number}: the keys are of another key period"
            ))
            .hint("`subrosa table keys --epoch` writes those of another key period"));
        }
        let same = (receipt.epoch, receipt.deadline);
        if promise.is_some_and(|promise| promise != same) {
            return Err(Failure::refused(format!("line {number}: another epoch or deadline")));
        }
        promise = Some(same);
        columns.push(receipt.column);
    }
    columns.sort_unstable();
    let (Some((epoch, deadline)), true) = (promise, table.schema().ordered().eq(columns)) else {
        return Err(Failure::refused("there is not one receipt for every ordered column"));
    };
    let object = json!({ "table": table.id().to_string(), "epoch": epoch, "deadline": deadline });
    output.result(&object, || {
        vec![
            format!("the operator signed for your row in epoch {epoch}"),
            format!("it will be in the log {deadline} seconds after the start of 1970"),
        ]
    });
    Ok(())
}

/// The receipts of a user, with their lines.
pub fn read(path: &Path, user: &[u8], table: &Table) -> Result<Vec<(Receipt, usize)>, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string())
            .hint("`subrosa table ingest --receipts` writes such a file")
    };
    let bytes = wire::read_bounded(path, RECEIPTS_LIMIT).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    let mut receipts = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let at = |error: &dyn std::fmt::Display| failed(&format!("line {number}: {error}"));
        let line: Line = serde_json::from_str(text).map_err(|error| at(&error))?;
        if line.user.as_bytes() != user {
            continue;
        }
        let bytes = BASE64.decode(line.receipt.as_bytes()).map_err(|error| at(&error))?;
        let receipt = Receipt::from_bytes(&bytes).map_err(|error| at(&error))?;
        if table.schema().value(receipt.column).is_none_or(|column| column.name != line.column) {
            return Err(at(&"the receipt is of another column"));
        }
        receipts.push((receipt, number));
    }
    Ok(receipts)
}
