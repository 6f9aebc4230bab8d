//! `subrosa-lab attack`.

pub mod table;

use clap::Subcommand;

/// Whose verifier is attacked.
#[derive(Subcommand)]
pub enum Command {
    /// Tables: the attacks that succeed against the academic prototype.
    Table,
}
