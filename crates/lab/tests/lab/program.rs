//! Runs the program.

use std::{path::Path, process::Command};

use test_support::program::Ran;

/// Runs the program in a directory to its end, without a terminal.
pub fn run(directory: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_subrosa-lab"));
    command.current_dir(directory).args(arguments).env("NO_COLOR", "1");
    command.output().unwrap().into()
}

/// Runs the program, which must succeed, and returns what it printed.
pub fn succeed(directory: &Path, arguments: &[&str]) -> String {
    run(directory, arguments).succeeded()
}

/// Runs the program, which must end with `code` and say `message`.
pub fn fail(directory: &Path, arguments: &[&str], code: i32, message: &str) {
    run(directory, arguments).failed(code, message);
}
