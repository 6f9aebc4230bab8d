//! `subrosa trace`: a traceable mix on a board.

mod begin;
mod db;
pub mod names;
mod query;
mod report;
mod routed;
mod serve;
mod session;

use std::path::PathBuf;

use ::board::Bulletin;
use ::study::{
    replay::genesis,
    tracing::{
        Follower,
        db::{DbFollower, GENESIS},
    },
};
use ::trace::Direction;
use clap::Subcommand;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use crate::{connect::BoardArgs, failure::Failure, keygen, output::Output, party::KeepArgs};

/// What can be done with a traceable mix. Its default engine, `routed`, is our construction, no
/// published proof yet; `db` is the paper's protocol.
#[derive(Subcommand)]
pub enum Command {
    /// Make a key file; the new name of this command is `subrosa keygen`.
    #[command(hide = true)]
    Keygen {
        /// The key file to create. Only its owner may read it.
        #[arg(short, long, alias = "key", value_name = "FILE")]
        out: PathBuf,
    },
    /// Begin a board for a session, with its servers and its senders.
    Init(begin::InitArgs),
    /// Do a server's work: make the key, mix, and answer queries within its policy.
    ///
    /// If the command is interrupted, start it again: it continues where it stopped.
    Serve(serve::Args),
    /// Do the dealer's work for the engine `db`: blind the queries that go out, and make the Paillier key
    /// if the dealer makes it. The dealer must be trusted.
    Deal(db::DealArgs),
    /// Submit a message.
    Submit(session::SubmitArgs),
    /// Close the submissions and wait until the servers have mixed and opened them.
    Mix(session::MixArgs),
    /// Ask which submissions are among given results, or which results come from given submissions.
    #[command(subcommand)]
    Query(query::Command),
    /// Check everything on the board, and show the session, the results and the queries.
    Verify(BoardArgs),
    /// Show what all answered queries together can reveal.
    Exposure(BoardArgs),
}

/// Runs the command, with the engine of the board.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { out } => keygen::make(&out, output),
        Command::Init(args) => session::init(&args, output),
        Command::Deal(args) => {
            let key = args.party.identity()?;
            match follow(args.board.open_as(&args.party)?)? {
                Followed::Routed(_) => Err(Failure::input(
                    "the engine of this board has no dealer: only the engine `db` has one",
                )),
                Followed::Db(follower) => db::deal(key, *follower, output),
            }
        }
        // Keys first: a board is read long, and a wrong file name is told at once.
        Command::Serve(args) => {
            let means = args.means()?;
            match follow(args.board.open_as(&args.party)?)? {
                Followed::Routed(follower) => serve::run(&args, means, *follower, output),
                Followed::Db(follower) => db::serve(&args, means, *follower, output),
            }
        }
        Command::Submit(args) => {
            let key = args.party.identity()?;
            match follow(args.board.open_as(&args.party)?)? {
                Followed::Routed(follower) => session::submit(&args, &key, *follower, output),
                Followed::Db(follower) => session::submit(&args, &key, *follower, output),
            }
        }
        Command::Mix(args) => {
            let key = args.party.identity()?;
            match follow(args.board.open_as(&args.party)?)? {
                Followed::Routed(follower) => session::mix(&key, *follower, output),
                Followed::Db(follower) => session::mix(&key, *follower, output),
            }
        }
        Command::Query(query::Command::In(args)) => ask(Direction::In, &args, output),
        Command::Query(query::Command::Out(args)) => ask(Direction::Out, &args, output),
        Command::Query(query::Command::Complain(args)) => complain(&args, output),
        Command::Query(query::Command::Read(args)) => {
            let key = args.party.identity()?;
            let board = args.board.open()?;
            let secrets = KeepArgs::default().secrets(&args.party, key, board.id())?;
            match follow(board)? {
                Followed::Routed(follower) => query::read(&args, &secrets, *follower, output),
                Followed::Db(follower) => db::read(&args, &secrets, *follower, output),
            }
        }
        Command::Verify(args) => match follow(args.open()?)? {
            Followed::Routed(follower) => session::verify(&follower, output),
            Followed::Db(follower) => session::verify(&follower, output),
        },
        Command::Exposure(args) => match follow(args.open()?)? {
            Followed::Routed(follower) => session::exposure(&follower, output),
            Followed::Db(follower) => session::exposure(&follower, output),
        },
    }
}

fn complain(args: &query::ComplainArgs, output: &Output) -> Result<(), Failure> {
    let key = args.party.identity()?;
    let board = args.board.open_as(&args.party)?;
    let secrets = KeepArgs::default().secrets(&args.party, key, board.id())?;
    match follow(board)? {
        Followed::Routed(follower) => query::complain(args, &secrets, *follower, output),
        Followed::Db(_) => Err(Failure::input(
            "there are no complaints with the engine of this board: a false response looks like \
             any other row",
        )),
    }
}

fn ask(direction: Direction, args: &query::Args, output: &Output) -> Result<(), Failure> {
    let key = args.party.identity()?;
    let board = args.board.open_as(&args.party)?;
    let secrets = args.keep.secrets(&args.party, key, board.id())?;
    secrets.begin(&mut UnwrapErr(SysRng))?;
    secrets.let_expire()?;
    match follow(board)? {
        Followed::Routed(follower) => query::ask(direction, args, &secrets, *follower, output),
        Followed::Db(follower) => db::ask(direction, args, &secrets, *follower, output),
    }
}

/// A board, followed by the engine that its genesis entry names.
enum Followed {
    Routed(Box<Follower>),
    Db(Box<DbFollower>),
}

fn follow(board: Box<dyn Bulletin>) -> Result<Followed, Failure> {
    if genesis(&*board)?.kind() == GENESIS {
        return Ok(Followed::Db(Box::new(DbFollower::over(board)?)));
    }
    Ok(Followed::Routed(Box::new(Follower::over(board)?)))
}
