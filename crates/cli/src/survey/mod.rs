//! `subrosa survey`: a pay survey on this machine, the custodian in this process and the auditor in one of
//! its own.
//!
//! All that passes between them is a folder of public files ([`Published`]): genesis, headers,
//! audit bundles and checkpoint from the custodian, attestations from the auditor.

mod audit;
mod custody;
mod published;
mod run;

use clap::Subcommand;
use published::Published;

use crate::{examples, failure::Failure, output::Output, verify};

/// What can be done with a pay survey.
#[derive(Subcommand)]
pub enum Command {
    /// Run a whole pay survey on this machine, from a folder with `survey.toml` and `responses.csv`.
    ///
    /// The auditor is a process of its own. If the command is interrupted, run it again: it continues where
    /// it stopped.
    #[command(after_long_help = examples::SURVEY_RUN)]
    Run(run::Args),
    /// Audit a survey's public files, as its auditor, and attest what is right.
    Audit(audit::Args),
    /// Check a bundle, as `subrosa verify` does.
    #[command(after_long_help = examples::VERIFY)]
    Verify(verify::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args, output),
        Command::Audit(args) => audit::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
    }
}
