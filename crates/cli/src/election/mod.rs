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
pub mod roll;
pub mod run;
mod status;

use clap::Subcommand;

use crate::{connect::BoardArgs, examples, failure::Failure, output::Output, verify};

/// What can be done with an election.
#[derive(Subcommand)]
pub enum Command {
    /// Run an election from a folder (`election.toml`, `ballots.csv`) on this machine, parties being
    /// processes of their own. Interrupted and run again, it goes on where it was.
    #[command(after_long_help = examples::ELECTION_RUN)]
    Run(run::Args),
    /// Make the roll of the keys that voters made.
    #[command(after_long_help = examples::ELECTION_REGISTER)]
    Register(roll::RegisterArgs),
    /// Join a phase 1 and a tFLSZ ceremony, both checked, into the parameters of an election that is
    /// mixed by tFLSZ.
    Parameters(parameters::Args),
    /// Begin an election on a board: the description, the parties, the roll.
    #[command(after_long_help = examples::ELECTION_INIT)]
    Init(init::Args),
    /// Do the operator's work on a board: open, close, go on without those who are silent, publish.
    Operate(operate::Args),
    /// Seal ballots on the voters' side and post them, as a polling station does.
    Cast(cast::Args),
    /// Say what the election on a board waits for.
    #[command(after_long_help = examples::ELECTION_STATUS)]
    Status(BoardArgs),
    /// Find a ballot by its tracking code.
    Track(status::TrackArgs),
    /// Take part in queries about a finished election, as a mixer or a trustee. Killed and started
    /// again, it goes on. The engine is our construction, no published proof yet.
    Answer(answer::Args),
    /// Ask about a finished election, as a querier whom its parties let ask.
    Ask(ask::Args),
    /// Count ballots in the clear by any method: a CSV file with its description, or a file of rankings
    /// as other programs write it (`.blt`; PrefLib's `.soc`, `.soi`, `.toc`, `.toi`). No cryptography.
    #[command(after_long_help = examples::ELECTION_COUNT)]
    Count(count::Args),
    /// Write the bundle and the report of a finished election.
    Publish(publish::Args),
    /// Check a bundle: the same as `subrosa verify`.
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
