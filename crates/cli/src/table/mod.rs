//! `subrosa table`: a custodian's table, and what users and auditors do with its bundles.

mod audit;
mod folder;
mod ingest;
mod init;
mod query;
mod rows;
mod user;
mod verify;

use ::table::{claims::ClaimError, store::CustodyError};
use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What is done with a table.
#[derive(Subcommand)]
pub enum Command {
    /// Make a table from a schema: its folder, its keys, and the genesis that everyone pins.
    Init(init::Args),
    /// Take rows of an epoch in, from a CSV or NDJSON file, after checking all of them.
    Ingest(ingest::Args),
    /// Close an epoch, audit it and sign it into the log. Killed and started again, it goes on.
    Seal(init::SealArgs),
    /// Answer a query, in a subset of SQL, with a bundle that proves it.
    Query(query::Args),
    /// Show a user its own row, in a bundle.
    Lookup(user::LookupArgs),
    /// Show a user that it has no row in an epoch, in a bundle.
    Absence(user::LookupArgs),
    /// Check a bundle about one table, and, for a user, that it is about the user's own row.
    Verify(verify::Args),
    /// Audit epochs and vouch for them.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Write an epoch's audit as a bundle, for auditors.
    Export(audit::ExportArgs),
    /// Write what a user needs to recognise its rows: its keys of a key period, and the genesis.
    Keys(user::KeysArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Init(args) => init::run(&args, output),
        Command::Ingest(args) => ingest::run(&args, output),
        Command::Seal(args) => init::seal(&args, output),
        Command::Query(args) => query::run(&args, output),
        Command::Lookup(args) => user::lookup(&args, output),
        Command::Absence(args) => user::absence(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Audit(command) => audit::run(command, output),
        Command::Export(args) => audit::export(&args, output),
        Command::Keys(args) => user::keys(&args, output),
    }
}

impl From<CustodyError> for Failure {
    fn from(error: CustodyError) -> Self {
        Self::input(error)
    }
}

impl From<ClaimError> for Failure {
    fn from(error: ClaimError) -> Self {
        Self::input(error)
    }
}
