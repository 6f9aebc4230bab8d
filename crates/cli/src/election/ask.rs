//! `subrosa election ask`: the querier asks about a finished election and keeps the answers.

use std::path::{Path, PathBuf};

use ::study::{
    election::Session,
    inquiry::{Follower, Found, Plan, Topic},
    tracing::TraceKey,
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;

use super::{folder::read_text, party::PartyArgs};
use crate::{connect::BoardArgs, failure::Failure, output::Output};

const TOPICS: &str = "topics.json";
const RECORD_LIMIT: u64 = 1 << 32;

/// Options of `ask`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// What to ask: the `[[query]]` entries of this file.
    #[arg(value_name = "TOML")]
    plan: PathBuf,
    /// The folder for the answers, which `subrosa election publish --answers` takes. They are the
    /// querier's alone until then.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Reads a plan.
pub fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let text = read_text(path, "docs/election.md says what a plan of queries is")?;
    Plan::from_toml(&text).map_err(|error| Failure::file(path, error))
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    args.party.join()?;
    let key = TraceKey::load(&args.party.key.key);
    let key = key.map_err(|error| Failure::file(&args.party.key.key, error))?;
    let (querier, identity) = (key.querier(), key.identity());
    let plan = read_plan(&args.plan)?;
    let mut inquiry = Follower::take_up(Session::over(args.board.open_as(&args.party.key)?)?)?;
    let mut found = Vec::new();
    for topic in &plan.topics {
        let id = inquiry.ask(&querier, &identity, topic, &mut UnwrapErr(SysRng))?;
        if inquiry.state().docket().query(&id).is_none() {
            let reason = inquiry.state().faults().last().map(|fault| fault.reason.clone());
            return Err(Failure::input(reason.unwrap_or_else(|| "it has no effect".into())));
        }
        output.done("asked", &topic.title);
        found.push(loop {
            match inquiry.state().read(&querier, topic, &id)? {
                Some(found) => break found,
                None => inquiry.wait()?,
            };
        });
        output.done("answered", &topic.title);
    }
    save(&args.out, &found)?;
    let object = json!({ "answers": found.len(), "out": args.out });
    output.result(&object, || vec![format!("{} answers", found.len())]);
    Ok(())
}

/// Writes answers, the list of their topics last.
fn save(folder: &Path, found: &[Found]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        wire::write_atomic(&path, bytes).map_err(|error| Failure::file(&path, error))
    };
    for (number, found) in found.iter().enumerate() {
        write(&record_name(number), &found.record)?;
    }
    let topics: Vec<&Topic> = found.iter().map(|found| &found.topic).collect();
    write(TOPICS, &serde_json::to_vec_pretty(&topics).map_err(Failure::input)?)
}

/// Reads the answers of a folder, to be verified.
pub fn load(folder: &Path) -> Result<Vec<Found>, Failure> {
    let path = folder.join(TOPICS);
    let text = read_text(&path, "`subrosa election ask` writes answers")?;
    let topics: Vec<Topic> =
        serde_json::from_str(&text).map_err(|error| Failure::file(&path, error))?;
    let read = |(number, topic)| {
        let path = folder.join(record_name(number));
        let record = wire::read_bounded(&path, RECORD_LIMIT);
        Ok(Found { topic, record: record.map_err(|error| Failure::file(&path, error))? })
    };
    topics.into_iter().enumerate().map(read).collect()
}

fn record_name(number: usize) -> String {
    format!("{number:08}.answer")
}
