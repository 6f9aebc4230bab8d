//! What every party's process does: read a key, join a board, follow it.

use std::{io, io::Read, path::Path, process, thread};

use ::study::{
    election::{Election, PartySecret, Scheme, Session, TereliusWikstrom},
    replay::{Event, Party},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::answer::AnsweringArgs;
use crate::{failure::Failure, output::Output, party::KeyArgs};

/// How a party joins an election.
#[derive(clap::Args, Clone, Debug)]
pub struct PartyArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Stop when standard input is closed, as a child process does when its parent is gone.
    #[arg(long, hide = true)]
    pub attached: bool,
}

impl PartyArgs {
    /// Reads the key, and watches the parent if there is one.
    pub fn join(&self) -> Result<PartySecret, Failure> {
        if self.attached {
            thread::spawn(|| {
                // The pipe carries nothing: reading ends when the parent does.
                let _ = io::stdin().read_to_end(&mut Vec::new());
                process::exit(2);
            });
        }
        load_secret(&self.key.key)
    }
}

/// Reads a party's key file.
pub fn load_secret(path: &Path) -> Result<PartySecret, Failure> {
    PartySecret::load(path).map_err(|error| {
        Failure::file(path, error).hint("`subrosa keygen -o FILE` makes a key file")
    })
}

/// Runs a party to its end.
pub fn follow<S: Scheme>(
    mut session: Session<S>,
    mut party: impl Party<Election<S>>,
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    work(&mut session, &mut party, role, output)?;
    output.done(role, "done");
    Ok(())
}

/// Runs a party to its end, then has it answer questions: this process knows all that it verified.
pub fn follow_and_answer(
    mut session: Session,
    mut party: impl Party<Election<TereliusWikstrom>>,
    (args, answering): (&PartyArgs, &AnsweringArgs),
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    let secret = load_secret(&args.key.key)?;
    let answering = answering.read(&secret.identity().id())?;
    work(&mut session, &mut party, role, output)?;
    answering.go_on(session, secret, role, output)
}

fn work<S: Scheme>(
    session: &mut Session<S>,
    party: &mut impl Party<Election<S>>,
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    output.done(role, &format!("on board {}", session.id()));
    let say = |event: Event<'_, Election<S>>| match event {
        Event::Said(task) => output.done(task.phase(), &format!("posted `{task}`")),
        Event::CutOff(error) => {
            output.warn(&format!("{role}: {error}; it goes on when the board answers again"));
        }
        Event::Looks(_) | Event::Passed(_) => {}
    };
    Ok(session.participate(party, &mut UnwrapErr(SysRng), say)?)
}
