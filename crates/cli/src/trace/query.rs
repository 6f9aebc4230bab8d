//! `subrosa trace query`.

use std::path::PathBuf;

use ::study::{
    secrets::RunSecrets,
    tracing::{Follower, G, Message, Step, write_bundle},
};
use ::trace::{
    Answer, By, Direction, IndexSet, Query, Question, TraceError,
    routed::{AnswerRecord, Querier, QueryRecord, Reading, RoutedEngine},
};
use clap::Subcommand;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::{Digest, Encode as _};

use super::{
    report::{Answered, Standing},
    session::not_ready,
};
use crate::{
    connect::BoardArgs,
    failure::Failure,
    output::Output,
    party::{KeepArgs, KeyArgs},
};

/// Which way to ask.
#[derive(Subcommand)]
pub enum Command {
    /// Which of these inputs are among these outputs? One answer for every input.
    In(Args),
    /// Which of these outputs come from these inputs? One answer for every output.
    Out(Args),
    /// Read the answer to an earlier query, such as one of a command that was interrupted.
    Read(ReadArgs),
    /// Complain about false shares. The messages complained about become public, and no others.
    Complain(ComplainArgs),
}

/// Options of `complain`.
#[derive(clap::Args)]
pub struct ComplainArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The querier that asked.
    #[command(flatten)]
    pub party: KeyArgs,
    /// The identifier of the query, as `trace verify` shows it.
    #[arg(value_name = "ID")]
    pub query: Digest,
}

/// Options of `read`.
#[derive(clap::Args)]
pub struct ReadArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The querier that asked.
    #[command(flatten)]
    pub party: KeyArgs,
    /// The identifier of the query, as `trace verify` shows it.
    #[arg(value_name = "ID")]
    pub query: Digest,
    /// Publish the answer as a bundle in this directory: anybody can then verify it.
    #[arg(short = 'o', long = "out", alias = "bundle", value_name = "DIR")]
    pub bundle: Option<PathBuf>,
}

/// Options of `in` and `out`.
#[derive(clap::Args)]
pub struct Args {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The querier.
    #[command(flatten)]
    pub party: KeyArgs,
    /// The set I: `all`, or rows of the inputs such as `0-99,105`, counted from 0.
    #[arg(long, value_name = "ROWS")]
    pub inputs: String,
    /// The set J: `all`, or rows of the outputs such as `0-99,105`, counted from 0.
    #[arg(long, value_name = "ROWS")]
    pub outputs: String,
    /// Ask about rows and not about their values: this reveals more where values repeat.
    #[arg(long)]
    pub by_position: bool,
    /// Publish the answer as a bundle in this directory: anybody can then verify it.
    #[arg(short = 'o', long = "out", alias = "bundle", value_name = "DIR")]
    pub bundle: Option<PathBuf>,
    #[command(flatten)]
    pub keep: KeepArgs,
}

/// Asks, waits for the answer, shows it, and publishes it if that is wanted.
pub fn ask(
    direction: Direction,
    args: &Args,
    secrets: &RunSecrets,
    mut follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let (querier, identity) = (secrets.querier()?, secrets.identity());
    let outputs = follower.state().outputs().ok_or_else(not_ready)?.clone();
    let question = Question {
        inputs: rows(&args.inputs, outputs.rows())?,
        outputs: rows(&args.outputs, outputs.rows())?,
    };
    let by = if args.by_position { By::Position } else { By::Value };
    let request = querier.request(
        outputs.ground(),
        direction,
        by,
        vec![question.clone()],
        &mut UnwrapErr(SysRng),
    );
    let query = Query::new(vec![request]).map_err(Failure::input)?;
    let id = *query.id();
    follower.post(identity, &Message::Query(query), |_| true)?;
    if follower.state().docket().query(&id).is_none() {
        let reason = follower.state().faults().last().map(|fault| fault.reason.clone());
        return Err(Failure::input(reason.unwrap_or_else(|| "the query has no effect".into())));
    }
    answer(&id, &querier, &question, args.bundle.as_ref(), follower, output)
}

/// Reads the answer to a query that is on the board, shows it, and publishes it if that is wanted.
pub fn read(
    args: &ReadArgs,
    secrets: &RunSecrets,
    follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let asked = follower.state().docket().query(&args.query);
    let request = asked.and_then(|asked| asked.query.requests().next());
    let request = request.ok_or_else(|| not_asked(&args.query))?;
    if request.querier != secrets.identity().id() {
        return Err(asked_by_another());
    }
    let querier = secrets.querier()?;
    let question = request.questions.first().cloned().ok_or_else(|| not_asked(&args.query))?;
    answer(&args.query, &querier, &question, args.bundle.as_ref(), follower, output)
}

/// Complains on the board about every share that its server signed and that is false. Everybody who reads
/// the board judges the complaint.
pub fn complain(
    args: &ComplainArgs,
    secrets: &RunSecrets,
    mut follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let identity = secrets.identity();
    let asked = follower.state().docket().query(&args.query);
    let asked = asked.ok_or_else(|| not_asked(&args.query))?;
    if asked.query.requests().all(|request| request.querier != identity.id()) {
        return Err(asked_by_another());
    }
    let querier = secrets.querier()?;
    let Step::Agreed(agreed, shares) = &asked.step else {
        return Err(Failure::input("there are no shares of this query"));
    };
    let rng = &mut UnwrapErr(SysRng);
    let made = shares.iter().filter(|(place, _)| !asked.complaints.contains_key(*place));
    let made: Vec<_> = made
        // A share that holds, or that cannot be shown to be false, is not complained about.
        .filter_map(|((request, _), share)| {
            querier.complain(agreed, *request as usize, share, rng).ok()
        })
        .collect();
    for complaint in made {
        let message = Message::Complaint(args.query, Box::new(complaint));
        follower.post(identity, &message, |_| true)?;
    }
    let asked = follower.state().docket().query(&args.query);
    let asked = asked.ok_or_else(|| not_asked(&args.query))?;
    let faults: Vec<String> = asked.complaints.values().map(ToString::to_string).collect();
    let object = json!({ "query": args.query.to_string(), "complaints": faults });
    output.result(&object, || match faults.is_empty() {
        true => vec![
            "all shares that can be opened are right: there is nothing to complain about".into(),
        ],
        false => faults.iter().map(|fault| format!("proven by a complaint: {fault}")).collect(),
    });
    Ok(())
}

/// A query that the board does not have.
pub fn not_asked(id: &Digest) -> Failure {
    Failure::input(format!("the board has no query {id}"))
        .hint("`subrosa trace verify` lists the queries")
}

/// A query of somebody else.
pub fn asked_by_another() -> Failure {
    Failure::input("another querier asked this query")
        .hint("give the key file of the querier that asked")
}

fn answer(
    id: &Digest,
    querier: &Querier<G>,
    question: &Question,
    bundle: Option<&PathBuf>,
    mut follower: Follower,
    output: &Output,
) -> Result<(), Failure> {
    let reading = wait_for_answer(&mut follower, querier, id)?;
    for fault in &reading.faults {
        output.warn(&fault.to_string());
    }
    let answer = reading.answer.clone().map_err(Failure::refused)?;
    if let Some(root) = bundle {
        publish(root, &follower, id, &reading)?;
    }
    show(id, question, &answer, bundle, output)
}

/// Reads shares as they come, until enough of them hold or all servers have spoken.
fn wait_for_answer(
    follower: &mut Follower,
    querier: &Querier<G>,
    id: &Digest,
) -> Result<Reading<G>, Failure> {
    let servers = follower.state().rules().servers().len();
    let threshold = usize::from(follower.state().rules().threshold());
    let mut read = 0;
    loop {
        match follower.state().docket().query(id).map(|asked| &asked.step) {
            Some(Step::Failed(reason)) => {
                return Err(Failure::query(reason));
            }
            Some(Step::Agreed(agreed, shares)) if shares.len() >= threshold.max(read + 1) => {
                read = shares.len();
                let shares: Vec<_> = shares.values().cloned().collect();
                let reading = querier.read(agreed, 0, &shares).map_err(Failure::input)?;
                if reading.answer.is_ok() || read == servers {
                    return Ok(reading);
                }
            }
            _ => {}
        }
        follower.wait()?;
    }
}

fn publish(
    root: &std::path::Path,
    follower: &Follower,
    id: &Digest,
    reading: &Reading<G>,
) -> Result<(), Failure> {
    let state = follower.state();
    let Some(Step::Agreed(agreed, _)) = state.docket().query(id).map(|asked| &asked.step) else {
        return Err(Failure::input(TraceError::Query("it is not agreed on")));
    };
    let query = QueryRecord::of(agreed);
    let record = AnswerRecord { query, request: 0, shares: reading.shares.clone() };
    write_bundle(root, follower.board(), state, &[record.to_bytes()]).map_err(Failure::input)?;
    Ok(())
}

fn show(
    id: &Digest,
    question: &Question,
    answer: &Answer,
    bundle: Option<&PathBuf>,
    output: &Output,
) -> Result<(), Failure> {
    // An answer has a set for each question, and one was asked.
    let yes = answer.yes.first().cloned().unwrap_or_default();
    let asked = match answer.direction {
        Direction::In => &question.inputs,
        Direction::Out => &question.outputs,
    };
    // Rows of a set are distinct.
    let no = IndexSet::new(asked.iter().filter(|row| !yes.contains(*row))).unwrap_or_default();
    let answered = Answered {
        query: id,
        standing: Standing::of::<RoutedEngine<G>>(),
        direction: answer.direction,
        by: answer.by,
        yes: &yes,
        no: &no,
        unproven: None,
        bundle,
    };
    answered.print(output)
}

/// Reads `all` or runs of rows.
pub fn rows(text: &str, rows: usize) -> Result<IndexSet, Failure> {
    match text {
        "all" => Ok(IndexSet::all(rows as u32)),
        other => other.parse().map_err(Failure::input),
    }
}
