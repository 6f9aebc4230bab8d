//! `subrosa survey audit`: the auditor, who has the public files and a key of its own.

use std::path::PathBuf;

use serde_json::json;
use study::survey::Auditor;
use wire::Digest;

use super::Published;
use crate::{election::party::PartyArgs, failure::Failure, output, output::Output, progress::Bars};

/// Options of `audit`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder with the survey's public files. The attestations are written into it.
    #[arg(value_name = "DIR")]
    published: PathBuf,
    /// The table's identifier, as it was announced; any other table is refused.
    #[arg(long = "expect-table", alias = "expect", value_name = "DIGEST")]
    expect: Option<Digest>,
    #[command(flatten)]
    party: PartyArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let signer = args.party.join()?;
    let published = Published::at(&args.published);
    let table = published.table()?;
    if args.expect.is_some_and(|expected| expected != *table.id()) {
        let id = table.id();
        return Err(Failure::refused(format!("this is table {id}, and not the expected one")));
    }
    let signed = published.checkpoint(&table)?;
    signed.verify(&table).map_err(Failure::refused)?;
    let mut auditor = Auditor::new(&table);
    let mut rows = 0;
    for _ in 0..signed.checkpoint.size {
        let epoch = auditor.next();
        let (header, bundle) = published.epoch(epoch)?;
        let report = auditor.audit(&header, &bundle, &Bars::new());
        let report = report.map_err(|fault| Failure::refused(format!("epoch {epoch}: {fault}")))?;
        rows += report.rows;
        let rows = output::counted(report.rows, "row", "rows");
        output.done("audited", &format!("{epoch}, {rows}"));
    }
    let attestations = auditor.attest(&signed, &signer).map_err(Failure::refused)?;
    attestations.iter().try_for_each(|word| published.put_attestation(word))?;
    let epochs = attestations.len();
    let object = json!({ "table": table.id().to_string(), "epochs": epochs, "rows": rows });
    let epochs = output::counted(epochs as u64, "epoch", "epochs");
    let rows = output::counted(rows, "row", "rows");
    output.result(&object, || vec![format!("{epochs} with {rows} attested")]);
    Ok(())
}
