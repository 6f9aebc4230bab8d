//! What both engines have in common: how a session begins, and what its board is to the commands.

use std::path::{Path, PathBuf};

use ::board::AuthorId;
use ::study::replay::Begin;
use ::trace::Exposure;

use super::{db::DbArgs, names::EngineName, report::Report};
use crate::{connect::BoardArgs, failure::Failure, party::KeyArgs};

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
    /// How many servers decrypt together [default: all, as the engine `db` requires]. With a smaller
    /// number, decryption goes on when servers fail, but this many servers see everything if they conspire.
    #[arg(long, value_name = "T")]
    pub threshold: Option<u16>,
    /// The greatest length of a message, in blocks of 16 bytes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub blocks: u16,
    /// How many times a sender may submit. Only the last submission counts.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ballots: u32,
    /// The engine that answers queries.
    #[arg(long, value_enum, default_value = "routed")]
    pub engine: EngineName,
    /// What the engine `db` needs to know.
    #[command(flatten)]
    pub db: DbArgs,
}

/// That a sender has no submission left.
pub fn submitted_already() -> Failure {
    Failure::input("this sender has already submitted as many times as the rules allow")
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
