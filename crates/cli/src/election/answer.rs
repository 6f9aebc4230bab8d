//! `subrosa election answer`: a mixer or a trustee takes part in queries about a finished election.

use ::study::{election::Session, inquiry::Follower};

use super::{answering::AnsweringArgs, party::PartyArgs};
use crate::{connect::BoardArgs, failure::Failure, output::Output, party::KeepArgs};

/// Options of `answer`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    #[command(flatten)]
    answering: AnsweringArgs,
    #[command(flatten)]
    keep: KeepArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let identity = args.party.join()?;
    let answering = args.answering.read(&identity.id())?;
    let inquiry = Follower::take_up(Session::over(args.board.open_as(&args.party.key)?)?)?;
    let secrets = args.keep.secrets(&args.party.key, identity, inquiry.id())?;
    answering.serve(inquiry, (secrets, &args.keep), output)
}
