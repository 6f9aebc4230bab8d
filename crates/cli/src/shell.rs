//! `subrosa shell`: completions and manual pages.

use std::{io, path::PathBuf};

use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;

use crate::{Cli, failure::Failure};

/// Completions and manual pages, from the same definitions as the commands.
#[derive(Subcommand)]
pub enum Command {
    /// Print the completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write a manual page for every command.
    Man {
        /// The directory to write the pages to.
        directory: PathBuf,
    },
}

/// Runs the command.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "subrosa", &mut io::stdout());
            Ok(())
        }
        Command::Man { directory } => std::fs::create_dir_all(&directory)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), &directory))
            .map_err(|error| Failure::file(&directory, error)),
    }
}
