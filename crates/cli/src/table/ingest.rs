//! `subrosa table ingest`.

use std::path::Path;

use ::table::{
    Row,
    store::{Accepted, Custodian, CustodyError, RedbStore},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use services::folder::FolderError;
use wire::Progress as _;

use super::{
    fields::Numbered,
    folder::Folder,
    rows,
    taken::{Args, Signer, deadline, explain, report, write_receipts},
};
use crate::{failure::Failure, output::Output, progress::Bars};

/// Rows that are stored in one transaction.
const BATCH: usize = 1 << 12;

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if let Some(asked) = args.remote.open(&args.directory)? {
        return super::send::run(args, asked, output);
    }
    let custodian = Folder::new(&args.directory).open()?;
    #[cfg(feature = "sql")]
    if let Some(source) = args.database.source()? {
        return super::sql::run(args, &source, &custodian, output);
    }
    let file = args.file.as_deref().ok_or_else(|| Failure::input("give a file of rows"))?;
    let rows = rows::read(file, args.format, custodian.table().schema())?;
    if args.dry_run {
        report(args, rows.len(), output);
        return Ok(());
    }
    match &args.receipts {
        None => drop(store(file, &rows, |batch| {
            custodian.ingest(args.epoch, batch, &mut UnwrapErr(SysRng)).map(|_| Vec::<()>::new())
        })?),
        Some(path) => {
            let place = (args.epoch, deadline(&custodian)?);
            let accepted = store(file, &rows, |batch| accept(&custodian, place, batch))?;
            let mut signer = Signer::new(args, &custodian);
            let lines = rows.iter().zip(&accepted);
            let lines = lines.map(|(Numbered { row, .. }, accepted)| signer.lines(row, accepted));
            write_receipts(path, &lines.collect::<Result<String, FolderError>>()?)?;
        }
    }
    report(args, rows.len(), output);
    Ok(())
}

/// Takes rows in with a promise, or finds that they were taken in with one before: also after their epoch closed,
/// so that a run which was killed is run again.
fn accept(
    custodian: &Custodian<RedbStore>,
    (epoch, deadline): (u32, u64),
    batch: &[Row],
) -> Result<Vec<Accepted>, CustodyError> {
    match custodian.accept_from((epoch, deadline), batch, None, &mut UnwrapErr(SysRng)) {
        Err(closed @ CustodyError::State { .. }) => {
            custodian.accepted_before(epoch, batch)?.ok_or(closed)
        }
        accepted => accepted,
    }
}

/// Stores the rows batch by batch. A run that was killed is run again: what is stored is stored.
fn store<T>(
    file: &Path,
    rows: &[Numbered],
    mut take: impl FnMut(&[Row]) -> Result<Vec<T>, CustodyError>,
) -> Result<Vec<T>, Failure> {
    let bars = Bars::new();
    bars.begin("storing", rows.len() as u64);
    let mut stored = Vec::new();
    for batch in rows.chunks(BATCH) {
        let plain: Vec<Row> = batch.iter().map(|numbered| numbered.row.clone()).collect();
        stored.extend(take(&plain).map_err(|error| {
            let at = |index: usize| {
                let line = batch.get(index).map_or(0, |numbered: &Numbered| numbered.line);
                format!("{}: line {line}: ", file.display())
            };
            explain(error, at)
        })?);
        bars.advance(batch.len() as u64);
    }
    bars.finish();
    Ok(stored)
}
