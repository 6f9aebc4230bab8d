//! `subrosa table restore`: what is done with a copy of a table before it signs anything.

use std::path::{Path, PathBuf};

use ::table::{
    EpochHeader, Table,
    claims::{read_records, records_file},
    log::{Growth, LoggedRotation, SignedCheckpoint},
    store::{Custodian, CustodyError, LostEpoch, RedbStore},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::Decode as _;

use super::{erase::tombstones, folder::Folder, keys::Own};
use crate::{
    failure::Failure,
    output::{self, Output},
};

const SEEN_LIMIT: u64 = 1 << 26;
const HEADER_LIMIT: u64 = 1 << 20;
const AUDIT_LIMIT: u64 = 1 << 34;

/// Options of `restore`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder, restored from a copy.
    directory: PathBuf,
    /// The log as a witness, an auditor or a client has it: written by `table log --out`, or a note such as
    /// a witness's state. May be given several times. Of `n` witnesses, of which `k` must cosign, ask `n −
    /// k + 1`.
    #[arg(long, value_name = "FILE")]
    seen: Vec<PathBuf>,
    /// The audit, as `table export` wrote it, of an epoch that was sealed after the copy was made. May be
    /// given several times.
    #[arg(long, value_name = "DIR")]
    audit: Vec<PathBuf>,
    /// A user's keys, as `table keys` wrote them after the copy was made. May be given several times.
    #[arg(long, value_name = "FILE")]
    own: Vec<PathBuf>,
    /// The newest list of erased rows, as `subrosa table erase` wrote it: rows that were erased after the
    /// copy was made are erased again.
    #[arg(long, value_name = "FILE")]
    erased: Option<PathBuf>,
    /// Confirm that everybody with receipts for rows of the open epoch was asked to send the rows again,
    /// and continue.
    #[arg(long)]
    resent: bool,
}

/// What somebody saw.
struct Seen {
    signed: SignedCheckpoint,
    rotations: Vec<LoggedRotation>,
}

impl Seen {
    fn read(path: &Path, table: &Table) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::file(path, error.to_string())
                .hint("`subrosa table log DIR --out FILE` writes such a file; a checkpoint's note is one, too")
        };
        let bytes = wire::read_bounded(path, SEEN_LIMIT).map_err(|error| failed(&error))?;
        if let Ok(note) = std::str::from_utf8(&bytes) {
            let signed =
                SignedCheckpoint::from_note(table, note).map_err(|error| failed(&error))?;
            return Ok(Self { signed, rotations: Vec::new() });
        }
        let growth = Growth::from_bytes(&bytes).map_err(|error| failed(&error))?;
        growth.verify(None).map_err(|error| failed(&error))?;
        match growth.table.id() == table.id() {
            true => Ok(Self { signed: growth.signed, rotations: growth.rotations }),
            false => Err(failed(&"the log of another table")),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let mut custodian = Folder::new(&args.directory).open_copy()?;
    // Whatever else happens, nothing is sealed before the operator says so.
    if !args.resent {
        custodian.begin_restore()?;
    }
    let mut lost = Vec::new();
    for path in &args.seen {
        let seen = Seen::read(path, custodian.table())?;
        match custodian.compare(&seen.signed, &seen.rotations) {
            Ok(()) => {}
            Err(CustodyError::RolledBack { .. }) => {
                lost.extend(take_over(&mut custodian, &seen, &args.audit)?);
            }
            Err(error) => return Err(error.into()),
        }
    }
    for path in &args.own {
        let own = Own::load(path)?;
        let epoch = custodian.next_epoch()?;
        if own.table()?.id() != custodian.table().id() || !own.covers(epoch) {
            return Err(Failure::file(path, format!("not keys for epoch {epoch} of this table")));
        }
        let rng = &mut UnwrapErr(SysRng);
        let restored = custodian.restore_keys(epoch, own.user(), &own.keys()?, rng);
        restored.map_err(|error| Failure::file(path, error))?;
    }
    if let Some(path) = &args.erased {
        let list = tombstones(path)?;
        custodian
            .erase_again(&list, &mut UnwrapErr(SysRng))
            .map_err(|error| Failure::file(path, error))?;
    }
    if args.resent {
        custodian.resume()?;
    }
    report(&custodian, &lost, args.resent, output)
}

fn report(
    custodian: &Custodian<RedbStore>,
    lost: &[u32],
    resent: bool,
    output: &Output,
) -> Result<(), Failure> {
    let (size, open) = (custodian.digests()?.len(), custodian.next_epoch()?);
    let object = json!({ "epochs": size, "lost": lost, "open": open, "sealing": resent });
    output.result(&object, || {
        let epochs = output::counted(size as u64, "epoch", "epochs");
        let mut lines = vec![format!("log of {epochs}, as long as any that was shown")];
        lines.extend(lost.iter().map(|epoch| {
            format!("epoch {epoch} was lost: it is in the log, and nothing about it is answered")
        }));
        lines.push(match resent {
            true => format!("epoch {open} is open and can be sealed"),
            false => format!(
                "epoch {open} can be sealed only with --resent: first ask everybody with receipts \
                 for its rows to send the rows again, and new users for their keys (--own)"
            ),
        });
        lines
    });
    Ok(())
}

/// Continues the log that was seen with the epochs that others kept.
fn take_over(
    custodian: &mut Custodian<RedbStore>,
    seen: &Seen,
    audits: &[PathBuf],
) -> Result<Vec<u32>, Failure> {
    let from = custodian.next_epoch()?;
    let to = custodian.table().genesis().first_epoch;
    let to = u64::from(to).saturating_add(seen.signed.checkpoint.size);
    let mut epochs = Vec::new();
    for epoch in u64::from(from)..to {
        let found = audits.iter().find_map(|audit| read_epoch(audit, epoch).transpose());
        let Some(found) = found else {
            let missing = format!("epoch {epoch} was sealed after this copy was made");
            return Err(Failure::environment(missing).hint(format!(
                "restore a newer copy, or give what an auditor has of epochs {from} to {}: `--audit DIR`",
                to - 1
            )));
        };
        epochs.push(found?);
    }
    Ok(custodian.adopt(&seen.signed, &seen.rotations, &epochs)?)
}

/// An epoch, if a bundle holds its audit. The log says whether it is the true one.
fn read_epoch(audit: &Path, epoch: u64) -> Result<Option<LostEpoch>, Failure> {
    let file = |what: &str| audit.join(format!("objects/table/epoch-{epoch}.{what}"));
    let path = file("header");
    if !path.is_file() {
        return Ok(None);
    }
    let read = |path: &Path, limit| {
        wire::read_bounded(path, limit).map_err(|error| Failure::file(path, error))
    };
    let header = EpochHeader::from_bytes(&read(&path, HEADER_LIMIT)?);
    let header = header.map_err(|error| Failure::file(&path, error))?;
    let path = audit.join("objects").join(records_file(header.core.epoch));
    let records = match path.is_file() {
        true => read_records(&read(&path, HEADER_LIMIT)?)
            .map_err(|error| Failure::file(&path, error))?,
        false => Vec::new(),
    };
    Ok(Some(LostEpoch { header, audit: read(&file("audit"), AUDIT_LIMIT)?, records }))
}
