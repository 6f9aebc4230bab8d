//! `subrosa table init` and `subrosa table seal`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use ::services::tables::state_name;
use ::table::{Continued, PublicKey, Schema, log::Growth};
use board::AuthorId;
use serde_json::json;
use wire::Decode as _;

use super::{
    folder::{Folder, Plan},
    remote::Remote,
};
use crate::{
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Between two looks at an epoch that a server seals.
const STEP: Duration = Duration::from_millis(500);
const SCHEMA_LIMIT: u64 = 1 << 20;
const LOG_LIMIT: u64 = 1 << 26;

/// Options of `init`.
#[derive(clap::Args)]
pub struct Args {
    /// The folder to create.
    directory: PathBuf,
    /// The schema: types, values and policy; see docs/table.md.
    #[arg(long, value_name = "TOML")]
    schema: PathBuf,
    /// The number of the first epoch.
    #[arg(long, value_name = "N", default_value_t = 1)]
    first_epoch: u32,
    /// The public key of an auditor, whose signature makes answers "audited". May be given several times.
    #[arg(long = "auditor", value_name = "KEY")]
    auditors: Vec<AuthorId>,
    /// The public key of a witness that cosigns the log. May be given several times.
    #[arg(long = "witness", value_name = "KEY", requires = "quorum")]
    witnesses: Vec<AuthorId>,
    /// How many cosignatures an answer needs to verify: more than half of the sum of the witnesses and of
    /// those that may be dishonest together.
    #[arg(long, value_name = "N", default_value_t = 0)]
    quorum: u32,
    /// How many witnesses may be dishonest without two histories being cosigned.
    #[arg(long, value_name = "N", default_value_t = 0)]
    dishonest: u32,
    /// The log of the table that this one continues, as `subrosa table log --out` wrote it: the new table's
    /// identifier then binds it. `subrosa table successor` makes the old table confirm it.
    #[arg(long, value_name = "LOG")]
    continues: Option<PathBuf>,
}

/// The log that a table continues.
fn continued(path: &Path) -> Result<Continued, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string())
            .hint("`subrosa table log DIR --out FILE` writes such a file")
    };
    let bytes = wire::read_bounded(path, LOG_LIMIT).map_err(|error| failed(&error))?;
    let growth = Growth::from_bytes(&bytes).map_err(|error| failed(&error))?;
    growth.signed.verify(&growth.table).map_err(|error| failed(&error))?;
    let checkpoint = growth.signed.checkpoint;
    Ok(Continued { table: *growth.table.id(), epochs: checkpoint.size, root: checkpoint.root })
}

/// Reads and checks a schema.
pub fn read_schema(path: &Path) -> Result<Schema, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string()).hint("docs/table.md describes what a schema holds")
    };
    let bytes = wire::read_bounded(path, SCHEMA_LIMIT).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    let schema: Schema = toml::from_str(&text).map_err(|error| failed(&error))?;
    // Refused for the schema file's sake, if the table cannot be.
    schema.check().map_err(|error| failed(&error))?;
    Ok(schema)
}

/// Runs `init`.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let schema = read_schema(&args.schema)?;
    let keys = |keys: &[AuthorId]| keys.iter().copied().map(PublicKey).collect();
    let plan = Plan {
        schema,
        first_epoch: args.first_epoch,
        witnesses: keys(&args.witnesses),
        quorum: args.quorum,
        dishonest: args.dishonest,
        auditors: keys(&args.auditors),
        continues: args.continues.as_deref().map(continued).transpose()?,
    };
    let custodian = Folder::new(&args.directory).make(plan)?;
    let table = custodian.table();
    let id = table.id().to_string();
    output.result(&json!({ "table": id, "name": table.schema().table }), || {
        vec![format!("table {id}"), "back up secrets/: without them, no row can be read".to_owned()]
    });
    Ok(())
}

/// Options of `seal`.
#[derive(clap::Args)]
pub struct SealArgs {
    /// The table's folder, or with `--server` its identifier.
    #[arg(value_name = "TABLE")]
    directory: PathBuf,
    /// The epoch to seal, the next one of the log.
    #[arg(long, value_name = "N")]
    epoch: u32,
    #[command(flatten)]
    remote: Remote,
}

/// Runs `seal`.
pub fn seal(args: &SealArgs, output: &Output) -> Result<(), Failure> {
    if let Some(mut asked) = args.remote.open(&args.directory)? {
        let info = asked.client.seal(args.epoch, STEP)?;
        output.result(&json!(info), || {
            let rows = info.rows.map(|rows| output::counted(rows, "row", "rows"));
            let rows = rows.map(|rows| format!(", {rows}")).unwrap_or_default();
            vec![format!("epoch {}: {}{rows}", info.epoch, info.state)]
        });
        return asked.finish();
    }
    let folder = Folder::new(&args.directory);
    let custodian = folder.open()?;
    let operator = folder.operator(&custodian.sealing_key(args.epoch))?;
    let bars = Bars::new();
    let signed = custodian.seal_epoch(args.epoch, &operator, &bars);
    wire::Progress::finish(&bars);
    let checkpoint = signed?.checkpoint;
    let header = custodian.header(args.epoch)?;
    let digest = header.digest(custodian.table().id()).to_string();
    let object = json!({
        "epoch": args.epoch,
        "rows": header.core.rows,
        "digest": digest,
        "state": state_name(custodian.state(args.epoch)?),
        "log": { "epochs": checkpoint.size, "root": checkpoint.root.to_string() },
    });
    output.result(&object, || {
        let rows = output::counted(header.core.rows, "row", "rows");
        let epochs = output::counted(checkpoint.size, "epoch", "epochs");
        vec![
            format!("epoch {}: {rows}, digest {digest}", args.epoch),
            format!("log of {epochs}, root {}", checkpoint.root),
        ]
    });
    Ok(())
}
