//! The `subrosa` command: results that anyone can check, about data that nobody else gets to see.
//!
//! The program is [`main`]. What else is public is what `subrosa-lab` has in common with it: how
//! commands read arguments ([`arguments`]), end ([`failure`]), print ([`output`]) and show that they work
//! ([`progress`]).
#![forbid(unsafe_code)]

pub mod arguments;
mod board;
mod ceremony;
mod connect;
mod election;
mod examples;
pub mod failure;
mod keygen;
mod log;
mod mix;
mod moved;
pub mod output;
mod party;
pub mod progress;
mod shell;
mod snark;
mod station;
mod survey;
mod table;
mod trace;
mod trustee;
mod verify;
mod vole;
mod vote;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};

pub use ceremony::CurveName;
pub use snark::{System, dealer};
pub use table::{now, serve};
pub use trace::names;
pub use vole::accept_within;

use failure::Failure;
use output::Output;

/// Results that anyone can check, about data that nobody else gets to see.
///
/// Exit codes: 0 the work is done and everything checked is true; 1 a claim is false; 2 the command or its
/// input is wrong; 3 another party, the network or this machine failed, so try again later; 4 nothing is
/// wrong, but the result is not established; 5 another party or a policy refuses for good.
#[derive(Parser)]
#[command(name = "subrosa", version, max_term_width = 100, after_long_help = examples::PROGRAM)]
struct Cli {
    /// Print one JSON object for machines.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a bundle offline, from the first message to the result.
    #[command(after_long_help = examples::VERIFY)]
    Verify(verify::Args),
    /// Run a whole election, or one of its steps.
    #[command(subcommand)]
    Election(election::Command),
    /// Run a whole pay survey, or one of its steps.
    #[command(subcommand)]
    Survey(survey::Command),
    #[command(hide = true)]
    Study(moved::Words),
    /// Vote on your own device: seal a ballot, audit it, cast it, and check that it counts.
    #[command(subcommand, after_long_help = examples::VOTE)]
    Vote(vote::Command),
    /// Run a polling station, which takes ballots from voters' devices.
    #[command(subcommand, after_long_help = examples::STATION)]
    Station(station::Command),
    /// Take part as a trustee, who holds a share of the decryption key.
    #[command(subcommand, after_long_help = examples::TRUSTEE)]
    Trustee(trustee::Command),
    /// Take part as a mixer, or shuffle files by hand.
    #[command(subcommand, after_long_help = examples::MIX)]
    Mix(mix::Command),
    /// Trace single submissions through a mix, with a proof for the querier. The default engine, `routed`,
    /// is our own construction and has no published proof yet.
    #[command(subcommand, after_long_help = examples::TRACE)]
    Trace(trace::Command),
    /// Make a key file for a party of any role, and print its public key.
    Keygen(keygen::Args),
    /// Erase the secrets that a party drew and still keeps, for finished and for unfinished runs.
    Forget(party::ForgetArgs),
    /// Keep a public log, witness one, write to it or read it.
    #[command(subcommand, after_long_help = examples::LOG)]
    Log(log::Command),
    /// Show and check a board.
    #[command(subcommand, after_long_help = examples::BOARD)]
    Board(board::Command),
    /// Take part in a ceremony: make parameters, with others, whose secrets nobody knows.
    #[command(subcommand)]
    Ceremony(ceremony::Command),
    /// Prove that a computation on private data was done correctly.
    #[command(subcommand)]
    Snark(snark::Command),
    /// Keep a table of private values, answer queries about it, and prove the answers.
    #[command(subcommand, after_long_help = examples::TABLE)]
    Table(table::Command),
    /// Prove a circuit over bits and integers to one verifier, or verify such a proof.
    #[command(subcommand)]
    Vole(vole::Command),
    #[command(hide = true)]
    Bench(moved::Words),
    #[command(hide = true)]
    Reproduce(moved::Words),
    /// Print shell completions or write manual pages.
    #[command(subcommand)]
    Shell(shell::Command),
}

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let arguments = moved::modern(&Cli::command(), std::env::args_os().collect());
    match parse::<Cli>(arguments) {
        Ok(cli) => {
            let output = Output::new(cli.json);
            end(run(cli.command, &output), &output)
        }
        Err(code) => code,
    }
}

/// Parses a process's arguments, or says what is wrong with them. What a person asked for (help, the version) is
/// printed, and is no failure.
///
/// # Errors
/// The exit code, if the arguments are wrong.
pub fn parse<P: Parser>(arguments: Vec<OsString>) -> Result<P, ExitCode> {
    let is_json = arguments.iter().any(|argument| argument == "--json");
    P::try_parse_from(arguments).map_err(|error| {
        if !error.use_stderr() || !is_json {
            error.exit()
        }
        let failure = Failure::input(error.render().to_string().trim_end());
        Output::new(true).failure(&failure);
        failure.exit_code()
    })
}

/// Reports how a command ended; returns its exit code.
pub fn end(done: Result<(), Failure>, output: &Output) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            failure.exit_code()
        }
    }
}

fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Verify(args) => verify::run(&args, output),
        Command::Election(command) => election::run(command, output),
        Command::Survey(command) => survey::run(command, output),
        Command::Study(words) => Err(words.study()),
        Command::Vote(command) => vote::run(command, output),
        Command::Station(command) => station::run(command, output),
        Command::Trustee(command) => trustee::run(command, output),
        Command::Mix(command) => mix::run(command, output),
        Command::Trace(command) => trace::run(command, output),
        Command::Keygen(args) => keygen::run(&args, output),
        Command::Forget(args) => party::forget(&args, output),
        Command::Log(command) => log::run(command, output),
        Command::Board(command) => board::run(command, output),
        Command::Ceremony(command) => ceremony::run(command, output),
        Command::Snark(command) => snark::run(command, output),
        Command::Table(command) => table::run(command, output),
        Command::Vole(command) => vole::run(&command, output),
        Command::Bench(words) => Err(words.now("subrosa bench", "subrosa-lab bench")),
        Command::Reproduce(words) => Err(words.now("subrosa reproduce", "subrosa-lab reproduce")),
        Command::Shell(command) => shell::run(command),
    }
}
