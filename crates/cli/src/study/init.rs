//! `subrosa study init`.

use std::path::{Path, PathBuf};

use board::{AuthorId, MAX_PAYLOAD};
use serde_json::json;
use study::{
    description::Shuffle,
    election::{Message, Parties, PartySecret, Phase, Scheme, Session, SessionError, Setup, Voter},
    with_scheme,
};

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
    /// The parameters of the shuffle `tflsz`, as a ceremony made them.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
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
    let parameters = read_parameters(args.parameters.as_deref(), description.shuffle)?;
    let shuffle = description.shuffle;
    let setup = Setup { description, parties };
    let store = args.board.store_to_begin()?;
    let id = with_scheme!(shuffle, S => {
        let mut session = Session::<S>::create(store, &operator, setup)?;
        post_setup(&mut session, &secret, parameters, voters)?;
        session.board().id().to_string()
    });
    output.result(&json!({ "board": id }), || vec![id.clone()]);
    Ok(())
}

/// Reads the parameters of the shuffle, if it has any.
pub fn read_parameters(path: Option<&Path>, shuffle: Shuffle) -> Result<Vec<u8>, Failure> {
    match (shuffle.parameters(), path) {
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) => Err(Failure::input("the shuffle `tw` has no parameters")
            .hint("leave --parameters out, or describe the election with shuffle = \"tflsz\"")),
        (Some(_), None) => Err(Failure::input("the shuffle needs its parameters")
            .hint("name the ceremony's result with --parameters FILE")),
        (Some(_), Some(path)) => {
            wire::read_bounded(path, MAX_PAYLOAD as u64).map_err(|error| Failure::file(path, error))
        }
    }
}

/// Publishes the parameters and the roll, unless they are on the board already.
pub fn post_setup<S: Scheme>(
    session: &mut Session<S>,
    operator: &PartySecret,
    parameters: Vec<u8>,
    voters: Vec<Voter>,
) -> Result<(), Failure> {
    let identity = operator.identity();
    let (parameters, roll) = (Message::Parameters(parameters), Message::Roll(voters));
    loop {
        let message = match session.election().phase() {
            Phase::Parameters => &parameters,
            Phase::Registration => &roll,
            _ => return Ok(()),
        };
        session.post(&identity, message)?;
        if let Some(fault) = session.election().faults().first() {
            return Err(SessionError::Party(fault.to_string()).into());
        }
    }
}
