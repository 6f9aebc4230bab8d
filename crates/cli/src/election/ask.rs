//! `subrosa election ask`: the querier asks about a finished election and keeps the answers.

use std::path::{Path, PathBuf};

use ::study::{
    election::Session,
    inquiry::{Follower, Found, Plan, Topic},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;

use super::{folder::read_text, party::PartyArgs};
use crate::{
    connect::BoardArgs,
    failure::Failure,
    output::{self, Output},
    party::{KeepArgs, end_run},
};

const TOPICS: &str = "topics.json";
const TOPICS_LIMIT: u64 = 1 << 20;
const RECORD_LIMIT: u64 = 1 << 32;

/// Options of `ask`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// The file of questions: its `[[query]]` entries are asked.
    #[arg(value_name = "TOML")]
    plan: PathBuf,
    /// The folder for the answers, for `subrosa election publish --answers`. Only the querier knows them
    /// until they are published.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    keep: KeepArgs,
}

/// Reads a plan.
pub fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let text = read_text(path, "docs/election.md describes what a file of queries holds")?;
    Plan::from_toml(&text).map_err(|error| Failure::file(path, error))
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let identity = args.party.join()?;
    let plan = read_plan(&args.plan)?;
    if is_answered(&args.out, &plan) {
        return told(plan.topics.len(), args, output);
    }
    let mut inquiry = Follower::take_up(Session::over(args.board.open_as(&args.party.key)?)?)?;
    let secrets = args.keep.secrets(&args.party.key, identity, inquiry.id())?;
    secrets.begin(&mut UnwrapErr(SysRng))?;
    secrets.let_expire()?;
    let (querier, mut found) = (secrets.querier()?, Vec::new());
    for topic in &plan.topics {
        let id = inquiry.ask(&querier, secrets.identity(), topic, &mut UnwrapErr(SysRng))?;
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
    end_run(&secrets, "querier", output)?;
    told(found.len(), args, output)
}

fn told(answers: usize, args: &Args, output: &Output) -> Result<(), Failure> {
    let object = json!({ "answers": answers, "out": args.out });
    output.result(&object, || vec![output::counted(answers as u64, "answer", "answers")]);
    Ok(())
}

/// Whether the folder has the answers to all that is asked: the list of topics is written last.
fn is_answered(folder: &Path, plan: &Plan) -> bool {
    // What cannot be read is no answer: it is asked again.
    let answered = wire::read_bounded(&folder.join(TOPICS), TOPICS_LIMIT).ok();
    let answered = answered.and_then(|bytes| serde_json::from_slice::<Vec<Topic>>(&bytes).ok());
    answered.is_some_and(|topics| topics == plan.topics)
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
    let text = read_text(&path, "`subrosa election ask` writes the folder of answers")?;
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
