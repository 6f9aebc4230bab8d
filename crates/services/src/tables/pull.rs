//! Rows come in from a database that the configuration names.

use std::sync::Arc;

use axum::{extract::State as Shared, http::StatusCode};
use client::api::{PullRequest, RowsPulled};
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::{
    access::{Access, As, Epoch, Feeding},
    served::Served,
    state::{State, now},
};
use crate::{
    http::{Json, Problem},
    sql::{self, Order, SqlError},
};

/// Takes an epoch's rows from a database: all are checked before any is stored. Asking again goes on
/// after the last row stored, also when the answer to the first request did not come in time.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/epochs/{epoch}/pull", tag = "feeder",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "An open epoch")),
    request_body = PullRequest,
    responses((status = 200, description = "Stored for good, unless it was a dry run", body = RowsPulled)),
    security(("token" = [])),
))]
pub async fn pull(
    Access { table, .. }: Access<As<Feeding>>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
    Json(request): Json<PullRequest>,
) -> Result<Json<RowsPulled>, Problem> {
    let shared = Arc::clone(&state);
    let pulled = state.pulls.run(move || {
        let pulled = take(&shared, &table, epoch, &request)?;
        if pulled.stored {
            shared.metrics.accepted(pulled.rows);
        }
        Ok(pulled)
    });
    pulled.await.map(Json)
}

fn take(
    state: &State,
    table: &Served,
    epoch: u32,
    request: &PullRequest,
) -> Result<RowsPulled, Problem> {
    let PullRequest { source, replay, dry_run } = request;
    let live = state.live();
    let mut feeds =
        live.sources.iter().filter(|feed| [&table.name, &table.id].contains(&&feed.into));
    let feed = feeds.find(|feed| feed.name == *source);
    let missing =
        || Problem::not_found("source", "no source of this name is configured for the table");
    let feed = feed.ok_or_else(missing)?;
    let custodian = table.custodian();
    let deadline = now().saturating_add(custodian.table().schema().seal_deadline);
    let order = Order { epoch, deadline, replay: *replay, dry_run: *dry_run };
    let rng = &mut UnwrapErr(SysRng);
    let pulled = sql::pull(&custodian, &feed.from, order, &(), &mut |_, _| Ok(()), rng)?;
    Ok(RowsPulled { epoch, rows: pulled.rows, before: pulled.before, stored: !dry_run })
}

impl From<SqlError> for Problem {
    fn from(error: SqlError) -> Self {
        let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
        let detail = format!("{error}{hint}");
        match error {
            SqlError::Custody(error) => error.into(),
            SqlError::Rows { .. } | SqlError::Twice { .. } => Self::refused("row", detail),
            SqlError::NoTable { .. }
            | SqlError::NoColumn { .. }
            | SqlError::Unknown { .. }
            | SqlError::Type { .. } => Self::refused("source", detail),
            SqlError::Changed { .. } | SqlError::Moved { .. } | SqlError::Unsteady { .. } => {
                Self::conflict("source", detail)
            }
            SqlError::Database { .. } | SqlError::Silent { .. } => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "source", detail)
            }
            error => Self::internal(error),
        }
    }
}
