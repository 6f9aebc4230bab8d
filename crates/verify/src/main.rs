//! The `subrosa-verify` command: checks a bundle, and does nothing else.
#![forbid(unsafe_code)]

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    match subrosa_verify::run(std::env::args_os(), &mut out, &mut err) {
        Ok(code) => ExitCode::from(code),
        // Output cannot be written, as into a pipe whose reader has gone. No verdict was given, so that the code is
        // neither that of one that holds nor that of a false one.
        Err(_) => ExitCode::from(2),
    }
}
