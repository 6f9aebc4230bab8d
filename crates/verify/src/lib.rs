//! The command `subrosa-verify`: the same check as `subrosa verify`, without the rest of the program.
//!
//! A stranger who checks a bundle trusts what the program is made of. This one has no server, no
//! database, no SQL, no TLS and no plots in it, and reads nothing but the bundle.
//!
//! ```
//! let arguments = ["subrosa-verify", "no-such-bundle"].map(Into::into);
//! let (mut out, mut err) = (Vec::new(), Vec::new());
//! assert_eq!(subrosa_verify::run(arguments, &mut out, &mut err).unwrap(), 2);
//! assert!(String::from_utf8_lossy(&err).contains("name the directory that holds bundle.json"));
//! ```
#![forbid(unsafe_code)]

use std::{
    ffi::OsString,
    io::{self, Write},
    path::PathBuf,
};

use clap::{Parser, error::ErrorKind};
use serde_json::json;
use verifier::{CheckError, Expected, Report};
use wire::Digest;

/// Check a bundle, offline: everything, from the first message to the result.
///
/// Exit codes: 0 every claim holds, 1 a claim is false, 2 the command or its input is wrong.
#[derive(Parser)]
#[command(name = "subrosa-verify", version, max_term_width = 100)]
struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The bundle's digest as it was published elsewhere; refuses any other bundle.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<Digest>,
    /// The board's name as it was announced; refuses claims about any other.
    #[arg(long, value_name = "DIGEST")]
    expect_board: Option<Digest>,
    /// Print one JSON object for machines.
    #[arg(long)]
    json: bool,
}

/// Runs the command and returns its exit code: 0 every claim holds, 1 a claim is false, 2 the
/// command or its input is wrong.
///
/// # Errors
/// Those of writing to `out` and `err`.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<u8> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(asked)
            if matches!(asked.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            write!(out, "{asked}")?;
            return Ok(0);
        }
        Err(misuse) if is_json => {
            let message = misuse.to_string();
            return refuse(&Refused { message: message.trim_end(), hint: None }, 2, true, out, err);
        }
        Err(misuse) => {
            write!(err, "{misuse}")?;
            return Ok(2);
        }
    };
    let expected = Expected { bundle: args.expect, board: args.expect_board };
    match verifier::check(&args.bundle, expected, &()) {
        Ok(report) => accept(&report, args.json, out),
        Err(error) => {
            let message = error.to_string();
            let refused = Refused { message: &message, hint: error.hint() };
            refuse(&refused, code(&error), args.json, out, err)
        }
    }
}

fn accept(report: &Report, is_json: bool, out: &mut impl Write) -> io::Result<u8> {
    match is_json {
        true => writeln!(out, "{}", report.to_json())?,
        false => report.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?,
    }
    out.flush()?;
    Ok(0)
}

/// Why nothing was accepted, and what to do about it.
struct Refused<'a> {
    message: &'a str,
    hint: Option<&'a str>,
}

/// On standard error, and as the result for machines.
fn refuse(
    Refused { message, hint }: &Refused<'_>,
    code: u8,
    is_json: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<u8> {
    let (kind, what) = if code == 1 { ("refused", "refused") } else { ("input", "error") };
    if is_json {
        let error = json!({ "kind": kind, "message": message, "hint": hint });
        writeln!(out, "{}", json!({ "error": error }))?;
    }
    writeln!(err, "{what}: {message}")?;
    hint.iter().try_for_each(|hint| writeln!(err, "  {hint}"))?;
    Ok(code)
}

fn code(error: &CheckError) -> u8 {
    if error.is_false() { 1 } else { 2 }
}
