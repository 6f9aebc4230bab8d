//! `subrosa election init`.

use std::path::PathBuf;

use board::{AuthorId, Identity};
use serde_json::json;
use study::{
    description::{ElectionDescription, Schedule},
    election::{Message, Parties, Phase, Scheme, Session, Setup, Voter, require_room},
    replay::SessionError,
    with_scheme,
};

use super::{folder::read_description, parameters::with_parameters, roll::read_roll};
use crate::{
    arguments::time, connect::BoardArgs, failure::Failure, output::Output, party::KeyArgs,
};

/// Options of `init`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: KeyArgs,
    /// The election's description, a TOML file.
    #[arg(value_name = "TOML")]
    description: PathBuf,
    /// The roll of voters, as `subrosa election register` writes it.
    #[arg(long, value_name = "CSV")]
    roll: PathBuf,
    #[command(flatten)]
    times: Times,
    /// Mix with the shuffle tFLSZ and these parameters, which `subrosa election parameters` wrote.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// The stations' public keys, separated by commas.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    stations: Vec<AuthorId>,
    /// The trustees' public keys in order, separated by commas.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    trustees: Vec<AuthorId>,
    /// The mixers' public keys in order, separated by commas.
    #[arg(long, value_name = "KEY", value_delimiter = ',', required = true)]
    mixers: Vec<AuthorId>,
}

/// The times of the polls, if the description does not set them.
#[derive(clap::Args)]
struct Times {
    /// When the polls open, such as `2026-11-23T08:00:00Z` or `2026-11-23 08:00` (UTC), if the description
    /// does not set it.
    #[arg(long, value_name = "TIME", value_parser = time, requires = "closes")]
    opens: Option<u64>,
    /// When the polls close, in the same form.
    #[arg(long, value_name = "TIME", value_parser = time, requires = "opens")]
    closes: Option<u64>,
    /// Begin an election without times (version 1): the operator alone opens and closes the polls and
    /// declares parties absent, and stations seal the ballots for the voters.
    #[arg(long, conflicts_with_all = ["opens", "closes"])]
    without_times: bool,
}

impl Times {
    /// The description with the times of the election that begins.
    fn of(&self, description: ElectionDescription) -> Result<ElectionDescription, Failure> {
        let asked = self.opens.zip(self.closes);
        match (asked, description.schedule) {
            (None, None) if self.without_times => Ok(description),
            (None, Some(_)) if !self.without_times => Ok(description),
            (_, Some(_)) => {
                Err(Failure::input("the description already sets when the polls are open").hint(
                    "leave out --opens, --closes and --without-times, or remove `opens` and \
                     `closes` from the description",
                ))
            }
            (None, None) => {
                Err(Failure::input("the description does not set when the polls are open").hint(
                    "set `opens` and `closes` in the description, or give --opens and --closes; \
                     with --without-times, the operator alone opens and closes the polls",
                ))
            }
            (Some((opens, closes)), None) => {
                let schedule = Schedule {
                    opens,
                    closes,
                    patience: Schedule::USUAL_PATIENCE,
                    quorum: Schedule::least_quorum(description.trustees, description.mixers),
                };
                description.with_schedule(schedule).map_err(Failure::input)
            }
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let description = read_description(&args.description)?;
    let description = args.times.of(description)?;
    let (description, parameters) = with_parameters(description, args.parameters.as_deref())?;
    let voters = read_roll(&args.roll, &description.classes)?;
    let operator = args.party.identity()?;
    let parties = Parties::new(operator.id(), &args.stations, &args.trustees, &args.mixers)
        .ok_or_else(|| Failure::input("two parties have the same public key"))?;
    let (shuffle, agreed) = (description.shuffle, description.digest().to_string());
    let setup = Setup { description, parties };
    let (id, words) = with_scheme!(shuffle, S => {
        // Before a board is begun that could not go on.
        require_room::<S>(&setup.description, voters.len()).map_err(Failure::input)?;
        let genesis = Message::Setup(setup);
        let mut session: Session<S> = args.board.begin(&args.party, &operator, &genesis)?;
        post_setup(&mut session, &operator, parameters, voters)?;
        (session.id().to_string(), session.election().in_words())
    });
    output.done("description", &format!("{agreed}, for the parties' agreements"));
    output.done("in words", &words);
    let object = json!({ "board": id, "description": agreed, "words": words });
    output.result(&object, || vec![id.clone()]);
    Ok(())
}

/// Publishes the parameters and the roll, unless they are on the board already.
pub fn post_setup<S: Scheme>(
    session: &mut Session<S>,
    operator: &Identity,
    parameters: Vec<u8>,
    voters: Vec<Voter>,
) -> Result<(), Failure> {
    let (parameters, roll) = (Message::Parameters(parameters), Message::Roll(voters));
    loop {
        let phase = session.election().phase();
        let message = match phase {
            Phase::Parameters => &parameters,
            Phase::Registration => &roll,
            _ => return Ok(()),
        };
        session.post(operator, message, |election| election.phase() == phase)?;
        if let Some(fault) = session.election().faults().first() {
            return Err(SessionError::Party(fault.to_string()).into());
        }
    }
}
