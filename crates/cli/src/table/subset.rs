//! `subrosa table audit subset`: rows that somebody was given in the clear, beside an epoch's commitments.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ::table::{
    Entry, EpochHeader, Table, UserKeys,
    audit::{self, Subset},
};
use serde_json::json;
use wire::Decode as _;

use super::{keys::Own, rows};
use crate::{
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

const HEADER_LIMIT: u64 = 1 << 20;
const AUDIT_LIMIT: u64 = 1 << 34;

/// Options of `audit subset`.
#[derive(clap::Args)]
pub struct Args {
    /// The bundle that `subrosa table export` wrote of an epoch.
    bundle: PathBuf,
    /// The epoch.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The rows, in a CSV, NDJSON or Parquet file.
    #[arg(long, value_name = "FILE")]
    rows: PathBuf,
    /// The directory of the users' key files, as `subrosa table keys` wrote them.
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Refuse the epoch if it has any other row: for auditors who know all users.
    #[arg(long)]
    all: bool,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let (table, users) = users(&args.keys, args.epoch)?;
    let known = rows::read(&args.rows, None, table.schema())?.into_iter().map(|numbered| {
        let row = numbered.row;
        let missing = || {
            let user = String::from_utf8_lossy(&row.user).into_owned();
            Failure::file(&args.keys, format!("no keys of `{user}` for epoch {}", args.epoch))
        };
        let keys = users.get(&row.user).cloned().ok_or_else(missing)?;
        Ok(Entry { row, keys })
    });
    let known: Vec<Entry> = known.collect::<Result<_, Failure>>()?;
    let file = |what: &str| args.bundle.join(format!("objects/table/epoch-{}.{what}", args.epoch));
    let read = |path: &Path, limit| {
        wire::read_bounded(path, limit).map_err(|error| {
            Failure::file(path, error).hint("`subrosa table export` writes such a bundle")
        })
    };
    let path = file("header");
    let header = EpochHeader::from_bytes(&read(&path, HEADER_LIMIT)?);
    let header = header.map_err(|error| Failure::file(&path, error))?;
    let bundle = read(&file("audit"), AUDIT_LIMIT)?;
    let bars = Bars::new();
    let checked = audit::verify_subset(&table, (&header, &bundle), &known, &bars);
    wire::Progress::finish(&bars);
    let Subset { known, rows } = checked.map_err(Failure::refused)?;
    if args.all && rows > known {
        let strangers = output::counted(rows - known, "row", "rows");
        return Err(Failure::refused(format!(
            "the epoch has {strangers} of users that are not among yours"
        )));
    }
    let digest = header.digest(table.id()).to_string();
    let object = json!({ "epoch": args.epoch, "digest": digest, "known": known, "rows": rows });
    output.result(&object, || {
        vec![
            format!("epoch {}, digest {digest}", args.epoch),
            match known {
                1 => format!("the row is in it, once, with these values; it has {rows}"),
                _ => format!(
                    "all {known} rows are in it, each once, with these values; it has {rows}"
                ),
            },
        ]
    });
    Ok(())
}

/// The keys in a directory, by their users, and the one table that they are of.
fn users(directory: &Path, epoch: u32) -> Result<(Table, BTreeMap<Vec<u8>, UserKeys>), Failure> {
    let failed = |error: std::io::Error| Failure::file(directory, error);
    let (mut table, mut users): (Option<Table>, _) = (None, BTreeMap::new());
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let own = Own::load(&path)?;
        let of = own.table()?;
        if table.as_ref().is_some_and(|table| table.id() != of.id()) {
            return Err(Failure::file(&path, "keys of another table"));
        }
        if own.covers(epoch) {
            users.insert(own.user().to_vec(), own.keys()?);
        }
        table = Some(of);
    }
    let none = || Failure::file(directory, "there are no keys in it");
    Ok((table.ok_or_else(none)?, users))
}
