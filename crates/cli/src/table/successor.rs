//! `subrosa table successor`: the old table names the one that continues it.

use std::path::PathBuf;

use ::table::{Genesis, Table};
use claim::BundleWriter;
use serde_json::json;

use super::{
    folder::Folder,
    query::{claims, newest},
};
use crate::{failure::Failure, output::Output};

const GENESIS_LIMIT: u64 = 1 << 22;

/// Options of `successor`.
#[derive(clap::Args)]
pub struct Args {
    /// The old table's folder.
    directory: PathBuf,
    /// The genesis of the new table, which `subrosa table init --continues` made.
    #[arg(long, value_name = "JSON")]
    genesis: PathBuf,
    /// The directory for the proof, for `subrosa verify`; possible once the epoch that records the new
    /// table is sealed.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(&args.genesis, error.to_string());
    let bytes = wire::read_bounded(&args.genesis, GENESIS_LIMIT).map_err(|error| failed(&error))?;
    let next = Genesis::from_bytes(&bytes).and_then(Table::new).map_err(|error| failed(&error))?;
    let custodian = Folder::new(&args.directory).open()?;
    let name = next.id().to_string();
    let Some(out) = &args.out else {
        let epoch = custodian.succeed(&next)?;
        output.result(&json!({ "successor": name, "recorded_by": epoch }), || {
            vec![format!("epoch {epoch} will record that table {name} continues this one: seal it")]
        });
        return Ok(());
    };
    let signed = newest(&custodian)?;
    let proof = custodian.show_successor(&signed, &next)?.ok_or_else(|| {
        Failure::input("the log does not record yet that this table is continued").hint(
            "run `subrosa table successor` without --out, and seal the next epoch, which then \
             records it",
        )
    })?;
    let mut writer = BundleWriter::create(out).map_err(Failure::input)?;
    claims(&mut writer, &custodian, &signed)?.successor(&proof, &next)?;
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    output.result(&json!({ "successor": name, "bundle": digest }), || {
        vec![format!("table {name} follows"), format!("bundle {digest}")]
    });
    Ok(())
}
