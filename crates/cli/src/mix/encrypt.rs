//! `subrosa mix encrypt`: the voters' side.

use std::path::{Path, PathBuf};

use algebra::{Embed, Group, Ristretto255 as G, Scalar};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use rayon::prelude::*;
use serde_json::json;
use shuffle::{Column, MAX_COLUMNS, MAX_ROWS, PublicKey};
use wire::{Encode as _, Progress};
use zeroize::Zeroizing;

use super::{format::CiphertextFile, store};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Options of `encrypt`.
#[derive(clap::Args)]
pub struct Args {
    /// The encryption key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The messages, one line of UTF-8 text each.
    #[arg(value_name = "FILE")]
    messages: PathBuf,
    /// The number of ciphertexts for each message, of 16 bytes each. All messages are padded to the same
    /// length.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=MAX_COLUMNS as i64)
    )]
    columns: u16,
    /// The ciphertexts to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    store::require_new(&args.out)?;
    let key = store::public(&args.key)?;
    let hint = "write one message in each line";
    let bytes = Zeroizing::new(store::read(&args.messages, store::FILE_LIMIT, hint)?);
    let columns = usize::from(args.columns);
    let messages = messages(&args.messages, &bytes, columns)?;

    let bars = Bars::new();
    bars.begin("encrypting", (messages.len() * columns) as u64);
    let encrypted = (0..columns).map(|column| encrypt_column(&key, &messages, column, &bars));
    let encrypted = encrypted.collect::<Result<_, _>>()?;
    bars.finish();

    let file = CiphertextFile { key, columns: encrypted }.to_bytes();
    store::write_new(&args.out, &file)?;
    let (rows, size) = (messages.len(), file.len() as u64);
    let object = json!({ "rows": rows, "columns": columns, "bytes": size, "out": args.out });
    output.result(&object, || {
        let messages = output::counted(rows as u64, "message", "messages");
        let size = output::bytes(size);
        vec![format!("{messages}, columns: {columns}, {size}: {}", args.out.display())]
    });
    Ok(())
}

/// The lines of a file, each short enough, with the line to blame in every error.
fn messages<'a>(path: &Path, bytes: &'a [u8], columns: usize) -> Result<Vec<&'a [u8]>, Failure> {
    if bytes.is_empty() {
        return Ok(vec![]);
    }
    let limit = columns * G::CAPACITY;
    let check = |(index, line): (usize, &'a [u8])| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let wrong = |what: &str| Failure::file(path, format!("line {}: {what}", index + 1));
        if index >= MAX_ROWS {
            return Err(wrong(&format!("more than the limit of {MAX_ROWS} messages")));
        }
        if std::str::from_utf8(line).is_err() {
            return Err(wrong("not UTF-8 text"));
        }
        if line.contains(&0) {
            return Err(wrong("the message has a zero byte, which is used for padding"));
        }
        if line.len() > limit {
            let failure = wrong(&format!("{} bytes, more than the limit of {limit}", line.len()));
            return Err(match line.len().div_ceil(G::CAPACITY) {
                needed if needed <= MAX_COLUMNS => {
                    failure.hint(format!("the message fits with `--columns {needed}`"))
                }
                _ => failure.hint("shorten the message: it is too long for any `--columns`"),
            });
        }
        Ok(line)
    };
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    lines.split(|&byte| byte == b'\n').enumerate().map(check).collect()
}

/// Encrypts the bytes of every message that fall into one column, in constant time.
fn encrypt_column(
    key: &PublicKey<G>,
    messages: &[&[u8]],
    column: usize,
    progress: &impl Progress,
) -> Result<Column<G>, Failure> {
    let mut rng = UnwrapErr(SysRng);
    let randomness = Zeroizing::new(<G as Group>::Scalar::random_many(messages.len(), &mut rng));
    let encrypt = |(message, randomness): (&&[u8], _)| {
        // Of a message that ended before there is nothing in this column.
        let part = message.chunks(G::CAPACITY).nth(column).unwrap_or_default();
        let point = G::embed(part).map_err(Failure::input)?;
        progress.advance(1);
        Ok(key.encrypt(&point, randomness))
    };
    let rows = messages.par_iter().zip(randomness.as_slice());
    Ok(Column::new(&rows.map(encrypt).collect::<Result<Vec<_>, Failure>>()?))
}
