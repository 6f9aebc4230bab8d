//! Epochs are sealed by threads of their own: a request starts one, and the epoch's state says how far
//! it is. What a stopped server leaves half done, the next one goes on with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{extract::State as Shared, http::StatusCode};
use client::api::EpochInfo;
use table::store::EpochState;

use super::{
    access::{Access, As, Custody, Epoch, Public},
    served::{Served, state_name},
    state::State,
};
use crate::http::{Json, Problem};

/// Which epoch of a table is being sealed, and why the last attempt failed.
#[derive(Default)]
pub struct Sealing(Mutex<Job>);

#[derive(Default)]
struct Job {
    running: Option<u32>,
    failed: Option<(u32, String)>,
}

/// While it is held, nothing is sealed.
pub struct Paused<'a>(#[expect(dead_code, reason = "held, not read")] MutexGuard<'a, Job>);

impl Sealing {
    fn lock(&self) -> MutexGuard<'_, Job> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps epochs from being sealed; none while one is.
    pub fn pause(&self) -> Option<Paused<'_>> {
        let job = self.lock();
        job.running.is_none().then_some(Paused(job))
    }
}

/// Ends a job, however its thread ends.
struct Running {
    state: Arc<State>,
    table: Arc<Served>,
    epoch: u32,
    outcome: Result<(), String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let Self { state, table, epoch, outcome } = self;
        match outcome {
            Ok(()) => state.metrics.sealed(),
            Err(reason) => {
                state.alarm("seal", &format!("table {}, epoch {epoch}: {reason}", table.id))
            }
        }
        // What the epoch's state says, everybody may see now.
        table.changed();
        let mut job = table.sealing.lock();
        job.running = None;
        job.failed = outcome.as_ref().err().map(|reason| (*epoch, reason.clone()));
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
    let outcome = Err("the thread ended before its time".to_owned());
    let mut running =
        Running { state: Arc::clone(state), table: Arc::clone(table), epoch, outcome };
    let work = move || running.outcome = seal(&running.state, &running.table, epoch);
    match std::thread::Builder::new().name("seal".to_owned()).spawn(move || {
        let mut work = work;
        work();
    }) {
        Ok(_) => {
            job.running = Some(epoch);
            Ok(())
        }
        Err(error) => Err(Problem::internal(error)),
    }
}

fn seal(state: &State, table: &Served, epoch: u32) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let custodian = table.custodian();
    let operator = table.folder.operator(&custodian.sealing_key(epoch));
    let operator = operator.map_err(|error| text(&error))?;
    custodian.seal_epoch(epoch, &operator, &()).map_err(|error| text(&error))?;
    table.changed();
    if custodian.state(epoch).map_err(|error| text(&error))? == EpochState::Witnessed {
        // Whoever asks first need not wait.
        state.epochs.get(&custodian, epoch).map_err(|error| text(&error))?;
    }
    Ok(())
}

/// Goes on with every epoch that a stopped server left between open and logged.
///
/// # Errors
/// [`Problem`].
pub fn resume(state: &Arc<State>) -> Result<(), Problem> {
    for table in state.tables() {
        let (epoch, reached) = {
            let custodian = table.custodian();
            let epoch = custodian.next_epoch()?;
            (epoch, custodian.state(epoch)?)
        };
        if reached > EpochState::Open {
            start(state, &table, epoch)?;
        }
    }
    Ok(())
}

/// How far an epoch is, as far as that is public.
fn info(table: &Served, epoch: u32) -> Result<EpochInfo, Problem> {
    let (sealing, failure) = {
        let job = table.sealing.lock();
        let failed = job.failed.as_ref().filter(|(failed, _)| *failed == epoch);
        (job.running == Some(epoch), failed.map(|(_, reason)| reason.clone()))
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

/// How far an epoch is.
#[utoipa::path(
    get, path = "/v1/tables/{table}/epochs/{epoch}", tag = "log",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The epoch")),
    responses((status = 200, description = "Its state", body = EpochInfo)),
)]
pub async fn epoch_info(
    Access { table, .. }: Access<Public>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<EpochInfo>, Problem> {
    state.light.run(move || info(&table, epoch)).await.map(Json)
}

/// Closes the next epoch, audits it and signs it into the log, which takes its time: ask for the epoch
/// until its state is `sealed`, or `logged` where witnesses have to cosign. Asking again does no harm.
#[utoipa::path(
    post, path = "/v1/tables/{table}/epochs/{epoch}/seal", tag = "custodian",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The next epoch of the log")),
    responses(
        (status = 200, description = "It is in the log already", body = EpochInfo),
        (status = 202, description = "It is being sealed", body = EpochInfo),
    ),
    security(("token" = [])),
)]
pub async fn seal_epoch(
    Access { table, .. }: Access<As<Custody>>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
) -> Result<(StatusCode, Json<EpochInfo>), Problem> {
    let shared = Arc::clone(&state);
    let answer = state.light.run(move || {
        let known = info(&table, epoch)?;
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
        Ok((StatusCode::ACCEPTED, info(&table, epoch)?))
    });
    let (status, info) = answer.await?;
    Ok((status, Json(info)))
}
