//! `subrosa trace query` for the engine `db`.

use std::path::{Path, PathBuf};

use ::study::{
    secrets::RunSecrets,
    tracing::{
        db::{DbFollower, DbMessage},
        write_bundle,
    },
};
use ::trace::{By, Direction, Question};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use trace_db::{DbEngine, Found, PassKeys, Querier};
use wire::Digest;

use super::super::{
    query::{Args, ReadArgs, asked_by_another, not_asked, rows},
    report::{Answered, Standing},
    session::not_ready,
};
use crate::{failure::Failure, output::Output};

/// Asks, waits for the answer, shows it, and publishes it if that is wanted.
pub fn ask(
    direction: Direction,
    args: &Args,
    secrets: &RunSecrets,
    mut follower: DbFollower,
    output: &Output,
) -> Result<(), Failure> {
    if args.by_position {
        return Err(Failure::input(
            "the engine `db` answers by value only: leave out --by-position",
        ));
    }
    let (querier, identity) = (secrets.db_querier()?, secrets.identity());
    let outputs = follower.state().outputs().ok_or_else(not_ready)?.clone();
    let question = Question {
        inputs: rows(&args.inputs, outputs.rows())?,
        outputs: rows(&args.outputs, outputs.rows())?,
    };
    let asked = querier.ask(&outputs, direction, question, &mut UnwrapErr(SysRng));
    let (query, offers, keys) = asked.map_err(Failure::input)?;
    let id = *query.id();
    follower.post(identity, &DbMessage::Query(query, Box::new(offers)), |_| true)?;
    if follower.state().query(&id).is_none() {
        let reason = follower.state().faults().last().map(|fault| fault.reason.clone());
        return Err(Failure::input(reason.unwrap_or_else(|| "the query has no effect".into())));
    }
    answer((&id, direction), (&querier, &keys), args.bundle.as_ref(), follower, output)
}

/// Reads the answer to a query that is on the board, shows it, and publishes it if that is wanted.
pub fn read(
    args: &ReadArgs,
    secrets: &RunSecrets,
    follower: DbFollower,
    output: &Output,
) -> Result<(), Failure> {
    let query = follower.state().query(&args.query).ok_or_else(|| not_asked(&args.query))?;
    if query.query.requests().all(|request| request.querier != secrets.identity().id()) {
        return Err(asked_by_another());
    }
    let querier = secrets.db_querier()?;
    let asked = query.asked.as_ref();
    let asked = asked.map_err(Failure::query)?;
    let keys = querier.recall(asked).map_err(|_| asked_by_another())?;
    let name = (&args.query, query.query.direction());
    answer(name, (&querier, &keys), args.bundle.as_ref(), follower, output)
}

fn answer(
    (id, direction): (&Digest, Direction),
    (querier, keys): (&Querier, &PassKeys),
    bundle: Option<&PathBuf>,
    mut follower: DbFollower,
    output: &Output,
) -> Result<(), Failure> {
    let Found { verdict, record } = wait_for_answer(&mut follower, querier, keys, id)?;
    if let Some(root) = bundle {
        publish(root, &follower, &record)?;
    }
    let answered = Answered {
        query: id,
        standing: Standing::of::<DbEngine>(),
        direction,
        by: By::Value,
        yes: &verdict.yes,
        no: &verdict.no,
        unproven: Some(&verdict.unproven),
        bundle,
    };
    answered.print(output)
}

/// Waits until all servers have responded, and reads both proofs.
fn wait_for_answer(
    follower: &mut DbFollower,
    querier: &Querier,
    keys: &PassKeys,
    id: &Digest,
) -> Result<Found, Failure> {
    loop {
        match follower.state().query(id).map(|query| &query.asked) {
            Some(Err(reason)) => {
                return Err(Failure::query(reason));
            }
            Some(Ok(asked)) if asked.is_answered() => {
                let found = querier.read(asked, keys);
                return found.map_err(Failure::refused);
            }
            _ => drop(follower.wait()?),
        }
    }
}

fn publish(root: &Path, follower: &DbFollower, answer: &[u8]) -> Result<(), Failure> {
    let (board, state) = (follower.board(), follower.state());
    write_bundle(root, board, state, &[answer.to_vec()]).map_err(Failure::input)?;
    Ok(())
}
