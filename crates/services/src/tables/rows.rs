//! Rows come in, and receipts go out.

use std::{collections::HashMap, sync::Arc};

use axum::{extract::State as Shared, http::HeaderMap};
use client::api::{self, ReceiptItem, Receipts, RowFields, RowsAccepted, RowsRequest};
use data_encoding::BASE64;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use table::{
    Row, UserKeys,
    log::Receipt,
    store::{Batch, Custodian, Promise, RedbStore},
};
use wire::Encode as _;

use super::{
    access::{Access, As, AsUser, Feeding},
    served::Served,
    state::{State, folder_problem, now},
    user::AtEpoch,
};
use crate::http::{Json, Params, Problem};

const KEY_HEADER: &str = "idempotency-key";
/// Bytes of an idempotency key.
const MAX_KEY: usize = 128;

/// Takes rows in, all or none. The answer means that they are stored for good. A batch whose answer was
/// lost is sent again with the same key, and gets the same receipts.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/rows", tag = "feeder",
    params(
        ("table" = String, Path, description = "Name or identifier"),
        ("Idempotency-Key" = String, Header, description = "Names the batch: 1 to 128 visible ASCII characters",
         min_length = 1, max_length = 128, pattern = "^[!-~]+$"),
    ),
    request_body = RowsRequest,
    responses((status = 200, description = "Stored for good", body = RowsAccepted)),
    security(("token" = [])),
))]
pub async fn ingest(
    Access { table, .. }: Access<As<Feeding>>,
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
    Json(request): Json<RowsRequest>,
) -> Result<Json<RowsAccepted>, Problem> {
    let name = idempotency_key(&headers)?;
    let limit = state.live().limits.rows_per_batch;
    if request.rows.is_empty() || request.rows.len() > limit {
        let detail = format!("a batch has 1 to {limit} rows, not {}", request.rows.len());
        return Err(Problem::refused("batch-size", detail));
    }
    let shared = Arc::clone(&state);
    let accepted = state.writes.run(move || {
        let accepted = take(&table, &name, &request)?;
        shared.metrics.accepted(accepted.rows);
        Ok(accepted)
    });
    accepted.await.map(Json)
}

fn idempotency_key(headers: &HeaderMap) -> Result<Vec<u8>, Problem> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value.as_bytes(),
        _ => &[],
    };
    match (1..=MAX_KEY).contains(&value.len()) && value.iter().all(u8::is_ascii_graphic) {
        true => Ok(value.to_vec()),
        false => Err(Problem::malformed(
            "idempotency-key",
            format!("`Idempotency-Key` must name the batch in 1 to {MAX_KEY} visible characters"),
        )),
    }
}

fn take(table: &Served, name: &[u8], request: &RowsRequest) -> Result<RowsAccepted, Problem> {
    let custodian = table.custodian();
    let schema = custodian.table().schema();
    let read = |(index, fields): (usize, &RowFields)| {
        api::row_of(schema, fields)
            .map_err(|reason| Problem::refused("row", format!("row {index}: {reason}")))
    };
    let rows: Vec<Row> = request.rows.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let deadline = now().saturating_add(schema.seal_deadline);
    let batch = Batch { name, epoch: request.epoch, rows: &rows, deadline };
    // Stored for good when this returns; only then anything is signed.
    let accepted = custodian.accept(&batch, &mut UnwrapErr(SysRng))?;
    let mut receipts = Vec::with_capacity(rows.len());
    let mut signer = Signer::default();
    for (row, (keys, promise)) in rows.iter().zip(&accepted) {
        receipts.extend(signer.sign(table, &custodian, request.epoch, (row, keys), *promise)?);
    }
    Ok(RowsAccepted { epoch: request.epoch, rows: rows.len() as u64, receipts })
}

/// Signs receipts; keys of the operator are read once.
#[derive(Default)]
struct Signer(HashMap<u64, board::Identity>);

impl Signer {
    fn sign(
        &mut self,
        table: &Served,
        custodian: &Custodian<RedbStore>,
        epoch: u32,
        (row, keys): (&Row, &UserKeys),
        promise: Promise,
    ) -> Result<Vec<ReceiptItem>, Problem> {
        let Promise { log_size, deadline } = promise;
        let known = custodian.table();
        let operator = match self.0.entry(log_size) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                // The key that would have signed the next checkpoint then.
                let key = known.operator(log_size.saturating_add(1));
                entry.insert(table.folder.operator(&key).map_err(folder_problem)?)
            }
        };
        let sign = |column: u16| {
            let place = (epoch, column);
            let receipt = Receipt::sign(operator, known, place, (row, keys), (log_size, deadline));
            let receipt = receipt.map_err(Problem::internal)?;
            // A receipt for a column that the schema lacks would not have been signed.
            Ok(ReceiptItem {
                user: String::from_utf8_lossy(&row.user).into_owned(),
                column: known.schema().value(column).map(|c| c.name.clone()).unwrap_or_default(),
                receipt: BASE64.encode(&receipt.to_bytes()),
            })
        };
        known.schema().ordered().map(sign).collect()
    }
}

/// The operator's receipts for the user's row, as whoever brought the row in got them.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/receipts", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "One for each ordered column", body = Receipts)),
    security(("token" = [])),
))]
pub async fn receipts(
    Access { table, right: AsUser(claim) }: Access<AsUser>,
    Shared(state): Shared<Arc<State>>,
    Params(AtEpoch { epoch }): Params<AtEpoch>,
) -> Result<Json<Receipts>, Problem> {
    let found = state.light.run(move || {
        let custodian = table.custodian();
        let row = custodian.row(epoch, &claim.user)?;
        let keys = custodian.user_keys(epoch, &claim.user)?;
        let promise = custodian.promise(epoch, &claim.user)?;
        let ((Some(row), Some(keys)), Some(promise)) = ((row, keys), promise) else {
            let detail = format!("no row of this user came in with a receipt in epoch {epoch}");
            return Err(Problem::not_found("row", detail));
        };
        Signer::default().sign(&table, &custodian, epoch, (&row, &keys), promise)
    });
    Ok(Json(Receipts { receipts: found.await? }))
}
