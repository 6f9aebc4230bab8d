//! `subrosa mix decrypt`.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use algebra::{Embed, Group, Ristretto255 as G};
use data_encoding::HEXLOWER;
use rayon::prelude::*;
use serde_json::json;
use shuffle::{Column, SecretKey};
use wire::Progress;

use super::store;
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Options of `decrypt`.
#[derive(clap::Args)]
pub struct Args {
    /// The decryption key.
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// The ciphertexts, or the output of the last mixer.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file for the messages, one in a line [default: standard output]. A message that is not one line
    /// of text is written as `\x` and its bytes in hexadecimal, a row without a message as `\?` and its
    /// points.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What a row held.
enum Message {
    /// Bytes, without the padding.
    Bytes(Vec<u8>),
    /// Points that carry no bytes, encoded: whoever encrypted them did not follow the rules.
    Points(Vec<u8>),
}

impl Message {
    /// Takes the points of one row.
    fn of(points: &[G]) -> Self {
        let parts: Option<Vec<Vec<u8>>> = points.iter().map(Embed::extract).collect();
        let Some(parts) = parts else { return Self::Points(G::encode_all(points)) };
        let mut bytes = parts.concat();
        let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(length);
        Self::Bytes(bytes)
    }

    /// The line that stands for it; text that begins with a backslash is none.
    fn to_line(&self) -> String {
        match self {
            Self::Points(points) => format!("\\?{}", HEXLOWER.encode(points)),
            Self::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if !text.starts_with('\\') && !text.contains(char::is_control) => {
                    text.to_owned()
                }
                _ => format!("\\x{}", HEXLOWER.encode(bytes)),
            },
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let out = args.out.as_deref().filter(|out| *out != Path::new("-"));
    match out {
        None if output.is_json() => {
            return Err(Failure::input(
                "standard output cannot take both the messages and the JSON object",
            )
            .hint("give a file for the messages with --out"));
        }
        None => {}
        Some(out) => store::require_new(out)?,
    }
    let secret = store::secret(&args.secret)?.0;
    let columns = store::input(&args.input, &secret.public_key())?.columns;
    let messages = decrypt(&secret, &columns);

    let text: String = messages.iter().map(|message| message.to_line() + "\n").collect();
    let empty = messages.iter().filter(|message| matches!(message, Message::Points(_))).count();
    if empty > 0 {
        output.warn(&match empty {
            1 => "1 row holds no message".to_owned(),
            _ => format!("{} rows hold no message", output::count(empty as u64)),
        });
    }
    let Some(out) = out else {
        return Ok(io::stdout().write_all(text.as_bytes())?);
    };
    store::write_new(out, text.as_bytes())?;
    let rows = messages.len();
    let object = json!({ "rows": rows, "without_message": empty, "out": out });
    output.result(&object, || {
        let messages = output::counted(rows as u64, "message", "messages");
        vec![format!("{messages}: {}", out.display())]
    });
    Ok(())
}

/// Rows that are decrypted at a time.
const ROWS: usize = 4096;

/// Decrypts all rows, on all threads.
fn decrypt(secret: &SecretKey<G>, columns: &[Column<G>]) -> Vec<Message> {
    let rows = columns.first().map_or(0, Column::len);
    let ciphertexts: Vec<_> = columns.iter().map(Column::ciphertexts).collect();
    let bars = Bars::new();
    bars.begin("decrypting", rows as u64);
    let mut messages = Vec::with_capacity(rows);
    let mut parts: Vec<_> = ciphertexts.iter().map(|column| column.chunks(ROWS)).collect();
    for _ in 0..rows.div_ceil(ROWS) {
        let columns: Vec<Vec<G>> = parts
            .iter_mut()
            .filter_map(Iterator::next)
            .map(|part| secret.decrypt_all(part))
            .collect();
        let count = columns.first().map_or(0, Vec::len);
        messages.par_extend((0..count).into_par_iter().map(|row| {
            let of_row = columns.iter().filter_map(|points| points.get(row).copied());
            Message::of(&of_row.collect::<Vec<G>>())
        }));
        bars.advance(count as u64);
    }
    bars.finish();
    messages
}
