//! `subrosa table`: a custodian's table, and what users and auditors do with its bundles.

mod audit;
mod clock;
mod cosign;
#[cfg(feature = "sql")]
mod database;
mod dispute;
mod erase;
mod fields;
mod folder;
mod ingest;
mod init;
mod keys;
mod log;
#[cfg(feature = "parquet")]
mod parquet;
mod policy;
mod query;
mod receipt;
mod remote;
mod restore;
mod rollup;
mod rows;
mod send;
mod serve;
#[cfg(feature = "sql")]
mod sql;
mod subset;
mod successor;
mod taken;
mod user;
mod verify;
mod watch;
mod witness;

use ::table::{
    Fault,
    claims::ClaimError,
    is_of_policy,
    sql::SqlError,
    store::{AskError, CustodyError},
};
use clap::Subcommand;

pub use clock::now;
pub use serve::serve;

use crate::{failure::Failure, moved::Words, output::Output};

/// What is done with a table.
#[derive(Subcommand)]
pub enum Command {
    /// Make a table from a schema: its folder, its keys, and the genesis that everybody relies on.
    Init(init::Args),
    /// Try to attack a schema's policy with the rows of an epoch, before somebody else does.
    #[command(subcommand)]
    Policy(policy::Command),
    /// Store rows of an epoch, from a file or a database, after checking all of them.
    Ingest(taken::Args),
    /// Close an epoch, audit it, and sign it into the log.
    ///
    /// If the command is interrupted, start it again: it continues where it stopped.
    Seal(init::SealArgs),
    /// Answer a query, in a subset of SQL, with a bundle that proves it.
    Query(query::Args),
    /// Show which questions were answered and when, or prove that one is in the log, or that the budgets
    /// were kept.
    QueryLog(query::LogArgs),
    /// Add a roll-up to the next epoch: it answers a question about earlier epochs from one tree instead of
    /// many.
    Rollup(rollup::Args),
    /// Erase a user's rows of a key period: their values and keys are deleted, their commitments stay in
    /// the log, and the next epoch counts them.
    Erase(erase::Args),
    /// Record in the log that another table continues this one, and prove it.
    Successor(successor::Args),
    /// Prove to a user what its row is, with a bundle.
    Lookup(user::LookupArgs),
    /// Prove to a user that it has no row in an epoch, with a bundle.
    Absence(user::LookupArgs),
    /// Check a bundle about one table and, for a user, that it is about the user's own row.
    Verify(verify::Args),
    /// Audit epochs, and sign what was found.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Write an epoch's audit as a bundle, for auditors.
    Export(audit::ExportArgs),
    /// Show the state of every epoch, and write the file that witnesses check.
    Log(log::Args),
    /// Witness a table's log.
    #[command(subcommand)]
    Cosign(cosign::Command),
    /// Compare a table that was restored from a copy with what others saw of its log, before it signs
    /// anything, and continue from there.
    Restore(restore::Args),
    /// Make a bundle of two logs of which neither continues the other: proof that their operator cheated.
    Evidence(cosign::EvidenceArgs),
    /// Check the operator's receipts for a row.
    #[command(subcommand)]
    Receipt(receipt::Command),
    /// Make evidence against an operator that did not keep a receipt. Anybody can check it with `subrosa
    /// verify`.
    #[command(subcommand)]
    Dispute(dispute::Command),
    #[command(hide = true)]
    AttackDemo(Words),
    /// Serve tables over HTTP; see docs/operating.md.
    Serve(serve::Args),
    /// Serve as a witness of tables, over HTTP.
    #[command(subcommand)]
    Witness(witness::Command),
    /// Write what a user needs to recognise its own rows: its keys of a key period, and the genesis.
    Keys(keys::Keys),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Init(args) => init::run(&args, output),
        Command::Policy(command) => policy::run(command, output),
        Command::Ingest(args) => ingest::run(&args, output),
        Command::Seal(args) => init::seal(&args, output),
        Command::Query(args) => query::run(&args, output),
        Command::QueryLog(args) => query::query_log(&args, output),
        Command::Rollup(args) => rollup::run(&args, output),
        Command::Erase(args) => erase::run(&args, output),
        Command::Successor(args) => successor::run(&args, output),
        Command::Lookup(args) => user::lookup(&args, output),
        Command::Absence(args) => user::absence(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Audit(command) => audit::run(command, output),
        Command::Export(args) => audit::export(&args, output),
        Command::Log(args) => log::run(&args, output),
        Command::Cosign(command) => cosign::run(command, output),
        Command::Restore(args) => restore::run(&args, output),
        Command::Evidence(args) => cosign::evidence(&args, output),
        Command::Receipt(command) => receipt::run(command, output),
        Command::Dispute(command) => dispute::run(command, output),
        Command::AttackDemo(words) => {
            Err(words.now("subrosa table attack-demo", "subrosa-lab attack table"))
        }
        Command::Serve(args) => serve::run(args, output),
        Command::Witness(command) => witness::run(command, output),
        Command::Keys(args) => keys::run(&args, output),
    }
}

impl From<CustodyError> for Failure {
    fn from(error: CustodyError) -> Self {
        match error {
            CustodyError::Fault(fault) => fault.into(),
            CustodyError::RolledBack { .. } => Self::environment(error).hint(
                "`subrosa table restore` compares the table with what others saw, and continues",
            ),
            CustodyError::Restoring => {
                Self::environment(error).hint("then `subrosa table restore DIR --resent`")
            }
            CustodyError::Unerased { .. } => Self::environment(error)
                .hint("`subrosa table restore DIR --erased FILE` erases them once more"),
            CustodyError::Erased { .. } => Self::declined(error),
            CustodyError::WholePeriod { .. } => {
                Self::input(error).hint("give `--whole-period` to erase all of them")
            }
            CustodyError::Forked { .. } => Self::refused(error),
            CustodyError::Lost { .. } => Self::declined(error),
            CustodyError::Budget { .. } => {
                Self::environment(error).hint("ask again after 24 hours")
            }
            other => Self::input(other),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            // What the schema does not have, and no policy withholds.
            Fault::Policy { code: "order" | "cuts", .. } => Self::input(fault),
            Fault::Policy { .. } | Fault::Hierarchy { .. } => Self::declined(fault),
            other => Self::input(other),
        }
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        let failure = match is_of_policy(error.code) {
            true => Self::declined(error),
            false => Self::input(error),
        };
        failure.hint("docs/table.md describes the queries that can be asked")
    }
}

impl From<AskError<Self>> for Failure {
    fn from(error: AskError<Self>) -> Self {
        match error {
            AskError::Sql(error) => error.into(),
            AskError::Custody(error) => error.into(),
            AskError::Proving(failure) => failure,
        }
    }
}

impl From<ClaimError> for Failure {
    fn from(error: ClaimError) -> Self {
        Self::input(error)
    }
}
