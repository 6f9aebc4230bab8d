//! `subrosa trace init|submit|mix|verify|exposure`.

use std::path::{Path, PathBuf};

use ::board::AuthorId;
use ::study::tracing::{Follower, G, Message, Setup, Stage, Step, Tracing};
use ::trace::{
    Engine as _, Exposure, Smallest,
    routed::{RoutedEngine, Submission},
};
use algebra::Embed;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::{Value, json};

use super::{follow, load_key};
use crate::{connect::BoardArgs, failure::Failure, output::Output};

/// A list of a million keys stays below this.
const KEYS_LIMIT: u64 = 1 << 27;

/// Options of `init`.
#[derive(clap::Args)]
pub struct InitArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The operator's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// What the session is about.
    #[arg(long)]
    title: String,
    /// The servers' public keys, one a line, in the order in which they mix.
    #[arg(long, value_name = "FILE")]
    servers: PathBuf,
    /// The senders' public keys, one a line.
    #[arg(long, value_name = "FILE")]
    senders: PathBuf,
    /// How many servers decrypt [default: all]. Fewer keep decryption going when servers are lost,
    /// and see everything if they conspire.
    #[arg(long, value_name = "T")]
    threshold: Option<u16>,
    /// How many pieces of 16 bytes a message may have.
    #[arg(long, value_name = "N", default_value_t = 1)]
    blocks: u16,
    /// How often a sender may submit; the last time counts.
    #[arg(long, value_name = "N", default_value_t = 1)]
    ballots: u32,
}

/// Options of `submit`.
#[derive(clap::Args)]
pub struct SubmitArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The sender's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// What is submitted.
    #[arg(long)]
    text: String,
}

/// Options of `mix`.
#[derive(clap::Args)]
pub struct MixArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The operator's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

/// Begins a board.
pub fn init(args: &InitArgs, output: &Output) -> Result<(), Failure> {
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
    let id = follower.board().id().to_string();
    let notice = RoutedEngine::<G>::NOTICE;
    output.result(&json!({ "board": id, "engine": "routed", "notice": notice }), || {
        vec![format!("board {id}"), format!("engine routed: {notice}")]
    });
    Ok(())
}

/// Submits a message.
pub fn submit(args: &SubmitArgs, output: &Output) -> Result<(), Failure> {
    let identity = load_key(&args.key)?.identity();
    let mut follower = follow(&args.board)?;
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
    let object = json!({ "sender": sender.to_string(), "number": number });
    output.result(&object, || vec![format!("ballot {number} of {sender} is on the board")]);
    Ok(())
}

/// Closes the submissions and waits for the result.
pub fn mix(args: &MixArgs, output: &Output) -> Result<(), Failure> {
    let identity = load_key(&args.key)?.identity();
    let mut follower = follow(&args.board)?;
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
    output.result(&describe(follower.state()), || lines(follower.state()));
    Ok(())
}

/// Replays the board, which verifies everything on it.
pub fn verify(args: &BoardArgs, output: &Output) -> Result<(), Failure> {
    let follower = follow(args)?;
    if let Stage::Failed(reason) = follower.state().stage() {
        return Err(Failure::refused(format!("the session failed: {reason}")));
    }
    output.result(&describe(follower.state()), || lines(follower.state()));
    Ok(())
}

/// Shows what all answered queries can have revealed.
pub fn exposure(args: &BoardArgs, output: &Output) -> Result<(), Failure> {
    let follower = follow(args)?;
    let outputs = follower.state().outputs().ok_or_else(not_ready)?;
    let exposure = Exposure::of(follower.state().docket().agreed(), outputs.class_of());
    let rows = outputs.rows();
    let item = |smallest: Option<Smallest>| {
        smallest.map(|smallest| json!({ "row": smallest.row, "candidates": smallest.set }))
    };
    let object = json!({
        "rows": rows,
        "questions": exposure.questions,
        "smallest_anonymity_set": exposure.smallest(rows),
        "inputs": item(exposure.inputs),
        "outputs": item(exposure.outputs),
    });
    output.result(&object, || {
        let line = |what: &str, smallest: Option<Smallest>| match smallest {
            None => format!("{what}: none was asked about"),
            Some(Smallest { row, set }) => {
                format!("{what}: row {row} may be left with {set} candidates of {rows}")
            }
        };
        vec![
            format!("{} questions answered", exposure.questions),
            line("inputs", exposure.inputs),
            line("outputs", exposure.outputs),
            format!("smallest anonymity set: {}", exposure.smallest(rows)),
        ]
    });
    Ok(())
}

/// What a board says of a session that is not opened yet.
pub fn not_ready() -> Failure {
    Failure::input("the mix is not opened yet")
        .hint("`subrosa trace mix` closes the submissions and waits for it")
}

fn describe(state: &Tracing) -> Value {
    let queries: Vec<Value> = state
        .docket()
        .queries()
        .iter()
        .map(|asked| {
            let direction = asked.query.direction().name();
            json!({
                "query": asked.query.id().to_string(),
                "direction": direction,
                "step": step_name(&asked.step),
                "failure": if let Step::Failed(reason) = &asked.step { Some(reason) } else { None },
            })
        })
        .collect();
    let faults: Vec<Value> = state
        .faults()
        .iter()
        .map(|fault| {
            let author = fault.author.to_string();
            json!({ "sequence": fault.sequence, "author": author, "reason": fault.reason })
        })
        .collect();
    json!({
        "verified": true,
        "board": state.id().to_string(),
        "title": state.setup().title,
        "engine": "routed",
        "notice": RoutedEngine::<G>::NOTICE,
        "stage": stage_name(state.stage()),
        "results": results(state),
        "queries": queries,
        "refused_entries": faults,
    })
}

fn lines(state: &Tracing) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", state.setup().title, stage_name(state.stage())),
        format!("engine routed: {}", RoutedEngine::<G>::NOTICE),
    ];
    let results = results(state).into_iter().flatten().enumerate();
    lines.extend(results.map(|(row, text)| format!("{row:>6}  {text}")));
    for asked in state.docket().queries() {
        let step = match &asked.step {
            Step::Failed(reason) => format!("failed: {reason}"),
            step => step_name(step).to_owned(),
        };
        lines.push(format!("{} {}: {step}", asked.query.direction().name(), asked.query.id()));
    }
    for fault in state.faults() {
        lines.push(format!("entry {} has no effect: {}", fault.sequence, fault.reason));
    }
    lines.push(format!("board {}", state.id()));
    lines
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

fn read_keys(path: &Path) -> Result<Vec<AuthorId>, Failure> {
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
