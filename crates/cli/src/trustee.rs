//! `subrosa trustee`.

use std::path::PathBuf;

use clap::Subcommand;
use study::election::{Session, Trustee};

use crate::{
    connect::{BoardArgs, with_session},
    election::{
        agreement::AgreementArgs,
        answering::LaterArgs,
        party::{PartyArgs, follow, follow_and_answer},
    },
    failure::Failure,
    keygen,
    output::Output,
};

/// What a trustee does.
#[derive(Subcommand)]
pub enum Command {
    /// Make a key file; the new name of this command is `subrosa keygen`.
    #[command(hide = true)]
    Keygen {
        /// The key file to create. Only its owner may read it.
        #[arg(short, long, alias = "key", value_name = "FILE")]
        out: PathBuf,
    },
    /// Follow the board and do a trustee's work until the election is decrypted: generate the key, check
    /// everything, decrypt.
    ///
    /// If the command is interrupted, start it again: it continues where it stopped.
    Run {
        #[command(flatten)]
        board: Box<BoardArgs>,
        #[command(flatten)]
        party: PartyArgs,
        #[command(flatten)]
        later: LaterArgs,
        #[command(flatten)]
        agreement: AgreementArgs,
    },
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen { out } => keygen::make(&out, output),
        Command::Run { board, party, later, agreement } => {
            let (identity, (answering, keep)) = (party.join()?, later.given());
            let policy = agreement.read(&board)?;
            if let Some(answering) = answering {
                let session = Session::over(board.open_as(&party.key)?)?;
                let secrets = keep.secrets(&party.key, identity, session.id())?;
                let trustee = Trustee::new(secrets.clone(), session.election())?;
                let trustee = trustee.with_policy(policy);
                return follow_and_answer(
                    session,
                    (trustee, secrets),
                    (&answering, &keep),
                    "trustee",
                    output,
                );
            }
            with_session!(board, &party.key, session => {
                let secrets = keep.secrets(&party.key, identity, session.id())?;
                let trustee = Trustee::new(secrets.clone(), session.election())?;
                let trustee = trustee.with_policy(policy);
                follow(session, (trustee, &secrets), "trustee", output)
            })
        }
    }
}
