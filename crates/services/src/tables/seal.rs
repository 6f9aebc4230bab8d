//! Epochs are sealed by threads of their own: a request starts one, and the epoch's state says how far
//! it is. What a stopped server leaves half done, the next one goes on with.

use std::sync::Arc;

use axum::{extract::State as Shared, http::StatusCode};
use client::api::EpochInfo;
use table::store::EpochState;

use super::{
    access::{Access, As, Custody, Epoch, Insight},
    sealing::Failure,
    served::{Served, state_name},
    state::{State, now},
};
use crate::http::{Json, Problem};

const DAY: u64 = 86_400;

/// Ends a job, however its thread ends.
struct Running {
    state: Arc<State>,
    table: Arc<Served>,
    epoch: u32,
    outcome: Result<(), Failure>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let Self { state, table, epoch, outcome } = self;
        match outcome {
            Ok(()) => state.metrics.sealed(),
            Err(failure) => {
                let reason = failure.shown(true);
                state.alarm("seal", &format!("table {}, epoch {epoch}: {reason}", table.id));
            }
        }
        // What the epoch's state says, everybody may see now.
        table.changed();
        let mut job = table.sealing.lock();
        job.running = None;
        job.failed = outcome.as_ref().err().map(|failure| (*epoch, failure.clone()));
    }
}

/// Starts to seal the next epoch, unless that is under way.
///
/// # Errors
/// 409 while another epoch is being sealed.
pub fn start(state: &Arc<State>, table: &Arc<Served>, epoch: u32) -> Result<(), Problem> {
    let mut job = table.sealing.lock();
    match job.running {
        Some(running) if running == epoch => return Ok(()),
        Some(running) => {
            let detail = format!("epoch {running} is being sealed");
            return Err(Problem::conflict("epoch-order", detail));
        }
        None => {}
    }
    job.running = Some(epoch);
    // Before the thread begins: `Running` takes the job when it is dropped, and does so here if there is no thread.
    drop(job);
    let detail = "the thread ended before its time".to_owned();
    let outcome = Err(Failure { kind: "internal", detail });
    let mut running =
        Running { state: Arc::clone(state), table: Arc::clone(table), epoch, outcome };
    let work = move || running.outcome = seal(&running.state, &running.table, epoch);
    let spawned = std::thread::Builder::new().name("seal".to_owned()).spawn(move || {
        let mut work = work;
        work();
    });
    spawned.map(|_| ()).map_err(Problem::internal)
}

fn seal(state: &State, table: &Served, epoch: u32) -> Result<(), Failure> {
    let custodian = table.custodian();
    let operator = table.folder.operator(&custodian.sealing_key(epoch))?;
    custodian.seal_epoch(epoch, &operator, &())?;
    table.changed();
    // The epoch is in the log, whatever comes of this.
    let keep = state.live().limits.batch_days.saturating_mul(DAY);
    if let Err(error) = custodian.forget_batches(now(), keep) {
        state.alarm("failure", &format!("table {}: names of batches: {error}", table.id));
    }
    if custodian.state(epoch)? == EpochState::Witnessed {
        // Whoever asks first need not wait.
        state.epochs.get(&custodian, epoch)?;
    }
    Ok(())
}

/// Goes on with the epoch of a table that a stopped server left between open and logged.
///
/// # Errors
/// [`Problem`].
pub fn resume(state: &Arc<State>, table: &Arc<Served>) -> Result<(), Problem> {
    let (epoch, reached) = {
        let custodian = table.custodian();
        let epoch = custodian.next_epoch()?;
        (epoch, custodian.state(epoch)?)
    };
    if reached > EpochState::Open {
        start(state, table, epoch)?;
    }
    Ok(())
}

/// How far an epoch is, as far as that is public; for custodians, why it could not be sealed, too.
fn info(table: &Served, epoch: u32, custody: bool) -> Result<EpochInfo, Problem> {
    let (sealing, failure) = {
        let job = table.sealing.lock();
        let failed = job.failed.as_ref().filter(|(failed, _)| *failed == epoch);
        (job.running == Some(epoch), failed.map(|(_, failure)| failure.shown(custody)))
    };
    let custodian = table.custodian();
    let first = custodian.table().genesis().first_epoch;
    let Some(index) = epoch.checked_sub(first) else {
        let detail = format!("the table begins with epoch {first}");
        return Err(Problem::not_found("epoch", detail));
    };
    let state = custodian.state(epoch)?;
    let shown = table.view()?.is_some_and(|view| u64::from(index) < view.size());
    let header = if shown { custodian.built_header(epoch)? } else { None };
    Ok(EpochInfo {
        epoch,
        state: state_name(state).to_owned(),
        rows: header.as_ref().map(|header| header.core.rows),
        digest: header.map(|header| header.digest(custodian.table().id()).to_string()),
        sealing,
        failure,
    })
}

/// How far an epoch is. A custodian's token shows in whole why it could not be sealed.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/epochs/{epoch}", tag = "log",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The epoch")),
    responses((status = 200, description = "Its state", body = EpochInfo)),
))]
pub async fn epoch_info(
    Access { table, right: Insight { custody } }: Access<Insight>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<EpochInfo>, Problem> {
    state.light.run(move || info(&table, epoch, custody)).await.map(Json)
}

/// Closes the next epoch, audits it and signs it into the log, which takes its time: ask for the epoch
/// until its state is `sealed`, or `logged` where witnesses have to cosign. Asking again does no harm.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/epochs/{epoch}/seal", tag = "custodian",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The next epoch of the log")),
    responses(
        (status = 200, description = "It is in the log already", body = EpochInfo),
        (status = 202, description = "It is being sealed", body = EpochInfo),
    ),
    security(("token" = [])),
))]
pub async fn seal_epoch(
    Access { table, .. }: Access<As<Custody>>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
) -> Result<(StatusCode, Json<EpochInfo>), Problem> {
    let shared = Arc::clone(&state);
    let answer = state.light.run(move || {
        let known = info(&table, epoch, true)?;
        let (next, reached) = {
            let custodian = table.custodian();
            (custodian.next_epoch()?, custodian.state(epoch)?)
        };
        if reached >= EpochState::Logged {
            return Ok((StatusCode::OK, known));
        }
        if epoch != next {
            let detail = format!("epoch {epoch} cannot be sealed before epoch {next}");
            return Err(Problem::conflict("epoch-order", detail));
        }
        start(&shared, &table, epoch)?;
        Ok((StatusCode::ACCEPTED, info(&table, epoch, true)?))
    });
    let (status, info) = answer.await?;
    Ok((status, Json(info)))
}
