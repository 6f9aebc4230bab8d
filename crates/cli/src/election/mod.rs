//! `subrosa election`: an election, as a whole and in its parts.

pub mod agreement;
pub mod answer;
pub mod answering;
mod ask;
mod cast;
mod count;
pub mod crew;
pub mod folder;
mod init;
mod inquire;
mod operate;
pub mod page;
mod parameters;
pub mod party;
pub mod publish;
mod result;
pub mod roll;
pub mod run;
mod status;

use clap::Subcommand;

use crate::{connect::BoardArgs, examples, failure::Failure, output::Output, verify};

/// What can be done with an election.
#[derive(Subcommand)]
pub enum Command {
    /// Run a whole election on this machine, from a folder with `election.toml` and `ballots.csv`.
    ///
    /// Each party is a process of its own. If the command is interrupted, run it again: it continues where
    /// it stopped.
    #[command(after_long_help = examples::ELECTION_RUN)]
    Run(run::Args),
    /// Make the roll of voters from the public keys that they made.
    #[command(after_long_help = examples::ELECTION_REGISTER)]
    Register(roll::RegisterArgs),
    /// Check a phase 1 and a tFLSZ ceremony, and join them into the parameters of an election that is mixed
    /// by tFLSZ.
    Parameters(parameters::Args),
    /// Begin an election on a board, with its description, its parties and its roll.
    #[command(after_long_help = examples::ELECTION_INIT)]
    Init(init::Args),
    /// Do the operator's work on a board: open and close the polls, declare silent parties absent, publish
    /// the result.
    Operate(operate::Args),
    /// Seal ballots and post them, as a polling station does in an election without times.
    Cast(cast::Args),
    /// Show the state of the election on a board, and what it waits for.
    #[command(after_long_help = examples::ELECTION_STATUS)]
    Status(BoardArgs),
    /// Find a ballot on the board by its tracking code.
    Track(status::TrackArgs),
    /// Answer queries about a finished election, as a mixer or a trustee. The engine is our own
    /// construction and has no published proof yet.
    ///
    /// If the command is interrupted, start it again: it continues where it stopped.
    Answer(answer::Args),
    /// Ask about a finished election, as a querier whom the parties' policies name.
    Ask(ask::Args),
    /// Count ballots in the clear, without cryptography, by any method: a CSV file with its description, or
    /// a file of rankings as other programs write it (`.blt`; PrefLib's `.soc`, `.soi`, `.toc`, `.toi`).
    #[command(after_long_help = examples::ELECTION_COUNT)]
    Count(count::Args),
    /// Write the bundle and the report of a finished election.
    Publish(publish::Args),
    /// Check a bundle, as `subrosa verify` does.
    #[command(after_long_help = examples::VERIFY)]
    Verify(verify::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args, output),
        Command::Register(args) => roll::register(&args, output),
        Command::Parameters(args) => parameters::run(&args, output),
        Command::Init(args) => init::run(&args, output),
        Command::Operate(args) => operate::run(&args, output),
        Command::Cast(args) => cast::run(&args, output),
        Command::Status(args) => status::status(&args, output),
        Command::Track(args) => status::track(&args, output),
        Command::Answer(args) => answer::run(&args, output),
        Command::Ask(args) => ask::run(&args, output),
        Command::Count(args) => count::run(&args, output),
        Command::Publish(args) => publish::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
    }
}
