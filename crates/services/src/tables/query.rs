//! Queries: planned, proved, noted for good, and only then answered.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::State as Shared,
    http::{HeaderName, StatusCode},
};
use client::api::{QueryAnswer, QueryRequest, QuestionItem, Questions};
use data_encoding::BASE64;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde::Deserialize;
use table::{
    BuiltEpoch, Fault,
    log::Attestation,
    query::{self, Answer, Query, Source},
    rollup::Predicate,
    sql::{self, Planned, SqlError},
    store::{AskError, Asking, Custodian, CustodyError, Question, RedbStore},
};
use wire::Encode as _;

use super::{
    access::{Access, As, Custody, Querying},
    served::{Served, View},
    state::{State, now},
    user::NO_STORE,
};
use crate::http::{Json, Params, Problem};

/// Questions of an answer.
const PAGE: u64 = 256;

/// Answers a question with proofs, which the client verifies. It is noted for good before the answer
/// goes out. What schema and policy do not allow is refused with the code of `docs/table.md`.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/query", tag = "querier",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body = QueryRequest,
    responses((status = 200, description = "Proofs, and what they show", body = QueryAnswer)),
    security(("token" = [])),
))]
pub async fn ask(
    Access { table, right: As { client, .. } }: Access<As<Querying>>,
    Shared(state): Shared<Arc<State>>,
    Json(QueryRequest { sql }): Json<QueryRequest>,
) -> Result<Json<QueryAnswer>, Problem> {
    let (patience, _waiting) = Patience::new(state.live().limits.request_seconds);
    let shared = Arc::clone(&state);
    let asker = [b"client:", client.name.as_bytes()].concat();
    let work = move || answer(&shared, &table, (&client.name, &sql), &patience);
    let answer = state.heavy.run_for(&asker, work);
    answer.await.map(Json)
}

/// For how long there is somebody who waits for an answer.
struct Patience {
    deadline: Instant,
    gone: Arc<AtomicBool>,
}

/// Somebody waits for an answer until this is dropped.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Patience {
    fn new(seconds: u64) -> (Self, Waiting) {
        let gone = Arc::new(AtomicBool::new(false));
        let deadline = Instant::now() + Duration::from_secs(seconds);
        (Self { deadline, gone: Arc::clone(&gone) }, Waiting(gone))
    }

    /// Ends work that nobody waits for any more.
    fn check(&self) -> Result<(), Problem> {
        match Instant::now() >= self.deadline || self.gone.load(Ordering::Relaxed) {
            true => Err(timed_out()),
            false => Ok(()),
        }
    }
}

fn answer(
    state: &State,
    table: &Served,
    (asker, sql): (&str, &str),
    patience: &Patience,
) -> Result<QueryAnswer, Problem> {
    patience.check()?;
    let view = table.shown()?;
    let custodian = table.custodian();
    let prove = |plan: &[Planned]| {
        let mut asked = Asked::new(state, &custodian, &view).map_err(AskError::Proving)?;
        let queries = plan.iter().map(|planned| &planned.query);
        asked.load(queries, patience).map_err(AskError::Proving)?;
        let mut answers = Vec::with_capacity(plan.len());
        for planned in plan {
            patience.check().map_err(AskError::Proving)?;
            answers.push(asked.answer(&planned.query)?);
        }
        // What nobody gets is not counted against the budget.
        patience.check().map_err(AskError::Proving)?;
        Ok(answers)
    };
    let asking = Asking { text: sql, asker: Some(asker), time: now() };
    let (plan, answers) = custodian.ask(&asking, prove)?;
    Ok(QueryAnswer {
        log: view.sent.clone(),
        rows: sql::shown(custodian.table().schema(), &plan, &answers),
        answers: answers.iter().map(|answer| BASE64.encode(&answer.to_bytes())).collect(),
    })
}

/// A question that takes longer than a request may.
pub fn timed_out() -> Problem {
    let detail = "the answer took longer than a request may";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "time", detail)
}

/// A question under way.
struct Asked<'a> {
    state: &'a State,
    custodian: &'a Custodian<RedbStore>,
    view: &'a View,
    epochs: BTreeMap<u32, Arc<BuiltEpoch>>,
    /// What roll-ups answer.
    rollups: Vec<Predicate>,
}

impl<'a> Asked<'a> {
    fn new(
        state: &'a State,
        custodian: &'a Custodian<RedbStore>,
        view: &'a View,
    ) -> Result<Self, Problem> {
        let rollups = rollups(custodian, view, state.epochs.limit())?;
        Ok(Self { state, custodian, view, epochs: BTreeMap::new(), rollups })
    }

    fn rolls_up(&self, query: &Query) -> bool {
        self.rollups.contains(&Predicate::of(self.custodian.table().schema(), query))
    }

    /// Brings every epoch asked about into memory, if all of them have room there; but for those that
    /// a roll-up answers for.
    fn load<'q>(
        &mut self,
        queries: impl Iterator<Item = &'q Query>,
        patience: &Patience,
    ) -> Result<(), Problem> {
        let intervals = queries.filter(|query| !self.rolls_up(query));
        // Those of a plan are mostly one.
        let intervals: BTreeSet<(u32, u32)> =
            intervals.map(|query| (query.region.from, query.region.to)).collect();
        let epochs: BTreeSet<u32> =
            intervals.into_iter().flat_map(|(from, to)| from..=to).collect();
        let rows = count_rows(self.custodian, &epochs)?;
        let limit = self.state.epochs.limit();
        if rows > limit && epochs.len() > 1 {
            let detail = format!("the epochs have {rows} rows, of which this server takes {limit}");
            return Err(Problem::refused("epochs", detail));
        }
        for epoch in epochs {
            patience.check()?;
            self.epochs.insert(epoch, self.state.epochs.get(self.custodian, epoch)?);
        }
        Ok(())
    }

    fn answer(&self, query: &Query) -> Result<Answer, AskError<Problem>> {
        let rng = &mut UnwrapErr(SysRng);
        if self.rolls_up(query) {
            let answer = self.custodian.answer_rolled_up(&self.view.signed, query, rng)?;
            let gone = || AskError::Proving(Problem::internal("a roll-up of the log is gone"));
            return answer.ok_or_else(gone);
        }
        let range = query.region.from..=query.region.to;
        let mut attestations: Vec<Attestation> = Vec::new();
        let mut sources = Vec::new();
        for (epoch, built) in self.epochs.range(range) {
            attestations.extend(self.custodian.attestations(*epoch)?);
            let logged = self.view.place(self.custodian, *epoch)?;
            sources.push(Source { logged, built: built.as_ref() });
        }
        let (table, checkpoint) = (self.custodian.table(), &self.view.signed.checkpoint);
        Ok(query::answer(table, checkpoint, query.clone(), &sources, attestations, rng)?)
    }
}

/// The roll-ups in the log that the server answers from: all those of an epoch are built with it, from
/// every epoch that they cover, and must have room.
fn rollups(
    custodian: &Custodian<RedbStore>,
    view: &View,
    limit: u64,
) -> Result<Vec<Predicate>, Problem> {
    let genesis = custodian.table().genesis();
    let mut all: Vec<Predicate> = Vec::new();
    if !genesis.schema.policy.rollups {
        return Ok(all);
    }
    let mut epochs: Vec<u32> = (genesis.first_epoch..).take(view.digests.len()).collect();
    // The newest epoch that holds a roll-up is the one that answers.
    epochs.reverse();
    let mut passed: Vec<Predicate> = Vec::new();
    for epoch in epochs {
        let mut held = custodian.rollups(epoch)?;
        if held.is_empty() {
            continue;
        }
        let covered = held.iter().flat_map(|held| held.region.from..=held.region.to);
        let built: BTreeSet<u32> = covered.chain([epoch]).collect();
        held.retain(|held| !all.contains(held) && !passed.contains(held));
        match count_rows(custodian, &built)? <= limit {
            true => all.extend(held),
            false => passed.extend(held),
        }
    }
    Ok(all)
}

fn count_rows(
    custodian: &Custodian<RedbStore>,
    epochs: &BTreeSet<u32>,
) -> Result<u64, CustodyError> {
    let mut rows = 0_u64;
    for epoch in epochs {
        rows = rows.saturating_add(custodian.header(*epoch)?.core.rows);
    }
    Ok(rows)
}

impl From<AskError<Self>> for Problem {
    fn from(error: AskError<Self>) -> Self {
        match error {
            AskError::Sql(error) => error.into(),
            AskError::Custody(CustodyError::Fault(fault)) => refused(fault),
            AskError::Custody(error) => error.into(),
            AskError::Proving(problem) => problem,
        }
    }
}

/// A question that the policy does not allow, now that its rows are counted.
fn refused(fault: Fault) -> Problem {
    match fault {
        Fault::Policy { code, reason } => Problem::refused(code, reason),
        Fault::Query { reason } => Problem::refused("subset", reason),
        other => Problem::internal(other),
    }
}

impl From<SqlError> for Problem {
    fn from(error: SqlError) -> Self {
        Self::refused(error.code, error.reason)
    }
}

/// Where to go on.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The number of the first question, from 0.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", param(format = "uint64"))]
    pub from: u64,
}

/// The audit trail: questions that were answered, and those that the policy refused, at most 256 of them.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/queries", tag = "custodian",
    params(("table" = String, Path, description = "Name or identifier"), Start),
    responses((status = 200, description = "Questions, in order", body = Questions)),
    security(("token" = [])),
))]
pub async fn trail(
    Access { table, .. }: Access<As<Custody>>,
    Shared(state): Shared<Arc<State>>,
    Params(Start { from }): Params<Start>,
) -> Result<([(HeaderName, &'static str); 1], Json<Questions>), Problem> {
    if i64::try_from(from).is_err() {
        return Err(Problem::malformed("parameters", "`from` is below 2^63"));
    }
    let questions = state.light.run(move || {
        let found = table.custodian().questions_from(from, PAGE)?;
        let next = from.saturating_add(found.len() as u64);
        let item = |asked: Question| QuestionItem {
            time: asked.time,
            query: asked.text,
            asker: asked.asker,
            answers: asked.answers,
            refused: asked.refused,
        };
        Ok(Questions { questions: found.into_iter().map(item).collect(), next })
    });
    Ok((NO_STORE, Json(questions.await?)))
}
