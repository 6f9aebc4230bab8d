//! `subrosa table log`: how far every epoch is, and what witnesses are shown.

use std::path::PathBuf;

use ::services::tables::state_name;
use serde_json::json;
use wire::Encode as _;

use super::folder::Folder;
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Options of `log`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder.
    directory: PathBuf,
    /// The file to create: the newest checkpoint with what witnesses check.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The number of epochs in the log that the witnesses saw last; the file then proves that the log only
    /// grew since.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "out")]
    since: u64,
}

/// Runs `log`.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let table = custodian.table();
    let first = table.genesis().first_epoch;
    let size = custodian.digests()?.len() as u64;
    let (mut epochs, mut lines) = (Vec::new(), Vec::new());
    // The epochs in the log, and the next one.
    for epoch in first..=custodian.next_epoch()? {
        let state = state_name(custodian.state(epoch)?);
        let header = custodian.built_header(epoch)?;
        let logged = u64::from(epoch - first) < size;
        let digest = header.as_ref().filter(|_| logged);
        let digest = digest.map(|header| header.digest(table.id()).to_string());
        let rows = header.map(|header| header.core.rows);
        let shown = |rows: u64| format!(", {}", output::counted(rows, "row", "rows"));
        let shown = rows.map(shown).unwrap_or_default();
        let named = digest.as_ref().map(|digest| format!(", digest {digest}")).unwrap_or_default();
        lines.push(format!("epoch {epoch}: {state}{shown}{named}"));
        epochs.push(json!({ "epoch": epoch, "state": state, "rows": rows, "digest": digest }));
    }
    let note = match size {
        0 => None,
        _ => Some(custodian.checkpoint(size)?.to_note()),
    };
    if let Some(path) = &args.out {
        if size == 0 {
            return Err(Failure::input("no epoch is in the log")
                .hint("seal one first: `subrosa table seal DIR --epoch N`"));
        }
        let growth = custodian.growth(args.since)?;
        wire::write_new(path, &growth.to_bytes()).map_err(|error| Failure::file(path, error))?;
    }
    lines.extend(note.iter().map(|note| format!("\n{}", note.trim_end())));
    let object = json!({
        "table": table.id().to_string(),
        "epochs": epochs,
        "checkpoint": note,
        "operator": table.operator(size + 1).to_string(),
    });
    output.result(&object, || lines);
    Ok(())
}
