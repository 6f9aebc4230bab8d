//! `subrosa mix`.

use clap::Subcommand;
use study::election::{Mixer, PartySecret};

use crate::{
    connect::BoardArgs,
    failure::Failure,
    output::Output,
    study::party::{PartyArgs, follow},
};

/// What a mixer does.
#[derive(Subcommand)]
pub enum Command {
    /// Follow the board and do a mixer's work: wait for the turn, check everything, mix, prove it.
    /// Killed and started again, it goes on.
    Join {
        #[command(flatten)]
        board: BoardArgs,
        #[command(flatten)]
        party: PartyArgs,
    },
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Join { board, party } => {
            let mixer = |secret: PartySecret, election: &_| Mixer::new(secret, election);
            follow(&board, &party, "mixer", mixer, output)
        }
    }
}
