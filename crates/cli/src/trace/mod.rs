//! `subrosa trace`: a traceable mix on a board.

mod query;
mod serve;
mod session;

use std::{
    io,
    path::{Path, PathBuf},
};

use ::study::tracing::{Follower, TraceKey, TracingError};
use clap::Subcommand;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;

use crate::{connect::BoardArgs, failure::Failure, output::Output};

/// What can be done with a traceable mix. Its engine, `routed`, is our construction, no published
/// proof yet.
#[derive(Subcommand)]
pub enum Command {
    /// Make a key file for a server, sender, querier or operator and print the public key.
    Keygen {
        /// The key file to create. Only its owner may read it.
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Begin a board: name the servers and the senders.
    Init(session::InitArgs),
    /// Do a server's work: key, mix, answers within its policy. Killed and started again, it goes
    /// on.
    Serve(serve::Args),
    /// Submit a message.
    Submit(session::SubmitArgs),
    /// Close the submissions and wait until the servers have mixed and opened them.
    Mix(session::MixArgs),
    /// Ask which submissions are among results, or which results come from submissions.
    #[command(subcommand)]
    Query(query::Command),
    /// Check everything on the board, and show the session, the results and the queries.
    Verify(BoardArgs),
    /// Show what all answered queries together can have revealed.
    Exposure(BoardArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { key } => keygen(&key, output),
        Command::Init(args) => session::init(&args, output),
        Command::Serve(args) => serve::run(&args, output),
        Command::Submit(args) => session::submit(&args, output),
        Command::Mix(args) => session::mix(&args, output),
        Command::Query(command) => query::run(&command, output),
        Command::Verify(args) => session::verify(&args, output),
        Command::Exposure(args) => session::exposure(&args, output),
    }
}

fn keygen(path: &Path, output: &Output) -> Result<(), Failure> {
    let key = TraceKey::generate(&mut UnwrapErr(SysRng));
    key.save(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::file(path, "there is a file already")
            .hint("a key is never overwritten: name another file"),
        _ => Failure::file(path, error),
    })?;
    let public = key.identity().id().to_string();
    output.result(&json!({ "public_key": public }), || vec![public.clone()]);
    Ok(())
}

fn load_key(path: &Path) -> Result<TraceKey, Failure> {
    TraceKey::load(path).map_err(|error| {
        Failure::file(path, error).hint("`subrosa trace keygen --key FILE` makes a key file")
    })
}

fn follow(board: &BoardArgs) -> Result<Follower, Failure> {
    Ok(Follower::open(board.store()?, board.expect)?)
}

impl From<TracingError> for Failure {
    fn from(error: TracingError) -> Self {
        match error {
            TracingError::Failed(_) => Self::refused(error),
            TracingError::Board(::board::BoardError::Empty) => {
                Self::input(error).hint("begin a session with `subrosa trace init`")
            }
            other => Self::input(other),
        }
    }
}
