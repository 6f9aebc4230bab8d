//! The program `subrosa-lab`: what is measured, keys that one dealer makes, and what attackers try. Nobody
//! who runs an election, or checks one, needs it.
#![forbid(unsafe_code)]

mod attack;
mod bench;
mod reproduce;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cli::{dealer, failure::Failure, output::Output};

/// Measure Subrosa, reproduce published figures, and try attacks on its verifiers.
///
/// Exit codes: those of `subrosa`.
#[derive(Parser)]
#[command(name = "subrosa-lab", version, max_term_width = 100)]
struct Lab {
    /// Print one JSON object for machines.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure a system as its paper does.
    #[command(subcommand)]
    Bench(bench::Command),
    /// Measure again what was published, and draw everything on one page.
    #[command(subcommand)]
    Reproduce(reproduce::Command),
    /// Make a Groth16 or GM17 key alone, for trials. Whoever makes it could keep its secrets and forge
    /// proofs: for keys that others rely on, hold a ceremony with `subrosa ceremony phase2`.
    Key(dealer::Args),
    /// Run attacks that succeed against other programs, and see our verifiers refuse them.
    #[command(subcommand)]
    Attack(attack::Command),
}

fn main() -> ExitCode {
    match cli::parse::<Lab>(std::env::args_os().collect()) {
        Ok(lab) => {
            let output = Output::new(lab.json);
            cli::end(run(lab.command, &output), &output)
        }
        Err(code) => code,
    }
}

fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Bench(command) => bench::run(command, output),
        Command::Reproduce(command) => reproduce::run(command, output),
        Command::Key(args) => dealer::run(&args, output),
        Command::Attack(attack::Command::Table) => attack::table::run(output),
    }
}
