//! `subrosa election operate`.

use std::time::Duration;

use clap::ValueEnum;
use study::election::{Operator, Until};

use super::party::{PartyArgs, follow_openly};
use crate::{
    arguments::duration,
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::Output,
};

/// How far to take the election.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum UntilArg {
    /// Until the polls are open.
    Open,
    /// Close the polls, and go on until the result is published.
    Finished,
}

/// How long parties may be silent.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Patience {
    /// How long a party may be silent when it is its turn, before the operator declares it absent.
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    pub patience: Duration,
}

impl From<Patience> for Duration {
    fn from(patience: Patience) -> Self {
        patience.patience
    }
}

/// Options of `operate`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// How far to take the election.
    #[arg(long, value_enum)]
    until: UntilArg,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let until = match args.until {
        UntilArg::Open => Until::Open,
        UntilArg::Finished => Until::Finished,
    };
    let identity = args.party.join()?;
    with_session!(args.board, &args.party.key, session => {
        let patience = args.patience.into();
        let operator = Operator::new(identity, session.election(), until, patience)?;
        let operator = operator.with_clock(args.board.clock());
        follow_openly(session, operator, "operator", output)
    })
}
