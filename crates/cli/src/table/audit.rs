//! `subrosa table export` and `subrosa table audit`.

use std::path::PathBuf;

use ::table::{Genesis, Hash, Table, claims, log::Attestation};
use claim::BundleWriter;
use clap::Subcommand;
use serde_json::{Value, json};
use wire::{Decode as _, Encode as _};

use super::folder::{Folder, load_identity, require_logged};
use crate::{failure::Failure, output::Output, progress::Bars, verify::check};

const GENESIS_LIMIT: u64 = 1 << 22;
const ATTESTATION_LIMIT: u64 = 1 << 20;

/// What auditors do.
#[derive(Subcommand)]
pub enum Command {
    /// Check an exported epoch from its first row to its digest, and sign that it was checked.
    Run(RunArgs),
    /// Take an auditor's word in, so that answers show it.
    Add {
        /// The table's folder.
        directory: PathBuf,
        /// The file that `audit run` wrote.
        attestation: PathBuf,
    },
}

/// Options of `audit run`.
#[derive(clap::Args)]
pub struct RunArgs {
    /// The bundle that `subrosa table export` wrote.
    bundle: PathBuf,
    /// The genesis of the table, as it was published.
    #[arg(long, value_name = "JSON")]
    genesis: PathBuf,
    /// The auditor's key, as `subrosa board keygen` writes it.
    #[arg(long, value_name = "FILE", requires = "out")]
    key: Option<PathBuf>,
    /// The file to create: the auditor's signed word.
    #[arg(long, value_name = "FILE", requires = "key")]
    out: Option<PathBuf>,
}

/// Options of `export`.
#[derive(clap::Args)]
pub struct ExportArgs {
    /// The table's folder.
    directory: PathBuf,
    /// The epoch.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// The directory to write the bundle to.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `audit`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Run(args) => audit(&args, output),
        Command::Add { directory, attestation } => {
            let failed = |error: &dyn std::fmt::Display| {
                Failure::file(&attestation, error)
                    .hint("`subrosa table audit run` writes such a file")
            };
            let bytes = wire::read_bounded(&attestation, ATTESTATION_LIMIT)
                .map_err(|error| failed(&error))?;
            let word = Attestation::from_bytes(&bytes).map_err(|error| failed(&error))?;
            let custodian = Folder::new(&directory).open()?;
            custodian.attest(&word).map_err(|error| failed(&error))?;
            let (epoch, auditor) = (word.epoch, word.auditor.to_string());
            output.result(&json!({ "epoch": epoch, "auditor": auditor }), || {
                vec![format!("epoch {epoch} audited by {auditor}")]
            });
            Ok(())
        }
    }
}

/// Runs `export`.
pub fn export(args: &ExportArgs, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    require_logged(&custodian, args.epoch)?;
    let (header, audit) = (custodian.header(args.epoch)?, custodian.bundle(args.epoch)?);
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    claims::write_audit(&mut writer, custodian.table(), &header, &audit, &Bars::new())?;
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let object = json!({ "bundle": digest, "epoch": args.epoch, "bytes": audit.len() });
    output.result(&object, || vec![format!("bundle {digest}")]);
    Ok(())
}

/// Verifies the bundle, and signs for the one epoch that it audits.
fn audit(args: &RunArgs, output: &Output) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(&args.genesis, error);
    let bytes = wire::read_bounded(&args.genesis, GENESIS_LIMIT).map_err(|error| failed(&error))?;
    let table = Genesis::from_bytes(&bytes).and_then(Table::new).map_err(|error| failed(&error))?;
    let key = args.key.as_deref().map(load_identity).transpose()?;
    let (_, verdicts) = check(&args.bundle)?;
    let [verdict] = verdicts.as_slice() else {
        return Err(Failure::input("the bundle must hold one audit and nothing else")
            .hint("`subrosa table export` writes such a bundle"));
    };
    let text = |field| verdict.statement.get(field).and_then(Value::as_str).unwrap_or_default();
    if text("table") != table.id().to_string() {
        return Err(Failure::refused(format!("the audit is of another table: {}", text("table"))));
    }
    let epoch = verdict.statement.get("epoch").and_then(Value::as_u64);
    let epoch = epoch.and_then(|epoch| u32::try_from(epoch).ok());
    let audited = verdict.statement.get("audited") == Some(&json!(true));
    let digest: Option<Hash> = text("digest").parse().ok();
    let (Some(epoch), Some(digest), true) = (epoch, digest, audited) else {
        return Err(Failure::input("the bundle holds no audit"));
    };
    if let (Some(key), Some(path)) = (&key, &args.out) {
        let word = Attestation::sign(key, &table, epoch, digest);
        wire::write_new(path, &word.to_bytes()).map_err(|error| Failure::file(path, error))?;
    }
    let object = json!({ "epoch": epoch, "digest": digest.to_string(), "signed": key.is_some() });
    output.result(&object, || {
        let mut lines = verdict.summary.clone();
        lines.extend(key.iter().map(|key| format!("signed by {}", key.id())));
        lines
    });
    Ok(())
}
