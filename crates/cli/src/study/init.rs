//! `subrosa study init`.

use std::path::PathBuf;

use board::AuthorId;
use serde_json::json;
use study::election::{Message, Parties, PartySecret, Session, SessionError, Setup};

use super::{folder::read_description, party::load_secret, roll::read_roll};
use crate::{connect::BoardArgs, failure::Failure, output::Output};

/// Options of `init`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    /// The operator's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The election's description.
    #[arg(long, value_name = "TOML")]
    description: PathBuf,
    /// The roll of voters, as `subrosa study register` writes it.
    #[arg(long, value_name = "CSV")]
    roll: PathBuf,
    /// The stations' public keys.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    stations: Vec<AuthorId>,
    /// The trustees' public keys, in order.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    trustees: Vec<AuthorId>,
    /// The mixers' public keys, in order.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    mixers: Vec<AuthorId>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let description = read_description(&args.description)?;
    let voters = read_roll(&args.roll)?;
    let secret = load_secret(&args.key)?;
    let operator = secret.identity();
    let parties = Parties::new(operator.id(), &args.stations, &args.trustees, &args.mixers)
        .ok_or_else(|| Failure::input("two parties have the same public key"))?;
    let setup = Setup { description, parties };
    let mut session = Session::create(args.board.store_to_begin()?, &operator, setup)?;
    post_roll(&mut session, &secret, voters)?;
    let id = session.board().id().to_string();
    output.result(&json!({ "board": id }), || vec![id.clone()]);
    Ok(())
}

/// Publishes the roll, unless it is on the board already.
pub fn post_roll(
    session: &mut Session,
    operator: &PartySecret,
    voters: Vec<study::election::Voter>,
) -> Result<(), Failure> {
    let message = Message::Roll(voters);
    let identity = operator.identity();
    while session.election().phase() == study::election::Phase::Registration {
        session.post(&identity, &message)?;
        if let Some(fault) = session.election().faults().first() {
            return Err(SessionError::Party(fault.to_string()).into());
        }
    }
    Ok(())
}
