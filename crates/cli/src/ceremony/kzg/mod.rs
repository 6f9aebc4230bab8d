//! `subrosa ceremony kzg`: the Ethereum KZG ceremony.

mod contribute;
mod size;
mod verify;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// Steps of the KZG ceremony.
#[derive(Subcommand)]
pub enum Command {
    /// Check a transcript, and with it the whole ceremony, or a contribution to it.
    Verify(verify::Args),
    /// Contribute secrets of your own to what the sequencer handed you.
    ///
    /// The secrets come from the operating system, mixed with whatever you add. A seed of them lies
    /// beside the new file until that is complete. What you were handed is verified before anything is
    /// multiplied into it. The contribution is not signed.
    Contribute(contribute::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Verify(args) => verify::run(&args, output),
        Command::Contribute(args) => contribute::run(&args, output),
    }
}
