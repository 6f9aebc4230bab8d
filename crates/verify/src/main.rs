//! The `subrosa-verify` command: checks a bundle, and does nothing else.
#![forbid(unsafe_code)]

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    match subrosa_verify::run(std::env::args_os(), &mut out, &mut err) {
        Ok(code) => ExitCode::from(code),
        // Whoever read our words has gone, and nobody can be told what was found.
        Err(_) => ExitCode::from(2),
    }
}
