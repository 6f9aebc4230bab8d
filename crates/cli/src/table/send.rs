//! `subrosa table ingest --server`: rows of a file, sent in batches.

use ::client::api::{self, RowFields};
use serde_json::json;
use wire::Progress as _;

use super::{
    clock::now,
    fields::Numbered,
    remote::Asked,
    rows,
    taken::{Args, report, write_receipts},
};
use crate::{failure::Failure, output::Output, progress::Bars};

/// Rows that are sent at once.
const SENT: usize = 1 << 10;
const BATCH_NAME: &str = "subrosa/table/batch name";

/// Sends the rows to a server. Each batch is named by its rows: a run that was cut off is run again,
/// and gets the receipts that it would have got.
pub fn run(args: &Args, mut asked: Asked, output: &Output) -> Result<(), Failure> {
    let schema = asked.client.table().schema().clone();
    let file = args.file.as_deref().ok_or_else(|| {
        Failure::input("give a file of rows")
            .hint("with --server, rows cannot come from a database")
    })?;
    let rows = rows::read(file, args.format, &schema)?;
    if args.dry_run {
        report(args, rows.len(), output);
        return Ok(());
    }
    let bars = Bars::new();
    bars.begin("sending", rows.len() as u64);
    let mut text = String::new();
    for batch in rows.chunks(SENT) {
        let fields = |numbered: &Numbered| {
            let refused = || Failure::file(file, "a user's name is not UTF-8");
            api::fields_of(&schema, &numbered.row).ok_or_else(refused)
        };
        let batch: Vec<RowFields> = batch.iter().map(fields).collect::<Result<_, _>>()?;
        let bytes = serde_json::to_vec(&batch).map_err(Failure::input)?;
        let name = wire::Digest::of(BATCH_NAME, &bytes);
        let (sent, key) = (batch.len() as u64, format!("{}-{name}", args.epoch));
        for receipt in asked.client.ingest(args.epoch, batch, &key, now()?)?.receipts {
            text += &format!("{}\n", json!(receipt));
        }
        bars.advance(sent);
    }
    bars.finish();
    if let Some(path) = &args.receipts {
        write_receipts(path, &text)?;
    }
    report(args, rows.len(), output);
    asked.finish()
}
