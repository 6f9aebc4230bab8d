//! What every party's process does: read a key, join a board, follow it.

use std::{io, io::Read, process, thread};

use ::study::{
    election::{Election, Scheme, Session, TereliusWikstrom},
    replay::{Event, Party, SessionError},
    secrets::RunSecrets,
};
use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::{answering::AnsweringArgs, status::polls};
use crate::{
    failure::Failure,
    output::Output,
    party::{KeepArgs, KeyArgs, end_run},
};

/// How a party joins an election.
#[derive(clap::Args, Clone, Debug)]
pub struct PartyArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Stop when standard input is closed, as it is for a child process whose parent has ended.
    #[arg(long, hide = true)]
    pub attached: bool,
}

impl PartyArgs {
    /// Reads the key, and watches the parent if there is one.
    pub fn join(&self) -> Result<Identity, Failure> {
        if self.attached {
            thread::spawn(|| {
                // The pipe carries nothing: reading ends when the parent does.
                let _ = io::stdin().read_to_end(&mut Vec::new());
                process::exit(2);
            });
        }
        self.key.identity()
    }
}

/// Runs a party to its end, and erases what it drew.
pub fn follow<S: Scheme>(
    mut session: Session<S>,
    (mut party, secrets): (impl Party<Election<S>>, &RunSecrets),
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    work(&mut session, &mut party, Some(secrets), role, output)?;
    end_run(secrets, role, output)?;
    output.done(role, "done");
    Ok(())
}

/// Runs a party that draws nothing to its end.
pub fn follow_openly<S: Scheme>(
    mut session: Session<S>,
    mut party: impl Party<Election<S>>,
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    work(&mut session, &mut party, None, role, output)?;
    output.done(role, "done");
    Ok(())
}

/// Runs a party to its end, then has it answer questions: this process knows all that it verified.
pub fn follow_and_answer(
    mut session: Session,
    (mut party, secrets): (impl Party<Election<TereliusWikstrom>>, RunSecrets),
    (answering, keep): (&AnsweringArgs, &KeepArgs),
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    let answering = answering.read(&secrets.identity().id())?;
    work(&mut session, &mut party, Some(&secrets), role, output)?;
    answering.go_on(session, (secrets, keep), role, output)
}

/// What was drawn for an election that fails is erased: nobody is to open its ballots.
fn work<S: Scheme>(
    session: &mut Session<S>,
    party: &mut impl Party<Election<S>>,
    secrets: Option<&RunSecrets>,
    role: &str,
    output: &Output,
) -> Result<(), Failure> {
    introduce(session.election(), role, output);
    let say = |event: Event<'_, Election<S>>| match event {
        Event::Said(task) => output.done(task.phase(), &format!("posted `{task}`")),
        Event::CutOff(error) => {
            output.warn(&format!("{role}: {error}; trying again until the board answers"));
        }
        Event::Looks(_) | Event::Passed(_) => {}
    };
    let worked = session.participate(party, &mut UnwrapErr(SysRng), say);
    if let (Err(SessionError::Failed { .. }), Some(secrets)) = (&worked, secrets) {
        end_run(secrets, role, output)?;
    }
    Ok(worked?)
}

/// Says which election it is, so that its parties can compare what they see.
fn introduce<S: Scheme>(election: &Election<S>, role: &str, output: &Output) {
    let title = &election.setup().description.title;
    output.done(role, &format!("on board {}", election.id()));
    output.done(role, &format!("“{title}”, polls {}", polls(election)));
    output.done(role, &format!("in words: {}", election.in_words()));
    output.done(
        role,
        "compare these words by telephone with the operator and the other parties: all must read \
         the same",
    );
}
