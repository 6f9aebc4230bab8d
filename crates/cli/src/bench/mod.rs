//! `subrosa bench`.

mod ceremony;
mod machine;
mod recorder;
mod shuffle;
mod table;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be measured.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a proof of shuffle: every step from the generators to the decrypted messages.
    Shuffle(shuffle::Args),
    /// Measure Powers of Tau: a contribution, its verification, the Lagrange form for circuits.
    Ceremony(ceremony::Args),
    /// Measure transparent tables: the experiments of the artifact of TAP.
    Table(table::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Shuffle(args) => shuffle::run(&args, output),
        Command::Ceremony(args) => ceremony::run(&args, output),
        Command::Table(args) => table::run(&args, output),
    }
}
