//! The `subrosa` command: results that anyone can check, about data that nobody else gets to see.
#![forbid(unsafe_code)]

mod bench;
mod board;
mod ceremony;
mod connect;
mod failure;
mod mix;
mod output;
mod progress;
mod reproduce;
mod shell;
mod snark;
mod study;
mod table;
mod trace;
mod trustee;
mod verify;
mod vole;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use output::Output;

/// Results that anyone can check, about data that nobody else gets to see.
///
/// Exit codes: 0 the work is done and what was checked is true, 1 a claim is false, 2 the command
/// or its input is wrong.
#[derive(Parser)]
#[command(name = "subrosa", version, max_term_width = 100)]
struct Cli {
    /// Print one JSON object for machines.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a bundle, offline: everything, from the first message to the result.
    Verify(verify::Args),
    /// Run a whole study, or one of its parts: an election, a pay survey.
    #[command(subcommand)]
    Study(study::Command),
    /// Take part as a trustee, who shares the decryption key.
    #[command(subcommand)]
    Trustee(trustee::Command),
    /// Take part as a mixer, or shuffle files by hand.
    #[command(subcommand)]
    Mix(mix::Command),
    /// Trace single submissions through a mix, for a querier who gets a proof. Its default engine,
    /// `routed`, is our construction, no published proof yet.
    #[command(subcommand)]
    Trace(trace::Command),
    /// Look at a board, serve it to other hosts, make keys to write on it.
    #[command(subcommand)]
    Board(board::Command),
    /// Make parameters that nobody controls, together with others.
    #[command(subcommand)]
    Ceremony(ceremony::Command),
    /// Prove that a computation was done rightly, on data that stay private.
    #[command(subcommand)]
    Snark(snark::Command),
    /// Keep a table of private values, answer questions about it, and prove the answers.
    #[command(subcommand)]
    Table(table::Command),
    /// Prove a circuit over bits and integers to one verifier, or verify such a proof.
    #[command(subcommand)]
    Vole(vole::Command),
    /// Measure a system as its paper does.
    #[command(subcommand)]
    Bench(bench::Command),
    /// Measure again what was published, and draw everything on one page.
    #[command(subcommand)]
    Reproduce(reproduce::Command),
    /// Print shell completions or write manual pages.
    #[command(subcommand)]
    Shell(shell::Command),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // What a person asked for (help, the version) is no failure.
        Err(error) if !error.use_stderr() || !std::env::args().any(|arg| arg == "--json") => {
            error.exit()
        }
        Err(error) => {
            let failure = Failure::input(error.render().to_string().trim_end());
            Output::new(true).failure(&failure);
            return failure.exit_code();
        }
    };
    let output = Output::new(cli.json);
    let done = match cli.command {
        Command::Verify(args) => verify::run(&args, &output),
        Command::Study(command) => study::run(command, &output),
        Command::Trustee(command) => trustee::run(command, &output),
        Command::Mix(command) => mix::run(command, &output),
        Command::Trace(command) => trace::run(command, &output),
        Command::Board(command) => board::run(command, &output),
        Command::Ceremony(command) => ceremony::run(command, &output),
        Command::Snark(command) => snark::run(command, &output),
        Command::Table(command) => table::run(command, &output),
        Command::Vole(command) => vole::run(&command, &output),
        Command::Bench(command) => bench::run(command, &output),
        Command::Reproduce(command) => reproduce::run(command, &output),
        Command::Shell(command) => shell::run(command),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            failure.exit_code()
        }
    }
}
