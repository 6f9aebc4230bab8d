//! `subrosa bench`.

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be measured.
#[derive(Subcommand)]
pub enum Command {}

/// Runs the command.
pub fn run(command: Command, _output: &Output) -> Result<(), Failure> {
    match command {}
}
