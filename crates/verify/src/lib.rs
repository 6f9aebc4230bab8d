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
use serde_json::{Value, json};
use verifier::{Accepted, CheckError, Expected, Report};
use wire::{CheckName, Digest};

/// Check a bundle offline, from the first message to the result.
///
/// Exit codes: 0 every claim is true; 1 a claim is false; 2 the command or its input is wrong; 4 nothing is
/// wrong, but something was not checked or rests on what the bundle does not show.
#[derive(Parser)]
#[command(name = "subrosa-verify", version, max_term_width = 100)]
struct Args {
    /// The directory that holds `bundle.json`.
    bundle: PathBuf,
    /// The bundle's digest, as it was published; any other bundle is refused.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<Digest>,
    /// The board's identifier (64 hexadecimal digits), as it was announced; claims about any other board
    /// are refused.
    #[arg(long, value_name = "DIGEST")]
    expect_board: Option<Digest>,
    /// Accept on your own responsibility what a claim rests on and the bundle does not show. Copy the name
    /// from the verdict: `unaudited`, `word:KEY`, `key:DIGEST` or `parameters:DIGEST`. May be given several
    /// times.
    #[arg(long, value_name = "PREMISE")]
    accept: Vec<Accepted>,
    /// List every check by its name in the specification, with how often it was made; a refusal names the
    /// check that failed.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object for machines.
    #[arg(long)]
    json: bool,
}

/// Runs the command and returns its exit code; `--help` says what the codes mean.
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
            let failed = Failed { code: 2, message: message.trim_end(), hint: None, check: None };
            return fail(&failed, json!({}), Style { json: true, explain: false }, out, err);
        }
        Err(misuse) => {
            write!(err, "{misuse}")?;
            return Ok(2);
        }
    };
    let accepted = args.accept.clone();
    let expected = Expected { bundle: args.expect, board: args.expect_board, accepted };
    match verifier::check(&args.bundle, expected, &()) {
        Ok(report) => say(&report, &args, out, err),
        Err(error) => {
            let message = error.to_string();
            let (check, hint) = (error.check(), error.hint());
            let failed = Failed { code: code(&error), message: &message, hint, check };
            fail(&failed, json!({}), (&args).into(), out, err)
        }
    }
}

/// Prints the report of a bundle in which nothing is wrong; returns 4 if a premise is open.
fn say(report: &Report, args: &Args, out: &mut impl Write, err: &mut impl Write) -> io::Result<u8> {
    let &Args { explain, json: is_json, .. } = args;
    if !is_json {
        let lines = if explain { report.explained_lines() } else { report.lines() };
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        out.flush()?;
    }
    let json = || if explain { report.explained_json() } else { report.to_json() };
    match report.reservation() {
        Some((message, hint)) => {
            let failed = Failed { code: 4, message: &message, hint: Some(&hint), check: None };
            fail(&failed, json(), args.into(), out, err)
        }
        None if is_json => writeln!(out, "{}", json()).map(|()| 0),
        None => Ok(0),
    }
}

/// Why not everything is established, and what to do about it.
struct Failed<'a> {
    code: u8,
    message: &'a str,
    hint: Option<&'a str>,
    /// The check that fails, if one does.
    check: Option<CheckName>,
}

/// How the caller asked to be style.
#[derive(Clone, Copy)]
struct Style {
    json: bool,
    explain: bool,
}

impl From<&Args> for Style {
    fn from(args: &Args) -> Self {
        Self { json: args.json, explain: args.explain }
    }
}

/// Says why the exit code is not 0: on standard error, and with `--json` also in the object.
fn fail(
    Failed { code, message, hint, check }: &Failed<'_>,
    mut result: Value,
    style: Style,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<u8> {
    let (kind, what) = match code {
        1 => ("refused", "refused"),
        4 => ("unestablished", "not established"),
        _ => ("input", "error"),
    };
    if style.json {
        if let Some(result) = result.as_object_mut() {
            let mut error = json!({ "kind": kind, "message": message, "hint": hint });
            if let (Some(check), Some(error)) = (check, error.as_object_mut()) {
                error.insert("check".to_owned(), check.as_str().into());
            }
            result.insert("error".to_owned(), error);
        }
        writeln!(out, "{result}")?;
    }
    match check {
        Some(check) if style.explain => writeln!(err, "{what} by {check}: {message}")?,
        _ => writeln!(err, "{what}: {message}")?,
    }
    hint.iter().try_for_each(|hint| writeln!(err, "  {hint}"))?;
    Ok(*code)
}

fn code(error: &CheckError) -> u8 {
    match error {
        error if error.is_false() => 1,
        error if error.is_unchecked() => 4,
        _ => 2,
    }
}
