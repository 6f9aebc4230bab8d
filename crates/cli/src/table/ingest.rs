//! `subrosa table ingest`.

use std::path::PathBuf;

use ::client::api::{self, RowFields};
use ::table::{
    Row, UserKeys,
    store::{Custodian, CustodyError, RedbStore},
};
use data_encoding::BASE64;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::{Encode as _, Progress as _};

use super::{
    folder::Folder,
    now,
    remote::Remote,
    rows::{self, Format, Numbered},
};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Rows that are stored in one transaction.
const BATCH: usize = 1 << 12;
/// Rows that are sent at once.
const SENT: usize = 1 << 10;
const BATCH_NAME: &str = "subrosa/table/batch name";

/// Options of `ingest`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    directory: PathBuf,
    /// The rows.
    file: PathBuf,
    /// The epoch that the rows belong to.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The file's format [default: what its name says].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Check every row and store none.
    #[arg(long)]
    dry_run: bool,
    /// Write the operator's signed receipts: a JSON object on a line for each.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    receipts: Option<PathBuf>,
    #[command(flatten)]
    remote: Remote,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if args.remote.is_asked() {
        return send(args, output);
    }
    let folder = Folder::new(&args.directory);
    let custodian = folder.open()?;
    let rows = rows::read(&args.file, args.format, custodian.table().schema())?;
    if args.dry_run {
        report(args, rows.len(), output);
        return Ok(());
    }
    require_free(args)?;
    let keys = store(args, &custodian, &rows)?;
    if let Some(path) = &args.receipts {
        let text = receipts(args.epoch, &folder, &custodian, &rows, &keys)?;
        wire::write_new(path, text.as_bytes()).map_err(|error| Failure::file(path, error))?;
    }
    report(args, rows.len(), output);
    Ok(())
}

fn require_free(args: &Args) -> Result<(), Failure> {
    match &args.receipts {
        Some(path) if path.symlink_metadata().is_ok() => {
            Err(Failure::file(path, "already exists").hint("name another file"))
        }
        _ => Ok(()),
    }
}

/// Sends the rows to a server. Each batch is named by its rows: a run that was cut off is run again,
/// and gets the receipts that it would have got.
fn send(args: &Args, output: &Output) -> Result<(), Failure> {
    let Some(mut asked) = args.remote.open(&args.directory)? else { return Ok(()) };
    let schema = asked.client.table().schema().clone();
    let rows = rows::read(&args.file, args.format, &schema)?;
    if args.dry_run {
        report(args, rows.len(), output);
        return Ok(());
    }
    require_free(args)?;
    let bars = Bars::new();
    bars.begin("sending", rows.len() as u64);
    let mut text = String::new();
    for batch in rows.chunks(SENT) {
        let fields = |numbered: &Numbered| {
            let refused = || Failure::file(&args.file, "a user's name is not UTF-8");
            api::fields_of(&schema, &numbered.row).ok_or_else(refused)
        };
        let batch: Vec<RowFields> = batch.iter().map(fields).collect::<Result<_, _>>()?;
        let bytes = serde_json::to_vec(&batch).map_err(Failure::input)?;
        let name = wire::Digest::of(BATCH_NAME, &bytes).to_string();
        let (sent, key) = (batch.len() as u64, format!("{}-{name}", args.epoch));
        for receipt in asked.client.ingest(args.epoch, batch, &key)?.receipts {
            text += &format!("{}\n", json!(receipt));
        }
        bars.advance(sent);
    }
    bars.finish();
    if let Some(path) = &args.receipts {
        wire::write_new(path, text.as_bytes()).map_err(|error| Failure::file(path, error))?;
    }
    report(args, rows.len(), output);
    asked.finish()
}

fn report(args: &Args, rows: usize, output: &Output) {
    let (rows, stored) = (rows as u64, !args.dry_run);
    let object = json!({ "epoch": args.epoch, "rows": rows, "stored": stored });
    output.result(&object, || {
        let rows = output::count(rows);
        let line = match stored {
            true => format!("epoch {}: {rows} rows stored", args.epoch),
            false => format!("{rows} rows are right; nothing was stored"),
        };
        vec![line]
    });
}

/// Stores the rows batch by batch. A run that was killed is run again: what is stored is stored.
fn store(
    args: &Args,
    custodian: &Custodian<RedbStore>,
    rows: &[Numbered],
) -> Result<Vec<UserKeys>, Failure> {
    let bars = Bars::new();
    bars.begin("storing", rows.len() as u64);
    let mut keys = Vec::with_capacity(rows.len());
    for batch in rows.chunks(BATCH) {
        let plain: Vec<Row> = batch.iter().map(|numbered| numbered.row.clone()).collect();
        let stored = custodian.ingest(args.epoch, &plain, &mut UnwrapErr(SysRng));
        keys.extend(stored.map_err(|error| explain(args, batch, error))?);
        bars.advance(batch.len() as u64);
    }
    bars.finish();
    Ok(keys)
}

fn explain(args: &Args, batch: &[Numbered], error: CustodyError) -> Failure {
    let at = |index: usize, what: String| {
        let line = batch.get(index).map_or(0, |numbered| numbered.line);
        Failure::file(&args.file, format!("line {line}: {what}"))
    };
    match error {
        CustodyError::Row { index, error } => at(index, error.to_string()),
        CustodyError::Duplicate { index, epoch } => {
            at(index, format!("the user has another row in epoch {epoch}"))
                .hint("a row never changes; a correction is a row of a later epoch")
        }
        CustodyError::OutOfOrder { epoch, next } => {
            Failure::input(format!("there is no epoch {epoch}: the table begins with {next}"))
        }
        CustodyError::State { epoch, state } => {
            Failure::input(format!("epoch {epoch} takes no rows: it is {state:?}"))
                .hint("late rows belong to a later epoch")
        }
        other => other.into(),
    }
}

fn receipts(
    epoch: u32,
    folder: &Folder,
    custodian: &Custodian<RedbStore>,
    rows: &[Numbered],
    keys: &[UserKeys],
) -> Result<String, Failure> {
    let operator = folder.operator(&custodian.sealing_key(custodian.next_epoch()?))?;
    let deadline = now()?.saturating_add(custodian.table().schema().seal_deadline);
    let mut text = String::new();
    for (Numbered { row, .. }, keys) in rows.iter().zip(keys) {
        for receipt in custodian.receipts(&operator, epoch, (row, keys), deadline)? {
            let user = String::from_utf8_lossy(&row.user);
            let column = custodian.table().schema().value(receipt.column);
            let bytes = BASE64.encode(&receipt.to_bytes());
            let column = column.map(|column| &column.name);
            let line = json!({ "user": user, "column": column, "receipt": bytes });
            text += &format!("{line}\n");
        }
    }
    Ok(text)
}
