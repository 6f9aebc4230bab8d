//! `subrosa trace init|submit|mix|verify|exposure`, whatever the engine.

use std::path::{Path, PathBuf};

use ::board::{AuthorId, Identity};
use ::study::replay::{Begin, Replay};
use ::trace::Exposure;

use super::{
    names::EngineName,
    report::{self, Report},
};
use crate::{connect::BoardArgs, failure::Failure, output::Output, party::KeyArgs};

/// A list of a million keys stays below this.
const KEYS_LIMIT: u64 = 1 << 27;

/// A session on a board, as its parties see it.
pub trait Session: Begin {
    /// Where submissions arrive.
    type InputBox;
    /// What the operator closes the submissions with.
    const CLOSE: Self::Message;

    /// Whether the servers still make their keys.
    fn awaits_keys(&self) -> bool;

    /// The submissions, while senders submit.
    fn inputs(&self) -> Option<&Self::InputBox>;

    /// Whether nobody has submitted anything.
    fn is_empty(inputs: &Self::InputBox) -> bool;

    /// Who may submit.
    fn senders(&self) -> &[AuthorId];

    /// A sender's next submission, and its number.
    fn seal(
        &self,
        inputs: &Self::InputBox,
        sender: &AuthorId,
        text: &str,
    ) -> Result<(u32, Self::Message), Failure>;

    /// Whether the mix is opened.
    fn is_opened(&self) -> bool;

    /// What all answered queries can have revealed about a mix with outputs of which classes, once it is
    /// opened.
    fn exposure(&self) -> Option<(Exposure, &[u32])>;

    /// What the board says.
    fn report(&self) -> Report<'_>;
}

/// Options of `init`.
#[derive(clap::Args)]
pub struct InitArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The operator.
    #[command(flatten)]
    pub party: KeyArgs,
    /// What the session is about.
    #[arg(long)]
    pub title: String,
    /// The servers' public keys, one a line, in the order in which they mix.
    #[arg(long, value_name = "FILE")]
    pub servers: PathBuf,
    /// The senders' public keys, one a line.
    #[arg(long, value_name = "FILE")]
    pub senders: PathBuf,
    /// How many servers decrypt [default: all, as the engine `db` needs]. Fewer keep decryption going when servers are lost,
    /// and see everything if they conspire.
    #[arg(long, value_name = "T")]
    pub threshold: Option<u16>,
    /// How many pieces of 16 bytes a message may have.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub blocks: u16,
    /// How often a sender may submit; the last time counts.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ballots: u32,
    /// How queries are answered.
    #[arg(long, value_enum, default_value = "routed")]
    pub engine: EngineName,
    /// What the engine `db` needs to know.
    #[command(flatten)]
    pub db: super::db::DbArgs,
}

/// Options of `submit`.
#[derive(clap::Args)]
pub struct SubmitArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The sender.
    #[command(flatten)]
    pub party: KeyArgs,
    /// What is submitted.
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
        return Err(Failure::input(format!("{sender} is none of the session's senders")));
    }
    let (number, message) = state.seal(inputs, &sender, &args.text)?;
    if !follower.post(identity, &message, is_open)? {
        return Err(Failure::input("submissions were closed meanwhile"));
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
            return Err(Failure::input("nobody has submitted anything"));
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

/// That a sender has no submission left.
pub fn submitted_already() -> Failure {
    Failure::input("this sender has submitted as often as the rules allow")
}

/// What a board says of a session that is not opened yet.
pub fn not_ready() -> Failure {
    Failure::input("the mix is not opened yet")
        .hint("`subrosa trace mix` closes the submissions and waits for it")
}

/// Reads public keys, one a line.
pub fn read_keys(path: &Path) -> Result<Vec<AuthorId>, Failure> {
    let bytes = wire::read_bounded(path, KEYS_LIMIT).map_err(|error| Failure::file(path, error))?;
    let text = String::from_utf8(bytes).map_err(|error| Failure::file(path, error))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let refused = |error| Failure::file(path, format!("line {number}: {error}"));
            line.trim().parse().map_err(refused)
        })
        .collect()
}
