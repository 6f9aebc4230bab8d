//! `subrosa table export` and `subrosa table audit`.

use std::path::PathBuf;

use ::table::{
    Genesis, Hash, Table, audit, claims,
    log::{Attestation, Scope},
};
use claim::{BundleWriter, Verdict};
use clap::Subcommand;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::{Decode as _, Encode as _};

use super::folder::{Folder, require_logged};
use crate::{
    failure::Failure, keygen::PassphraseArgs, output::Output, progress::Bars, verify::check,
};

const GENESIS_LIMIT: u64 = 1 << 22;
const ATTESTATION_LIMIT: u64 = 1 << 20;

/// What auditors do.
#[derive(Subcommand)]
pub enum Command {
    /// Check an exported epoch from its first row to its digest, and sign the result.
    Run(RunArgs),
    /// Compare an exported epoch with rows that you know in the clear, as a regulator may: each must be in
    /// it once, with these values.
    Subset(super::subset::Args),
    /// Follow a table's log on its server: audit every new epoch, sign the result, and compare the log with
    /// what witnesses saw. Ends with evidence if there are two histories.
    Watch(super::watch::Args),
    /// Add an auditor's signed result to the table, so that answers show it.
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
    /// The bundle that `subrosa table export` wrote: of an epoch, or of a part of one.
    bundle: PathBuf,
    /// The genesis of the table, as it was published.
    #[arg(long, value_name = "JSON")]
    genesis: PathBuf,
    /// The auditor's key file, as `subrosa keygen` writes it.
    #[arg(long, value_name = "FILE", requires = "out")]
    key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The file to create: the auditor's signed result.
    #[arg(short, long, value_name = "FILE", requires = "key")]
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
    /// Export only one part, for auditors who share the work: `2/4` is the second of four ranges of keys,
    /// and `users/4` is what no range shows by itself.
    #[arg(long, value_name = "PART")]
    part: Option<Part>,
    /// The directory to write the bundle to.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// One of the parts of an audit.
#[derive(Clone, Copy)]
struct Part {
    /// From 0; the users come last.
    index: usize,
    /// Ranges of keys.
    count: usize,
}

impl std::str::FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = || {
            let (part, count) = text.split_once('/')?;
            // Here and below: whatever is wrong with it, it is no part.
            let count: usize = count.parse().ok()?;
            let index = match part {
                "users" => count,
                number => number.parse::<usize>().ok()?.checked_sub(1)?,
            };
            let known = index < count || part == "users";
            (known && count > 0).then_some(Self { index, count })
        };
        parsed().ok_or("a part is written like `2/4`, the second of four, or `users/4`")
    }
}

/// Runs `audit`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Run(args) => audit_bundle(&args, output),
        Command::Subset(args) => super::subset::run(&args, output),
        Command::Watch(args) => super::watch::run(&args, output),
        Command::Add { directory, attestation } => {
            let failed = |error: &dyn std::fmt::Display| {
                Failure::file(&attestation, error.to_string())
                    .hint("`subrosa table audit run` writes such a file")
            };
            let bytes = wire::read_bounded(&attestation, ATTESTATION_LIMIT)
                .map_err(|error| failed(&error))?;
            let word = Attestation::from_bytes(&bytes).map_err(|error| failed(&error))?;
            let custodian = Folder::new(&directory).open()?;
            custodian.attest(&word).map_err(|error| failed(&error))?;
            let (epoch, auditor) = (word.epoch, word.auditor.to_string());
            let scope = word.scope.name();
            output.result(&json!({ "epoch": epoch, "auditor": auditor, "scope": scope }), || {
                vec![format!("epoch {epoch}: {scope} audited by {auditor}")]
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
    let table = custodian.table();
    let part = match args.part {
        None => None,
        Some(Part { index, count }) => {
            let parts = audit::split(table, &header, &audit, count).map_err(Failure::input)?;
            // `split` makes a part of every range, and behind them that of users: an index is that of one of these.
            Some(parts.into_iter().nth(index).unwrap_or_default())
        }
    };
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    match &part {
        None => {
            let records = custodian.records(args.epoch)?;
            let recorded = (&header, records.as_slice());
            claims::write_audit(&mut writer, table, recorded, &audit, &Bars::new())?;
        }
        Some(part) => claims::write_audit_part(&mut writer, table, &header, part)?,
    }
    let audit = part.unwrap_or(audit);
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let object = json!({ "bundle": digest, "epoch": args.epoch, "bytes": audit.len() });
    output.result(&object, || vec![format!("bundle {digest}")]);
    Ok(())
}

/// Verifies the bundle, and signs for the one epoch that it audits, or for its part of one.
fn audit_bundle(args: &RunArgs, output: &Output) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(&args.genesis, error.to_string());
    let bytes = wire::read_bounded(&args.genesis, GENESIS_LIMIT).map_err(|error| failed(&error))?;
    let table = Genesis::from_bytes(&bytes).and_then(Table::new).map_err(|error| failed(&error))?;
    let key = args.key.as_deref().map(|key| args.passphrase.identity(key)).transpose()?;
    let verdicts = check(&args.bundle, &[])?.verdicts;
    // What the epoch records stands beside its audit.
    let is_audit = |verdict: &&Verdict| verdict.statement.get("recorded").is_none();
    let (audits, recorded): (Vec<&Verdict>, Vec<&Verdict>) = verdicts.iter().partition(is_audit);
    let one_epoch = |audit: &Verdict| {
        recorded.iter().all(|one| one.statement.get("digest") == audit.statement.get("digest"))
    };
    let [verdict] = audits.as_slice() else {
        return Err(Failure::input("the bundle must hold one audit and nothing else")
            .hint("`subrosa table export` writes such a bundle"));
    };
    if !one_epoch(verdict) {
        return Err(Failure::refused("the bundle holds records of another epoch"));
    }
    // Here and below: what is missing or malformed is no table, digest or scope, and refused as such.
    let text = |field| verdict.statement.get(field).and_then(Value::as_str).unwrap_or_default();
    if text("table") != table.id().to_string() {
        return Err(Failure::refused(format!("the audit is of another table: {}", text("table"))));
    }
    let epoch = verdict.statement.get("epoch").and_then(Value::as_u64);
    let epoch = epoch.and_then(|epoch| u32::try_from(epoch).ok());
    let digest: Option<Hash> = text("digest").parse().ok();
    let scope = match verdict.statement.get("audited") == Some(&json!(true)) {
        true => Some(Scope::Whole),
        false => HEXLOWER.decode(text("scope").as_bytes()).ok().and_then(|scope| {
            // An audit has no scope to decode, and no other claim has either.
            Scope::from_bytes(&scope).ok().filter(|scope| *scope != Scope::Whole)
        }),
    };
    let (Some(epoch), Some(digest), Some(scope)) = (epoch, digest, scope) else {
        return Err(Failure::input("the bundle holds no audit"));
    };
    let named = scope.name();
    if let (Some(key), Some(path)) = (&key, &args.out) {
        let word = Attestation::sign_scope(key, &table, epoch, digest, scope);
        wire::write_new(path, &word.to_bytes()).map_err(|error| Failure::file(path, error))?;
    }
    let object = json!({
        "epoch": epoch,
        "digest": digest.to_string(),
        "scope": named,
        "signed": key.is_some(),
        "recorded": recorded.first().and_then(|one| one.statement.get("recorded")),
    });
    output.result(&object, || {
        let mut lines = verdict.summary.clone();
        lines.extend(recorded.iter().flat_map(|one| one.summary.clone()));
        lines.extend(key.iter().map(|key| format!("signed by {}", key.id())));
        lines
    });
    Ok(())
}
