//! `subrosa table cosign` and `subrosa table evidence`: what witnesses do with an operator's log.

use std::path::{Path, PathBuf};

use ::services::{exclusive::Exclusive, tables::state_name};
use ::table::{
    Table, claims,
    log::{Cosignature, Growth, SignedCheckpoint},
};
use claim::BundleWriter;
use clap::Subcommand;
use serde_json::json;
use wire::{Decode as _, Encode as _};

use super::{clock::now, folder::Folder};
use crate::{
    failure::Failure,
    keygen::PassphraseArgs,
    output::{self, Output},
};

/// A genesis, a checkpoint and proofs.
const LOG_LIMIT: u64 = 1 << 24;
const COSIGNATURE_LIMIT: u64 = 1 << 10;

/// What witnesses do.
#[derive(Subcommand)]
pub enum Command {
    /// Check, as a witness, that a log only grew since you last cosigned it, and cosign it.
    Sign(SignArgs),
    /// Add a witness's cosignature to the table. With enough of them, the epoch is sealed.
    Add {
        /// The table's folder.
        directory: PathBuf,
        /// The file that `cosign sign` wrote.
        cosignature: PathBuf,
    },
}

/// Options of `cosign sign`.
#[derive(clap::Args)]
pub struct SignArgs {
    /// The file that `subrosa table log --out` wrote.
    log: PathBuf,
    /// The witness's key file, as `subrosa keygen` writes it.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The file in which this witness remembers what it saw of the table. It is created the first time, and
    /// must never be lost.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// The file to create: the cosignature.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs `cosign`.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Sign(args) => sign(&args, output),
        Command::Add { directory, cosignature } => add(&directory, &cosignature, output),
    }
}

/// Reads a log, as `table log --out` writes it.
pub fn read_growth(path: &Path) -> Result<Growth, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string())
            .hint("`subrosa table log DIR --out FILE` writes such a file")
    };
    let bytes = wire::read_bounded(path, LOG_LIMIT).map_err(|error| failed(&error))?;
    Growth::from_bytes(&bytes).map_err(|error| failed(&error))
}

/// The checkpoint that a witness cosigned last; none at first.
fn seen(path: &Path, table: &Table) -> Result<Option<SignedCheckpoint>, Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string())
            .hint("a witness keeps a separate file for every table that it cosigns")
    };
    let bytes = wire::read_bounded(path, LOG_LIMIT).map_err(|error| failed(&error))?;
    let note = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    SignedCheckpoint::from_note(table, &note).map(Some).map_err(|error| failed(&error))
}

fn sign(args: &SignArgs, output: &Output) -> Result<(), Failure> {
    let witness = args.passphrase.identity(&args.key)?;
    let growth = read_growth(&args.log)?;
    // From reading to writing: two that read the same state would each cosign another history.
    let _alone = Exclusive::take(&args.state).map_err(|error| Failure::file(&args.state, error))?;
    let seen = seen(&args.state, &growth.table)?;
    let since = seen.as_ref().map_or(0, |seen| seen.checkpoint.size);
    let cosignature = growth.cosign(seen.as_ref(), &witness, now()?).map_err(|fault| {
        Failure::refused(fault).hint(format!(
            "ask the operator for `subrosa table log DIR --since {since} --out FILE`; if you \
             cannot accept that file either, the operator shows two histories: keep all the files"
        ))
    })?;
    // Remembered before anybody can see the cosignature.
    let note = growth.signed.to_note();
    wire::write_atomic(&args.state, note.as_bytes())
        .map_err(|error| Failure::file(&args.state, error))?;
    wire::write_new(&args.out, &cosignature.to_bytes())
        .map_err(|error| Failure::file(&args.out, error))?;
    let (table, size) = (growth.table.id().to_string(), growth.signed.checkpoint.size);
    let object = json!({ "table": table, "epochs": size, "witness": witness.id().to_string() });
    output.result(&object, || {
        let epochs = output::counted(size, "epoch", "epochs");
        vec![format!("table {table}: log of {epochs} cosigned by {}", witness.id())]
    });
    Ok(())
}

fn add(directory: &Path, path: &Path, output: &Output) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string())
            .hint("`subrosa table cosign sign` writes such a file")
    };
    let bytes = wire::read_bounded(path, COSIGNATURE_LIMIT).map_err(|error| failed(&error))?;
    let cosignature = Cosignature::from_bytes(&bytes).map_err(|error| failed(&error))?;
    let custodian = Folder::new(directory).open()?;
    let witness = cosignature.witness.to_string();
    // The log may have grown since the witness saw it.
    let mut size = custodian.digests()?.len() as u64;
    let oldest = custodian.served_size()?.max(1);
    let state = loop {
        match custodian.cosign(size, cosignature.clone()) {
            Ok(state) => break state_name(state),
            Err(_) if size > oldest => size -= 1,
            Err(error) => return Err(failed(&error)),
        }
    };
    let object = json!({ "epochs": size, "witness": witness, "state": state });
    output.result(&object, || {
        let epochs = output::counted(size, "epoch", "epochs");
        vec![format!("log of {epochs} cosigned by {witness}; its last epoch is {state}")]
    });
    Ok(())
}

/// Options of `evidence`.
#[derive(clap::Args)]
pub struct EvidenceArgs {
    /// A log, as `subrosa table log --out` wrote it.
    one: PathBuf,
    /// Another of the same table: of the same size, or written `--since` the size of the smaller.
    other: PathBuf,
    /// The directory to write the bundle to, for `subrosa verify`.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `evidence`.
pub fn evidence(args: &EvidenceArgs, output: &Output) -> Result<(), Failure> {
    let (one, other) = (read_growth(&args.one)?, read_growth(&args.other)?);
    // The smaller log is the one that the larger should continue.
    let (old, new) = match one.signed.checkpoint.size <= other.signed.checkpoint.size {
        true => (one, other),
        false => (other, one),
    };
    let table = &new.table;
    let evidence = new.fork(&old.signed).or_else(|| new.succession(&old)).ok_or_else(|| {
        let size = old.signed.checkpoint.size;
        Failure::refused("the two logs show no offence").hint(format!(
            "logs are evidence if they change the operator's key differently, or if the larger \
             does not continue the smaller; write the larger with `subrosa table log DIR --since \
             {size} --out FILE`"
        ))
    })?;
    let mut writer = BundleWriter::create(&args.out).map_err(Failure::input)?;
    claims::write_evidence(&mut writer, table, &evidence)?;
    let bundle = writer.finish().map_err(Failure::input)?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let object = json!({ "bundle": digest, "offence": evidence.offence() });
    output.result(&object, || {
        vec![format!("the operator signed {}", evidence.offence()), format!("bundle {digest}")]
    });
    Ok(())
}
