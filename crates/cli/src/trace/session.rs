//! `subrosa trace init|submit|mix|verify|exposure`.

use std::path::{Path, PathBuf};

use ::board::AuthorId;
use ::study::tracing::{Asked, Follower, G, Message, Setup, Stage, Step, TraceKey, Tracing};
use ::trace::{
    Exposure,
    routed::{RoutedEngine, Submission},
};
use algebra::Embed;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::{
    load_key,
    report::{self, QueryLine, Report, Standing},
};
use crate::{bench::trace::EngineName, connect::BoardArgs, failure::Failure, output::Output};

/// A list of a million keys stays below this.
const KEYS_LIMIT: u64 = 1 << 27;

/// Options of `init`.
#[derive(clap::Args)]
pub struct InitArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The operator's key file.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
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
    #[cfg(feature = "gmp")]
    #[command(flatten)]
    pub db: super::db::DbArgs,
}

/// Options of `submit`.
#[derive(clap::Args)]
pub struct SubmitArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The sender's key file.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// What is submitted.
    #[arg(long)]
    pub text: String,
}

/// Options of `mix`.
#[derive(clap::Args)]
pub struct MixArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The operator's key file.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
}

/// Begins a board.
pub fn init(args: &InitArgs, output: &Output) -> Result<(), Failure> {
    match args.engine {
        EngineName::Routed => {}
        #[cfg(feature = "gmp")]
        EngineName::Db => return super::db::init(args, output),
    }
    let identity = load_key(&args.key)?.identity();
    let servers = read_keys(&args.servers)?;
    let setup = Setup {
        title: args.title.clone(),
        threshold: args.threshold.unwrap_or(servers.len() as u16),
        blocks: args.blocks,
        ballots: args.ballots,
        servers,
        senders: read_keys(&args.senders)?,
    };
    let follower = Follower::create(args.board.store_to_begin()?, &identity, setup)?;
    report::show_begun(&follower.id(), Standing::of::<RoutedEngine<G>>(), output);
    Ok(())
}

/// Submits a message.
pub fn submit(
    args: &SubmitArgs,
    key: &TraceKey,
    mut follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let identity = key.identity();
    while matches!(follower.state().stage(), Stage::Key(_)) {
        follower.wait()?;
    }
    let Stage::Open(inputs) = follower.state().stage() else {
        return Err(Failure::input("submissions are closed"));
    };
    let sender = identity.id();
    if !follower.state().setup().senders.contains(&sender) {
        return Err(Failure::input(format!("{sender} is none of the session's senders")));
    }
    let number = inputs.next_number(sender.as_bytes());
    if number > follower.state().rules().ballots() {
        return Err(Failure::input("this sender has submitted as often as the rules allow"));
    }
    let blocks = blocks_of(&args.text, follower.state().rules().blocks())?;
    let mut rng = UnwrapErr(SysRng);
    let sealed = Submission::seal(inputs.session(), sender.as_bytes(), number, &blocks, &mut rng);
    let message = Message::Submission(sealed.map_err(Failure::input)?);
    let is_open = |state: &Tracing| matches!(state.stage(), Stage::Open(_));
    if !follower.post(&identity, &message, is_open)? {
        return Err(Failure::input("submissions were closed meanwhile"));
    }
    report::show_submitted(&sender.to_string(), number, output);
    Ok(())
}

/// Closes the submissions and waits for the result.
pub fn mix(key: &TraceKey, mut follower: Follower, output: &Output) -> Result<(), Failure> {
    let identity = key.identity();
    while matches!(follower.state().stage(), Stage::Key(_)) {
        follower.wait()?;
    }
    if let Stage::Open(inputs) = follower.state().stage() {
        if inputs.is_empty() {
            return Err(Failure::input("nobody has submitted anything"));
        }
        let is_open = |state: &Tracing| matches!(state.stage(), Stage::Open(_));
        follower.post(&identity, &Message::Close, is_open)?;
        if is_open(follower.state()) {
            return Err(Failure::input("only the operator closes the submissions"));
        }
    }
    while follower.state().outputs().is_none() {
        follower.wait()?;
    }
    report(follower.state()).print(output);
    Ok(())
}

/// Shows what was replayed, and so verified.
pub fn verify(follower: &Follower, output: &Output) -> Result<(), Failure> {
    if let Stage::Failed(reason) = follower.state().stage() {
        return Err(Failure::refused(format!("the session failed: {reason}")));
    }
    report(follower.state()).print(output);
    Ok(())
}

/// Shows what all answered queries can have revealed.
pub fn exposure(follower: &Follower, output: &Output) -> Result<(), Failure> {
    let outputs = follower.state().outputs().ok_or_else(not_ready)?;
    let exposure = Exposure::of(follower.state().docket().agreed(), outputs.class_of());
    report::show_exposure(&exposure, outputs.rows(), output);
    Ok(())
}

/// What a board says of a session that is not opened yet.
pub fn not_ready() -> Failure {
    Failure::input("the mix is not opened yet")
        .hint("`subrosa trace mix` closes the submissions and waits for it")
}

fn report(state: &Tracing) -> Report<'_> {
    let line = |asked: &Asked| QueryLine {
        id: *asked.query.id(),
        direction: asked.query.direction(),
        step: step_name(&asked.step).to_owned(),
        failure: match &asked.step {
            Step::Failed(reason) => Some(reason.clone()),
            _ => None,
        },
    };
    Report {
        board: state.id(),
        title: &state.setup().title,
        standing: Standing::of::<RoutedEngine<G>>(),
        stage: stage_name(state.stage()),
        results: results(state),
        queries: state.docket().queries().iter().map(line).collect(),
        faults: state.faults(),
        left_out: &[],
    }
}

fn stage_name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Key(_) => "the servers make their key",
        Stage::Open(_) => "senders submit",
        Stage::Mixing(_) => "the servers mix",
        Stage::Decrypting(_) => "the servers decrypt",
        Stage::Ready(_) => "mixed and opened, every proof checked",
        Stage::Failed(_) => "failed",
    }
}

fn step_name(step: &Step) -> &'static str {
    match step {
        Step::Routing(_) => "markers on their way",
        Step::Blinding(..) => "sums are blinded",
        Step::Signing(..) => "servers sign",
        Step::Agreed(..) => "agreed, every proof checked",
        Step::Failed(_) => "failed",
    }
}

/// The results in output order.
fn results(state: &Tracing) -> Option<Vec<String>> {
    let text = |blocks: &Vec<G>| {
        let bytes: Option<Vec<Vec<u8>>> = blocks.iter().map(Embed::extract).collect();
        let bytes = bytes?.concat();
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
        (!text.contains(char::is_control)).then(|| text.to_owned())
    };
    let readable = |blocks| text(blocks).unwrap_or_else(|| "(no text)".to_owned());
    state.outputs().map(|outputs| outputs.values().iter().map(readable).collect())
}

fn blocks_of(text: &str, blocks: usize) -> Result<Vec<G>, Failure> {
    let room = blocks * G::CAPACITY;
    if text.len() > room || text.bytes().last() == Some(0) {
        return Err(Failure::input(format!("a message has at most {room} bytes here")));
    }
    let mut padded = text.as_bytes().to_vec();
    padded.resize(room, 0);
    padded.chunks(G::CAPACITY).map(|block| G::embed(block).map_err(Failure::input)).collect()
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
