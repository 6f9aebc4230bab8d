//! `subrosa ceremony kzg`: the Ethereum KZG ceremony.

mod contribute;
mod size;
mod verify;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// Steps of the KZG ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Check a transcript, and with it the whole ceremony, and optionally a contribution to it.
    Verify(verify::Args),
    /// Contribute your own secrets to the file that the sequencer gave you.
    ///
    /// The secrets come from the operating system, mixed with what you add. Their seed is kept next to the
    /// new file until the file is complete. The file that you were given is verified before your secrets
    /// are used. The contribution is not signed.
    Contribute(contribute::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Verify(args) => verify::run(&args, output),
        Command::Contribute(args) => contribute::run(&args, output),
    }
}
