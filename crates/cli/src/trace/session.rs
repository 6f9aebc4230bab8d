//! `subrosa trace init|submit|mix|verify|exposure`, whatever the engine.

use ::board::Identity;
use ::study::replay::Replay;

use super::{
    begin::{InitArgs, Session},
    names::EngineName,
    report,
};
use crate::{connect::BoardArgs, failure::Failure, output::Output, party::KeyArgs};

/// Options of `submit`.
#[derive(clap::Args)]
pub struct SubmitArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The sender.
    #[command(flatten)]
    pub party: KeyArgs,
    /// The message to submit.
    pub text: String,
}

/// Options of `mix`.
#[derive(clap::Args)]
pub struct MixArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The operator.
    #[command(flatten)]
    pub party: KeyArgs,
}

/// Begins a board.
pub fn init(args: &InitArgs, output: &Output) -> Result<(), Failure> {
    match args.engine {
        EngineName::Routed => super::routed::init(args, output),
        EngineName::Db => super::db::init(args, output),
    }
}

/// Submits a message.
pub fn submit<S: Session>(
    args: &SubmitArgs,
    identity: &Identity,
    mut follower: Replay<S>,
    output: &Output,
) -> Result<(), Failure> {
    let sender = identity.id();
    wait_for_keys(&mut follower)?;
    let state = follower.state();
    let inputs = state.inputs().ok_or_else(|| Failure::input("submissions are closed"))?;
    if !state.senders().contains(&sender) {
        return Err(Failure::input(format!("{sender} is not a sender of this session")));
    }
    let (number, message) = state.seal(inputs, &sender, &args.text)?;
    if !follower.post(identity, &message, is_open)? {
        return Err(Failure::input("the submissions were closed before this one arrived"));
    }
    report::show_submitted(&sender.to_string(), number, output);
    Ok(())
}

/// Closes the submissions and waits for the result.
pub fn mix<S: Session>(
    key: &Identity,
    mut follower: Replay<S>,
    output: &Output,
) -> Result<(), Failure> {
    wait_for_keys(&mut follower)?;
    if let Some(inputs) = follower.state().inputs() {
        if S::is_empty(inputs) {
            return Err(Failure::input("there are no submissions yet"));
        }
        follower.post(key, &S::CLOSE, is_open)?;
        if is_open(follower.state()) {
            return Err(Failure::input("only the operator closes the submissions"));
        }
    }
    while !follower.state().is_opened() {
        follower.wait()?;
    }
    follower.state().report().print(output);
    Ok(())
}

/// Shows what was replayed, and so verified.
pub fn verify<S: Session>(follower: &Replay<S>, output: &Output) -> Result<(), Failure> {
    if let Some(reason) = follower.state().failure() {
        return Err(Failure::refused(format!("the session failed: {reason}")));
    }
    follower.state().report().print(output);
    Ok(())
}

/// Shows what all answered queries can have revealed.
pub fn exposure<S: Session>(follower: &Replay<S>, output: &Output) -> Result<(), Failure> {
    let (exposure, class_of) = follower.state().exposure().ok_or_else(not_ready)?;
    report::show_exposure(&exposure, class_of, output);
    Ok(())
}

fn wait_for_keys<S: Session>(follower: &mut Replay<S>) -> Result<(), Failure> {
    while follower.state().awaits_keys() {
        follower.wait()?;
    }
    Ok(())
}

fn is_open<S: Session>(state: &S) -> bool {
    state.inputs().is_some()
}

/// What a board says of a session that is not opened yet.
pub fn not_ready() -> Failure {
    Failure::input("the mix is not opened yet")
        .hint("`subrosa trace mix` closes the submissions and waits for it")
}
