//! `subrosa mix`: a mixer's part in an election, and shuffles of files by hand.

mod decrypt;
mod encrypt;
mod format;
mod keygen;
mod shuffle;
mod store;
mod verify;

use clap::Subcommand;
use study::election::{Mixer, Session};

use crate::{
    connect::{BoardArgs, with_session},
    election::{
        agreement::AgreementArgs,
        answering::LaterArgs,
        party::{PartyArgs, follow, follow_and_answer},
    },
    failure::Failure,
    output::Output,
};

/// What a mixer does.
#[derive(Subcommand)]
pub enum Command {
    /// Follow the board and do a mixer's work: wait for the turn, check everything, mix, prove it.
    ///
    /// If the command is interrupted, start it again: it continues where it stopped.
    Join {
        #[command(flatten)]
        board: Box<BoardArgs>,
        #[command(flatten)]
        party: PartyArgs,
        #[command(flatten)]
        later: LaterArgs,
        #[command(flatten)]
        agreement: AgreementArgs,
    },
    /// Make a key pair for a mix by hand.
    Keygen(keygen::Args),
    /// Encrypt the lines of a file.
    Encrypt(encrypt::Args),
    /// Shuffle and re-encrypt ciphertexts, and prove it.
    Shuffle(shuffle::Args),
    /// Check a chain of mixes, from the first ciphertexts to the last mixer's output.
    Verify(verify::Args),
    /// Decrypt ciphertexts, or the output of the last mixer.
    Decrypt(decrypt::Args),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Join { board, party, later, agreement } => {
            let (identity, (answering, keep)) = (party.join()?, later.given());
            let policy = agreement.read(&board)?;
            if let Some(answering) = answering {
                let session = Session::over(board.open_as(&party.key)?)?;
                let secrets = keep.secrets(&party.key, identity, session.id())?;
                let mixer = Mixer::new(secrets.clone(), session.election())?.with_policy(policy);
                return follow_and_answer(
                    session,
                    (mixer, secrets),
                    (&answering, &keep),
                    "mixer",
                    output,
                );
            }
            with_session!(board, &party.key, session => {
                let secrets = keep.secrets(&party.key, identity, session.id())?;
                let mixer = Mixer::new(secrets.clone(), session.election())?.with_policy(policy);
                follow(session, (mixer, &secrets), "mixer", output)
            })
        }
        Command::Keygen(args) => keygen::run(&args, output),
        Command::Encrypt(args) => encrypt::run(&args, output),
        Command::Shuffle(args) => shuffle::run(&args, output),
        Command::Verify(args) => verify::run(&args, output),
        Command::Decrypt(args) => decrypt::run(&args, output),
    }
}
