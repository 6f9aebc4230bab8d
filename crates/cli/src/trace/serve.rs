//! `subrosa trace serve`.

use std::path::PathBuf;

use ::study::{
    replay::{Protocol, Replay},
    secrets::RunSecrets,
    tracing::{DirectoryJournal, Follower, Node, Tracing, policy_from_toml},
};
use ::trace::Policy;
use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use crate::{
    connect::BoardArgs,
    failure::Failure,
    output::Output,
    party::{KeepArgs, KeyArgs, take_part},
};

/// No policy is longer.
const POLICY_LIMIT: u64 = 1 << 20;

/// Options of `serve`.
#[derive(clap::Args)]
pub struct Args {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The server's key file. Without its state folder, the server can no longer answer.
    #[command(flatten)]
    pub party: KeyArgs,
    /// The server's policy, a TOML file: `queriers`, `max_questions` and `cut`; with a `cut` also
    /// `min_rows`, `min_values` and `coalition`; optionally `by_position`.
    #[arg(long, value_name = "TOML")]
    policy: PathBuf,
    /// The folder in which the server remembers what it signed, for this server only. Never delete it, and
    /// never restore it from a copy, while the session is in use.
    #[arg(long, value_name = "DIR")]
    journal: PathBuf,
    /// Stop after this many answered queries [default: go on for ever].
    #[arg(long, value_name = "N")]
    pub queries: Option<usize>,
    /// How long it keeps what it drew.
    #[command(flatten)]
    pub keep: KeepArgs,
}

/// What a server works with, whatever its engine.
pub struct Means {
    /// What it signs with.
    pub identity: Identity,
    /// What it answers.
    pub policy: Policy,
    /// What it must not forget.
    pub journal: DirectoryJournal,
}

impl Args {
    /// Reads key and policy, opens the journal.
    pub fn means(&self) -> Result<Means, Failure> {
        let identity = self.party.identity()?;
        let text = wire::read_bounded(&self.policy, POLICY_LIMIT)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
            .map_err(|error| Failure::file(&self.policy, error))?;
        let policy = policy_from_toml(&text).map_err(|error| Failure::file(&self.policy, error))?;
        let journal = DirectoryJournal::open(&self.journal, &identity.id())
            .map_err(|error| Failure::file(&self.journal, error))?;
        Ok(Means { identity, policy, journal })
    }
}

/// Does a server's work.
pub fn run(
    args: &Args,
    means: Means,
    mut follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let Means { identity, policy, journal } = means;
    let secrets = args.keep.secrets(&args.party, identity, follower.id())?;
    begin(&secrets, &follower)?;
    let most = policy.max_questions;
    let node = Node::new(&secrets.server()?, follower.state(), policy, journal);
    let mut node = node.map_err(Failure::input)?.until(args.queries);
    output.done("server", &format!("{} on board {}", node.number(), follower.id()));
    let number = node.number();
    let is_used_up = |state: &Tracing| state.is_used_up(number, most);
    take_part(&mut follower, &mut node, (&secrets, &args.keep), is_used_up, ("server", output))?;
    output.done("server", "done");
    Ok(())
}

/// Draws what a server's session begins with, unless it began before: then it was drawn.
pub fn begin<P: Protocol>(secrets: &RunSecrets, follower: &Replay<P>) -> Result<(), Failure> {
    let own = secrets.identity().id();
    if !follower.entries().iter().any(|entry| entry.author() == own) {
        secrets.begin(&mut UnwrapErr(SysRng))?;
    }
    Ok(secrets.let_expire()?)
}
