//! `subrosa election init`.

use std::path::PathBuf;

use board::AuthorId;
use serde_json::json;
use study::{
    election::{Message, Parties, PartySecret, Phase, Scheme, Session, Setup, Voter, require_room},
    replay::SessionError,
    with_scheme,
};

use super::{
    folder::read_description, parameters::with_parameters, party::load_secret, roll::read_roll,
};
use crate::{connect::BoardArgs, failure::Failure, output::Output, party::KeyArgs};

/// Options of `init`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: KeyArgs,
    /// The election's description.
    #[arg(value_name = "TOML")]
    description: PathBuf,
    /// The roll of voters, as `subrosa election register` writes it.
    #[arg(long, value_name = "CSV")]
    roll: PathBuf,
    /// Mix by the shuffle tFLSZ under these parameters, which `subrosa election parameters` wrote.
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
    let (description, parameters) = with_parameters(description, args.parameters.as_deref())?;
    let voters = read_roll(&args.roll, &description.classes)?;
    let secret = load_secret(&args.party.key)?;
    let operator = secret.identity();
    let parties = Parties::new(operator.id(), &args.stations, &args.trustees, &args.mixers)
        .ok_or_else(|| Failure::input("two parties have the same public key"))?;
    let (shuffle, agreed) = (description.shuffle, description.digest().to_string());
    let setup = Setup { description, parties };
    let id = with_scheme!(shuffle, S => {
        // Before a board is begun that could not go on.
        require_room::<S>(&setup.description, voters.len()).map_err(Failure::input)?;
        let genesis = Message::Setup(setup);
        let mut session: Session<S> = args.board.begin(&args.party, &operator, &genesis)?;
        post_setup(&mut session, &secret, parameters, voters)?;
        session.id().to_string()
    });
    output.done("description", &format!("{agreed}, for the parties' agreements"));
    output.result(&json!({ "board": id, "description": agreed }), || vec![id.clone()]);
    Ok(())
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
        let phase = session.election().phase();
        let message = match phase {
            Phase::Parameters => &parameters,
            Phase::Registration => &roll,
            _ => return Ok(()),
        };
        session.post(&identity, message, |election| election.phase() == phase)?;
        if let Some(fault) = session.election().faults().first() {
            return Err(SessionError::Party(fault.to_string()).into());
        }
    }
}
