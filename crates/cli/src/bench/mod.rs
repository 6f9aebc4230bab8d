//! `subrosa bench`.

mod ceremony;
mod machine;
mod recorder;
mod shuffle;
mod trace;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be measured.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a proof of shuffle: every step from the generators to the decrypted messages.
    Shuffle(shuffle::Args),
    /// Measure Powers of Tau: a contribution, its verification, the Lagrange form for circuits.
    Ceremony(ceremony::Args),
    /// Measure a traceable mixnet: mixing, then a full query in each direction.
    Trace(trace::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Shuffle(args) => shuffle::run(&args, output),
        Command::Ceremony(args) => ceremony::run(&args, output),
        Command::Trace(args) => trace::run(&args, output),
    }
}
