//! `subrosa table erase`: a user's rows go, and the log counts them.

use std::path::{Path, PathBuf};

use ::table::{log::Tombstone, store::CustodyError};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::{Decode as _, DecodeError, Encode as _, FileHeader, Reader};

use super::folder::Folder;
use crate::{failure::Failure, output::Output};

const HEADER: FileHeader = FileHeader::new("erasures", 1);
const LIST_LIMIT: u64 = 1 << 30;
const TOMBSTONES: usize = 1 << 24;

/// Options of `erase`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder; no server may have it open.
    directory: PathBuf,
    /// The user whose rows are erased.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// An epoch of the key period in which the rows are.
    #[arg(long, value_name = "N")]
    epoch: u32,
    /// Erase the rows even if the user has rows in several epochs of the key period: they share the same
    /// keys, so all are erased.
    #[arg(long)]
    whole_period: bool,
    /// The file for the list of all rows that were ever erased. Keep the newest list apart from the store:
    /// `restore --erased` needs it.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let (user, rng) = (args.user.as_bytes(), &mut UnwrapErr(SysRng));
    let (epochs, again) = match custodian.erase(args.epoch, user, args.whole_period, rng) {
        Ok(epochs) => (epochs, false),
        // Cut off before the list was written, it is run again.
        Err(CustodyError::Erased { epoch }) => (vec![epoch], true),
        Err(error) => return Err(error.into()),
    };
    let list = custodian.tombstones()?;
    write(&args.out, &list)?;
    let (count, next) = (list.len(), custodian.next_epoch()?);
    let object = json!({
        "erased": epochs,
        "before": again,
        "tombstones": count,
        "recorded_by": next,
    });
    output.result(&object, || {
        let what = if again { "was erased before" } else { "erased" };
        vec![
            format!("`{}` {what}: epochs {epochs:?}", args.user),
            format!("seal epoch {next} soon: it records the number of erased rows, {count}"),
            "older copies of the store still hold the rows: destroy those copies".to_owned(),
        ]
    });
    Ok(())
}

fn write(path: &Path, list: &[Tombstone]) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    HEADER.encode(&mut bytes);
    (list.len() as u32).encode(&mut bytes);
    list.iter().for_each(|tombstone| tombstone.encode(&mut bytes));
    wire::write_atomic(path, &bytes).map_err(|error| Failure::file(path, error))
}

/// Reads a list that `erase` wrote.
pub fn tombstones(path: &Path) -> Result<Vec<Tombstone>, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::file(path, error.to_string()).hint("`subrosa table erase` writes such a file")
    };
    let bytes = wire::read_bounded(path, LIST_LIMIT).map_err(|error| failed(&error))?;
    let read = || {
        let mut reader = Reader::new(&bytes);
        HEADER.expect(&mut reader)?;
        let count = reader.count("tombstones", TOMBSTONES)?;
        let list = (0..count).map(|_| Tombstone::decode(&mut reader));
        let list = list.collect::<Result<_, DecodeError>>()?;
        reader.finish()?;
        Ok(list)
    };
    let list: Result<Vec<Tombstone>, DecodeError> = read();
    list.map_err(|error| failed(&error))
}
