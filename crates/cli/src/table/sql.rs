//! `subrosa table ingest --sql`: rows from a database.

use std::{io::Write as _, path::Path};

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

use super::taken::{self, Args, Signer, explain};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Runs the command.
pub fn run(
    args: &Args,
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
    let deadline = taken::deadline(custodian)?;
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
        let mut lines = vec![taken::line(args, pulled.rows)];
        if pulled.before > 0 {
            let before = output::counted(pulled.before, "row", "rows");
            lines.push(format!("{before} had been stored before"));
        }
        lines
    });
    Ok(())
}
